package store

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// A model is served in a network while a connected worker offers it there that is
// available, claims and does not drain. A queued job records since when its model is not
// served, or served by fallback workers alone while it is reserved for others. In the node
// network every model is served: its workers are the service's own processes.

// served is the condition that the model of a job is served, by others than fallback workers if it
// is kept from those; network, model and noFallback are columns or parameters.
func served(network, model, noFallback string) string {
	return `(` + network + ` = 'node' OR EXISTS (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
		WHERE o.network = ` + network + ` AND o.model_id = ` + model + ` AND ` + serves + ` AND NOT (w.fallback AND ` + noFallback + `)))`
}

// takesJobs is the condition that a worker w takes jobs.
const takesJobs = `NOT w.draining AND w.unavailable = ''`

// serves is the condition that a worker w serves the models that it offers.
const serves = takesJobs + ` AND w.not_claiming_since = 0`

// jobServed is served for a row of the job table.
var jobServed = served("job.network", "job.model_id", "job.no_fallback")

// offersAtOnce is how many models one statement adds.
const offersAtOnce = 200

// InsertOffers records which models a worker offers.
func (tx *Tx) InsertOffers(w atelier.Worker) error {
	for models := w.Models; len(models) > 0; {
		n := min(len(models), offersAtOnce)
		rows, args := "", []any{string(w.Network), string(w.ID)}
		for _, m := range models[:n] {
			args = append(args, m)
			rows += ", ($1, $" + strconv.Itoa(len(args)) + ", $2)"
		}
		if _, err := tx.Exec(`INSERT INTO worker_model (network, model_id, worker_id) VALUES `+rows[len(", "):]+` ON CONFLICT DO NOTHING`, args...); err != nil {
			return err
		}
		models = models[n:]
	}
	return nil
}

// SetOffers records that a worker offers other models than before.
func (tx *Tx) SetOffers(w atelier.Worker, at time.Time) error {
	models, err := wire.Marshal(w.Models)
	if err != nil {
		return err
	}
	if err := tx.Must(`UPDATE worker SET models = $2, changed_at = $3 WHERE id = $1`, string(w.ID), string(models), database.Millis(at)); err != nil {
		return err
	}
	before, err := tx.texts(`SELECT model_id FROM worker_model WHERE worker_id = $1`, string(w.ID))
	for _, m := range before {
		if err == nil && !slices.Contains(w.Models, m) {
			_, err = tx.Exec(`DELETE FROM worker_model WHERE network = $1 AND model_id = $2 AND worker_id = $3`, string(w.Network), m, string(w.ID))
		}
	}
	if err != nil {
		return err
	}
	return tx.InsertOffers(w)
}

// NoteCompleted records when a worker last completed jobs, by their model.
func (tx *Tx) NoteCompleted(w atelier.Worker, done map[string]time.Time) error {
	for _, m := range slices.Sorted(maps.Keys(done)) {
		if _, err := tx.Exec(`UPDATE worker_model SET completed_at = $4 WHERE network = $1 AND model_id = $2 AND worker_id = $3 AND completed_at < $4`,
			string(w.Network), m, string(w.ID), database.Millis(done[m])); err != nil {
			return err
		}
	}
	return nil
}

// ModelsOfOthers lists those of the given models that a worker which is not a
// fallback serves in a network.
func (tx *Tx) ModelsOfOthers(n atelier.Network, models []string) ([]string, error) {
	return tx.modelsWhere(n, models, `EXISTS (`+otherWorkers+`)`)
}

// StalledModels lists those of the given models of which none of those workers has completed
// a job since a time.
func (tx *Tx) StalledModels(n atelier.Network, models []string, since time.Time) ([]string, error) {
	return tx.modelsWhere(n, models, `NOT EXISTS (`+otherWorkers+` AND o.completed_at > $2)`, database.Millis(since))
}

// otherWorkers selects the workers that are no fallbacks and serve the model asked.column1 in the
// network $1.
const otherWorkers = `SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
	WHERE o.network = $1 AND o.model_id = asked.column1 AND NOT w.fallback AND ` + serves

// modelsWhere lists those of the given models that a condition on asked.column1 selects.
func (tx *Tx) modelsWhere(n atelier.Network, models []string, where string, more ...any) (out []string, err error) {
	if len(models) == 0 {
		return nil, nil
	}
	values, args := "", append([]any{string(n)}, more...)
	for _, m := range models {
		args = append(args, m)
		values += ", ($" + strconv.Itoa(len(args)) + ")"
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var m string
		err := scan(&m)
		out = append(out, m)
		return err
	}, `SELECT asked.column1 FROM (VALUES `+values[len(", "):]+`) AS asked WHERE `+where, args...)
	return out, err
}

// IsAvoided reports whether a worker should leave a job that was dropped to others: it is
// the session that dropped it and another worker offers the model, or it has the
// account and name of that session, perhaps after a restart, and a worker with other
// ones offers the model. A fallback worker counts only for a fallback worker, and one whose
// standing is low only for one whose standing is low too: it gets no last attempts.
func (tx *Tx) IsAvoided(n atelier.Network, c Candidate, w atelier.Worker, now time.Time) (bool, error) {
	args, others := []any{string(n), c.ModelID, w.Fallback, string(c.DroppedBy), !w.LowSince.IsZero()}, ``
	switch {
	case !c.AvoidUntil.After(now):
		return false, nil
	case c.DroppedBy == w.ID:
	case c.DroppedName == string(w.Wallet)+"/"+w.Name:
		args, others = append(args, c.DroppedName), ` AND `+workerName+` <> $6`
	default:
		return false, nil
	}
	var found int64
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
		WHERE o.network = $1 AND o.model_id = $2 AND `+serves+` AND (NOT w.fallback OR $3) AND (w.low_since = 0 OR $5) AND w.id <> $4`+others+` LIMIT 1) AS one`, args...).Scan(&found)
	return found > 0, err
}

// workerName names a worker beyond its session: by its account and its name.
const workerName = `w.wallet || '/' || w.name`

// CountFree counts the workers that serve the model of a job, may take it, are no fallbacks, are in
// good standing and hold fewer jobs than they can: without the given worker and those that have its
// account and name, and no more than mostFree.
func (tx *Tx) CountFree(j StoredJob, but atelier.Worker) (n int, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			w      atelier.Wallet
			takers string
		)
		err := scan(&w, &takers)
		if may := splitWallets(takers); len(may) == 0 || slices.ContainsFunc(may, w.Equal) {
			n++
		}
		return err
	}, `SELECT w.wallet, (SELECT x.takers FROM job x WHERE x.id = $5) FROM worker_model o JOIN worker w ON w.id = o.worker_id JOIN account a ON a.wallet = w.wallet
		WHERE o.network = $1 AND o.model_id = $2 AND NOT w.fallback AND w.low_since = 0 AND `+serves+` AND a.suspended_at = 0 AND w.id <> $3 AND `+workerName+` <> $4
		AND (SELECT COUNT(*) FROM job held WHERE held.worker_id = w.id AND held.state = 'leased') < w.capacity LIMIT $6`,
		string(j.Network), j.Spec.ModelID, string(but.ID), string(but.Wallet)+"/"+but.Name, string(j.ID), mostFree)
	return n, err
}

// mostFree is how many free workers are counted: what a worker does when its renderer is away
// depends on whether there are any.
const mostFree = 20

// OffersOf lists whose workers offer a model in a network now, and whether they are
// fallbacks. It has no other fields of the workers.
func (tx *Tx) OffersOf(n atelier.Network, model string) (out []atelier.Worker, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var w atelier.Worker
		err := scan(&w.Wallet, &w.Fallback)
		out = append(out, w)
		return err
	}, `SELECT DISTINCT w.wallet, w.fallback FROM worker_model o JOIN worker w ON w.id = o.worker_id
		WHERE o.network = $1 AND o.model_id = $2 AND `+serves, string(n), model)
	return out, err
}

// waitsUnserved is the condition that a job may wait for a worker to connect. An
// unresolved job does not: it waits for the vendor.
const waitsUnserved = `job.state = 'queued' AND job.unresolved = 0`

// UnservedModels lists the models, by network, that are not served, or reserved, and have
// queued jobs that do not record it yet.
func (tx *Tx) UnservedModels(now time.Time) (out []ModelIn, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var m ModelIn
		err := scan(&m.Network, &m.ModelID)
		out = append(out, m)
		return err
	}, `SELECT DISTINCT q.network, q.model_id FROM (SELECT DISTINCT network, model_id, no_fallback FROM job WHERE `+waitsUnserved+` AND unserved_since = 0) AS q
		WHERE NOT `+available("q.network", "q.model_id", aNewJob, "CAST($1 AS BIGINT)", "q.no_fallback"), database.Millis(now))
	return out, err
}

// ModelIn is a model in a network.
type ModelIn struct {
	Network atelier.Network
	ModelID string
}

// QueuedOf lists the queued jobs of a model that no worker may take and that do not record it.
func (tx *Tx) QueuedOf(m ModelIn, now time.Time, limit int) ([]atelier.JobID, error) {
	return tx.jobIDs(`network = $1 AND model_id = $2 AND unserved_since = 0 AND NOT `+jobAvailable("CAST($3 AS BIGINT)")+` ORDER BY id LIMIT $4`,
		string(m.Network), m.ModelID, database.Millis(now), limit)
}

// ServedAgain lists the queued jobs that record that no worker may take them, although one may.
func (tx *Tx) ServedAgain(now time.Time, limit int) ([]atelier.JobID, error) {
	return tx.jobIDs(`unserved_since > 0 AND `+jobAvailable("CAST($1 AS BIGINT)")+` ORDER BY unserved_since LIMIT $2`, database.Millis(now), limit)
}

// UnservedBefore lists the queued jobs whose model has not been served since the
// given time or earlier.
func (tx *Tx) UnservedBefore(t time.Time, limit int) ([]atelier.JobID, error) {
	return tx.jobIDs(`unserved_since > 0 AND unserved_since <= $1 AND NOT `+jobServed+` ORDER BY unserved_since LIMIT $2`, database.Millis(t), limit)
}

func (tx *Tx) jobIDs(where string, args ...any) (out []atelier.JobID, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var id atelier.JobID
		err := scan(&id)
		out = append(out, id)
		return err
	}, `SELECT id FROM job WHERE `+waitsUnserved+` AND `+where, args...)
	return out, err
}

// FirstUnserved is when the job that has waited longest for a worker to connect began
// to wait; zero when none waits.
func (tx *Tx) FirstUnserved() (time.Time, error) {
	var ms int64
	err := tx.Row(`SELECT COALESCE(MIN(unserved_since), 0) FROM job WHERE ` + waitsUnserved + ` AND unserved_since > 0`).Scan(&ms)
	return database.FromMillis(ms), err
}

// MarkServed updates whether a queued job records that no worker may take it.
// ErrNotFound means that nothing has changed, or that it is no longer queued.
func (tx *Tx) MarkServed(id atelier.JobID, now time.Time) (StoredJob, error) {
	return oneJob(tx.jobsOf(`UPDATE job SET unserved_since = CASE WHEN unserved_since > 0 THEN 0 ELSE CAST($2 AS BIGINT) END
		WHERE id = $1 AND `+waitsUnserved+` AND (unserved_since > 0) = `+jobAvailable("CAST($2 AS BIGINT)")+` RETURNING `+jobColumns, string(id), database.Millis(now)))
}

// FailUnserved ends a queued job whose model has not been served since the given time
// or earlier. ErrNotFound means that it is served, or that the job is no longer
// queued.
func (tx *Tx) FailUnserved(id atelier.JobID, before time.Time, fault atelier.JobError, at time.Time) error {
	text, err := encodeError(fault)
	if err != nil {
		return err
	}
	return tx.mustMoveJob(atelier.JobQueued, atelier.JobFailed, `error = $3, ended_at = $4, error_code = $5`,
		`id = $1 AND `+waitsUnserved+` AND unserved_since > 0 AND unserved_since <= $2 AND NOT `+jobServed, string(id), database.Millis(before), text, database.Millis(at), fault.Code)
}
