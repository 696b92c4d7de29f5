package billing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/store"
)

// LedgerLine is an entry of the ledger with what is known about its cause.
type LedgerLine struct {
	store.LedgerEntry
	Reason     string // render, model, tool or remake for what was spent; credit or claim for what was granted or paid out
	JobID      string
	WorkflowID string // empty when the workflow is deleted
	RunID      string
	ModelID    string // empty when the job is deleted
	KeyName    string // empty when no key of the account asked, or it has no name
}

// ID names the line.
func (l LedgerLine) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{l.Cause, l.Kind, string(l.Token)}, "\n")))
	return hex.EncodeToString(sum[:16])
}

// Change is by how much the line changes what the account has: what was spent or paid out
// is negative.
func (l LedgerLine) Change() atelier.Money {
	if l.Kind == "grant" {
		return l.Amount
	}
	return -l.Amount
}

// LedgerQuery is a part of the ledger of an account: from a time on and before another, and
// of one model, where they are set, and after the page that gave the cursor.
type LedgerQuery struct {
	From, To time.Time
	ModelID  string
	Cursor   string
	Limit    int
}

// Lines of one model are looked for in the ledger, which does not have the models: ledgerBatch
// entries at a time, and at most ledgerSearched for a page.
const (
	ledgerBatch    = 500
	ledgerSearched = 5_000
)

// LedgerPage is a page of the ledger, the latest line first. A page of one model may have
// fewer lines than the limit, or none, although another follows.
type LedgerPage struct {
	Lines []LedgerLine
	Next  *string // the cursor of the next page; nil on the last page
}

// Ledger lists what an account was granted, has spent and was paid out.
func (e *Engine) Ledger(ctx context.Context, w atelier.Wallet, q LedgerQuery) (p LedgerPage, err error) {
	before, err := parseLedgerCursor(q.Cursor)
	if err != nil {
		return p, err
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		p, err = ledgerPage(tx, w, q, before)
		return err
	})
	return p, err
}

func ledgerPage(tx *store.Tx, w atelier.Wallet, q LedgerQuery, before *store.LedgerPlace) (p LedgerPage, err error) {
	batch := q.Limit + 1
	if q.ModelID != "" {
		batch = ledgerBatch
	}
	for searched := 0; ; {
		entries, err := tx.LedgerEntries(w, q.From, q.To, before, batch)
		if err != nil {
			return p, err
		}
		lines := make([]LedgerLine, len(entries))
		for i, entry := range entries {
			lines[i] = newLedgerLine(entry)
		}
		if err := explain(tx, w, lines); err != nil {
			return p, err
		}
		for _, l := range lines {
			switch {
			case q.ModelID != "" && l.ModelID != q.ModelID:
			case len(p.Lines) == q.Limit:
				p.Next = ledgerCursor(p.Lines[q.Limit-1].LedgerEntry)
				return p, nil
			default:
				p.Lines = append(p.Lines, l)
			}
		}
		if len(entries) < batch {
			return p, nil
		}
		last := entries[batch-1]
		if searched += batch; searched >= ledgerSearched {
			p.Next = ledgerCursor(last)
			return p, nil
		}
		before = &store.LedgerPlace{At: last.At, Cause: last.Cause, Kind: last.Kind, Token: string(last.Token)}
	}
}

// ledgerList is in the cursors of the ledger.
const ledgerList = "ledger"

// ledgerCursor writes the place of an entry.
func ledgerCursor(e store.LedgerEntry) *string {
	return cursor.Encode(ledgerList, cursor.Time(e.At), e.Cause, e.Kind, string(e.Token))
}

func parseLedgerCursor(text string) (*store.LedgerPlace, error) {
	place, err := cursor.Decode(ledgerList, text, 4)
	if err != nil || place == nil {
		return nil, err
	}
	at, err := place.Time(0)
	return &store.LedgerPlace{At: at, Cause: place.Text(1), Kind: place.Text(2), Token: place.Text(3)}, err
}

// runPrefix begins the id of a chat run, and of no other request that spends.
const runPrefix = "run_"

// newLedgerLine reads the cause of an entry.
func newLedgerLine(e store.LedgerEntry) LedgerLine {
	l := LedgerLine{LedgerEntry: e}
	kind, rest, _ := strings.Cut(e.Cause, "/")
	work := kind
	if kind == freeCause {
		work, rest, _ = strings.Cut(rest, "/")
	}
	if l.Reason = string(kinds[kind]); l.Reason == "" {
		l.Reason = kind
	}
	id, _, _ := strings.Cut(rest, "/")
	switch {
	case work == "job":
		l.JobID = id
	case strings.HasPrefix(id, runPrefix):
		l.RunID = id
	}
	return l
}

// explain adds what other tables know about what was spent.
func explain(tx *store.Tx, w atelier.Wallet, lines []LedgerLine) error {
	var causes, ids, keys []string
	for _, l := range lines {
		if l.KeyID != "" && !slices.Contains(keys, l.KeyID) {
			keys = append(keys, l.KeyID)
		}
		switch {
		case l.JobID != "":
			ids = append(ids, l.JobID)
		case l.Kind == "spend":
			causes = append(causes, l.Cause)
		}
	}
	models, jobs := map[string]string{}, map[string]store.PaidJob{}
	names, err := tx.KeyNames(w, keys)
	if err != nil {
		return err
	}
	if len(causes) > 0 {
		if models, err = tx.WorkModels(w, causes); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		if jobs, err = tx.PaidJobs(w, ids); err != nil {
			return err
		}
	}
	for i := range lines {
		l := &lines[i]
		l.KeyName = names[l.KeyID]
		if l.ModelID = models[l.Cause]; l.JobID != "" {
			l.ModelID, l.WorkflowID = jobs[l.JobID].ModelID, jobs[l.JobID].WorkflowID
		}
	}
	return nil
}
