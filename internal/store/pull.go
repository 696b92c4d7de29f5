package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Pull is a row of the pull table. The engine of pulls writes and reads the files.
type Pull struct {
	ID           string
	ConnectionID string
	Model        string
	Folder       string // as the connection named it
	State        atelier.PullState
	Attempt      int64
	Files        []byte
	Speed        int64 // in bytes per second
	Problem      string
	CreatedAt    time.Time
	StartedAt    time.Time // zero before
	EndedAt      time.Time // zero before
}

// InsertPull stores a new pull in the place of one that has ended. ErrExists means that the model
// is being fetched for the connection.
func (tx *Tx) InsertPull(p Pull) error {
	if _, err := tx.Exec(`DELETE FROM pull WHERE connection_id = $1 AND model = $2 AND state IN ('completed', 'failed', 'cancelled')`,
		p.ConnectionID, p.Model); err != nil {
		return err
	}
	n, err := tx.Exec(`INSERT INTO pull (id, connection_id, model, folder, state, attempt, held_until, files, speed, problem, created_at, started_at, ended_at)
		VALUES ($1, $2, $3, $4, 'queued', 0, 0, $5, 0, '', $6, 0, 0) ON CONFLICT (connection_id, model) DO NOTHING`,
		p.ID, p.ConnectionID, p.Model, p.Folder, string(p.Files), database.Millis(p.CreatedAt))
	if err == nil && n == 0 {
		err = ErrExists
	}
	return err
}

const pullColumns = `SELECT id, connection_id, model, folder, state, attempt, files, speed, problem, created_at, started_at, ended_at FROM pull `

func (tx *Tx) pulls(where string, args ...any) (list []Pull, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var (
			p                       Pull
			state, files            string
			created, started, ended int64
		)
		if err := scan(&p.ID, &p.ConnectionID, &p.Model, &p.Folder, &state, &p.Attempt, &files, &p.Speed, &p.Problem, &created, &started, &ended); err != nil {
			return err
		}
		p.State, p.Files = atelier.PullState(state), []byte(files)
		p.CreatedAt, p.StartedAt, p.EndedAt = database.FromMillis(created), database.FromMillis(started), database.FromMillis(ended)
		list = append(list, p)
		return nil
	}, pullColumns+where, args...)
	return list, err
}

// Pull reads the latest pull of a model for a connection.
func (tx *Tx) Pull(connectionID, model string) (Pull, error) {
	list, err := tx.pulls(`WHERE connection_id = $1 AND model = $2`, connectionID, model)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Pull{}, err
	}
	return list[0], nil
}

// PullsOf lists the latest pulls of a model, one for each connection, the oldest first.
func (tx *Tx) PullsOf(model string) ([]Pull, error) {
	return tx.pulls(`WHERE model = $1 ORDER BY created_at, id`, model)
}

// WaitingPulls lists the pulls that a node may take, the oldest first: into folders that no other
// pull is fetched into. They are few.
func (tx *Tx) WaitingPulls(now time.Time) ([]Pull, error) {
	return tx.pulls(`WHERE `+waitingPull+` ORDER BY created_at, id`, database.Millis(now))
}

// waitingPull is the condition of pulls that a node may take at the time $1.
const waitingPull = `state IN ('queued', 'running') AND held_until < $1
	AND NOT EXISTS (SELECT 1 FROM pull o WHERE o.folder = pull.folder AND o.id <> pull.id AND o.state = 'running' AND o.held_until >= $1)`

// TakePull lets a node fetch a pull until a time, and returns the number of its attempt.
// ErrNotFound means that the pull, or another one into its folder, was taken meanwhile.
func (tx *Tx) TakePull(p Pull, now, until time.Time) (attempt int64, err error) {
	err = tx.Must(`UPDATE pull SET state = 'running', attempt = attempt + 1, held_until = $4, speed = 0, problem = '',
			started_at = CASE WHEN started_at = 0 THEN $1 ELSE started_at END
		WHERE id = $2 AND attempt = $3 AND `+waitingPull, database.Millis(now), p.ID, p.Attempt, database.Millis(until))
	return p.Attempt + 1, err
}

// ReportPull stores how far an attempt has got, and holds the pull until a time. ErrNotFound means
// that the attempt is no longer the last one, or that the pull was cancelled or removed.
func (tx *Tx) ReportPull(id string, attempt int64, files []byte, speed int64, until time.Time) error {
	return tx.Must(`UPDATE pull SET files = $3, speed = $4, held_until = $5 WHERE id = $1 AND attempt = $2 AND state = 'running'`,
		id, attempt, string(files), speed, database.Millis(until))
}

// EndPull ends a pull as its last attempt did. ErrNotFound is as in ReportPull.
func (tx *Tx) EndPull(p Pull) error {
	return tx.Must(`UPDATE pull SET state = $3, problem = $4, files = $5, speed = 0, held_until = 0, ended_at = $6
		WHERE id = $1 AND attempt = $2 AND state = 'running'`,
		p.ID, p.Attempt, string(p.State), p.Problem, string(p.Files), database.Millis(p.EndedAt))
}

// RefusePull ends a pull that a node could take. ErrNotFound means that one has, or that it has ended.
func (tx *Tx) RefusePull(p Pull, problem string, at time.Time) error {
	return tx.Must(`UPDATE pull SET state = 'failed', problem = $3, speed = 0, held_until = 0, ended_at = $4
		WHERE id = $1 AND attempt = $2 AND state IN ('queued', 'running') AND held_until < $4`, p.ID, p.Attempt, problem, database.Millis(at))
}

// FailPulls ends the pulls of a connection into other folders than the one that it names now. Attempts that are under
// way find that they are lost.
func (tx *Tx) FailPulls(connectionID, folder, problem string, at time.Time) error {
	_, err := tx.Exec(`UPDATE pull SET state = 'failed', problem = $3, speed = 0, held_until = 0, ended_at = $4
		WHERE connection_id = $1 AND folder <> $2 AND state IN ('queued', 'running')`, connectionID, folder, problem, database.Millis(at))
	return err
}

// ReleasePull lets another node take a pull at once. ErrNotFound is as in ReportPull.
func (tx *Tx) ReleasePull(id string, attempt int64) error {
	return tx.Must(`UPDATE pull SET state = 'queued', speed = 0, held_until = 0 WHERE id = $1 AND attempt = $2 AND state = 'running'`, id, attempt)
}

// CancelPull ends a pull that has not ended. ErrNotFound means that it has, or does not exist.
func (tx *Tx) CancelPull(connectionID, model string, at time.Time) error {
	return tx.Must(`UPDATE pull SET state = 'cancelled', speed = 0, held_until = 0, ended_at = $3
		WHERE connection_id = $1 AND model = $2 AND state IN ('queued', 'running')`, connectionID, model, database.Millis(at))
}

// DeletePulls removes the pulls of a connection.
func (tx *Tx) DeletePulls(connectionID string) error {
	_, err := tx.Exec(`DELETE FROM pull WHERE connection_id = $1`, connectionID)
	return err
}
