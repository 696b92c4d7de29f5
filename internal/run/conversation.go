package run

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// A conversation is the runs of an account that have the same session. The transaction
// that stores a run adds it to its conversation.

// ConversationPosition is a place in a list of conversations.
type ConversationPosition = store.ConversationPosition

// Conversations is a page of a list.
type Conversations struct {
	List []apitype.Conversation
	Next *ConversationPosition // after which the next page begins; nil on the last page
}

// Conversations lists the conversations of an account, the one with the newest run first,
// after a position if one is given: those in which each word of a search occurs.
func (e *Engine) Conversations(ctx context.Context, w atelier.Wallet, search string, after *ConversationPosition, limit int) (Conversations, error) {
	var rows []store.StoredConversation
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.Conversations(w, search, after, limit+1)
		return err
	})
	out := Conversations{List: []apitype.Conversation{}}
	if len(rows) > limit {
		rows = rows[:limit]
		out.Next = &ConversationPosition{UpdatedAt: rows[limit-1].UpdatedAt, Session: rows[limit-1].Session}
	}
	for _, c := range rows {
		out.List = append(out.List, newConversation(c))
	}
	return out, err
}

func newConversation(c store.StoredConversation) apitype.Conversation {
	return apitype.Conversation{
		SessionID: c.Session, Title: c.Title, Runs: c.Runs, LastRunID: c.LastRun, LastStatus: c.LastStatus, CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
		Excerpt: c.Excerpt,
	}
}

// conversationBytes bounds the documents of the runs that are read at once.
const conversationBytes = 4 << 20

// ConversationPage is a conversation with some of its runs.
type ConversationPage struct {
	Conversation apitype.ConversationRuns
	Before       atelier.RunID // runs that were started before it follow; empty when there are none
}

// Conversation reads a conversation of an account with its newest runs, in the order in
// which they were started, or with the newest before a run.
func (e *Engine) Conversation(ctx context.Context, w atelier.Wallet, session string, before atelier.RunID, limit int) (ConversationPage, error) {
	var (
		c    store.StoredConversation
		rows []store.StoredRun
		more bool
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if c, err = tx.Conversation(w, session); err != nil {
			return err
		}
		rows, more, err = tx.RunsOfConversation(w, session, before, limit, conversationBytes)
		return err
	})
	if err != nil {
		return ConversationPage{}, orNoConversation(session, err)
	}
	one := newConversation(c)
	page := ConversationPage{Conversation: apitype.ConversationRuns{
		SessionID: one.SessionID, Title: one.Title, RunCount: one.Runs, LastRunID: one.LastRunID, LastStatus: one.LastStatus,
		CreatedAt: one.CreatedAt, UpdatedAt: one.UpdatedAt, Runs: []apitype.ConversationRun{},
	}}
	if more {
		page.Before = rows[len(rows)-1].ID
	}
	for _, row := range slices.Backward(rows) {
		r, err := decode(row)
		if err != nil {
			return ConversationPage{}, err
		}
		page.Conversation.Runs = append(page.Conversation.Runs, e.conversationRun(ctx, r))
	}
	return page, nil
}

// conversationRun is what is needed to show a run in its conversation: what its user wrote
// last, the tool calls, and the answer.
func (e *Engine) conversationRun(ctx context.Context, r *record) apitype.ConversationRun {
	whole := e.snapshotOf(ctx, r)
	out := apitype.ConversationRun{
		RunID: whole.RunID, Status: whole.Status, Model: r.request.Model, ClientMessageID: r.request.ClientMessageID, Images: []string{},
		ToolCalls: whole.ToolCalls, ToolResults: whole.ToolResults, Artifacts: whole.Artifacts, WorkflowIDs: whole.ChildWorkflowIDs, Waiting: whole.Waiting, Error: whole.Error,
		Usage: whole.Usage, Instructions: r.request.instructions(), Temperature: r.request.temperature(),
		CreatedAt: whole.Timestamps.CreatedAt, UpdatedAt: whole.Timestamps.UpdatedAt, CompletedAt: whole.Timestamps.CompletedAt,
	}
	if whole.FinalResponse != nil {
		out.FinalText, out.FinishReason, out.PendingToolCalls = whole.FinalResponse.Content, whole.FinalResponse.FinishReason, whole.FinalResponse.PendingToolCalls
	}
	request := r.request.withURLs(e.signer(ctx)) // a file in both lists has the same URL
	out.MediaReferences = request.references()
	last := request.lastMessage()
	out.UserText = last.text()
	for _, p := range last.Parts {
		if p.Image != "" {
			out.Images = append(out.Images, p.Image)
		}
	}
	return out
}

// lastMessage is what the user wrote last.
func (d *requestDocument) lastMessage() messageDocument {
	for _, m := range slices.Backward(d.Messages) {
		if m.Role == "user" {
			return m
		}
	}
	return messageDocument{}
}

// text is the text of a message.
func (d messageDocument) text() string {
	var parts []string
	for _, p := range d.Parts {
		if p.Image == "" {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// instructions are the system messages of the request.
func (d *requestDocument) instructions() string {
	var parts []string
	for _, m := range d.Messages {
		if m.Role == "system" {
			parts = append(parts, m.text())
		}
	}
	return strings.Join(parts, "\n\n")
}

// temperature is the one that was requested, nil if none was.
func (d *requestDocument) temperature() *float64 {
	var t float64
	if raw, ok := d.Params["temperature"]; !ok || wire.Unmarshal(raw, &t) != nil {
		return nil
	}
	return &t
}

// firstText is what the user wrote first.
func (d *requestDocument) firstText() string {
	for _, m := range d.Messages {
		if m.Role == "user" {
			return m.text()
		}
	}
	return ""
}

// RenameConversation changes the title of a conversation of an account.
func (e *Engine) RenameConversation(ctx context.Context, w atelier.Wallet, session, title string) (apitype.Conversation, error) {
	var c store.StoredConversation
	err := e.db.Write(ctx, func(tx *store.Tx) (err error) {
		if err := tx.RenameConversation(w, session, title); err != nil {
			return err
		}
		c, err = tx.Conversation(w, session)
		return err
	})
	return newConversation(c), orNoConversation(session, err)
}

// deletedAtOnce is how many runs one change deletes.
const deletedAtOnce = 100

// DeleteConversation deletes a conversation of an account with its runs and their logs,
// unless one of them is not over. What the runs have made stays.
func (e *Engine) DeleteConversation(ctx context.Context, w atelier.Wallet, session string) error {
	for {
		more := false
		err := e.db.WriteDeletion(ctx, func(tx *store.Tx) error {
			if err := tx.LockAccount(w); err != nil { // no run is started meanwhile
				return err
			}
			if _, err := tx.Conversation(w, session); err != nil {
				return err
			}
			ids, open, err := tx.ConversationRuns(w, session, deletedAtOnce+1)
			if err != nil {
				return err
			}
			if open > 0 {
				return atelier.Errorf(atelier.CodeWrongState, "%d runs of this conversation are not over: cancel them first.", open).With("openRuns", open)
			}
			if more = len(ids) > deletedAtOnce; more {
				ids = ids[:deletedAtOnce]
			}
			for _, id := range ids {
				gone, err := tx.DeleteRun(id)
				if err != nil {
					return err
				}
				if !gone {
					return atelier.Errorf(atelier.CodeWrongState, "A run of this conversation is being paid. Try again in a moment.").With("openRuns", 1)
				}
			}
			return nil
		})
		if err != nil || !more {
			return orNoConversation(session, err)
		}
	}
}

// orNoConversation makes the error of a missing row into one for the caller.
func orNoConversation(session string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing("sessionId", session, "conversation")
	}
	return err
}
