package api

import (
	"bytes"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/anthropic"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/sdapi"
)

// failures are the error envelopes of protocols that other services have defined.
var failures = map[endpoint.Format]func(*atelier.Error) any{
	endpoint.OpenAI: openai.Failure, endpoint.Anthropic: anthropic.Failure, endpoint.Automatic1111: sdapi.Failure,
	endpoint.Replicate: predictionFailure,
}

// messageBounds bounds a conversation in Anthropic's shape.
var messageBounds = anthropic.BodyBounds

// messageRequest is the body of POST /v1/messages.
type messageRequest struct {
	anthropic.MessageBody
	endpoint.Source
}

// createMessage answers a conversation, whole or as a stream.
func (s *Server) createMessage(c *endpoint.Call, q messageRequest) (*anthropic.Message, error) {
	r, err := q.Request(c.Caller, protocolTerms(q.Source, "anthropic"))
	if err != nil {
		return nil, err
	}
	c.ReleaseValues()
	if r.Stream {
		return nil, s.streamAnswer(c, r, messageWriter{anthropic.NewStreamer(r)})
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return anthropic.NewMessage(r, done), nil
}

// messageWriter writes an answer as Anthropic's API does.
type messageWriter struct{ *anthropic.Streamer }

func (w messageWriter) open(out *endpoint.EventStream) bool { return send(out, w.First()) }
func (w messageWriter) beat(out *endpoint.EventStream) bool { return send(out, w.Ping()) }

func (w messageWriter) text(out *endpoint.EventStream, text string) bool {
	return send(out, w.Begin()...) && out.BufferFrame(anthropic.TextEvent, func(b *bytes.Buffer) error { return w.WriteText(b, text) })
}

// event writes nothing: calls of the caller's tools come with the end, and no tools of the service are offered.
func (w messageWriter) event(*endpoint.EventStream, chat.Event) bool { return true }

func (w messageWriter) close(out *endpoint.EventStream, done *chat.Completion) {
	if done != nil {
		send(out, w.Last(*done)...)
	}
}

func send(out *endpoint.EventStream, events ...anthropic.Event) bool {
	for _, ev := range events {
		if !out.Frame(nil, ev.Name, ev.Data) {
			return false
		}
	}
	return true
}

// countRequest is the body of POST /v1/messages/count_tokens.
type countRequest struct {
	anthropic.Prompt
}

func (s *Server) countTokens(c *endpoint.Call, q countRequest) (anthropic.TokenCount, error) {
	if err := s.chat.CheckModel(c.Caller, q.Model); err != nil {
		return anthropic.TokenCount{}, err
	}
	n, err := q.Tokens()
	return anthropic.TokenCount{Input: n}, err
}
