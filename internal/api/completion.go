package api

import (
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/openai"
)

// completionRequest is the body of POST /v1/chat/completions.
type completionRequest struct {
	openai.CompletionBody
	source
}

// complete answers a conversation, whole or as a stream.
func (s *Server) complete(c *call, q completionRequest) (*openai.CompletionReply, error) {
	ownUsage := q.StreamOptions != nil && q.StreamOptions.IncludeUsage
	r, err := q.Request(c.caller, q.AppSource)
	if err != nil {
		return nil, err
	}
	c.values.release() // messages take little more memory than their text, and may be held for minutes
	if r.Stream {
		s.completeStream(c, r, ownUsage)
		c.written = true
		return nil, nil
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return openai.NewReply(r, c.now, done), nil
}
