package store

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// RunDraft is the text that a model is writing for a run.
type RunDraft struct {
	RunID   atelier.RunID
	Version int64 // of the attempt at the round
	Round   int
	Content string
}

// PutRunDraft stores a draft in place of an earlier one.
func (tx *Tx) PutRunDraft(d RunDraft) error {
	_, err := tx.Exec(`INSERT INTO run_draft (run_id, version, round, content) VALUES ($1, $2, $3, $4)
		ON CONFLICT (run_id) DO UPDATE SET version = excluded.version, round = excluded.round, content = excluded.content`,
		string(d.RunID), d.Version, d.Round, d.Content)
	return err
}

// DeleteRunDraft deletes the draft of a run, if there is one.
func (tx *Tx) DeleteRunDraft(id atelier.RunID) error {
	_, err := tx.Exec(`DELETE FROM run_draft WHERE run_id = $1`, string(id))
	return err
}

// RunDrafts reads the drafts of runs.
func (tx *Tx) RunDrafts(ids []atelier.RunID) (out []RunDraft, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var d RunDraft
		if err := scan(&d.RunID, &d.Version, &d.Round, &d.Content); err != nil {
			return err
		}
		out = append(out, d)
		return nil
	}, `SELECT run_id, version, round, content FROM run_draft WHERE run_id IN (`+database.Marks(1, len(ids))+`)`, database.Texts(ids)...)
	return out, err
}
