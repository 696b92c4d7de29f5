package store

import (
	"errors"
	"math"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// StoredWorkflow is a row of the workflow table. The workflow engine writes and reads
// the plan and the state.
type StoredWorkflow struct {
	ID atelier.WorkflowID
	Head
	Plan  []byte
	State []byte

	// What lists are filtered by. Only InsertWorkflow uses it: it is never read.
	Kind       string // of its result
	TemplateID string
	Texts      []string // its title and prompts
	Tools      []string // of its steps
	Models     []string
	Protocol   string // of another service whose list has it

	// Reason is the code of why it ended without a result, or without all of it. A change of the
	// status stores it for lists: it is never read.
	Reason string

	listed atelier.Status // the status that its summary has
}

const workflowColumns = `id, wallet, status, waiting, plan, state, events, created_at, updated_at`

func (tx *Tx) workflows(tail string, args ...any) ([]StoredWorkflow, error) {
	return tx.workflowsOf(`SELECT `+workflowColumns+` FROM workflow `+tail, args...)
}

func (tx *Tx) workflowsOf(sql string, args ...any) (out []StoredWorkflow, err error) {
	return tx.someWorkflows(&database.Portion{Limit: math.MaxInt, Bytes: math.MaxInt64}, sql, args...)
}

func (tx *Tx) someWorkflows(p *database.Portion, sql string, args ...any) (out []StoredWorkflow, err error) {
	err = tx.SomeRows(func(scan func(...any) error) error {
		var (
			w                StoredWorkflow
			plan, state      string
			created, updated int64
		)
		if err := scan(&w.ID, &w.Wallet, &w.Status, &w.Waiting, &plan, &state, &w.Events, &created, &updated); err != nil {
			return err
		}
		if err := p.Count(len(plan) + len(state)); err != nil {
			return err
		}
		w.Plan, w.State, w.CreatedAt, w.UpdatedAt, w.listed = []byte(plan), []byte(state), database.FromMillis(created), database.FromMillis(updated), w.Status
		out = append(out, w)
		return nil
	}, sql, args...)
	return out, err
}

func oneWorkflow(found []StoredWorkflow, err error) (StoredWorkflow, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredWorkflow{}, err
	}
	return found[0], nil
}

// InsertWorkflow adds a workflow and its summary.
func (tx *Tx) InsertWorkflow(w StoredWorkflow) error {
	tx.Later(`INSERT INTO workflow (`+workflowColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(w.ID), string(w.Wallet), string(w.Status), string(w.Waiting), string(w.Plan), string(w.State), w.Events, database.Millis(w.CreatedAt), database.Millis(w.UpdatedAt))
	tx.touch(w.Wallet, TopicWorkflows)
	tx.starts = true
	ended := int64(0)
	if w.Status.Terminal() { // it has failed in the transaction that starts it
		ended = database.Millis(w.UpdatedAt)
	}
	tx.countStored(w.Wallet, string(w.ID), 0, itemBytes+int64(len(w.Plan)+len(w.State)), ended)
	tx.countOpen(w.Wallet, "", w.Status)
	tx.insertWorkflowSummary(w)
	return nil
}

// UpdateWorkflow writes the status, state and number of events of a workflow that was
// read in this transaction.
func (tx *Tx) UpdateWorkflow(w *StoredWorkflow) error {
	tx.touch(w.Wallet, TopicWorkflows)
	tx.MustLater(`UPDATE workflow SET status = $2, waiting = $3, state = $4, events = $5, updated_at = $6 WHERE id = $1`,
		string(w.ID), string(w.Status), string(w.Waiting), string(w.State), w.Events, database.Millis(w.UpdatedAt))
	if w.Status == w.listed {
		return nil
	}
	if isCounted(w.Status) {
		if err := tx.recountWorkflow(w); err != nil {
			return err
		}
	}
	tx.countOpen(w.Wallet, w.listed, w.Status)
	w.listed = w.Status
	tx.Later(`UPDATE workflow_summary SET status = $4 WHERE wallet = $1 AND created_at = $2 AND id = $3`,
		string(w.Wallet), database.Millis(w.CreatedAt), string(w.ID), string(w.Status))
	tx.addLabels(w.Head, string(w.ID), label(labelReason, w.Reason))
	return nil
}

// Workflow finds a workflow of an account.
func (tx *Tx) Workflow(owner atelier.Wallet, id atelier.WorkflowID) (StoredWorkflow, error) {
	return oneWorkflow(tx.workflows(`WHERE id = $1 AND wallet = $2`, string(id), string(owner)))
}

// OwnsWorkflow returns ErrNotFound unless the workflow belongs to the account.
func (tx *Tx) OwnsWorkflow(owner atelier.Wallet, id atelier.WorkflowID) error {
	var one int
	return tx.Row(`SELECT 1 FROM workflow WHERE id = $1 AND wallet = $2`, string(id), string(owner)).Scan(&one)
}

// OwnedWork is a workflow or a chat run, and whose it is.
type OwnedWork struct {
	ID     string
	Wallet atelier.Wallet
	Status atelier.Status
}

// WorkflowsBetween lists the workflows of all accounts whose ids lie between two, the newest
// first.
func (tx *Tx) WorkflowsBetween(first, last string, limit int) ([]OwnedWork, error) {
	return tx.ownedWork(`SELECT id, wallet, status FROM workflow WHERE id >= $1 AND id <= $2 ORDER BY id DESC LIMIT $3`, first, last, limit)
}

// RunsBetween lists the chat runs of all accounts whose ids lie between two, the newest first.
func (tx *Tx) RunsBetween(first, last string, limit int) ([]OwnedWork, error) {
	return tx.ownedWork(`SELECT id, wallet, status FROM chat_run WHERE id >= $1 AND id <= $2 ORDER BY id DESC LIMIT $3`, first, last, limit)
}

func (tx *Tx) ownedWork(sql string, args ...any) (out []OwnedWork, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var w OwnedWork
		err := scan(&w.ID, &w.Wallet, &w.Status)
		out = append(out, w)
		return err
	}, sql, args...)
	return out, err
}

// LockWorkflow finds a workflow, without its plan, and locks it until the transaction
// ends.
func (tx *Tx) LockWorkflow(id atelier.WorkflowID) (StoredWorkflow, error) {
	return oneWorkflow(tx.workflowsOf(`SELECT id, wallet, status, waiting, '', state, events, created_at, updated_at
		FROM workflow WHERE id = $1`+tx.Dialect.ForUpdate, string(id)))
}

// WorkflowPlan reads the plan of a workflow.
func (tx *Tx) WorkflowPlan(id atelier.WorkflowID) ([]byte, error) {
	var plan string
	err := tx.Row(`SELECT plan FROM workflow WHERE id = $1`, string(id)).Scan(&plan)
	return []byte(plan), err
}

// Workflows lists the workflows of an account, the one that changed last first: at
// most limit, and fewer when their documents have more than the given bytes. More
// reports whether others follow.
func (tx *Tx) Workflows(owner atelier.Wallet, offset, limit int, bytes int64) (out []StoredWorkflow, more bool, err error) {
	p := &database.Portion{Limit: limit, Bytes: bytes}
	out, err = tx.someWorkflows(p, `SELECT `+workflowColumns+` FROM workflow WHERE wallet = $1 ORDER BY updated_at DESC, id DESC LIMIT $2 OFFSET $3`,
		string(owner), limit+1, offset)
	return out, p.More, err
}

// OpenWorkflows lists the ids of an account's workflows that are not over: at most
// limit, after the given one.
func (tx *Tx) OpenWorkflows(owner atelier.Wallet, after atelier.WorkflowID, limit int) (ids []atelier.WorkflowID, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.WorkflowID
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM workflow WHERE wallet = $1 AND id > $2 AND status IN ('queued', 'running', 'waiting_for_user') ORDER BY id LIMIT $3`,
		string(owner), string(after), limit)
	return ids, err
}

// DeleteWorkflow deletes a workflow that is over, with its log, its jobs and their
// artifacts. It reports false, and deletes nothing, when one of its jobs is not over, or a
// workflow that is not over was started with one of its artifacts. Payments stay in the
// ledger.
func (tx *Tx) DeleteWorkflow(id atelier.WorkflowID) (bool, error) {
	var open int
	err := tx.Row(`SELECT (SELECT COUNT(*) FROM job WHERE owner_kind = 'workflow' AND owner_id = $1 AND state NOT IN ('completed', 'failed', 'cancelled'))
		+ (SELECT COUNT(*) FROM job j JOIN artifact a ON a.job_id = j.id JOIN workflow_input i ON i.object_key = a.object_key JOIN workflow w ON w.id = i.workflow_id
			WHERE j.owner_kind = 'workflow' AND j.owner_id = $1 AND w.status IN ('queued', 'running', 'waiting_for_user'))`, string(id)).Scan(&open)
	if err != nil || open > 0 {
		return false, err
	}
	var (
		owner   string
		created int64
	)
	err = tx.Row(`DELETE FROM workflow WHERE id = $1 AND status IN ('completed', 'partial_failure', 'failed', 'cancelled') RETURNING wallet, created_at`, string(id)).Scan(&owner, &created)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err == nil {
		err = tx.uncountStored(string(id))
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM workflow_summary WHERE wallet = $1 AND created_at = $2 AND id = $3`, owner, created, string(id))
	}
	if err != nil {
		return false, err
	}
	if err := tx.deleteLibraryOf(id); err != nil {
		return false, err
	}
	for _, statement := range []string{
		`DELETE FROM artifact WHERE job_id IN (SELECT id FROM job WHERE owner_kind = 'workflow' AND owner_id = $1)`,
		`DELETE FROM job WHERE owner_kind = 'workflow' AND owner_id = $1`,
		`DELETE FROM remake WHERE source_id = $1`,
		`DELETE FROM event WHERE log = $1`,
		`DELETE FROM workflow_label WHERE id = $1`,
		`DELETE FROM workflow_unlabelled WHERE id = $1`,
	} {
		if _, err := tx.Exec(statement, string(id)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// CountUnfinished is how many workflows of an account are queued or running, and how many
// are paused.
func (tx *Tx) CountUnfinished(owner atelier.Wallet) (active, paused int, err error) {
	err = tx.Row(`SELECT active, paused FROM stored_total WHERE wallet = $1`, string(owner)).Scan(&active, &paused)
	if errors.Is(err, ErrNotFound) {
		return 0, 0, nil
	}
	return active, paused, err
}

// CountAllActive is how many workflows of all accounts are queued or running.
func (tx *Tx) CountAllActive() (n int, err error) {
	err = tx.Row(`SELECT CAST(COALESCE(SUM(active), 0) AS BIGINT) FROM stored_total`).Scan(&n)
	return n, err
}
