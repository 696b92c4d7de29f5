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
	st := &completionStream{server: s, c: c, chunks: openai.NewChunker(r, c.Now)}
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
	default:
		st.open()
		for _, chunk := range st.chunks.Last(done, ownUsage) {
			st.out.Data(chunk)
		}
	}
	st.out.Raw("data: [DONE]\n\n")
	return nil
}

// completionStream writes the chunks of one completion.
type completionStream struct {
	server *Server
	c      *endpoint.Call
	chunks *openai.Chunker

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
	if !st.over && st.open() && st.out.Heartbeat() {
		st.beat.Reset(st.server.heartbeat)
	}
}

// open begins the stream with the role of the answer.
func (st *completionStream) open() bool {
	if st.out != nil {
		return true
	}
	st.out = st.c.OpenStream()
	return st.out.Data(st.chunks.First())
}

// send writes an event of the chat engine.
func (st *completionStream) send(ev chat.Event) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if ev.Model != "" {
		st.chunks.SetModel(ev.Model)
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
		return st.out.Heartbeat()
	case ev.Progress != nil || ev.Workflow != nil || ev.ToolCalls != nil:
		return st.out.Data(st.chunks.Event(ev))
	}
	return (ev.Content == "" || st.writeText(ev.Content)) && (ev.More || st.out.Flush())
}

func (st *completionStream) writeText(text string) bool {
	return st.out.BufferData(func(b *bytes.Buffer) error { return st.chunks.WriteText(b, text) })
}

// executeRequest is the body of POST /v1/creative-agent/tools/execute.
type executeRequest struct {
	Tool      string              `wire:"tool,required,alias=tool_name" doc:"A synchronous tool."`
	Arguments map[string]any      `wire:"arguments,required" doc:"Its exact arguments."`
	Token     atelier.TokenChoice `wire:"token_type,alias=tokenType,enum=spark|svc|auto,default=auto" doc:"The token that pays."`
	Mode      atelier.BillingMode `wire:"billing_mode,alias=billingMode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	Filter    bool                `wire:"safe_content_filter,alias=safeContentFilter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	endpoint.Source
}

func (s *Server) executeTool(c *endpoint.Call, q executeRequest) (chat.Executed, error) {
	return s.chat.Execute(c, chat.Execution{
		Caller: c.Caller, Tool: q.Tool, Arguments: q.Arguments, Filter: q.Filter,
		Terms: atelier.PaymentTerms{Token: q.Token, Mode: q.Mode, App: q.AppSource},
	})
}
