package store

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

const jobColumns = `id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, state, attempt, cancel,
	worker_id, lease_until, progress, message, error, created_at, started_at, ended_at, charge, turn, receipt, doubts,
	leases, cancel_at, counted, unserved_since`

// StoredJob is a job and how it is paid.
type StoredJob struct {
	atelier.Job
	Terms  atelier.PaymentTerms
	Cost   atelier.Cost
	Charge atelier.Charge
	Turn   int64 // its place in the queue
}

// payment is the charge column.
type payment struct {
	Terms  atelier.PaymentTerms `json:"terms"`
	Cost   atelier.Cost         `json:"cost"`
	Charge atelier.Charge       `json:"charge"`
}

// jobs lists the jobs that a query finds.
func (tx *Tx) jobs(tail string, args ...any) ([]StoredJob, error) {
	return tx.jobsOf(`SELECT `+jobColumns+` FROM job `+tail, args...)
}

// jobsOf lists the jobs of any statement that ends in their columns.
func (tx *Tx) jobsOf(sql string, args ...any) (out []StoredJob, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var (
			j                              StoredJob
			p                              payment
			spec, fault, charge            string
			lease, created, started, ended int64
			cancel, counted, unserved      int64
		)
		if err := scan(&j.ID, &j.ProjectID, &j.Wallet, &j.Owner.Kind, &j.Owner.ID, &j.Owner.Part, &spec, &j.Network, &j.State, &j.Attempt,
			&j.Cancel, &j.WorkerID, &lease, &j.Progress, &j.Message, &fault, &created, &started, &ended, &charge, &j.Turn, &j.Receipt, &j.Doubts,
			&j.Leases, &cancel, &counted, &unserved); err != nil {
			return err
		}
		for _, column := range []struct {
			text string
			dst  any
		}{{spec, &j.Spec}, {fault, &j.Error}, {charge, &p}} {
			if column.text == "{}" {
				continue
			}
			if err := wire.Unmarshal([]byte(column.text), column.dst); err != nil {
				return fmt.Errorf("job %s: %w", j.ID, err)
			}
		}
		j.Terms, j.Cost, j.Charge = p.Terms, p.Cost, p.Charge
		j.Lease, j.CreatedAt, j.StartedAt, j.EndedAt = fromMillis(lease), fromMillis(created), fromMillis(started), fromMillis(ended)
		j.CancelAt, j.Counted, j.UnservedSince = fromMillis(cancel), time.Duration(counted)*time.Millisecond, fromMillis(unserved)
		out = append(out, j)
		return nil
	}, sql, args...)
	return out, err
}

func oneJob(found []StoredJob, err error) (StoredJob, error) {
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return StoredJob{}, err
	}
	return found[0], nil
}

// InsertJob adds a queued job, in its account's turn. It returns when its model
// has stopped being served: now, or zero while it is served.
func (tx *Tx) InsertJob(j StoredJob) (unservedSince time.Time, err error) {
	turn, err := tx.nextTurn(j.Wallet, j.Network)
	if err != nil {
		return unservedSince, err
	}
	spec, err := wire.Marshal(j.Spec)
	if err != nil {
		return unservedSince, err
	}
	charge, err := wire.Marshal(payment{j.Terms, j.Cost, j.Charge})
	if err != nil {
		return unservedSince, err
	}
	var ms int64
	err = tx.row(`INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit,
		state, turn, turn_used, turn_typical, attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at, unserved_since)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'queued', $12, $13, $14, $15, FALSE, '', 0, 0, '', $16, '{}', $17, 0, 0,
		CASE WHEN `+served("$8", "$9")+` THEN 0 ELSE CAST($17 AS BIGINT) END) RETURNING unserved_since`,
		j.ID, j.ProjectID, string(j.Wallet), j.Owner.Kind, j.Owner.ID, j.Owner.Part, string(spec), string(j.Network), j.Spec.ModelID,
		j.Spec.ConcurrencyClass, j.Spec.ConcurrencyLimit, turn.number, turn.used, turn.typical, j.Attempt, string(charge), millis(j.CreatedAt)).scan(&ms)
	return fromMillis(ms), err
}

// Job finds a job by its id.
func (tx *Tx) Job(id string) (StoredJob, error) { return oneJob(tx.jobs(`WHERE id = $1`, id)) }

// LockJob finds a job and keeps others from changing it until the change ends.
func (tx *Tx) LockJob(id string) (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE id = $1`+tx.dialect.forUpdate, id))
}

// JobOfProject finds the job of a project.
func (tx *Tx) JobOfProject(projectID string) (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE project_id = $1`, projectID))
}

// JobsOf lists the jobs of an owner.
func (tx *Tx) JobsOf(o atelier.JobOwner) ([]StoredJob, error) {
	return tx.jobs(`WHERE owner_kind = $1 AND owner_id = $2 ORDER BY created_at, id`, o.Kind, o.ID)
}

// Candidate is what is asked of a queued job before somebody gets it.
type Candidate struct {
	ID      string
	Wallet  atelier.Wallet
	ModelID string
	Class   string
	Limit   int  // of jobs of the class that the account may run at once; 0 for none
	Receipt bool // it may go on elsewhere

	Turn  int64 // where it stands in the queue
	Due   int64 // where it belongs by now
	Start int64 // where Due would be if its account's jobs took no time

	used, typical int64 // that Due accounts for
}

// Wanted says which queued jobs of a network somebody could take.
type Wanted struct {
	Network  atelier.Network
	Models   []string
	Receipts bool // also those with a receipt
	Now      time.Time
}

// where is the condition of a query, and its parameters.
func (w Wanted) where() (string, []any) {
	args := []any{string(w.Network), millis(w.Now), w.Receipts}
	for _, m := range w.Models {
		args = append(args, m)
	}
	return `job.state = 'queued' AND job.network = $1 AND job.not_before <= $2 AND (job.receipt = '' OR $3)
		AND job.model_id IN (` + marks(4, len(w.Models)) + `)`, args
}

// Candidates lists queued jobs that somebody could take, as they stand in the
// queue, without those held back by a concurrency limit of their account. On
// PostgreSQL the rows are locked, and those that another claims are skipped.
func (tx *Tx) Candidates(w Wanted, limit int) (out []Candidate, err error) {
	where, args := w.where()
	args = append(args, limit)
	err = tx.rows(func(scan func(...any) error) error {
		var (
			c     Candidate
			known turn
		)
		err := scan(&c.ID, &c.Wallet, &c.ModelID, &c.Class, &c.Limit, &c.Receipt, &c.Turn, &known.used, &known.typical, &c.used, &c.typical)
		typical := turns(c.typical)
		c.Due = c.Turn + turns(c.used) - turns(known.used) + typical - turns(known.typical)
		c.Start = c.Due - typical
		out = append(out, c)
		return err
	}, `SELECT job.id, job.wallet, job.model_id, job.class, job.class_limit, job.receipt <> '', job.turn, job.turn_used, job.turn_typical,
		COALESCE(t.used, 0), COALESCE(t.typical, 0)
		FROM job LEFT JOIN job_turn t ON t.wallet = job.wallet AND t.network = job.network
		WHERE `+where+` AND (job.class_limit = 0 OR job.class_limit > (SELECT COUNT(*) FROM job r
			WHERE r.wallet = job.wallet AND r.class = job.class AND r.class <> '' AND r.state = 'leased'))
		ORDER BY job.turn, job.id LIMIT $`+strconv.Itoa(len(args))+tx.dialect.skipLocked, args...)
	return out, err
}

// AnyQueued reports whether a job waits that somebody could take.
func (tx *Tx) AnyQueued(w Wanted) (bool, error) {
	where, args := w.where()
	var found int64
	err := tx.row(`SELECT COUNT(*) FROM (SELECT 1 FROM job WHERE `+where+` LIMIT 1) AS one`, args...).scan(&found)
	return found > 0, err
}

// LeasedOfClass counts an account's leased jobs of a concurrency class.
func (tx *Tx) LeasedOfClass(w atelier.Wallet, class string) (n int, err error) {
	err = tx.row(`SELECT COUNT(*) FROM job WHERE wallet = $1 AND class = $2 AND class <> '' AND state = 'leased'`, string(w), class).scan(&n)
	return n, err
}

// LeaseJob gives a queued job to a worker. ErrNotFound means that it is not
// queued any more.
func (tx *Tx) LeaseJob(id, workerID string, now, until time.Time) (StoredJob, error) {
	return oneJob(tx.jobsOf(`UPDATE job SET `+leased+` WHERE id = $1 AND state = 'queued' RETURNING `+jobColumns,
		id, workerID, millis(until), millis(now)))
}

// leased is what a lease sets.
const leased = `state = 'leased', leases = leases + 1, worker_id = $2, lease_until = $3, started_at = $4, progress = 0, message = '', counted = 0, unserved_since = 0`

// LeaseKnown gives a queued job to a worker that is known already, as it was
// for the given attempt after so many leases. It reports false, and changes
// nothing, when it is not that any more.
func (tx *Tx) LeaseKnown(id string, attempt, leases int, workerID string, now, until time.Time) (bool, error) {
	n, err := tx.exec(`UPDATE job SET `+leased+` WHERE id = $1 AND attempt = $5 AND leases = $6 AND state = 'queued' AND doubts = 0 AND NOT cancel`,
		id, workerID, millis(until), millis(now), attempt, leases)
	return n == 1, err
}

// SetSpec changes what a job asks for.
func (tx *Tx) SetSpec(id string, spec atelier.JobSpec) error {
	text, err := wire.Marshal(spec)
	if err != nil {
		return err
	}
	return tx.must(`UPDATE job SET spec = $2 WHERE id = $1`, id, string(text))
}

// RenewLease notes the progress of a leased job and its receipt. ErrNotFound
// means that it is not its worker's any more.
func (tx *Tx) RenewLease(j atelier.Job) error {
	return tx.must(`UPDATE job SET lease_until = $3, progress = $4, message = $5, receipt = $6, counted = $7
		WHERE id = $1 AND state = 'leased' AND worker_id = $2`,
		j.ID, j.WorkerID, millis(j.Lease), j.Progress, j.Message, j.Receipt, j.Counted.Milliseconds())
}

// RequeueUnresolved gives a leased job whose outcome is unknown back to the queue,
// to be asked for not before a time. Everything else stays.
func (tx *Tx) RequeueUnresolved(j atelier.Job, notBefore time.Time) error {
	return tx.must(`UPDATE job SET state = 'queued', worker_id = '', lease_until = 0, message = $3, doubts = $4, not_before = $5
		WHERE id = $1 AND worker_id = $2 AND state = 'leased'`, j.ID, j.WorkerID, j.Message, j.Doubts, millis(notBefore))
}

// ExpediteCancel has a job that waits be claimed at once, to be cancelled.
func (tx *Tx) ExpediteCancel(id string) error {
	return tx.must(`UPDATE job SET cancel = TRUE, not_before = 0 WHERE id = $1 AND state = 'queued'`, id)
}

// UnresolvedJobs lists jobs that wait because nobody knows what became of them:
// all, or only those that an operator has given up.
func (tx *Tx) UnresolvedJobs(givenUp bool, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE state = 'queued' AND doubts > 0 AND (given_up OR NOT $1) ORDER BY id LIMIT $2`, givenUp, limit)
}

// GiveUpJob notes that an operator knows that nothing came of a job in doubt.
func (tx *Tx) GiveUpJob(id string) error {
	return tx.must(`UPDATE job SET given_up = TRUE WHERE id = $1 AND state = 'queued' AND doubts > 0`, id)
}

// FailDoubtful ends a job that an operator has given up. ErrNotFound means that
// it is not in doubt any more.
func (tx *Tx) FailDoubtful(id string, fault atelier.JobError, at time.Time) error {
	text, err := wire.Marshal(fault)
	if err != nil {
		return err
	}
	return tx.must(`UPDATE job SET state = 'failed', error = $2, ended_at = $3 WHERE id = $1 AND state = 'queued' AND given_up`, id, string(text), millis(at))
}

// CompleteJob ends a job that its worker has done in the lease of the given
// number, and returns how much of that lease was counted before. It reports
// false, and changes nothing, when the job is not leased by this worker for that
// time, or is to be cancelled. A cancel that came too late at a vendor's does
// not count: the vendor has done the work and is paid.
func (tx *Tx) CompleteJob(id, workerID string, lease int, at time.Time) (counted time.Duration, done bool, err error) {
	var ms int64
	err = tx.row(`UPDATE job SET state = 'completed', ended_at = $4, progress = 1
		WHERE id = $1 AND worker_id = $2 AND leases = $3 AND state = 'leased' AND (NOT cancel OR receipt <> '') RETURNING counted`,
		id, workerID, lease, millis(at)).scan(&ms)
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	return time.Duration(ms) * time.Millisecond, err == nil, err
}

// EndJob ends a leased job that came to nothing. ErrNotFound means that it is not leased by this
// worker any more.
func (tx *Tx) EndJob(id, workerID string, to atelier.JobState, fault atelier.JobError, at time.Time) error {
	text, err := wire.Marshal(fault)
	if err != nil {
		return err
	}
	return tx.must(`UPDATE job SET state = $3, error = $4, ended_at = $5 WHERE id = $1 AND worker_id = $2 AND state = 'leased'`, id, workerID, string(to), string(text), millis(at))
}

// RequeueJob gives a leased job back to the queue, at its old turn, for the
// given attempt and charge. What its account has used meanwhile does not move it
// back: it has waited for its turn already. It returns when its model has
// stopped being served, as InsertJob does.
func (tx *Tx) RequeueJob(j StoredJob, now time.Time) (unservedSince time.Time, err error) {
	charge, err := wire.Marshal(payment{j.Terms, j.Cost, j.Charge})
	if err != nil {
		return unservedSince, err
	}
	var ms int64
	const own = ` FROM job_turn t WHERE t.wallet = job.wallet AND t.network = job.network), 0)`
	err = tx.row(`UPDATE job SET state = 'queued', attempt = $3, charge = $4, receipt = $5, doubts = CAST($7 AS BIGINT), worker_id = '', lease_until = 0, started_at = 0, progress = 0,
		message = '', turn_used = COALESCE((SELECT t.used`+own+`, turn_typical = COALESCE((SELECT t.typical`+own+`,
		unserved_since = CASE WHEN CAST($7 AS BIGINT) > 0 OR `+jobServed+` THEN 0 ELSE CAST($6 AS BIGINT) END
		WHERE id = $1 AND worker_id = $2 AND state = 'leased' RETURNING unserved_since`,
		j.ID, j.WorkerID, j.Attempt, string(charge), j.Receipt, millis(now), j.Doubts).scan(&ms)
	return fromMillis(ms), err
}

// CancelQueued ends a job that waits. ErrNotFound means that it does not.
func (tx *Tx) CancelQueued(id string, at time.Time) error {
	return tx.must(`UPDATE job SET state = 'cancelled', cancel = TRUE, ended_at = $2 WHERE id = $1 AND state = 'queued'`, id, millis(at))
}

// AskToCancel has the worker of a leased job told to stop. Asked again, it has
// no more time than it had.
func (tx *Tx) AskToCancel(id string, at time.Time) error {
	return tx.must(`UPDATE job SET cancel_at = CASE WHEN cancel THEN cancel_at ELSE $2 END, cancel = TRUE WHERE id = $1 AND state = 'leased'`, id, millis(at))
}

// DueJobs lists leased jobs whose lease has passed.
func (tx *Tx) DueJobs(now time.Time, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE state = 'leased' AND lease_until <= $1 ORDER BY lease_until LIMIT $2`, millis(now), limit)
}

// NextLease is when the next lease ends; zero when there is none.
func (tx *Tx) NextLease() (time.Time, error) {
	var ms int64
	err := tx.row(`SELECT COALESCE(MIN(lease_until), 0) FROM job WHERE state = 'leased'`).scan(&ms)
	return fromMillis(ms), err
}

// LeasedBy lists the jobs that a worker holds.
func (tx *Tx) LeasedBy(workerID string) ([]StoredJob, error) {
	return tx.jobs(`WHERE worker_id = $1 AND state = 'leased' ORDER BY id`, workerID)
}

// CountLeasedBy counts the jobs that a worker holds.
func (tx *Tx) CountLeasedBy(workerID string) (n int, err error) {
	err = tx.row(`SELECT COUNT(*) FROM job WHERE worker_id = $1 AND state = 'leased'`, workerID).scan(&n)
	return n, err
}

// JobCount counts jobs of one model and network.
type JobCount struct {
	ModelID string
	Network atelier.Network
	Active  int
	Limited int // queued, held back by a concurrency limit
	Waiting int // queued otherwise
}

// CountJobs counts the jobs that are not over, by model and network.
func (tx *Tx) CountJobs() (out []JobCount, err error) {
	err = tx.rows(func(scan func(...any) error) error {
		var c JobCount
		err := scan(&c.ModelID, &c.Network, &c.Active, &c.Limited, &c.Waiting)
		out = append(out, c)
		return err
	}, `SELECT model_id, network, SUM(CASE WHEN state = 'leased' THEN 1 ELSE 0 END), SUM(CASE WHEN state = 'queued' AND held THEN 1 ELSE 0 END),
		SUM(CASE WHEN state = 'queued' AND NOT held THEN 1 ELSE 0 END)
		FROM (SELECT model_id, network, state, (state = 'queued' AND class_limit > 0 AND class_limit <=
			(SELECT COUNT(*) FROM job r WHERE r.wallet = job.wallet AND r.class = job.class AND r.class <> '' AND r.state = 'leased')) AS held
			FROM job WHERE state IN ('queued', 'leased')) AS counted
		GROUP BY model_id, network ORDER BY model_id, network`)
	return out, err
}
