package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// WorkerName is a worker beyond its sessions.
type WorkerName struct {
	Wallet atelier.Wallet
	Name   string
}

// Compare compares names for sorting.
func (n WorkerName) Compare(o WorkerName) int {
	return cmp.Or(cmp.Compare(n.Wallet, o.Wallet), cmp.Compare(n.Name, o.Name))
}

// NameOf is the account and name of the worker of a session.
func NameOf(w atelier.Worker) WorkerName { return WorkerName{w.Wallet, w.Name} }

// Lapse is a job that a worker failed at and that was queued again.
type Lapse struct {
	WorkerName
	Job       atelier.JobID
	Session   atelier.WorkerID
	Version   string         // of the worker
	Account   atelier.Wallet // whose job it was
	Model     string
	Code      string
	Message   string
	At        time.Time
	Completed int  // how many jobs of the model the worker has completed since
	IsTrusted bool // the account is the worker's own, or of an operator
}

// InsertLapse records that a worker failed at a job. Whether it is the worker's fault is known when
// another worker completes the job.
func (tx *Tx) InsertLapse(l Lapse) error {
	_, err := tx.Exec(`INSERT INTO worker_lapse (job_id, wallet, name, worker_id, version, account, model_id, code, message, at, confirmed, completed)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, FALSE, 0) ON CONFLICT (job_id) DO NOTHING`,
		string(l.Job), string(l.Wallet), l.Name, string(l.Session), l.Version, string(l.Account), l.Model, l.Code, l.Message, database.Millis(l.At))
	return err
}

// LapseOf finds who failed at a job that no other worker has completed so far.
func (tx *Tx) LapseOf(id atelier.JobID) (Lapse, error) {
	list, err := tx.lapses(`l.job_id = $1 AND NOT l.confirmed`, string(id))
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Lapse{}, err
	}
	return list[0], nil
}

// Lapses lists the jobs that a worker failed at and another completed, newest first.
func (tx *Tx) Lapses(n WorkerName, limit int) ([]Lapse, error) {
	return tx.lapses(`l.wallet = $1 AND l.name = $2 AND l.confirmed ORDER BY l.at DESC, l.job_id LIMIT $3`, string(n.Wallet), n.Name, limit)
}

func (tx *Tx) lapses(where string, args ...any) (out []Lapse, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			l  Lapse
			at int64
		)
		err := scan(&l.Job, &l.Wallet, &l.Name, &l.Session, &l.Version, &l.Account, &l.Model, &l.Code, &l.Message, &at, &l.Completed, &l.IsTrusted)
		l.At = database.FromMillis(at)
		out = append(out, l)
		return err
	}, `SELECT l.job_id, l.wallet, l.name, l.worker_id, l.version, l.account, l.model_id, l.code, l.message, l.at, l.completed,
		l.account = l.wallet OR COALESCE((SELECT a.operator FROM account a WHERE a.wallet = l.account), FALSE) FROM worker_lapse l WHERE `+where, args...)
	return out, err
}

// ConfirmLapse records that another worker has completed the job. It reports false when that the worker
// failed at it was forgotten meanwhile.
func (tx *Tx) ConfirmLapse(id atelier.JobID) (bool, error) {
	n, err := tx.Exec(`UPDATE worker_lapse SET confirmed = TRUE WHERE job_id = $1 AND NOT confirmed`, string(id))
	return n > 0, err
}

// ForgetLapse forgets that a worker failed at a job.
func (tx *Tx) ForgetLapse(id atelier.JobID) error {
	_, err := tx.Exec(`DELETE FROM worker_lapse WHERE job_id = $1`, string(id))
	return err
}

// ForgetDropped forgets the jobs that a session gave up after a time, as far as no other worker has
// completed them, and all that it gave up after a later time. It returns how many of those that it forgot
// others had completed.
func (tx *Tx) ForgetDropped(id atelier.WorkerID, n WorkerName, since, all time.Time) (confirmed int, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var is bool
		err := scan(&is)
		if is {
			confirmed++
		}
		return err
	}, `DELETE FROM worker_lapse WHERE wallet = $1 AND name = $2 AND worker_id = $3 AND (at > $4 AND NOT confirmed OR at > $5) RETURNING confirmed`,
		string(n.Wallet), n.Name, string(id), database.Millis(since), database.Millis(all))
	return confirmed, err
}

// CountCompleted records that a worker has completed a job of a model, and forgets those that it
// failed at before as many completed ones as most says. It returns how many jobs of the
// model are remembered, before that.
func (tx *Tx) CountCompleted(n WorkerName, model string, most int) (remembered int64, err error) {
	remembered, err = tx.Exec(`UPDATE worker_lapse SET completed = completed + 1 WHERE wallet = $1 AND name = $2 AND model_id = $3 AND confirmed`, string(n.Wallet), n.Name, model)
	if err != nil || remembered == 0 {
		return remembered, err
	}
	_, err = tx.Exec(`DELETE FROM worker_lapse WHERE wallet = $1 AND name = $2 AND completed >= $3`, string(n.Wallet), n.Name, most)
	return remembered, err
}

// ForgetLapses forgets all jobs that a worker failed at.
func (tx *Tx) ForgetLapses(n WorkerName) error {
	_, err := tx.Exec(`DELETE FROM worker_lapse WHERE wallet = $1 AND name = $2`, string(n.Wallet), n.Name)
	return err
}

// ExpireLapses forgets what happened before a time, and returns the workers that it belongs to.
func (tx *Tx) ExpireLapses(before time.Time) (of []WorkerName, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var n WorkerName
		err := scan(&n.Wallet, &n.Name)
		of = append(of, n)
		return err
	}, `DELETE FROM worker_lapse WHERE at < $1 RETURNING wallet, name`, database.Millis(before))
	slices.SortFunc(of, WorkerName.Compare)
	return slices.Compact(of), err
}

// AnyLapse reports whether ExpireLapses has anything to forget.
func (tx *Tx) AnyLapse(before time.Time) (bool, error) {
	var n int64
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM worker_lapse WHERE at < $1 LIMIT 1) AS one`, database.Millis(before)).Scan(&n)
	return n > 0, err
}

// Standing is the low standing of a worker.
type Standing struct {
	LowSince  time.Time
	Reason    string
	Completed int           // jobs in a row of models that it has failed at
	Pause     time.Duration // between two trials
	TrialAt   time.Time     // when it may get the next job that others could render
}

// Standing reads the standing of a worker. ErrNotFound means that it is good.
func (tx *Tx) Standing(n WorkerName) (Standing, error) { return tx.standing(n, "") }

// LockStanding reads the standing of a worker, and locks it.
func (tx *Tx) LockStanding(n WorkerName) (Standing, error) {
	return tx.standing(n, tx.Dialect.ForUpdate)
}

func (tx *Tx) standing(n WorkerName, lock string) (s Standing, err error) {
	var since, pause, trial int64
	err = tx.Row(`SELECT low_since, reason, completed, pause, trial_at FROM worker_standing WHERE wallet = $1 AND name = $2`+lock, string(n.Wallet), n.Name).
		Scan(&since, &s.Reason, &s.Completed, &pause, &trial)
	s.LowSince, s.Pause, s.TrialAt = database.FromMillis(since), time.Duration(pause)*time.Millisecond, database.FromMillis(trial)
	return s, err
}

// SetStanding records the low standing of a worker.
func (tx *Tx) SetStanding(n WorkerName, s Standing) error {
	_, err := tx.Exec(`INSERT INTO worker_standing (wallet, name, low_since, reason, completed, pause, trial_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (wallet, name) DO UPDATE SET low_since = excluded.low_since, reason = excluded.reason,
			completed = excluded.completed, pause = excluded.pause, trial_at = excluded.trial_at`,
		string(n.Wallet), n.Name, database.Millis(s.LowSince), s.Reason, s.Completed, s.Pause.Milliseconds(), database.Millis(s.TrialAt))
	return err
}

// BeginTrial records that a worker gets a job that others could render: the next after its pause.
func (tx *Tx) BeginTrial(n WorkerName, now time.Time) error {
	_, err := tx.Exec(`UPDATE worker_standing SET trial_at = $3 + pause WHERE wallet = $1 AND name = $2`, string(n.Wallet), n.Name, database.Millis(now))
	return err
}

// RestoreStanding records that the standing of a worker is good.
func (tx *Tx) RestoreStanding(n WorkerName) error {
	_, err := tx.Exec(`DELETE FROM worker_standing WHERE wallet = $1 AND name = $2`, string(n.Wallet), n.Name)
	return err
}

// LockSessions locks the sessions of workers, in one order, so that two nodes do not wait for each
// other, and lists them.
func (tx *Tx) LockSessions(a, b WorkerName) ([]atelier.Worker, error) {
	return tx.workers(`WHERE (wallet = $1 AND name = $2) OR (wallet = $3 AND name = $4) ORDER BY id`+tx.Dialect.ForUpdate,
		string(a.Wallet), a.Name, string(b.Wallet), b.Name)
}

// NoteStanding repeats the standing of a worker in a session of it, and how many jobs are remembered
// that it failed at.
func (tx *Tx) NoteStanding(id atelier.WorkerID, s Standing, lapses int, now time.Time) error {
	return tx.Must(`UPDATE worker SET low_since = $2, low_reason = $3, lapses = $4, changed_at = $5 WHERE id = $1`,
		string(id), database.Millis(s.LowSince), s.Reason, lapses, database.Millis(now))
}

// BetterServed lists those of the given models that a worker in good standing serves in a
// network, which is no fallback.
func (tx *Tx) BetterServed(n atelier.Network, models []string) ([]string, error) {
	return tx.modelsWhere(n, models, `EXISTS (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id JOIN account a ON a.wallet = w.wallet
		WHERE o.network = $1 AND o.model_id = asked.column1 AND w.low_since = 0 AND NOT w.fallback AND a.suspended_at = 0 AND `+serves+`)`)
}
