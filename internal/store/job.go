package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

const jobColumns = `id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, state, attempt, cancel,
	worker_id, lease_until, progress, message, error, created_at, started_at, ended_at, charge, turn, external_ref, unresolved,
	leases, cancel_at, counted, unserved_since`

// StoredJob is a job and how it is paid.
type StoredJob struct {
	atelier.Job
	Terms  atelier.PaymentTerms
	Cost   atelier.Cost
	Charge atelier.Charge
	Turn   int64 // its place in the queue

	NotBefore time.Time        // no worker gets a new job before; zero for at once
	Takers    []atelier.Wallet // whose workers alone get a new job, and no fallback workers; any if it is empty

	NoFallback bool // no fallback worker ever gets a new job, however long it waits
}

// jobs lists the jobs that the tail of a query selects.
func (tx *Tx) jobs(tail string, args ...any) ([]StoredJob, error) {
	return tx.jobsOf(`SELECT `+jobColumns+` FROM job `+tail, args...)
}

// jobsOf lists the jobs of any statement that returns jobColumns.
func (tx *Tx) jobsOf(sql string, args ...any) (out []StoredJob, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			j                              StoredJob
			spec, fault, charge            string
			lease, created, started, ended int64
			cancel, counted, unserved      int64
		)
		if err := scan(&j.ID, &j.ProjectID, &j.Wallet, &j.Owner.Kind, &j.Owner.ID, &j.Owner.Part, &spec, &j.Network, &j.State, &j.Attempt,
			&j.Cancel, &j.WorkerID, &lease, &j.Progress, &j.Message, &fault, &created, &started, &ended, &charge, &j.Turn, &j.ExternalRef, &j.Unresolved,
			&j.Leases, &cancel, &counted, &unserved); err != nil {
			return err
		}
		if err := j.decode(spec, charge, fault); err != nil {
			return err
		}
		j.Lease, j.CreatedAt, j.StartedAt, j.EndedAt = database.FromMillis(lease), database.FromMillis(created), database.FromMillis(started), database.FromMillis(ended)
		j.CancelAt, j.Counted, j.UnservedSince = database.FromMillis(cancel), time.Duration(counted)*time.Millisecond, database.FromMillis(unserved)
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

// InsertJob adds a queued job, in its account's turn. It returns since when no
// connected worker offers its model: the job's creation, or zero when one does.
func (tx *Tx) InsertJob(j StoredJob) (unservedSince time.Time, err error) {
	tx.nextTurn(j.Wallet, j.Network)
	spec, err := encodeSpec(j.Spec)
	if err != nil {
		return unservedSince, err
	}
	charge, err := encodePayment(j)
	if err != nil {
		return unservedSince, err
	}
	var ms int64
	err = tx.Row(`INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit,
		state, turn, turn_used, turn_typical, attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at, not_before,
		personal_loras, takers, no_fallback, unserved_since, away_before)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'queued', `+jobPlace+`, $12, FALSE, '', 0, 0, '', $13, '{}', $14, 0, 0, $15, $16, $17, $18,
		CASE WHEN `+available("$8", "$9", aNewJob, "CAST($14 AS BIGINT)", "$18")+` THEN 0 ELSE CAST($14 AS BIGINT) END,
		COALESCE((SELECT `+absentFor("CAST($14 AS BIGINT)")+` FROM model_absence m WHERE m.network = $8 AND m.model_id = $9), 0)
		FROM job_turn t WHERE t.wallet = $3 AND t.network = $8 RETURNING unserved_since`,
		string(j.ID), string(j.ProjectID), string(j.Wallet), j.Owner.Kind, j.Owner.ID, j.Owner.Part, spec, string(j.Network), j.Spec.ModelID,
		j.Spec.ConcurrencyClass, j.Spec.ConcurrencyLimit, j.Attempt, charge, database.Millis(j.CreatedAt),
		database.Millis(j.NotBefore), j.Spec.PersonalLoras(), joinWallets(j.Takers), j.NoFallback).Scan(&ms)
	tx.queued = append(tx.queued, j.ID)
	if err == nil && j.Spec.PersonalLoras() > 0 {
		err = tx.insertJobLoras(j)
	}
	return database.FromMillis(ms), err
}

// HasQueued reports whether this transaction has added any job, or one of those given.
func (tx *Tx) HasQueued(ids ...atelier.JobID) bool {
	if len(ids) == 0 {
		return len(tx.queued) > 0
	}
	return slices.ContainsFunc(ids, func(id atelier.JobID) bool { return slices.Contains(tx.queued, id) })
}

// Job finds a job by its id.
func (tx *Tx) Job(id atelier.JobID) (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE id = $1`, string(id)))
}

// JobsBetween lists the jobs of all accounts whose ids lie between two, the newest first.
func (tx *Tx) JobsBetween(first, last string, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE id >= $1 AND id <= $2 ORDER BY id DESC LIMIT $3`, first, last, limit)
}

// LockJob finds a job and keeps other transactions from changing it until this one
// ends.
func (tx *Tx) LockJob(id atelier.JobID) (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE id = $1`+tx.Dialect.ForUpdate, string(id)))
}

// JobOfProject finds the job of a project.
func (tx *Tx) JobOfProject(id atelier.ProjectID) (StoredJob, error) {
	return oneJob(tx.jobs(`WHERE project_id = $1`, string(id)))
}

// Candidate is what the dispatcher needs to know of a queued job before it leases
// it.
type Candidate struct {
	ID       atelier.JobID
	Wallet   atelier.Wallet
	ModelID  string
	Class    string
	Limit    int // jobs of the class that the account may run at once; 0 for any number
	Attempt  int
	External bool // it has an ExternalRef: a vendor may be rendering it
	Personal bool // it loads personal LoRAs

	CreatedAt time.Time
	QueuedAt  time.Time // since when a worker may take it
	PassedAt  time.Time // since when later jobs are taken before it; zero while none was

	DroppedBy   atelier.WorkerID // the session that has dropped it, and
	DroppedName string           // the account and name of that worker
	AvoidUntil  time.Time        // until when others are preferred
	Takers      []atelier.Wallet // whose workers alone get it, and no fallback workers; any if it is empty
	NoFallback  bool             // no fallback worker gets it

	Turn  int64 // its place in the queue
	Due   int64 // the place it should have by now
	Start int64 // Due, if the jobs of its account took no time

	used, typical int64 // what Due accounts for
}

// Wanted says which queued jobs of a network the waiting workers could take.
type Wanted struct {
	Network  atelier.Network
	Models   []string
	External bool // also jobs that have an ExternalRef
	Now      time.Time

	Late       []string  // models of which only those jobs are wanted that are
	LateBefore time.Time // queued since this time or earlier, or
	Reserved   []string  // models of which only those jobs are wanted that are not reserved any more
}

// where is the condition of a query, and its parameters.
func (w Wanted) where() (string, []any) {
	args := []any{string(w.Network), database.Millis(w.Now), w.External}
	of := func(models []string) string {
		args = append(args, database.Texts(models)...)
		return `job.model_id IN (` + database.Marks(len(args)-len(models)+1, len(models)) + `)`
	}
	var either []string
	if len(w.Models) > 0 {
		either = append(either, of(w.Models))
	}
	if len(w.Late) > 0 {
		late := of(w.Late)
		args = append(args, database.Millis(w.LateBefore))
		before := ` <= $` + strconv.Itoa(len(args))
		either = append(either, late+` AND job.created_at`+before+` AND job.requeued_at`+before+` AND job.not_before`+before)
	}
	if len(w.Reserved) > 0 {
		either = append(either, of(w.Reserved)+` AND NOT `+reserved("job.network", "job.model_id", "job.away_before", "CAST($2 AS BIGINT)"))
	}
	return `job.state = 'queued' AND job.network = $1 AND job.not_before <= $2 AND (job.external_ref = '' OR $3) AND (` + strings.Join(either, ` OR `) + `)`, args
}

// Candidates lists the queued jobs that are wanted, in the order of the queue,
// without those that a concurrency limit of their account holds back. On
// PostgreSQL it locks the rows and skips those that another transaction has
// locked.
func (tx *Tx) Candidates(w Wanted, limit int) ([]Candidate, error) {
	where, args := w.where()
	args = append(args, limit)
	return tx.candidates(`job`, where+notLimited+` ORDER BY job.turn, job.id LIMIT $`+strconv.Itoa(len(args))+tx.Dialect.SkipLocked("job"), args)
}

// notLimited is the condition that no concurrency limit of its account holds a job back.
const notLimited = ` AND (job.class_limit = 0 OR job.class_limit > (SELECT COUNT(*) FROM job r
	WHERE r.wallet = job.wallet AND r.class = job.class AND r.class <> '' AND r.state = 'leased'))`

// Further lists those of the first wanted jobs, as many as limit says, that are of the given
// models. It locks none: LockCandidate locks the one that is taken.
func (tx *Tx) Further(w Wanted, models []string, limit int) ([]Candidate, error) {
	where, args := w.where()
	args = append(args, limit)
	first := `(SELECT id, model_id FROM job WHERE ` + where + notLimited + ` ORDER BY turn, id LIMIT $` + strconv.Itoa(len(args)) + `) AS first`
	of := `first.model_id IN (` + database.Marks(len(args)+1, len(models)) + `)`
	for _, m := range models {
		args = append(args, m)
	}
	return tx.candidates(first+` JOIN job ON job.id = first.id`, of+` ORDER BY job.turn, job.id`, args)
}

// LockCandidate locks a queued job. It reports false when another transaction has locked it,
// or it is no longer queued.
func (tx *Tx) LockCandidate(id atelier.JobID) (bool, error) {
	var found string
	err := tx.Row(`SELECT id FROM job WHERE id = $1 AND state = 'queued'`+tx.Dialect.SkipLocked("job"), string(id)).Scan(&found)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// PassJob records that a later job was taken before a queued one.
func (tx *Tx) PassJob(id atelier.JobID, at time.Time) error {
	_, err := tx.Exec(`UPDATE job SET passed_at = $2 WHERE id = $1 AND state = 'queued' AND passed_at = 0`, string(id), database.Millis(at))
	return err
}

// candidates lists jobs of the table job, perhaps with others that are joined to it.
func (tx *Tx) candidates(from, where string, args []any) (out []Candidate, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			c                      Candidate
			known                  turn
			created, passed, avoid int64
			requeued, notBefore    int64
			takers                 string
		)
		err := scan(&c.ID, &c.Wallet, &c.ModelID, &c.Class, &c.Limit, &c.Attempt, &c.External, &c.Personal, &c.Turn, &known.used, &known.typical, &c.used, &c.typical,
			&created, &requeued, &notBefore, &passed, &c.DroppedBy, &c.DroppedName, &avoid, &takers, &c.NoFallback)
		c.Takers = splitWallets(takers)
		c.CreatedAt, c.PassedAt, c.AvoidUntil = database.FromMillis(created), database.FromMillis(passed), database.FromMillis(avoid)
		c.QueuedAt = database.FromMillis(max(created, requeued, notBefore))
		typical := turns(c.typical)
		c.Due = c.Turn + turns(c.used) - turns(known.used) + typical - turns(known.typical)
		c.Start = c.Due - typical
		out = append(out, c)
		return err
	}, `SELECT job.id, job.wallet, job.model_id, job.class, job.class_limit, job.attempt, job.external_ref <> '', job.personal_loras > 0, job.turn, job.turn_used, job.turn_typical,
		COALESCE(t.used, 0), COALESCE(t.typical, 0), job.created_at, job.requeued_at, job.not_before, job.passed_at, job.dropped_by, job.dropped_name, job.avoid_until, job.takers, job.no_fallback
		FROM `+from+` LEFT JOIN job_turn t ON t.wallet = job.wallet AND t.network = job.network
		WHERE `+where, args...)
	return out, err
}

// joinWallets writes a list of wallets, which have no spaces, as one text.
func joinWallets(list []atelier.Wallet) string {
	var b strings.Builder
	for i, w := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// splitWallets is the inverse of joinWallets.
func splitWallets(text string) (list []atelier.Wallet) {
	for w := range strings.FieldsSeq(text) {
		list = append(list, atelier.Wallet(w))
	}
	return list
}

// AnyQueued reports whether a wanted job is queued.
func (tx *Tx) AnyQueued(w Wanted) (bool, error) {
	if len(w.Models)+len(w.Late)+len(w.Reserved) == 0 {
		return false, nil
	}
	where, args := w.where()
	var found int64
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM job WHERE `+where+` LIMIT 1) AS one`, args...).Scan(&found)
	return found > 0, err
}

// AnySkipped reports whether more jobs are wanted than the given number, as many as Candidates has listed in this
// transaction: those that another one has locked.
func (tx *Tx) AnySkipped(w Wanted, listed int) (bool, error) {
	if tx.IsAlone() {
		return false, nil
	}
	where, args := w.where()
	args = append(args, listed+1)
	var found int
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM job WHERE `+where+notLimited+` LIMIT $`+strconv.Itoa(len(args))+`) AS wanted`, args...).Scan(&found)
	return found > listed, err
}

// LeasedOfClass counts an account's leased jobs of a concurrency class.
func (tx *Tx) LeasedOfClass(w atelier.Wallet, class string) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM job WHERE wallet = $1 AND class = $2 AND class <> '' AND state = 'leased'`, string(w), class).Scan(&n)
	return n, err
}

// moveJob writes the UPDATE that moves jobs from one state to another: besides the
// state it sets what set says, in the rows that are still in the old state and
// that where selects. A move that atelier.JobMoves does not have is an error.
// Every statement that changes the state of a job is written here.
func moveJob(from, to atelier.JobState, set, where string) (string, error) {
	if !from.May(to) {
		return "", fmt.Errorf("store: a job may not move from %q to %q", from, to)
	}
	return `UPDATE job SET state = '` + string(to) + `', ` + set + ` WHERE state = '` + string(from) + `' AND ` + where, nil
}

// mustMoveJob moves one job. ErrNotFound means that no row is in the old state and
// selected by where.
func (tx *Tx) mustMoveJob(from, to atelier.JobState, set, where string, args ...any) error {
	sql, err := moveJob(from, to, set, where)
	if err != nil {
		return err
	}
	return tx.Must(sql, args...)
}

// LeaseJob leases a queued job to a worker. ErrNotFound means that it is no longer
// queued.
func (tx *Tx) LeaseJob(id atelier.JobID, w atelier.WorkerID, now, until time.Time) (StoredJob, error) {
	sql, err := moveJob(atelier.JobQueued, atelier.JobLeased, setLease, `id = $1 RETURNING `+jobColumns)
	if err != nil {
		return StoredJob{}, err
	}
	return oneJob(tx.jobsOf(sql, string(id), string(w), database.Millis(until), database.Millis(now)))
}

// setLease is what a lease sets besides the state.
const setLease = `leases = leases + 1, worker_id = $2, lease_until = $3, started_at = $4, progress = 0, message = '', counted = 0, unserved_since = 0`

// LeaseKnown leases a queued job that the caller has read before, at the given
// attempt and number of leases, and saves reading it again. It reports false, and
// changes nothing, when the row has changed since.
func (tx *Tx) LeaseKnown(id atelier.JobID, attempt, leases int, w atelier.WorkerID, now, until time.Time) (bool, error) {
	sql, err := moveJob(atelier.JobQueued, atelier.JobLeased, setLease, `id = $1 AND attempt = $5 AND leases = $6 AND unresolved = 0 AND NOT cancel`)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(sql, string(id), string(w), database.Millis(until), database.Millis(now), attempt, leases)
	return n == 1, err
}

// SetSpec changes what a job asks for.
func (tx *Tx) SetSpec(id atelier.JobID, spec atelier.JobSpec) error {
	text, err := encodeSpec(spec)
	if err != nil {
		return err
	}
	return tx.Must(`UPDATE job SET spec = $2 WHERE id = $1`, string(id), text)
}

// RenewLease records the progress of a leased job and its ExternalRef. ErrNotFound
// means that the worker no longer holds it.
func (tx *Tx) RenewLease(j atelier.Job) error {
	return tx.Must(`UPDATE job SET lease_until = $3, progress = $4, message = $5, external_ref = $6, counted = $7
		WHERE id = $1 AND state = 'leased' AND worker_id = $2`,
		string(j.ID), string(j.WorkerID), database.Millis(j.Lease), j.Progress, j.Message, j.ExternalRef, j.Counted.Milliseconds())
}

// RequeueUnresolved puts a leased job whose outcome is unknown back into the
// queue. No worker gets it before the given time. Everything else stays.
func (tx *Tx) RequeueUnresolved(j atelier.Job, notBefore time.Time) error {
	return tx.mustMoveJob(atelier.JobLeased, atelier.JobQueued, `worker_id = '', lease_until = 0, message = $3, unresolved = $4, not_before = $5`,
		`id = $1 AND worker_id = $2`, string(j.ID), string(j.WorkerID), j.Message, j.Unresolved, database.Millis(notBefore))
}

// ExpediteCancel makes a queued job available at once, so that the next worker
// cancels it at the vendor.
func (tx *Tx) ExpediteCancel(id atelier.JobID) error {
	return tx.Must(`UPDATE job SET cancel = TRUE, not_before = 0 WHERE id = $1 AND state = 'queued'`, string(id))
}

// UnresolvedJobs lists queued jobs whose outcome is unknown, after the given one: all of
// them, or only those that an operator has given up.
func (tx *Tx) UnresolvedJobs(resolved bool, after atelier.JobID, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE state = 'queued' AND unresolved > 0 AND (resolved OR NOT $1) AND id > $2 ORDER BY id LIMIT $3`, resolved, string(after), limit)
}

// CountUnresolved counts the jobs whose outcome at a vendor is unknown.
func (tx *Tx) CountUnresolved() (n int64, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM job WHERE state = 'queued' AND unresolved > 0`).Scan(&n)
	return n, err
}

// ResolveJob records that an operator knows that the vendor did not render an
// unresolved job.
func (tx *Tx) ResolveJob(id atelier.JobID) error {
	return tx.Must(`UPDATE job SET resolved = TRUE WHERE id = $1 AND state = 'queued' AND unresolved > 0`, string(id))
}

// FailUnresolved ends a job that an operator has given up. ErrNotFound means that
// it is no longer queued.
func (tx *Tx) FailUnresolved(id atelier.JobID, fault atelier.JobError, at time.Time) error {
	text, err := encodeError(fault)
	if err != nil {
		return err
	}
	return tx.mustMoveJob(atelier.JobQueued, atelier.JobFailed, `error = $2, ended_at = $3, error_code = $4`, `id = $1 AND resolved`, string(id), text, database.Millis(at), fault.Code)
}

// CompleteJob ends a job that its worker has finished in the lease of the given
// number, and returns how much of that lease was counted before. It reports
// false, and changes nothing, when this worker does not hold that lease, or the
// job is to be cancelled. A cancel that came too late at a vendor does not count:
// the vendor has done the work and is paid.
func (tx *Tx) CompleteJob(id atelier.JobID, w atelier.WorkerID, lease int, at time.Time) (counted time.Duration, done bool, err error) {
	sql, err := moveJob(atelier.JobLeased, atelier.JobCompleted, `ended_at = $4, progress = 1`,
		`id = $1 AND worker_id = $2 AND leases = $3 AND (NOT cancel OR external_ref <> '') RETURNING counted`)
	if err != nil {
		return 0, false, err
	}
	var ms int64
	err = tx.Row(sql, string(id), string(w), lease, database.Millis(at)).Scan(&ms)
	if errors.Is(err, ErrNotFound) {
		return 0, false, nil
	}
	return time.Duration(ms) * time.Millisecond, err == nil, err
}

// EndJob ends a leased job that has no result. ErrNotFound means that this worker
// no longer holds it.
func (tx *Tx) EndJob(id atelier.JobID, w atelier.WorkerID, to atelier.JobState, fault atelier.JobError, at time.Time) error {
	text, err := encodeError(fault)
	if err != nil {
		return err
	}
	return tx.mustMoveJob(atelier.JobLeased, to, `error = $3, ended_at = $4, error_code = $5`, `id = $1 AND worker_id = $2`, string(id), string(w), text, database.Millis(at), fault.Code)
}

// MoveJob moves a job that is leased to another network, in which it is queued next, in the
// turn of its account there.
func (tx *Tx) MoveJob(j atelier.Job, n atelier.Network, now time.Time) error {
	tx.nextTurn(j.Wallet, n)
	return tx.Must(`UPDATE job SET network = $2, (turn, turn_used, turn_typical) = (SELECT `+jobPlace+` FROM job_turn t WHERE t.wallet = $4 AND t.network = $2),
		away_before = COALESCE((SELECT `+absentFor("CAST($3 AS BIGINT)")+` FROM model_absence m WHERE m.network = $2 AND m.model_id = job.model_id), 0)
		WHERE id = $1 AND state = 'leased'`, string(j.ID), string(n), database.Millis(now), string(j.Wallet))
}

// RequeueJob puts a leased job back into the queue, at its old turn, for the given
// attempt and charge. What its account has used meanwhile does not move it back:
// it has waited for its turn already. Until a time others than its worker are preferred;
// when that is zero, no worker has begun it, and it has waited all the time. It returns
// since when its model is not served, as InsertJob does.
func (tx *Tx) RequeueJob(j StoredJob, now, avoidUntil time.Time) (unservedSince time.Time, err error) {
	charge, err := encodePayment(j)
	if err != nil {
		return unservedSince, err
	}
	var ms int64
	const own = ` FROM job_turn t WHERE t.wallet = job.wallet AND t.network = job.network), 0)`
	sql, err := moveJob(atelier.JobLeased, atelier.JobQueued, `attempt = $3, charge = $4, external_ref = $5, unresolved = CAST($7 AS BIGINT), worker_id = '', lease_until = 0, started_at = 0, progress = 0,
		requeued_at = CASE WHEN CAST($8 AS BIGINT) > 0 THEN CAST($6 AS BIGINT) ELSE requeued_at END,
		message = '', dropped_by = CASE WHEN CAST($8 AS BIGINT) > 0 THEN worker_id ELSE dropped_by END,
		dropped_name = CASE WHEN CAST($8 AS BIGINT) > 0 THEN COALESCE((SELECT `+workerName+` FROM worker w WHERE w.id = job.worker_id), '') ELSE dropped_name END,
		avoid_until = CASE WHEN CAST($8 AS BIGINT) > 0 THEN CAST($8 AS BIGINT) ELSE avoid_until END, turn_used = COALESCE((SELECT t.used`+own+`, turn_typical = COALESCE((SELECT t.typical`+own+`,
		unserved_since = CASE WHEN CAST($7 AS BIGINT) > 0 OR `+jobAvailable("CAST($6 AS BIGINT)")+` THEN 0 ELSE CAST($6 AS BIGINT) END`,
		`id = $1 AND worker_id = $2 RETURNING unserved_since`)
	if err != nil {
		return unservedSince, err
	}
	err = tx.Row(sql, string(j.ID), string(j.WorkerID), j.Attempt, charge, j.ExternalRef, database.Millis(now), j.Unresolved, database.Millis(avoidUntil)).Scan(&ms)
	return database.FromMillis(ms), err
}

// CancelQueued ends a queued job. ErrNotFound means that it is not queued.
func (tx *Tx) CancelQueued(id atelier.JobID, why atelier.JobError, at time.Time) error {
	text, err := encodeError(why)
	if err != nil {
		return err
	}
	return tx.mustMoveJob(atelier.JobQueued, atelier.JobCancelled, `cancel = TRUE, ended_at = $2, error = $3, error_code = $4`, `id = $1`, string(id), database.Millis(at), text, why.Code)
}

// AskToCancel asks the worker of a leased job to stop; it learns so with its next
// report. A second call does not extend the time that the worker has.
func (tx *Tx) AskToCancel(id atelier.JobID, at time.Time) error {
	return tx.Must(`UPDATE job SET cancel_at = CASE WHEN cancel THEN cancel_at ELSE $2 END, cancel = TRUE WHERE id = $1 AND state = 'leased'`, string(id), database.Millis(at))
}

// DueJobs lists the leased jobs whose lease has expired.
func (tx *Tx) DueJobs(now time.Time, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE state = 'leased' AND lease_until <= $1 ORDER BY lease_until LIMIT $2`, database.Millis(now), limit)
}

// NextLease is when the next lease ends; zero when no job is leased.
func (tx *Tx) NextLease() (time.Time, error) {
	var ms int64
	err := tx.Row(`SELECT COALESCE(MIN(lease_until), 0) FROM job WHERE state = 'leased'`).Scan(&ms)
	return database.FromMillis(ms), err
}

// LeasedBy lists the jobs that a worker holds.
func (tx *Tx) LeasedBy(w atelier.WorkerID) ([]StoredJob, error) {
	return tx.jobs(`WHERE worker_id = $1 AND state = 'leased' ORDER BY id`, string(w))
}

// CountLeasedBy counts the jobs that a worker holds, and those of them that it renders: a job
// with full progress is rendered, or about to be, and is being delivered.
func (tx *Tx) CountLeasedBy(w atelier.WorkerID) (held, rendering int, err error) {
	err = tx.countLeasedBy(w).Scan(&held, &rendering)
	return held, rendering, err
}

func (tx *Tx) countLeasedBy(w atelier.WorkerID) database.Row {
	return tx.Row(`SELECT COUNT(*), COUNT(CASE WHEN progress < 1 THEN 1 END) FROM job WHERE worker_id = $1 AND state = 'leased'`, string(w))
}

// QueuePlace is how many queued jobs of its model are before a job, in the same network.
type QueuePlace struct {
	Ahead int
	Exact bool // false when more jobs of the network are before it than were read
}

// QueuePlace reads the place of a queued job. It reads at most the given number of jobs
// before it. Accounts take turns, so that others may still come before it.
func (tx *Tx) QueuePlace(id atelier.JobID, most int) (QueuePlace, error) {
	var seen, ahead int
	err := tx.Row(`SELECT COUNT(*), COALESCE(SUM(CASE WHEN o.model_id = o.own_model THEN 1 ELSE 0 END), 0) FROM (
		SELECT b.model_id, j.model_id AS own_model FROM job j JOIN job b ON b.network = j.network AND b.turn <= j.turn AND (b.turn < j.turn OR b.id < j.id)
		WHERE j.id = $1 AND j.state = 'queued' AND b.state = 'queued' ORDER BY b.turn DESC, b.id DESC LIMIT $2) AS o`, string(id), most+1).Scan(&seen, &ahead)
	return QueuePlace{Ahead: ahead, Exact: seen <= most}, err
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
	err = tx.Rows(func(scan func(...any) error) error {
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
