package run

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// Noted is a run of a protocol that keeps a note with it.
type Noted struct {
	Run   apitype.Run
	Note  wire.Raw
	Given []llm.Message // of the request
	Made  []llm.Message // by the model and its tools
}

// Noted reads a run of an account that was started with a note. Any other is not found.
func (e *Engine) Noted(ctx context.Context, w atelier.Wallet, id atelier.RunID) (Noted, error) {
	r, err := e.read(ctx, w, id, -1)
	if err != nil {
		return Noted{}, err
	}
	if r.request.Note == nil {
		return Noted{}, orNotFound(id, store.ErrNotFound)
	}
	out := Noted{Run: e.snapshotOf(ctx, r), Note: r.request.Note}
	for _, m := range r.request.withURLs(e.signer(ctx)).Messages {
		out.Given = append(out.Given, m.message())
	}
	for _, round := range r.state.Rounds {
		out.Made = append(out.Made, round.messages()...)
	}
	return out, nil
}

// messages are a round as turns of a conversation: the answer, and the results of its calls.
func (d roundDocument) messages() []llm.Message {
	answer := llm.Message{Role: "assistant"}
	if d.Text != "" {
		answer.Content = []llm.Part{{Type: "text", Text: d.Text}}
	}
	list := []llm.Message{answer}
	for _, c := range d.Calls {
		list[0].ToolCalls = append(list[0].ToolCalls, c.toolCall())
		result := llm.Text("tool", "The run ended before this call.")
		if c.Outcome != nil {
			result = llm.Text("tool", c.Outcome.summary())
		}
		result.ToolCallID = c.ID
		list = append(list, result)
	}
	for _, c := range d.Theirs {
		list[0].ToolCalls = append(list[0].ToolCalls, c.toolCall())
	}
	return list
}

// Delete deletes a run of an account with its log, unless it is not over. What it has made stays.
func (e *Engine) Delete(ctx context.Context, w atelier.Wallet, id atelier.RunID) error {
	err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
		if err := tx.LockAccount(w); err != nil {
			return err
		}
		if _, err := tx.Run(w, id); err != nil {
			return err
		}
		gone, err := tx.DeleteRun(id)
		if err == nil && !gone {
			err = atelier.Errorf(atelier.CodeWrongState, "The run is not over, or is being paid. Cancel it, or try again in a moment.")
		}
		return err
	})
	return orNotFound(id, err)
}
