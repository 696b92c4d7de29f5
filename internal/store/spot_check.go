package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// SpotCheck is a render that workers of trusted accounts make again, to compare the results.
type SpotCheck struct {
	ID        atelier.JobID  // of the job that is checked
	Wallet    atelier.Wallet // who asked for it
	Network   atelier.Network
	ModelID   string
	State     atelier.SpotCheckState
	AtFault   atelier.Wallet // whose worker has made something else; empty unless the state is SpotCheckWrong
	Reason    string
	CreatedAt time.Time
	DecidedAt time.Time // zero while it is open

	Renders []SpotCheckRender // the one that is checked first
}

// SpotCheckRender is one of the renders that are compared.
type SpotCheckRender struct {
	JobID  atelier.JobID
	Wallet atelier.Wallet // whose worker has made it; empty before
	Worker string         // the name of that worker
}

// InsertSpotCheck begins a spot check, with the render that is checked.
func (tx *Tx) InsertSpotCheck(c SpotCheck) error {
	_, err := tx.Exec(`INSERT INTO spot_check (id, wallet, network, model_id, state, at_fault, reason, created_at, decided_at)
		VALUES ($1, $2, $3, $4, 'open', '', '', $5, 0)`,
		string(c.ID), string(c.Wallet), string(c.Network), c.ModelID, database.Millis(c.CreatedAt))
	for i, r := range c.Renders {
		if err == nil {
			err = tx.AddSpotCheckRender(c.ID, i, r)
		}
	}
	return err
}

// AddSpotCheckRender adds a render to a spot check. ErrExists means that there is one at the
// position.
func (tx *Tx) AddSpotCheckRender(id atelier.JobID, position int, r SpotCheckRender) error {
	n, err := tx.Exec(`INSERT INTO spot_check_render (check_id, position, job_id, wallet, worker)
		SELECT id, $2, $3, $4, $5 FROM spot_check WHERE id = $1 AND state = 'open' ON CONFLICT (check_id, position) DO NOTHING`,
		string(id), position, string(r.JobID), string(r.Wallet), r.Worker)
	if err == nil && n == 0 {
		err = ErrExists
	}
	return err
}

// NoteSpotCheckWorker records whose worker has made a render of a spot check.
func (tx *Tx) NoteSpotCheckWorker(id atelier.JobID, r SpotCheckRender) error {
	_, err := tx.Exec(`UPDATE spot_check_render SET wallet = $3, worker = $4 WHERE check_id = $1 AND job_id = $2`,
		string(id), string(r.JobID), string(r.Wallet), r.Worker)
	return err
}

// DecideSpotCheck ends a spot check that is open. ErrNotFound means that it is not open.
func (tx *Tx) DecideSpotCheck(c SpotCheck) error {
	return tx.Must(`UPDATE spot_check SET state = $2, at_fault = $3, reason = $4, decided_at = $5 WHERE id = $1 AND state = 'open'`,
		string(c.ID), string(c.State), string(c.AtFault), c.Reason, database.Millis(c.DecidedAt))
}

// OpenSpotChecks lists spot checks that are open and wait for no render, or began before a
// time, the oldest first.
func (tx *Tx) OpenSpotChecks(before time.Time, limit int) ([]SpotCheck, error) {
	return tx.spotChecks(`WHERE state = 'open' AND (created_at < $1 OR NOT EXISTS (SELECT 1 FROM spot_check_render r JOIN job ON job.id = r.job_id
		WHERE r.check_id = spot_check.id AND job.state IN ('queued', 'leased'))) ORDER BY created_at, id LIMIT $2`, database.Millis(before), limit)
}

// SpotChecksBefore lists spot checks before the given one, the newest first.
func (tx *Tx) SpotChecksBefore(created time.Time, id atelier.JobID, limit int) ([]SpotCheck, error) {
	if created.IsZero() {
		return tx.spotChecks(`ORDER BY created_at DESC, id DESC LIMIT $1`, limit)
	}
	return tx.spotChecks(`WHERE (created_at, id) < ($1, $2) ORDER BY created_at DESC, id DESC LIMIT $3`, database.Millis(created), string(id), limit)
}

// spotChecks lists the spot checks that the tail of a query selects, with their renders.
func (tx *Tx) spotChecks(tail string, args ...any) (out []SpotCheck, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			c                SpotCheck
			created, decided int64
		)
		err := scan(&c.ID, &c.Wallet, &c.Network, &c.ModelID, &c.State, &c.AtFault, &c.Reason, &created, &decided)
		c.CreatedAt, c.DecidedAt = database.FromMillis(created), database.FromMillis(decided)
		out = append(out, c)
		return err
	}, `SELECT id, wallet, network, model_id, state, at_fault, reason, created_at, decided_at FROM spot_check `+tail, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	position := map[atelier.JobID]int{}
	ids := make([]atelier.JobID, len(out))
	for i, c := range out {
		position[c.ID], ids[i] = i, c.ID
	}
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			id atelier.JobID
			r  SpotCheckRender
		)
		err := scan(&id, &r.JobID, &r.Wallet, &r.Worker)
		c := &out[position[id]]
		c.Renders = append(c.Renders, r)
		return err
	}, `SELECT check_id, job_id, wallet, worker FROM spot_check_render WHERE check_id IN (`+database.Marks(1, len(ids))+`) ORDER BY check_id, position`, database.Texts(ids)...)
	return out, err
}

// SpotCheckCount is how many renders of an account's workers were compared, and how many of
// them were wrong.
type SpotCheckCount struct {
	Compared int64
	Wrong    int64
}

// CountSpotChecks counts the renders of an account's workers in the spot checks that were
// decided since a time.
func (tx *Tx) CountSpotChecks(w atelier.Wallet, since time.Time) (n SpotCheckCount, err error) {
	err = tx.Row(`SELECT COUNT(*), COUNT(CASE WHEN c.at_fault = r.wallet THEN 1 END)
		FROM spot_check_render r JOIN spot_check c ON c.id = r.check_id
		WHERE r.wallet = $1 AND r.position = 0 AND c.state IN ('same', 'wrong') AND c.decided_at >= $2`,
		string(w), database.Millis(since)).Scan(&n.Compared, &n.Wrong)
	return n, err
}

// DeleteSpotCheckJobs deletes the jobs that were made for a spot check and have ended, and
// returns the keys of what they made.
func (tx *Tx) DeleteSpotCheckJobs(o atelier.JobOwner) (keys []string, err error) {
	const jobs = `(SELECT id FROM job WHERE owner_kind = $1 AND owner_id = $2 AND state IN ('completed', 'failed', 'cancelled'))`
	err = tx.Rows(func(scan func(...any) error) error {
		var key string
		err := scan(&key)
		keys = append(keys, key)
		return err
	}, `DELETE FROM artifact WHERE job_id IN `+jobs+` RETURNING object_key`, o.Kind, o.ID)
	if err != nil {
		return nil, err
	}
	return keys, tx.DeleteEndedJobs(o, "")
}

// ExpireSpotChecks deletes spot checks that began before a time, at most limit: those that
// were decided, but for those that found a worker at fault since another time.
func (tx *Tx) ExpireSpotChecks(before, wrongSince time.Time, limit int) (int64, error) {
	const old = `(SELECT id FROM spot_check WHERE state <> 'open' AND created_at < $1 AND (state <> 'wrong' OR created_at < $2) ORDER BY created_at, id LIMIT $3)`
	args := []any{database.Millis(before), database.Millis(wrongSince), limit}
	if _, err := tx.Exec(`DELETE FROM spot_check_render WHERE check_id IN `+old, args...); err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM spot_check WHERE id IN `+old, args...)
}
