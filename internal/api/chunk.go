package api

import (
	"bytes"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// completionChunk is a piece of a completion.
type completionChunk struct {
	ID        string             `json:"id"`
	Object    string             `json:"object"`
	Created   int64              `json:"created"`
	Model     string             `json:"model"`
	Choices   []chunkChoice      `json:"choices"`
	Usage     *completionUsage   `json:"usage,omitzero"`
	Workflows []chat.WorkflowRef `json:"creative_workflows,omitzero"`
	Results   []map[string]any   `json:"svc_tool_results,omitzero"`
}

type chunkChoice struct {
	Index        int        `json:"index"`
	Delta        chunkDelta `json:"delta"`
	FinishReason *string    `json:"finish_reason"`
}

type chunkDelta struct {
	Role      string             `json:"role,omitzero"`
	Content   *string            `json:"content,omitzero"`
	ToolCalls []chunkCall        `json:"tool_calls,omitzero"`
	Progress  *chat.ToolProgress `json:"svc_tool_progress,omitzero"`
}

type chunkCall struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitzero"`
	Type     string        `json:"type,omitzero"`
	Function chunkFunction `json:"function"`
}

type chunkFunction struct {
	Name      string `json:"name,omitzero"`
	Arguments string `json:"arguments"`
}

// errLeft says that the client is gone.
var errLeft = errors.New("the client left")

// completeStream answers a conversation bit by bit. The stream opens with the
// first piece, so that what goes wrong before it has the status of any other
// answer; what goes wrong later is told in a chunk. Unless the reader asked for
// a chunk of its own, what was used is told with the end.
func (s *Server) completeStream(c *call, r *chat.Request, ownUsage bool) {
	st := &completionStream{server: s, c: c, chunk: completionChunk{ID: r.ID, Object: "chat.completion.chunk", Created: c.now.Unix(), Model: r.Model.ID}}
	st.mu.Lock()
	st.beat = time.AfterFunc(s.heartbeat, st.alive)
	st.mu.Unlock()
	done, err := s.chat.Complete(c, r, st.tell)
	st.beat.Stop()
	st.mu.Lock()
	defer st.mu.Unlock()
	st.over = true
	err = c.ended(err)
	switch {
	case err != nil && st.out == nil:
		s.writeError(c.w, c.r, openAI, err)
		return
	case errors.Is(err, errLeft) || c.r.Context().Err() != nil:
		return
	case err != nil:
		st.fail(err)
		return
	}
	st.open()
	usage := usageOf(done.Usage)
	last := st.chunk
	last.Choices = []chunkChoice{{FinishReason: &done.FinishReason}}
	last.Workflows, last.Results = done.Workflows, done.Results
	if !ownUsage {
		last.Usage = &usage
	}
	st.send(last)
	if ownUsage {
		last = st.chunk
		last.Choices, last.Usage = []chunkChoice{}, &usage
		st.send(last)
	}
	st.out.raw("data: [DONE]\n\n")
}

// completionStream writes the chunks of one completion.
type completionStream struct {
	server *Server
	c      *call
	chunk  completionChunk // what all have in common
	before []byte          // what stands before the words of a piece, and after
	after  []byte

	mu   sync.Mutex  // the answer and the heartbeat write
	beat *time.Timer // runs out when nothing was written for a while
	out  *sse        // nil until the first piece
	over bool
}

// alive shows that the answer is still being made: a model that thinks, or a
// tool that writes, may say nothing for minutes, and what is between us and the
// reader closes a silent connection.
func (st *completionStream) alive() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.over && st.open() && st.out.heartbeat() {
		st.beat.Reset(st.server.heartbeat)
	}
}

// open begins the stream with the role of who speaks.
func (st *completionStream) open() bool {
	if st.out != nil {
		return true
	}
	st.out = openStream(st.c)
	empty, ok := "", false
	aside(func() { ok = st.piece(chunkDelta{Role: "assistant", Content: &empty}) }) // net/http writes the headers with it
	return ok
}

func (st *completionStream) piece(d chunkDelta) bool {
	chunk := st.chunk
	chunk.Choices = []chunkChoice{{Delta: d}}
	return st.send(chunk)
}

func (st *completionStream) send(chunk completionChunk) bool {
	return st.out.data(chunk)
}

// tell writes an event as it comes.
func (st *completionStream) tell(ev chat.Event) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.beat.Reset(st.server.heartbeat)
	if !st.open() || !st.write(ev) {
		return errLeft
	}
	return nil
}

func (st *completionStream) write(ev chat.Event) bool {
	switch {
	case ev.Beat:
		return st.out.heartbeat()
	case ev.Progress != nil:
		return st.piece(chunkDelta{Progress: ev.Progress})
	case ev.Workflow != nil:
		chunk := st.chunk
		chunk.Choices, chunk.Workflows = []chunkChoice{{}}, []chat.WorkflowRef{*ev.Workflow}
		return st.send(chunk)
	}
	if ev.ToolCalls != nil {
		d := chunkDelta{ToolCalls: calls(ev.ToolCalls)}
		if ev.Content != "" {
			d.Content = &ev.Content
		}
		return st.piece(d)
	}
	return (ev.Content == "" || st.writeText(ev.Content)) && (ev.More || st.out.flush())
}

// writeText writes a piece that has nothing but text, which nearly all have. They
// are alike but for the text, so that one of them is marshalled and the others
// are made after it.
func (st *completionStream) writeText(text string) bool {
	if st.before == nil {
		empty := ""
		chunk := st.chunk
		chunk.Choices = []chunkChoice{{Delta: chunkDelta{Content: &empty}}}
		whole, err := wire.Marshal(chunk)
		at := bytes.LastIndex(whole, []byte(`""`)) // what follows has no text at all
		if err != nil || at < 0 {
			return st.send(chunk)
		}
		st.before = append([]byte("data: "), whole[:at]...)
		st.after = append(whole[at+2:], "\n\n"...)
	}
	b := buffers.Get().(*bytes.Buffer)
	defer keepBuffer(b)
	b.Reset()
	b.Write(st.before)
	b.Write(wire.AppendString(b.AvailableBuffer(), text))
	b.Write(st.after)
	return st.out.put(b.Bytes())
}

func calls(deltas []llm.ToolCallDelta) []chunkCall {
	var out []chunkCall
	for _, d := range deltas {
		call := chunkCall{Index: d.Index, ID: d.ID, Function: chunkFunction{d.Name, d.Arguments}}
		if d.ID != "" || d.Name != "" {
			call.Type = "function"
		}
		out = append(out, call)
	}
	return out
}

// fail tells what went wrong after the stream has opened.
func (st *completionStream) fail(err error) {
	st.out.data(failureBody(openAI, st.server.explain(st.c.w, st.c.r, err)))
	st.out.raw("data: [DONE]\n\n")
}
