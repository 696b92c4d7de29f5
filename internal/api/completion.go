package api

import (
	"bytes"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
)

// completionRequest is the body of POST /v1/chat/completions.
type completionRequest struct {
	openai.CompletionBody
	endpoint.Source
}

// complete answers a conversation, whole or as a stream.
func (s *Server) complete(c *endpoint.Call, q completionRequest) (*openai.CompletionReply, error) {
	ownUsage := q.StreamOptions != nil && q.StreamOptions.IncludeUsage
	r, err := q.Request(c.Caller, q.AppSource)
	if err != nil {
		return nil, err
	}
	if r.Family != "" && r.Execute { // its tools make media
		if err := c.CheckSpace(); err != nil {
			return nil, err
		}
	}
	c.ReleaseValues() // messages take little more memory than their text, and may be held for minutes
	if r.Stream {
		return nil, s.completeStream(c, r, ownUsage)
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return openai.NewReply(r, c.Now, done), nil
}

// errLeft says that the client is gone.
var errLeft = errors.New("the client disconnected")

// completeStream answers a conversation in chunks. The stream opens with the
// first piece, so that an error before it has its own status, like that of any
// other answer; an error after it is sent as a chunk. The usage is sent with the
// last chunk, unless the client asked for a separate chunk.
func (s *Server) completeStream(c *endpoint.Call, r *chat.Request, ownUsage bool) error {
	return s.streamAnswer(c, r, &chunkWriter{openai.NewChunker(r, c.Now), ownUsage})
}

// streamAnswer answers a conversation as a stream in the shape of a protocol.
func (s *Server) streamAnswer(c *endpoint.Call, r *chat.Request, to answerWriter) error {
	st := &completionStream{server: s, c: c, to: to}
	st.mu.Lock()
	st.beat = time.AfterFunc(s.heartbeat, st.sendHeartbeat)
	st.mu.Unlock()
	done, err := s.chat.Complete(c, r, st.send)
	st.beat.Stop()
	st.mu.Lock()
	defer st.mu.Unlock()
	st.over = true
	if err = c.Ended(err); err == nil {
		err = c.Request.Context().Err()
	}
	switch {
	case err != nil && st.out == nil:
		return err
	case errors.Is(err, errLeft) || c.Request.Context().Err() != nil:
		return nil
	case err != nil:
		st.out.Fail(err)
		st.to.close(st.out, nil)
	default:
		st.open()
		st.to.close(st.out, &done)
	}
	return nil
}

// answerWriter writes an answer to a stream, in the shape of a protocol. Its functions report false when the reader has
// disconnected.
type answerWriter interface {
	SetModel(id string)                                  // before anything is written
	open(out *endpoint.EventStream) bool                 // without sending it at once
	text(out *endpoint.EventStream, text string) bool    // without sending it at once
	event(out *endpoint.EventStream, ev chat.Event) bool // without its text, and without sending it at once
	beat(out *endpoint.EventStream) bool
	close(out *endpoint.EventStream, done *chat.Completion) // done is nil after an error
}

// chunkWriter writes an answer as OpenAI's API does.
type chunkWriter struct {
	*openai.Chunker
	ownUsage bool
}

func (w *chunkWriter) open(out *endpoint.EventStream) bool { return out.Buffer(w.First()) }
func (w *chunkWriter) beat(out *endpoint.EventStream) bool { return out.Heartbeat() }

func (w *chunkWriter) text(out *endpoint.EventStream, text string) bool {
	return out.BufferData(func(b *bytes.Buffer) error { return w.WriteText(b, text) })
}

func (w *chunkWriter) event(out *endpoint.EventStream, ev chat.Event) bool {
	return out.Buffer(w.Event(ev))
}

func (w *chunkWriter) close(out *endpoint.EventStream, done *chat.Completion) {
	if done != nil {
		for _, chunk := range w.Last(*done, w.ownUsage) {
			out.Buffer(chunk)
		}
	}
	out.Raw("data: [DONE]\n\n")
}

// textRequest is the body of POST /v1/completions.
type textRequest struct {
	openai.TextBody
	endpoint.Source
}

// completeText continues a text, whole or as a stream.
func (s *Server) completeText(c *endpoint.Call, q textRequest) (*openai.TextReply, error) {
	ownUsage := q.StreamOptions != nil && q.StreamOptions.IncludeUsage
	r, begins, err := q.Request(c.Caller, protocolTerms(q.Source, "openai"))
	if err != nil {
		return nil, err
	}
	if r.Stream {
		return nil, s.streamAnswer(c, r, &textWriter{openai.NewTextChunker(r, c.Now), begins, ownUsage})
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return openai.NewTextReply(r, c.Now, begins, done), nil
}

// textWriter writes an answer as OpenAI's API before chat completions does.
type textWriter struct {
	*openai.TextChunker
	begins   string
	ownUsage bool
}

func (w *textWriter) open(out *endpoint.EventStream) bool {
	return w.begins == "" || w.text(out, w.begins)
}

func (w *textWriter) beat(out *endpoint.EventStream) bool { return out.Heartbeat() }

func (w *textWriter) text(out *endpoint.EventStream, text string) bool {
	return out.BufferData(func(b *bytes.Buffer) error { return w.WriteText(b, text) })
}

// event writes nothing: no tools are offered.
func (w *textWriter) event(*endpoint.EventStream, chat.Event) bool { return true }

func (w *textWriter) close(out *endpoint.EventStream, done *chat.Completion) {
	if done != nil {
		for _, piece := range w.Last(*done, w.ownUsage) {
			out.Buffer(piece)
		}
	}
	out.Raw("data: [DONE]\n\n")
}

// completionStream writes the answer to one request.
type completionStream struct {
	server *Server
	c      *endpoint.Call
	to     answerWriter

	mu   sync.Mutex            // held to write: the engine and the heartbeat do
	beat *time.Timer           // fires when nothing was written for a while
	out  *endpoint.EventStream // nil until the first piece
	over bool
}

// sendHeartbeat shows that the answer is still being made: a model that thinks, or
// a tool that writes, may send nothing for minutes, and proxies close a silent
// connection.
func (st *completionStream) sendHeartbeat() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over && st.open() && st.to.beat(st.out) {
		st.beat.Reset(st.server.heartbeat)
	}
}

// open begins the stream.
func (st *completionStream) open() bool {
	if st.out != nil {
		return true
	}
	st.out = st.c.OpenStream()
	return st.to.open(st.out)
}

// send writes an event of the chat engine.
func (st *completionStream) send(ev chat.Event) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if ev.Model != "" {
		st.to.SetModel(ev.Model)
		return nil // nothing for the client yet
	}
	st.beat.Reset(st.server.heartbeat)
	if !st.open() || !st.write(ev) {
		return errLeft
	}
	return nil
}

func (st *completionStream) write(ev chat.Event) bool {
	switch {
	case ev.Beat:
		return st.to.beat(st.out)
	case ev.Content != "" && !st.to.text(st.out, ev.Content):
		return false
	case (ev.Progress != nil || ev.Workflow != nil || ev.ToolCalls != nil) && !st.to.event(st.out, ev):
		return false
	}
	return ev.More || st.out.Flush()
}

// executeRequest is the body of POST /v1/creative-agent/tools/execute.
type executeRequest struct {
	Tool      string              `wire:"tool,required,alias=tool_name" doc:"A synchronous tool."`
	Arguments executeArguments    `wire:"arguments,required" doc:"Its exact arguments."`
	Token     atelier.TokenChoice `wire:"token_type,alias=tokenType,enum=spark|svc|auto,default=auto" doc:"The token that pays."`
	Mode      atelier.BillingMode `wire:"billing_mode,alias=billingMode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	Filter    bool                `wire:"safe_content_filter,alias=safeContentFilter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	endpoint.Source
}

// executeArguments are the arguments of a synchronous tool.
type executeArguments map[string]any

func (s *Server) executeTool(c *endpoint.Call, q executeRequest) (chat.Executed, error) {
	return s.chat.Execute(c, chat.Execution{
		Caller: c.Caller, Tool: q.Tool, Arguments: q.Arguments, Filter: q.Filter,
		Terms: atelier.PaymentTerms{Token: q.Token, Mode: q.Mode, App: q.AppSource},
	})
}
