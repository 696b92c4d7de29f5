package store

import (
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Topic is a part of what an account has, about which it can follow changes.
type Topic string

// The topics.
const (
	TopicWorkflows Topic = "workflows"
	TopicRuns      Topic = "runs"
	TopicArtifacts Topic = "artifacts"
	TopicBalance   Topic = "balance"
	TopicLoras     Topic = "loras"
	TopicWebhooks  Topic = "webhooks"
)

// AccountChange says that something of an account has changed.
type AccountChange struct {
	Wallet atelier.Wallet
	Topic  Topic
}

// OnChange adds a function that is called when a change of accounts is durable, once
// for each account and topic. It must be added before the first Write that should be
// reported.
func (db *DB) OnChange(f func(AccountChange)) {
	if before := db.changed; before != nil {
		db.changed = func(c AccountChange) { before(c); f(c) }
		return
	}
	db.changed = f
}

// touch notes that something of an account has changed.
func (tx *Tx) touch(w atelier.Wallet, t Topic) {
	c := AccountChange{w, t}
	if tx.changed == nil || slices.Contains(tx.touched, c) {
		return
	}
	tx.touched = append(tx.touched, c)
	tx.OnCommit(func() { tx.changed(c) })
}

// NextTime is when a row changes that was changed before: now, or a moment later when the
// last change was not earlier. Readers tell the states of a row apart by their times.
func NextTime(before, now time.Time) time.Time {
	if before.Before(now) {
		return now
	}
	return before.Add(time.Millisecond)
}

// Version is a row and when it was changed last. No two changes of a row have the same
// time.
type Version struct {
	ID        string
	UpdatedAt time.Time
}

func (tx *Tx) versions(sql string, args ...any) (out []Version, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			v       Version
			updated int64
		)
		err := scan(&v.ID, &updated)
		v.UpdatedAt = database.FromMillis(updated)
		out = append(out, v)
		return err
	}, sql, args...)
	return out, err
}

// LatestWorkflows lists the workflows of an account that changed last, from an index
// alone: at most limit, the last first.
func (tx *Tx) LatestWorkflows(w atelier.Wallet, limit int) ([]Version, error) {
	return tx.versions(`SELECT id, updated_at FROM workflow WHERE wallet = $1 ORDER BY updated_at DESC, id DESC LIMIT $2`, string(w), limit)
}

// WorkflowState reads the status and the state of a workflow of an account.
func (tx *Tx) WorkflowState(owner atelier.Wallet, id atelier.WorkflowID) (StoredWorkflow, error) {
	return oneWorkflow(tx.workflowsOf(`SELECT id, wallet, status, waiting, '', state, events, created_at, updated_at
		FROM workflow WHERE id = $1 AND wallet = $2`, string(id), string(owner)))
}

// LatestRuns lists the chat runs of an account that changed last, from an index alone: at
// most limit, the last first.
func (tx *Tx) LatestRuns(w atelier.Wallet, limit int) ([]Version, error) {
	return tx.versions(`SELECT id, updated_at FROM chat_run WHERE wallet = $1 ORDER BY updated_at DESC, id DESC LIMIT $2`, string(w), limit)
}

// RunStatus reads the status and the session of a chat run of an account.
func (tx *Tx) RunStatus(owner atelier.Wallet, id atelier.RunID) (status atelier.Status, session string, err error) {
	err = tx.Row(`SELECT status, session FROM chat_run WHERE id = $1 AND wallet = $2`, string(id), string(owner)).Scan(&status, &session)
	return status, session, err
}

// LatestItems lists the newest items of a kind in the library of an account: at most
// limit, with their ids, kinds and workflows.
func (tx *Tx) LatestItems(w atelier.Wallet, kind string, limit int) (out []LibraryItem, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		i := LibraryItem{Wallet: w}
		i.Kind = kind
		var created int64
		err := scan(&i.ID, &created, &i.WorkflowID)
		i.CreatedAt = database.FromMillis(created)
		out = append(out, i)
		return err
	}, `SELECT id, created_at, workflow_id FROM library WHERE wallet = $1 AND kind = $2 ORDER BY created_at DESC, id DESC LIMIT $3`, string(w), kind, limit)
	return out, err
}

// DeletedItems counts the items that were ever deleted from the library of an account.
func (tx *Tx) DeletedItems(w atelier.Wallet) (n int64, err error) {
	err = tx.Row(`SELECT CAST(COALESCE(SUM(deleted), 0) AS BIGINT) FROM library_day WHERE wallet = $1`, string(w)).Scan(&n)
	return n, err
}

// LatestLoras lists the personal LoRAs that an account added last: at most limit, with
// their ids, status and progress.
func (tx *Tx) LatestLoras(w atelier.Wallet, limit int) (out []atelier.PersonalLora, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var l atelier.PersonalLora
		err := scan(&l.ID, &l.Status, &l.Progress)
		out = append(out, l)
		return err
	}, `SELECT id, status, progress FROM personal_lora WHERE wallet = $1 ORDER BY created_at DESC, id DESC LIMIT $2`, string(w), limit)
	return out, err
}
