package openai

import (
	"bytes"
	"time"

	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// Chunk is a piece of a streamed answer.
type Chunk struct {
	ID        string             `json:"id"`
	Object    string             `json:"object"`
	Created   int64              `json:"created"`
	Model     string             `json:"model"`
	Choices   []chunkChoice      `json:"choices"`
	Usage     *CompletionUsage   `json:"usage,omitzero"`
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

// Chunker makes the chunks of one answer from the events of the chat engine.
type Chunker struct {
	base          Chunk  // the fields that all chunks have in common
	before, after []byte // a text chunk before and after its text
}

// NewChunker makes the chunker of a request that came at a time.
func NewChunker(r *chat.Request, at time.Time) *Chunker {
	return &Chunker{base: Chunk{ID: r.ID, Object: "chat.completion.chunk", Created: at.Unix()}}
}

// SetModel sets the model that answers.
func (c *Chunker) SetModel(id string) { c.base.Model = id }

// First is the chunk that opens a stream: the role, without content.
func (c *Chunker) First() Chunk {
	empty := ""
	return c.delta(chunkDelta{Role: "assistant", Content: &empty})
}

// Event is the chunk of an event, without its text.
func (c *Chunker) Event(ev chat.Event) Chunk {
	switch {
	case ev.Progress != nil:
		return c.delta(chunkDelta{Progress: ev.Progress})
	case ev.Workflow != nil:
		chunk := c.delta(chunkDelta{})
		chunk.Workflows = []chat.WorkflowRef{*ev.Workflow}
		return chunk
	}
	return c.delta(chunkDelta{ToolCalls: chunkCalls(ev.ToolCalls)})
}

// WriteText writes the JSON of a chunk that has nothing but text, as nearly all
// have. They differ only in the text, so that one is marshalled and the others are
// made from it.
func (c *Chunker) WriteText(b *bytes.Buffer, text string) error {
	if c.before == nil {
		empty := ""
		whole, err := wire.Marshal(c.delta(chunkDelta{Content: &empty}))
		if err != nil {
			return err
		}
		at := bytes.LastIndex(whole, []byte(`""`)) // the content: no member behind it holds a string
		c.before, c.after = whole[:at], whole[at+len(`""`):]
	}
	b.Write(c.before)
	b.Write(wire.AppendString(b.AvailableBuffer(), text))
	b.Write(c.after)
	return nil
}

// Last are the chunks that end a stream. The usage comes with the finish reason,
// or in a separate chunk where the client asked for that.
func (c *Chunker) Last(done chat.Completion, ownUsage bool) []Chunk {
	usage := newUsage(done.Usage)
	last := c.base
	last.Choices = []chunkChoice{{FinishReason: &done.FinishReason}}
	last.Workflows, last.Results = done.Workflows, done.Results
	if !ownUsage {
		last.Usage = &usage
		return []Chunk{last}
	}
	counts := c.base
	counts.Choices, counts.Usage = []chunkChoice{}, &usage
	return []Chunk{last, counts}
}

func (c *Chunker) delta(d chunkDelta) Chunk {
	chunk := c.base
	chunk.Choices = []chunkChoice{{Delta: d}}
	return chunk
}

func chunkCalls(deltas []llm.ToolCallDelta) []chunkCall {
	var out []chunkCall
	for _, d := range deltas {
		call := chunkCall{Index: d.Index, ID: d.ID, Function: chunkFunction{Name: d.Name, Arguments: d.Arguments}}
		if d.ID != "" || d.Name != "" {
			call.Type = "function"
		}
		out = append(out, call)
	}
	return out
}
