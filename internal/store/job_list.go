package store

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// JobFilter selects jobs. An empty field selects all.
type JobFilter struct {
	State    atelier.JobState
	Code     string // of the error
	ModelID  string
	Wallet   atelier.Wallet
	Worker   atelier.WorkerID
	Workflow atelier.WorkflowID
	Before   atelier.JobID // only those made before

	FailedLike atelier.JobID // only those that failed with the error and the model of this one
	EndedSince time.Time
}

// ListJobs lists jobs of all accounts, newest first. No index has those of a model, of an
// account, or with a result, unless they are of a workflow or ended on a worker: they are looked for among the next
// scan jobs. Last is the last job that was looked at, where others follow.
func (tx *Tx) ListJobs(f JobFilter, limit, scan int) (rows []StoredJob, last atelier.JobID, err error) {
	var (
		q      conditions // of an index
		id     = `id`
		onOne  = f.Worker != "" && (f.State == atelier.JobCompleted || f.State == atelier.JobFailed)
		few    = f.State == atelier.JobQueued || f.State == atelier.JobLeased || f.Workflow != "" || onOne
		narrow = f.Code != "" || f.ModelID != "" || f.Wallet != "" || f.Worker != "" || f.State == atelier.JobCompleted || f.FailedLike != "" || !f.EndedSince.IsZero()
	)
	if few {
		id = `(id || '')` // these are found by their own indexes: not through all jobs in their order
	}
	if _, known := jobStates[f.State]; known && f.State != atelier.JobCompleted {
		q.and(`state = '` + string(f.State) + `'`) // a literal, for the partial indexes
	}
	if f.FailedLike != "" {
		q.and(`state = 'failed'`)
	}
	if f.Code != "" { // only jobs without a result have one
		q.and(`(state = 'failed' OR state = 'cancelled')`)
	}
	q.add(f.Before != "", id+` < `, string(f.Before))
	if narrow && !few {
		end := q
		err := tx.Row(`SELECT id FROM job`+end.where()+` ORDER BY id DESC LIMIT 1 OFFSET `+end.param(scan-1), end.args...).Scan(&last)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, "", err
		}
		q.add(last != "", `id >= `, string(last))
	}
	if f.State == atelier.JobCompleted {
		q.and(`state = 'completed'`)
	}
	q.add(f.Code != "", `error_code = `, f.Code)
	q.add(f.ModelID != "", `model_id = `, f.ModelID)
	q.add(f.Wallet != "", `wallet = `, string(f.Wallet))
	q.add(f.Worker != "", `worker_id = `, string(f.Worker))
	if onOne {
		q.and(endedOn)
	}
	if f.FailedLike != "" { // as FailuresSince groups them
		q.and(`(error, model_id, network = 'node') = (SELECT error, model_id, network = 'node' FROM job WHERE id = ` + q.param(string(f.FailedLike)) + `)`)
	}
	q.add(!f.EndedSince.IsZero(), `ended_at >= `, database.Millis(f.EndedSince))
	if f.Workflow != "" {
		q.add(true, `owner_kind = 'workflow' AND owner_id = `, string(f.Workflow))
	}
	rows, err = tx.jobs(q.where()+` ORDER BY `+id+` DESC LIMIT `+q.param(limit), q.args...)
	return rows, last, err
}

// endedOn is the condition of the index of the jobs that ended on workers.
const endedOn = `(state = 'completed' OR state = 'failed')`

// CountEndedOn counts the jobs that ended on a worker since it connected, and those that it gave up.
func (tx *Tx) CountEndedOn(w atelier.Worker) (completed, failed, dropped int64, err error) {
	err = tx.Row(`SELECT COALESCE(SUM(CASE WHEN state = 'completed' THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN state = 'failed' THEN 1 ELSE 0 END), 0),
		(SELECT COUNT(*) FROM worker_lapse WHERE wallet = $2 AND name = $3 AND worker_id = $1) FROM job WHERE worker_id = $1 AND `+endedOn,
		string(w.ID), string(w.Wallet), w.Name).Scan(&completed, &failed, &dropped)
	return completed, failed, dropped, err
}

// jobStates are the states of jobs.
var jobStates = map[atelier.JobState]bool{
	atelier.JobQueued: true, atelier.JobLeased: true, atelier.JobCompleted: true, atelier.JobFailed: true, atelier.JobCancelled: true,
}

// LeasedByAny lists the jobs that workers hold.
func (tx *Tx) LeasedByAny(workers []atelier.WorkerID) ([]StoredJob, error) {
	if len(workers) == 0 {
		return nil, nil
	}
	return tx.jobs(`WHERE state = 'leased' AND worker_id IN (`+database.Marks(1, len(workers))+`) ORDER BY id`, database.Texts(workers)...)
}

// JobFailures is a group of failed jobs.
type JobFailures struct {
	Error   atelier.JobError
	ModelID string
	Task    bool // a node task, not a render
	Count   int64
	Wallets int64   // whose jobs they are
	Trend   []int64 // how many failed in each of FailureParts equal parts of the time, the earliest first
	Last    time.Time
	Sample  atelier.JobID
}

// FailureParts is how many parts of a time the failures are counted in.
const FailureParts = 12

// FailuresSince groups the jobs that failed from a time to now by their error and model, node tasks
// apart from renders: the largest groups, largest first.
func (tx *Tx) FailuresSince(since, now time.Time, limit int) (out []JobFailures, err error) {
	args := []any{database.Millis(since), limit}
	var parts strings.Builder
	for i := range FailureParts { // the last one has also what ended as this was asked
		args = append(args, database.Millis(since.Add(time.Duration(i)*now.Sub(since)/FailureParts)))
		fmt.Fprintf(&parts, `, SUM(CASE WHEN ended_at >= $%d`, len(args))
		if i < FailureParts-1 {
			fmt.Fprintf(&parts, ` AND ended_at < $%d`, len(args)+1)
		}
		parts.WriteString(` THEN 1 ELSE 0 END)`)
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			f     = JobFailures{Trend: make([]int64, FailureParts)}
			fault string
			last  int64
			job   StoredJob
		)
		if err := scan(append([]any{&fault, &f.ModelID, &f.Task, &f.Count, &f.Wallets, &last, &f.Sample}, pointers(f.Trend)...)...); err != nil {
			return err
		}
		if err := job.decode("{}", "{}", fault); err != nil {
			return err
		}
		f.Error, f.Last = job.Error, database.FromMillis(last)
		out = append(out, f)
		return nil
	}, `SELECT error, model_id, network = 'node' AS task, COUNT(*) AS many, COUNT(DISTINCT wallet), MAX(ended_at) AS last, MAX(id)`+parts.String()+` FROM job WHERE state = 'failed' AND ended_at >= $1
		GROUP BY error, model_id, network = 'node' ORDER BY many DESC, last DESC LIMIT $2`, args...)
	return out, err
}

// QueueCount counts the jobs of a network that are not over.
type QueueCount struct {
	Network        atelier.Network
	Queued, Active int64
}

// CountQueues counts the jobs that are not over, by network.
func (tx *Tx) CountQueues() (out []QueueCount, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var c QueueCount
		err := scan(&c.Network, &c.Queued, &c.Active)
		out = append(out, c)
		return err
	}, `SELECT network, SUM(queued), SUM(active) FROM (
		SELECT network, 1 AS queued, 0 AS active FROM job WHERE state = 'queued'
		UNION ALL SELECT network, 0 AS queued, 1 AS active FROM job WHERE state = 'leased') AS counted GROUP BY network ORDER BY network`)
	return out, err
}

// OldestQueued finds the job that has waited longest in the networks of workers.
func (tx *Tx) OldestQueued() (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE id = (SELECT MIN(id) FROM job WHERE state = 'queued' AND network IN ('fast', 'relaxed'))`))
}

// LeasedJob is a job that a worker holds, without its documents.
type LeasedJob struct {
	WorkerID  atelier.WorkerID
	Wallet    atelier.Wallet
	ModelID   string
	Tool      string
	Progress  float64
	StartedAt time.Time
}

// specHead is how much of a spec is read to find its tool, which it begins with.
const specHead = 300

// LeasedJobs lists the jobs that workers hold, in the order of their leases.
func (tx *Tx) LeasedJobs() (out []LeasedJob, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			j       LeasedJob
			spec    string
			started int64
		)
		if err := scan(&j.WorkerID, &j.Wallet, &j.ModelID, &spec, &j.Progress, &started); err != nil {
			return err
		}
		j.Tool, j.StartedAt = toolOf(spec), database.FromMillis(started)
		out = append(out, j)
		return nil
	}, `SELECT worker_id, wallet, model_id, SUBSTR(spec, 1, $1), progress, started_at FROM job WHERE state = 'leased' AND network <> 'node' ORDER BY started_at, id`, specHead)
	return out, err
}

// LeasedOf lists the jobs of the given models that workers of a network hold, without
// their tools.
func (tx *Tx) LeasedOf(n atelier.Network, models []string) (out []LeasedJob, err error) {
	if len(models) == 0 {
		return nil, nil
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			j       LeasedJob
			started int64
		)
		err := scan(&j.WorkerID, &j.Wallet, &j.ModelID, &j.Progress, &started)
		j.StartedAt = database.FromMillis(started)
		out = append(out, j)
		return err
	}, `SELECT worker_id, wallet, model_id, progress, started_at FROM job WHERE state = 'leased' AND network = $1 AND model_id IN (`+database.Marks(2, len(models))+`)`,
		append([]any{string(n)}, database.Texts(models)...)...)
	return out, err
}

// toolOf reads the tool from the beginning of a spec.
func toolOf(head string) string {
	d := wire.NewDecoder(strings.NewReader(head))
	for _, want := range []string{"{", "tool"} {
		if t, err := d.ReadToken(); err != nil || t.String() != want {
			return ""
		}
	}
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' {
		return ""
	}
	return t.String()
}
