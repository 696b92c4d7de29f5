package store

import (
	"strconv"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Workers restart. A model that a worker other than a fallback has offered is reserved for such
// workers for a while after the last of them is lost: fallback workers do not get its jobs. A job
// waits for that time at most in all, however often they come and go, because the row of its
// model adds up how long none of them served it.

// isPresent is the condition that a worker that is no fallback serves the model of the row m.
const isPresent = `EXISTS (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
	WHERE o.network = m.network AND o.model_id = m.model_id AND NOT w.fallback AND ` + serves + `)`

// absentFor is how long no such worker has served the model of the row m, in all, at a time.
func absentFor(now string) string {
	return `(m.away + CASE WHEN m.lost_at > 0 AND ` + now + ` > m.lost_at THEN ` + now + ` - m.lost_at ELSE 0 END)`
}

// reserved is the condition that a job is left to such workers: its model and network, how long
// none had served the model when it was queued, and the time are columns or parameters.
func reserved(network, model, before, now string) string {
	return `EXISTS (SELECT 1 FROM model_absence m WHERE m.network = ` + network + ` AND m.model_id = ` + model + ` AND m.reserve > 0
		AND (m.lost_at = 0 OR ` + now + ` - m.lost_at < m.reserve AND m.lost_at - ` + now + ` < m.reserve AND ` + absentFor(now) + ` - ` + before + ` < m.reserve))`
}

// available is the condition that a connected worker may take a job by its model: one that is no
// fallback, or a fallback if the job is not reserved and not kept from fallbacks for ever.
func available(network, model, before, now, noFallback string) string {
	return `(` + network + ` = 'node' OR EXISTS (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
		WHERE o.network = ` + network + ` AND o.model_id = ` + model + ` AND ` + serves + ` AND (NOT w.fallback OR NOT (` + noFallback + ` OR ` + reserved(network, model, before, now) + `))))`
}

// jobAvailable is available for a row of the job table, at a time.
func jobAvailable(now string) string {
	return available("job.network", "job.model_id", "job.away_before", now, "job.no_fallback")
}

// NoteOffered records that a worker that is no fallback offers models in a network, and for how
// long their jobs are left to such workers when it is lost. Whether it serves them is for
// NoteAbsences: a worker may be connected and render nothing.
func (tx *Tx) NoteOffered(n atelier.Network, models []string, reserve time.Duration) error {
	for len(models) > 0 {
		k := min(len(models), offersAtOnce)
		rows, args := "", []any{string(n), reserve.Milliseconds()}
		for _, m := range models[:k] {
			args = append(args, m)
			rows += ", ($1, $" + strconv.Itoa(len(args)) + ", 0, 0, CAST($2 AS BIGINT))"
		}
		if _, err := tx.Exec(`INSERT INTO model_absence AS m (network, model_id, lost_at, away, reserve) VALUES `+rows[len(", "):]+`
			ON CONFLICT (network, model_id) DO UPDATE SET reserve = excluded.reserve WHERE m.reserve <> excluded.reserve`, args...); err != nil {
			return err
		}
		models = models[k:]
	}
	return nil
}

// AnyAbsenceChanged reports whether NoteAbsences has anything to note.
func (tx *Tx) AnyAbsenceChanged() (bool, error) {
	var found int64
	err := tx.Row(`SELECT COUNT(*) FROM (SELECT 1 FROM model_absence m WHERE (m.lost_at = 0) <> ` + isPresent + ` LIMIT 1) AS one`).Scan(&found)
	return found > 0, err
}

// NoteAbsences records of which models the last worker was lost that is no fallback, and to which
// one has come back. A model keeps its jobs reserved until its loss is noted.
func (tx *Tx) NoteAbsences(now time.Time) error {
	_, err := tx.Exec(`UPDATE model_absence AS m SET away = `+absentFor("CAST($1 AS BIGINT)")+`,
		lost_at = CASE WHEN m.lost_at > 0 THEN 0 ELSE CAST($1 AS BIGINT) END WHERE (m.lost_at = 0) <> `+isPresent, database.Millis(now))
	return err
}

// ReservedModels lists those of the given models whose jobs are reserved in a network now. A job
// that has waited for long enough in all may be an exception.
func (tx *Tx) ReservedModels(n atelier.Network, models []string, now time.Time) ([]string, error) {
	return tx.modelsWhere(n, models, reserved("$1", "asked.column1", aNewJob, "CAST($2 AS BIGINT)"), database.Millis(now))
}

// aNewJob is how long no worker had served the model of a job that has not waited at all.
const aNewJob = "9000000000000000"

// ReservedUntil is when a fallback worker may take a queued job that is reserved; zero when none
// is, and a job of a loss that is not noted yet counts as lost now.
func (tx *Tx) ReservedUntil(id atelier.JobID, now time.Time) (time.Time, error) {
	var ms int64
	err := tx.Row(`SELECT COALESCE(MIN(CASE WHEN m.lost_at > 0 THEN m.lost_at ELSE CAST($2 AS BIGINT) END + m.reserve
		- CASE WHEN m.away > job.away_before THEN m.away - job.away_before ELSE 0 END), 0)
		FROM job JOIN model_absence m ON m.network = job.network AND m.model_id = job.model_id
		WHERE job.id = $1 AND m.reserve > 0 AND NOT job.no_fallback AND NOT `+isPresent, string(id), database.Millis(now)).Scan(&ms)
	return database.FromMillis(ms), err
}

// FirstRelease is when the first of the jobs that wait for a worker may be taken by a fallback,
// after the given time; zero when that is not the case of any.
func (tx *Tx) FirstRelease(now time.Time) (time.Time, error) {
	var ms int64
	err := tx.Row(`SELECT COALESCE(MIN(at), 0) FROM (SELECT m.lost_at + m.reserve - CASE WHEN m.away > job.away_before THEN m.away - job.away_before ELSE 0 END AS at
		FROM job JOIN model_absence m ON m.network = job.network AND m.model_id = job.model_id
		WHERE `+waitsUnserved+` AND NOT job.no_fallback AND job.unserved_since > 0 AND m.lost_at > 0 AND m.reserve > 0) AS releases WHERE at > $1`, database.Millis(now)).Scan(&ms)
	return database.FromMillis(ms), err
}
