package store

import (
	"errors"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/mint"
)

// The beginnings of the ids of chat runs and workflows. An ordered UUID follows.
const (
	RunPrefix      = "run_"
	WorkflowPrefix = "wf_durable_workflow_"
)

// RetentionTimes are when what is no longer kept of a kind was removed last, and when all of the kind was looked at for
// that. They are zero before the first time.
type RetentionTimes struct{ Swept, Whole time.Time }

// HoldRetention makes a node the one that removes what is no longer kept of a kind, until a time. It reports false
// while another node is, unless that one holds it for more than twice as long: its clock was ahead.
func (tx *Tx) HoldRetention(kind, node string, now, until time.Time) (t RetentionTimes, held bool, err error) {
	var swept, whole int64
	err = tx.Row(`INSERT INTO retention (kind, node, held_until, swept_at, whole_at) VALUES ($1, $2, $4, 0, 0)
		ON CONFLICT (kind) DO UPDATE SET node = excluded.node, held_until = excluded.held_until
		WHERE retention.node = excluded.node OR retention.held_until < $3 OR retention.held_until > $5 RETURNING swept_at, whole_at`,
		kind, node, database.Millis(now), database.Millis(until), database.Millis(until.Add(until.Sub(now)))).Scan(&swept, &whole)
	if errors.Is(err, ErrNotFound) {
		return RetentionTimes{}, false, nil
	}
	return RetentionTimes{Swept: database.FromMillis(swept), Whole: database.FromMillis(whole)}, err == nil, err
}

// LeaveRetention lets another node do what HoldRetention has given to this one, which has done it.
func (tx *Tx) LeaveRetention(kind, node string, t RetentionTimes) error {
	_, err := tx.Exec(`UPDATE retention SET held_until = 0, swept_at = $3, whole_at = $4 WHERE kind = $1 AND node = $2`,
		kind, node, database.Millis(t.Swept), database.Millis(t.Whole))
	return err
}

// EndedBetween lists what ended before a time of the chat runs or workflows whose ids lie between two: at most limit,
// in the order of their ids.
func (tx *Tx) EndedBetween(after, bound string, ended time.Time, limit int) (ids []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM stored WHERE id > $1 AND id < $2 AND ended_at > 0 AND ended_at < $3 ORDER BY id LIMIT $4`, after, bound, database.Millis(ended), limit)
	return ids, err
}

// isAwaited reports whether an event of a chat run or workflow is on its way to a webhook.
func (tx *Tx) isAwaited(owner atelier.Wallet, id string) (bool, error) {
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM webhook_delivery d WHERE d.webhook_id IN (SELECT w.id FROM webhook w WHERE w.wallet = $1)
		AND d.subject = $2 AND d.status IN ('waiting', 'sending')`, string(owner), id).Scan(&n)
	return n > 0, err
}

// mayBeMadeByRun reports whether a chat run that is not over may have made a workflow: only the state of the run says
// what it has made. One that waits for its user makes nothing meanwhile.
func (tx *Tx) mayBeMadeByRun(owner atelier.Wallet, id atelier.WorkflowID, created int64) (bool, error) {
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM chat_run WHERE wallet = $1 AND id < $2
		AND (status IN ('queued', 'running') OR status = 'waiting_for_user' AND updated_at >= $3)`,
		string(owner), RunPrefix+strings.TrimPrefix(string(id), WorkflowPrefix), created).Scan(&n)
	return n > 0, err
}

// RetireWorkflow deletes a workflow as DeleteWorkflow does, unless its owner has marked what it made, a chat run that
// is not over refers to that or may have made it, or an event of it is on its way to a webhook. It returns the keys of
// the objects that no row names any more.
func (tx *Tx) RetireWorkflow(id atelier.WorkflowID) (keys []string, gone bool, err error) {
	var (
		owner   atelier.Wallet
		created int64
	)
	err = tx.Row(`SELECT wallet, created_at FROM workflow WHERE id = $1`+tx.Dialect.ForUpdate, string(id)).Scan(&owner, &created)
	if errors.Is(err, ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, table := range []string{`artifact`, `library`} { // a start, a mark or a run that takes one now is seen by the statements below
		if _, err := tx.Exec(`SELECT 1 FROM `+table+` WHERE job_id IN (SELECT id FROM job WHERE owner_kind = 'workflow' AND owner_id = $1) ORDER BY job_id, position`+tx.Dialect.ForUpdate, string(id)); err != nil {
			return nil, false, err
		}
	}
	awaited, err := tx.isAwaited(owner, string(id))
	if err == nil && !awaited {
		awaited, err = tx.mayBeMadeByRun(owner, id, created)
	}
	if err != nil || awaited {
		return nil, false, err
	}
	var needed int
	err = tx.Row(`SELECT (SELECT COUNT(*) FROM job j JOIN artifact a ON a.job_id = j.id JOIN library_mark m ON m.id = a.id
			WHERE j.owner_kind = 'workflow' AND j.owner_id = $1)
		+ (SELECT COUNT(*) FROM job j JOIN artifact a ON a.job_id = j.id JOIN run_file f ON f.object_key = a.object_key JOIN chat_run r ON r.id = f.run_id
			WHERE j.owner_kind = 'workflow' AND j.owner_id = $1 AND r.status IN ('queued', 'running', 'waiting_for_user'))`, string(id)).Scan(&needed)
	if err != nil || needed > 0 {
		return nil, false, err
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		if !strings.HasPrefix(key, DeletedKey) {
			keys = append(keys, key)
		}
		return err
	}, `SELECT a.object_key FROM job j JOIN artifact a ON a.job_id = j.id WHERE j.owner_kind = 'workflow' AND j.owner_id = $1`, string(id))
	if err != nil {
		return nil, false, err
	}
	if gone, err = tx.DeleteWorkflow(id); err != nil || !gone {
		return nil, false, err
	}
	return keys, true, nil
}

// RetireRun deletes a chat run as DeleteRun does, unless an event of it is on its way to a webhook.
func (tx *Tx) RetireRun(id atelier.RunID) (bool, error) {
	var owner atelier.Wallet
	err := tx.Row(`SELECT wallet FROM chat_run WHERE id = $1`, string(id)).Scan(&owner)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	awaited, err := tx.isAwaited(owner, string(id))
	if err != nil || awaited {
		return false, err
	}
	return tx.DeleteRun(id)
}

// ShortenLog deletes the events of a chat run or workflow that is over, but for the last, and returns how many.
func (tx *Tx) ShortenLog(id string) (removed int64, err error) {
	removed, err = tx.Exec(`DELETE FROM event WHERE log = $1 AND sequence < (SELECT MAX(last.sequence) FROM event last WHERE last.log = $1)`, id)
	if err != nil || removed == 0 {
		return removed, err
	}
	var (
		owner atelier.Wallet
		ended int64
	)
	err = tx.Row(`SELECT wallet, ended_at FROM stored WHERE id = $1`, id).Scan(&owner, &ended)
	if err != nil {
		return 0, err
	}
	head := Head{Wallet: owner, Status: atelier.StatusCompleted, UpdatedAt: database.FromMillis(ended)} // or ended otherwise
	if strings.HasPrefix(id, RunPrefix) {
		return removed, tx.recountRun(StoredRun{ID: atelier.RunID(id), Head: head})
	}
	return removed, tx.recountWorkflow(&StoredWorkflow{ID: atelier.WorkflowID(id), Head: head})
}

// UsedUploads lists the uploads that were used last between two times, in that order: at most limit, after the given
// one.
func (tx *Tx) UsedUploads(since, before time.Time, after Upload, limit int) ([]Upload, error) {
	return tx.uploads(`WHERE used_at > 0 AND (used_at, object_key) > ($1, $2) AND used_at < $3 ORDER BY used_at, object_key LIMIT $4`,
		max(database.Millis(since), database.Millis(after.UsedAt)), after.Key, database.Millis(before), limit)
}

// RetireUpload deletes one of UsedUploads, unless it was used again, a chat run that is stored refers to it, or its
// account has a workflow from before the time that is not over.
func (tx *Tx) RetireUpload(u Upload, before time.Time) (bool, error) {
	return tx.deleteUpload(u, `used_at < $2 AND NOT EXISTS (SELECT 1 FROM run_file WHERE run_file.object_key = upload.object_key)
		AND NOT EXISTS (SELECT 1 FROM workflow_summary s WHERE s.wallet = upload.wallet
			AND s.status IN ('queued', 'running', 'waiting_for_user') AND s.id < $3)`, // there is an index for it
		database.Millis(before), WorkflowPrefix+mint.OrderedUUIDAt(before))
}

// ExpireDeliveries deletes the deliveries that ended before a time, at most limit.
func (tx *Tx) ExpireDeliveries(before time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE ended_at > 0 AND ended_at < $1 ORDER BY ended_at LIMIT $2)`,
		database.Millis(before), limit)
}

// ExpireReplays deletes the replay records that were written before a time, at most limit.
func (tx *Tx) ExpireReplays(before time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM replay WHERE (wallet, run_id) IN (SELECT wallet, run_id FROM replay WHERE updated_at < $1 ORDER BY updated_at LIMIT $2)`,
		database.Millis(before), limit)
}

// ExpireActions deletes what operators did before a time, at most limit.
func (tx *Tx) ExpireActions(before time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM operator_action WHERE id IN (SELECT id FROM operator_action WHERE id < $1 AND at < $2 ORDER BY id LIMIT $3)`,
		mint.OrderedUUIDAt(before), database.Millis(before), limit)
}
