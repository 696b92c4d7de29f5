package storetest

import (
	"fmt"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// ChargedForNothing is how a contradiction ends that retention makes: it removes work, and never its charge.
const ChargedForNothing = " was charged, and is not work that was completed"

// contradictions are queries for what must never be in a database between two transactions.
// Each row is a thing, of which the sentence says what is wrong.
var contradictions = []struct{ sentence, sql string }{
	{"money is held for %s, which is over", `SELECT h.cause FROM hold h LEFT JOIN job j ON j.id = SUBSTR(h.cause, 5, 36)
		WHERE SUBSTR(h.cause, 1, 4) = 'job/' AND (j.id IS NULL OR j.state NOT IN ('queued', 'leased') OR h.cause <> 'job/' || j.id || '/' || CAST(j.attempt AS TEXT))`},
	{"%s" + ChargedForNothing, `SELECT l.cause FROM ledger l LEFT JOIN job j ON j.id = SUBSTR(l.cause, 5, 36)
		WHERE l.kind = 'spend' AND SUBSTR(l.cause, 1, 4) NOT IN ('llm/', 'tool')
		AND (SUBSTR(l.cause, 1, 4) <> 'job/' OR j.id IS NULL OR j.state <> 'completed' OR l.cause <> 'job/' || j.id || '/' || CAST(j.attempt AS TEXT))`},
	{"the log of %s has a gap or a repeat", `SELECT w.id FROM workflow w LEFT JOIN event e ON e.log = w.id GROUP BY w.id, w.events
		HAVING COUNT(e.sequence) <> w.events OR MIN(e.sequence) <> 0 OR MAX(e.sequence) <> w.events - 1`},
	{"the log of %s has a gap", `SELECT r.id FROM chat_run r LEFT JOIN event e ON e.log = r.id GROUP BY r.id, r.events
		HAVING MAX(e.sequence) <> r.events - 1 OR COUNT(e.sequence) <> MAX(e.sequence) - MIN(e.sequence) + 1`},
	{"job %s is queued for a workflow that is over", `SELECT j.id FROM job j JOIN workflow w ON w.id = j.owner_id
		WHERE j.owner_kind = 'workflow' AND j.state = 'queued' AND j.unresolved = 0 AND w.status IN ('completed', 'partial_failure', 'failed', 'cancelled')`},
	{"workflow %s is under way, and has no job", `SELECT w.id FROM workflow w WHERE w.status IN ('queued', 'running')
		AND NOT EXISTS (SELECT 1 FROM job j WHERE j.owner_kind = 'workflow' AND j.owner_id = w.id AND j.state IN ('queued', 'leased'))`},
	{"more jobs of %s run at once than its plan allows", `SELECT wallet FROM job WHERE state = 'leased' AND class_limit > 0
		GROUP BY wallet, class HAVING COUNT(*) > MAX(class_limit)`},
	{"worker %s has more jobs than it may have", `SELECT w.id FROM worker w JOIN job j ON j.worker_id = w.id AND j.state = 'leased'
		GROUP BY w.id, w.capacity HAVING COUNT(*) > 3 * w.capacity OR SUM(CASE WHEN j.progress < 1 THEN 1 ELSE 0 END) > w.capacity`},
	{"delivery %s is being sent, and has no job", `SELECT d.id FROM webhook_delivery d LEFT JOIN job j ON j.id = d.job_id
		WHERE d.status = 'sending' AND (j.id IS NULL OR j.state NOT IN ('queued', 'leased'))`},
	{"import %s is under way, and has no job", `SELECT l.id FROM personal_lora l LEFT JOIN job j ON j.id = l.job_id
		WHERE l.status IN ('queued', 'validating') AND (j.id IS NULL OR j.state NOT IN ('queued', 'leased'))`},
}

// Contradictions lists, each in a sentence, what must never be in a database, whatever happens
// to the processes that use it.
func Contradictions(tx *store.Tx) (out []string, err error) {
	for _, c := range contradictions {
		err := tx.Rows(func(scan func(...any) error) error {
			var thing string
			err := scan(&thing)
			out = append(out, fmt.Sprintf(c.sentence, thing))
			return err
		}, c.sql)
		if err != nil {
			return nil, err
		}
	}
	err = tx.Audit(func(s store.PurseSums) error {
		if s.Token == atelier.TokenPlan {
			s.Ledger.Granted = s.Row.Granted
		}
		if s.Row != s.Ledger || s.Row.Available() < 0 {
			out = append(out, fmt.Sprintf("the %s purse of %s is %v, and its books say %v", s.Token, s.Wallet, s.Row, s.Ledger))
		}
		return nil
	})
	return out, err
}

// Spends adds up what the ledger says was spent for each cause.
func Spends(tx *store.Tx) (map[string]atelier.Money, error) {
	out := map[string]atelier.Money{}
	err := tx.Rows(func(scan func(...any) error) error {
		var cause string
		var amount int64
		err := scan(&cause, &amount)
		out[cause] += atelier.Money(amount)
		return err
	}, `SELECT cause, amount FROM ledger WHERE kind = 'spend'`)
	return out, err
}

// Exec runs a statement that the program does not have, such as one that damages a database.
func Exec(t testing.TB, db *store.DB, sql string) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Unfinished is a workflow that is not over.
type Unfinished struct {
	ID      atelier.WorkflowID
	Wallet  atelier.Wallet
	Status  atelier.Status
	Waiting atelier.WaitingReason
}

// UnfinishedWorkflows lists the workflows of all accounts that are not over.
func UnfinishedWorkflows(tx *store.Tx) (out []Unfinished, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var u Unfinished
		err := scan(&u.ID, &u.Wallet, &u.Status, &u.Waiting)
		out = append(out, u)
		return err
	}, `SELECT id, wallet, status, waiting FROM workflow WHERE status IN ('queued', 'running', 'waiting_for_user') ORDER BY id`)
	return out, err
}

// CompletedJobs finds the causes of the completed jobs of workflows, by the workflow and its part.
func CompletedJobs(tx *store.Tx) (map[[2]string]string, error) {
	out := map[[2]string]string{}
	err := tx.Rows(func(scan func(...any) error) error {
		var owner, part, cause string
		err := scan(&owner, &part, &cause)
		out[[2]string{owner, part}] = cause
		return err
	}, `SELECT owner_id, owner_part, 'job/' || id || '/' || CAST(attempt AS TEXT) FROM job WHERE owner_kind = 'workflow' AND state = 'completed'`)
	return out, err
}

// ActiveWorkflows counts the workflows of an account that are queued or running.
func ActiveWorkflows(tx *store.Tx, owner atelier.Wallet) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM workflow WHERE wallet = $1 AND status IN ('queued', 'running')`, string(owner)).Scan(&n)
	return n, err
}

// UnfinishedWork counts jobs, deliveries and imports that are not over.
func UnfinishedWork(tx *store.Tx) (jobs, deliveries, imports int, err error) {
	err = tx.Row(`SELECT (SELECT COUNT(*) FROM job WHERE state IN ('queued', 'leased')), (SELECT COUNT(*) FROM webhook_delivery WHERE status IN ('waiting', 'sending')),
		(SELECT COUNT(*) FROM personal_lora WHERE status IN ('queued', 'validating'))`).Scan(&jobs, &deliveries, &imports)
	return jobs, deliveries, imports, err
}

// DeliveredEvents lists the ids of the deliveries that arrived, as the service knows.
func DeliveredEvents(tx *store.Tx) (ids []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM webhook_delivery WHERE status = 'delivered' ORDER BY id`)
	return ids, err
}

// UnreportedEnds lists the workflows that have ended since an enabled webhook of their account exists, and
// whose end it has no delivery about, or more than one.
func UnreportedEnds(tx *store.Tx) (ids []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT w.id FROM webhook h JOIN workflow w ON w.wallet = h.wallet
		WHERE (SELECT MAX(e.at) FROM event e WHERE e.log = w.id) > h.created_at AND h.status = 'enabled' AND h.url <> '' AND w.status IN ('completed', 'partial_failure', 'failed', 'cancelled')
		AND (SELECT COUNT(*) FROM webhook_delivery d WHERE d.webhook_id = h.id AND d.subject = w.id
			AND d.type IN ('workflow.completed', 'workflow.failed', 'workflow.cancelled')) <> 1 ORDER BY w.id`)
	return ids, err
}

// JobStates finds the states of jobs.
func JobStates(tx *store.Tx) (map[atelier.JobID]atelier.JobState, error) {
	out := map[atelier.JobID]atelier.JobState{}
	err := tx.Rows(func(scan func(...any) error) error {
		var id atelier.JobID
		var state atelier.JobState
		err := scan(&id, &state)
		out[id] = state
		return err
	}, `SELECT id, state FROM job`)
	return out, err
}

// IsConnected reports whether a worker has a session.
func IsConnected(tx *store.Tx, id atelier.WorkerID) (found bool, err error) {
	err = tx.Row(`SELECT COUNT(*) > 0 FROM worker WHERE id = $1`, string(id)).Scan(&found)
	return found, err
}

// UnfinishedRun is a chat run that is not over.
type UnfinishedRun struct {
	ID     atelier.RunID
	Wallet atelier.Wallet
	Status atelier.Status
}

// UnfinishedRuns lists the chat runs of all accounts that are not over.
func UnfinishedRuns(tx *store.Tx) (out []UnfinishedRun, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var u UnfinishedRun
		err := scan(&u.ID, &u.Wallet, &u.Status)
		out = append(out, u)
		return err
	}, `SELECT id, wallet, status FROM chat_run WHERE status IN ('queued', 'running', 'waiting_for_user') ORDER BY id`)
	return out, err
}

// Runs lists the chat runs of an account.
func Runs(tx *store.Tx, owner atelier.Wallet) (ids []atelier.RunID, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.RunID
		err := scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM chat_run WHERE wallet = $1 ORDER BY id`, string(owner))
	return ids, err
}
