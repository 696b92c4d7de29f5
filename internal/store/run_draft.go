package store

import (
	"errors"

	"github.com/atelier-project/atelier"
)

// RunDraft is the text that a model is writing for a run.
type RunDraft struct {
	RunID   atelier.RunID
	Version int64 // of the attempt at the round: DraftVersion
	Round   int
	Content string
}

// DraftVersion is the version of the n-th attempt at a round by the node that has a run.
func (r StoredRun) DraftVersion(n int64) int64 { return (r.Takeovers+1)<<32 | n }

// PutRunDraft stores a draft in place of an earlier one, while the node that writes it has the run.
func (tx *Tx) PutRunDraft(d RunDraft) error {
	_, err := tx.Exec(`INSERT INTO run_draft (run_id, version, round, content)
		SELECT id, $2, $3, $4 FROM chat_run WHERE id = $1 AND takeovers + 1 = $5 AND status = 'running'
		ON CONFLICT (run_id) DO UPDATE SET version = excluded.version, round = excluded.round, content = excluded.content
		WHERE run_draft.version <= excluded.version`,
		string(d.RunID), d.Version, d.Round, d.Content, d.Version>>32)
	return err
}

// DeleteRunDraft deletes the draft of a run, unless a later one was stored.
func (tx *Tx) DeleteRunDraft(id atelier.RunID, version int64) error {
	_, err := tx.Exec(`DELETE FROM run_draft WHERE run_id = $1 AND version <= $2`, string(id), version)
	return err
}

// RunDraft reads the draft of a run: the zero RunDraft when the node that has the run has stored no draft.
func (tx *Tx) RunDraft(id atelier.RunID) (d RunDraft, err error) {
	var takeovers int64
	err = tx.Row(`SELECT d.run_id, d.version, d.round, d.content, r.takeovers FROM run_draft d JOIN chat_run r ON r.id = d.run_id
		WHERE d.run_id = $1 AND r.status = 'running'`, string(id)).Scan(&d.RunID, &d.Version, &d.Round, &d.Content, &takeovers)
	if errors.Is(err, ErrNotFound) || err == nil && d.Version>>32 != takeovers+1 {
		return RunDraft{}, nil
	}
	return d, err
}
