package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// Remake says whether a job that a fallback worker has rendered was made again, and could be now.
type Remake struct {
	By     atelier.WorkflowID // that makes it again, or has; empty where none does
	Served bool               // a connected worker that is no fallback serves its model in its network
}

// Remakes says it of jobs. Those that do not exist are left out.
func (tx *Tx) Remakes(jobs []atelier.JobID) (map[atelier.JobID]Remake, error) {
	out := map[atelier.JobID]Remake{}
	if len(jobs) == 0 {
		return out, nil
	}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			id atelier.JobID
			r  Remake
		)
		err := scan(&id, &r.By, &r.Served)
		out[id] = r
		return err
	}, `SELECT job.id, COALESCE(r.workflow_id, ''), EXISTS (SELECT 1 FROM worker_model o JOIN worker w ON w.id = o.worker_id
			WHERE o.network = job.network AND o.model_id = job.model_id AND NOT w.fallback AND `+serves+`)
		FROM job LEFT JOIN remake r ON r.job_id = job.id WHERE job.id IN (`+database.Marks(1, len(jobs))+`)`, database.Texts(jobs)...)
	return out, err
}

// InsertRemake records which workflow makes a job again that a workflow has made. It reports false,
// and changes nothing, when another one does or has. To make space for that workflow, the source is not
// deleted.
func (tx *Tx) InsertRemake(job atelier.JobID, source, by atelier.WorkflowID, at time.Time) (bool, error) {
	tx.keep(string(source))
	n, err := tx.Exec(`INSERT INTO remake (job_id, source_id, workflow_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (job_id) DO NOTHING`,
		string(job), string(source), string(by), database.Millis(at))
	return n == 1, err
}

// DeleteRemake lets the job that a workflow was to make again be made again by another one.
func (tx *Tx) DeleteRemake(by atelier.WorkflowID) error {
	_, err := tx.Exec(`DELETE FROM remake WHERE workflow_id = $1`, string(by))
	return err
}
