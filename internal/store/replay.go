package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// StoredReplay is a row of the replay table. The replay engine writes and reads the
// summary and the record.
type StoredReplay struct {
	Owner     atelier.Wallet
	RunID     string
	Summary   []byte
	Record    []byte // nil in lists
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PutReplay writes a record at UpdatedAt. It replaces the one of its owner with the
// same run id, if there is one, and returns when that was created.
func (tx *Tx) PutReplay(r StoredReplay) (created time.Time, err error) {
	if _, err := tx.Exec(`INSERT INTO replay (wallet, run_id, created_at, updated_at, bytes, summary, record) VALUES ($1, $2, $3, $3, $4, $5, $6)
		ON CONFLICT (wallet, run_id) DO UPDATE
		SET updated_at = excluded.updated_at, bytes = excluded.bytes, summary = excluded.summary, record = excluded.record`,
		string(r.Owner), r.RunID, database.Millis(r.UpdatedAt), len(r.Summary)+len(r.Record), string(r.Summary), string(r.Record)); err != nil {
		return time.Time{}, err
	}
	var at int64
	err = tx.Row(`SELECT created_at FROM replay WHERE wallet = $1 AND run_id = $2`, string(r.Owner), r.RunID).Scan(&at)
	return database.FromMillis(at), err
}

// TrimReplays removes the records of an owner that were updated longest ago, until it
// has at most the given number and bytes.
func (tx *Tx) TrimReplays(owner atelier.Wallet, records int, bytes int64) error {
	var (
		count int
		total int64
		old   []string
	)
	if err := tx.Row(`SELECT COUNT(*), CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM replay WHERE wallet = $1`, string(owner)).Scan(&count, &total); err != nil {
		return err
	}
	if count <= records && total <= bytes {
		return nil
	}
	err := tx.SomeRows(func(scan func(...any) error) error {
		if count <= records && total <= bytes {
			return database.ErrEnough
		}
		var run string
		var size int64
		if err := scan(&run, &size); err != nil {
			return err
		}
		old = append(old, run)
		count, total = count-1, total-size
		return nil
	}, `SELECT run_id, bytes FROM replay WHERE wallet = $1 ORDER BY updated_at, run_id`, string(owner))
	for _, run := range old {
		if err == nil {
			_, err = tx.Exec(`DELETE FROM replay WHERE wallet = $1 AND run_id = $2`, string(owner), run)
		}
	}
	return err
}

// Replay finds a record of an owner.
func (tx *Tx) Replay(owner atelier.Wallet, runID string) (StoredReplay, error) {
	var (
		summary, record  string
		created, updated int64
	)
	err := tx.Row(`SELECT summary, record, created_at, updated_at FROM replay WHERE wallet = $1 AND run_id = $2`,
		string(owner), runID).Scan(&summary, &record, &created, &updated)
	return StoredReplay{
		Owner: owner, RunID: runID, Summary: []byte(summary), Record: []byte(record), CreatedAt: database.FromMillis(created), UpdatedAt: database.FromMillis(updated),
	}, err
}

// Replays lists the records of an owner without the records themselves, the one that was
// updated last first: at most limit, and fewer when their summaries have more than the
// given bytes. More reports whether others follow.
func (tx *Tx) Replays(owner atelier.Wallet, offset, limit int, bytes int64) (out []StoredReplay, more bool, err error) {
	p := &database.Portion{Limit: limit, Bytes: bytes}
	err = tx.SomeRows(func(scan func(...any) error) error {
		var (
			r                = StoredReplay{Owner: owner}
			summary          string
			created, updated int64
		)
		if err := scan(&r.RunID, &summary, &created, &updated); err != nil {
			return err
		}
		if err := p.Count(len(summary)); err != nil {
			return err
		}
		r.Summary, r.CreatedAt, r.UpdatedAt = []byte(summary), database.FromMillis(created), database.FromMillis(updated)
		out = append(out, r)
		return nil
	}, `SELECT run_id, summary, created_at, updated_at FROM replay WHERE wallet = $1
		ORDER BY updated_at DESC, run_id DESC LIMIT $2 OFFSET $3`, string(owner), limit+1, offset)
	return out, p.More, err
}
