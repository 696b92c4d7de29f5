package replay

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// What an account may keep. A write beyond it removes the oldest records: a client that
// records every run should not have to stop, or to delete.
const (
	maxRecords = 1000
	maxBytes   = 128 << 20
)

// Engine keeps replay records. It is safe for concurrent use.
type Engine struct {
	db  *store.DB
	now func() time.Time
}

// New makes an engine.
func New(db *store.DB, now func() time.Time) *Engine { return &Engine{db, now} }

// Summary is what a list shows of a record.
type Summary struct {
	SchemaVersion int64  `json:"schemaVersion"`
	UserRequest   string `json:"userRequest"`
	FinalResponse string `json:"finalResponse"`
	ModelID       string `json:"modelId"`
	Rounds        int    `json:"rounds" doc:"How many rounds the run had."`
}

// ListedRecord is a record in a list.
type ListedRecord struct {
	RunID string `json:"runId"`
	Summary
	CreateTime int64 `json:"createTime" doc:"Unix milliseconds of the first write."`
	UpdateTime int64 `json:"updateTime" doc:"Unix milliseconds of the last write."`
}

// WrittenRecord is the answer to a write.
type WrittenRecord struct {
	RunID         string `json:"runId"`
	SchemaVersion int64  `json:"schemaVersion"`
	Redacted      bool   `json:"redacted"`
	CreateTime    int64  `json:"createTime" doc:"Unix milliseconds of the first write."`
	UpdateTime    int64  `json:"updateTime" doc:"Unix milliseconds of the last write."`
}

// Write stores a record, in place of the account's record of the same run if there is one.
func (e *Engine) Write(ctx context.Context, w atelier.Wallet, f Fields) (WrittenRecord, error) {
	run, err := f.runID()
	if err != nil {
		return WrittenRecord{}, err
	}
	record, summary, err := f.prepare()
	if err != nil {
		return WrittenRecord{}, err
	}
	text, err := wire.Marshal(summary)
	if err != nil {
		return WrittenRecord{}, err
	}
	at := e.now()
	var created time.Time
	err = e.db.Write(ctx, func(tx *store.Tx) (err error) {
		if created, err = tx.PutReplay(store.StoredReplay{Owner: w, RunID: run, Summary: text, Record: record, UpdatedAt: at}); err != nil {
			return err
		}
		return tx.TrimReplays(w, maxRecords, maxBytes)
	})
	return WrittenRecord{
		RunID: run, SchemaVersion: summary.SchemaVersion, Redacted: true, CreateTime: created.UnixMilli(), UpdateTime: at.UnixMilli(),
	}, err
}

// Page is a part of a list.
type Page struct {
	Records []ListedRecord
	Next    *int // the offset of the next part, or nil
}

// listBytes bounds the summaries of a page: a page of large ones is shorter.
const listBytes = 2 << 20

// List lists the records of an account, the one that was written last first.
func (e *Engine) List(ctx context.Context, w atelier.Wallet, offset, limit int) (Page, error) {
	page := Page{Records: []ListedRecord{}}
	var rows []store.StoredReplay
	var more bool
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		rows, more, err = tx.Replays(w, offset, limit, listBytes)
		return err
	})
	for _, row := range rows {
		entry := ListedRecord{RunID: row.RunID, CreateTime: row.CreatedAt.UnixMilli(), UpdateTime: row.UpdatedAt.UnixMilli()}
		if err := wire.Unmarshal(row.Summary, &entry.Summary); err != nil {
			return Page{}, err
		}
		page.Records = append(page.Records, entry)
	}
	if more {
		next := offset + len(rows)
		page.Next = &next
	}
	return page, err
}

// Record finds the record of a run of an account, and when it was created.
func (e *Engine) Record(ctx context.Context, w atelier.Wallet, run string) (Record, time.Time, error) {
	var row store.StoredReplay
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Replay(w, run)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", run, "replay record")
	}
	return Record{row.Record}, row.CreatedAt, err
}

// maxRunID is how many characters the id of a run may have.
const maxRunID = 200

// runID is the id of the run of a record. It is also the name of the record, which is not
// redacted.
func (f Fields) runID() (string, error) {
	const name = "run_id"
	raw := f[name]
	if raw == nil || raw.Kind() == 'n' {
		return "", atelier.Refuse(name, "is required: it names the record.")
	}
	var id string
	if err := wire.Unmarshal(raw, &id); err != nil {
		return "", atelier.Refuse(name, "must be a string.")
	}
	switch n := utf8.RuneCountInString(id); {
	case n == 0:
		return "", atelier.Refuse(name, "must not be empty.")
	case n > maxRunID:
		return "", atelier.Refuse(name, "must be at most %d characters long.", maxRunID)
	case redactText(id) != id:
		return "", atelier.Refuse(name, "must not hold a credential: it names the record.")
	}
	return id, nil
}
