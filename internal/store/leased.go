package store

import (
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

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
	err = tx.rows(func(scan func(...any) error) error {
		var (
			j       LeasedJob
			spec    string
			started int64
		)
		if err := scan(&j.WorkerID, &j.Wallet, &j.ModelID, &spec, &j.Progress, &started); err != nil {
			return err
		}
		j.Tool, j.StartedAt = toolOf(spec), fromMillis(started)
		out = append(out, j)
		return nil
	}, `SELECT worker_id, wallet, model_id, SUBSTR(spec, 1, $1), progress, started_at FROM job WHERE state = 'leased' AND network <> 'node' ORDER BY started_at, id`, specHead)
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
