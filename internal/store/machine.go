package store

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/wire"
)

// MachineReport is what a worker has reported about its machine, and when. A zero At says that it has reported nothing.
type MachineReport struct {
	apitype.Machine
	At time.Time
}

// MachinesOf reads the newest reports of workers, of those that have made one.
func (tx *Tx) MachinesOf(workers []atelier.WorkerID) (map[atelier.WorkerID]MachineReport, error) {
	if len(workers) == 0 {
		return nil, nil
	}
	return tx.machines(`id IN (`+database.Marks(1, len(workers))+`)`, database.Texts(workers)...)
}

// Machines reads the newest reports of the workers that were seen since a time.
func (tx *Tx) Machines(since time.Time) (map[atelier.WorkerID]MachineReport, error) {
	return tx.machines(`seen_at >= $1`, database.Millis(since))
}

func (tx *Tx) machines(where string, args ...any) (map[atelier.WorkerID]MachineReport, error) {
	out := map[atelier.WorkerID]MachineReport{}
	err := tx.Rows(func(scan func(...any) error) error {
		var (
			id   atelier.WorkerID
			text string
			at   int64
			m    MachineReport
		)
		if err := scan(&id, &text, &at); err != nil {
			return err
		}
		m.At = database.FromMillis(at)
		err := wire.Unmarshal([]byte(text), &m.Machine)
		out[id] = m
		return err
	}, `SELECT id, machine, machine_at FROM worker WHERE machine_at > 0 AND `+where, args...)
	return out, err
}

// WorkerSample is what a worker has reported in a minute.
type WorkerSample struct {
	Wallet   atelier.Wallet
	Name     string
	Worker   atelier.WorkerID
	At       time.Time // when the minute begins
	GPUs     []GPUSample
	DiskFree *int64
	Expires  time.Time
}

// GPUSample is one GPU of a sample. What is not known is nil. Its rows are lists without names:
// there are many.
type GPUSample struct {
	Used, Total        *int64
	Temperature, Power *float64
}

// InsertWorkerSamples stores samples, but for those that another node has stored.
func (tx *Tx) InsertWorkerSamples(samples []WorkerSample) error {
	for _, s := range samples {
		gpus := make([][4]any, len(s.GPUs))
		for i, g := range s.GPUs {
			gpus[i] = [4]any{g.Used, g.Total, g.Temperature, g.Power}
		}
		text, err := wire.Marshal(gpus)
		if err != nil {
			return err
		}
		free := int64(-1)
		if s.DiskFree != nil {
			free = *s.DiskFree
		}
		if _, err := tx.Exec(`INSERT INTO worker_sample (wallet, name, at, worker_id, gpus, disk_free, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (wallet, name, at, worker_id) DO NOTHING`,
			string(s.Wallet), s.Name, database.Millis(s.At), string(s.Worker), string(text), free, database.Millis(s.Expires)); err != nil {
			return err
		}
	}
	return nil
}

// WorkerSamples calls each with the samples since a time of a worker and of those of its account and
// name that are gone, the earliest first.
func (tx *Tx) WorkerSamples(w atelier.Worker, since time.Time, each func(WorkerSample)) error {
	return tx.Rows(func(scan func(...any) error) error {
		var (
			s        = WorkerSample{Wallet: w.Wallet, Name: w.Name}
			at, free int64
			text     string
			gpus     [][4]*float64
		)
		if err := scan(&s.Worker, &at, &text, &free); err != nil {
			return err
		}
		if err := wire.Unmarshal([]byte(text), &gpus); err != nil {
			return err
		}
		for _, g := range gpus {
			s.GPUs = append(s.GPUs, GPUSample{Used: whole(g[0]), Total: whole(g[1]), Temperature: g[2], Power: g[3]})
		}
		s.At = database.FromMillis(at)
		if free >= 0 {
			s.DiskFree = &free
		}
		each(s)
		return nil
	}, `SELECT worker_id, at, gpus, disk_free FROM worker_sample WHERE wallet = $1 AND name = $2 AND at >= $3
		AND worker_id NOT IN (SELECT id FROM worker WHERE wallet = $1 AND name = $2 AND id <> $4) ORDER BY at`,
		string(w.Wallet), w.Name, database.Millis(since), string(w.ID))
}

// whole is a number of bytes, which is below 2^53.
func whole(n *float64) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// DeleteWorkerSamples removes the samples that have expired.
func (tx *Tx) DeleteWorkerSamples(now time.Time) error {
	_, err := tx.Exec(`DELETE FROM worker_sample WHERE expires_at < $1`, database.Millis(now))
	return err
}

// FailedOn lists the newest jobs that failed on a worker, newest first.
func (tx *Tx) FailedOn(id atelier.WorkerID, limit int) ([]StoredJob, error) {
	return tx.jobs(`WHERE state = 'failed' AND worker_id = $1 ORDER BY ended_at DESC LIMIT $2`, string(id), limit)
}
