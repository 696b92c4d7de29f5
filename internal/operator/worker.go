package operator

import (
	"context"
	"errors"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// showWorker reads what is shown of a worker besides its row.
func showWorker(tx *store.Tx, w atelier.Worker) (out apitype.OperatorWorker, err error) {
	held, err := tx.LeasedBy(w.ID)
	if err != nil {
		return out, err
	}
	names, err := workerUsers(tx, []atelier.Worker{w}, held)
	if err != nil {
		return out, err
	}
	more, err := readFacts(tx, []atelier.Worker{w})
	return newWorker(w, held, names, more), err
}

// shownFailures is how many of the jobs that failed on a worker are shown.
const shownFailures = 20

// Worker reads a connected worker, with the jobs that it holds and those that failed on it.
func (o Operator) Worker(ctx context.Context, id atelier.WorkerID) (out apitype.OperatorWorkerDetail, err error) {
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		w, err := tx.AnyWorker(id)
		if err != nil {
			return err
		}
		if out.OperatorWorker, err = showWorker(tx, w); err != nil {
			return err
		}
		if out.JobsCompleted, out.JobsFailed, out.JobsDropped, err = tx.CountEndedOn(w); err != nil {
			return err
		}
		failed, err := tx.FailedOn(id, shownFailures)
		out.Failures = convert(failed, func(j store.StoredJob) apitype.WorkerFailure {
			return apitype.WorkerFailure{
				JobID: j.ID, ModelID: j.Spec.ModelID, ToolName: j.Spec.Tool, Code: j.Error.Code, Message: j.Error.Message, EndedAt: j.EndedAt,
			}
		})
		return err
	})
	return out, missingWorker(err, id)
}

func missingWorker(err error, id atelier.WorkerID) error {
	if errors.Is(err, store.ErrNotFound) {
		return atelier.Missing("id", string(id), "worker")
	}
	return err
}

const (
	// machineAge is how long the samples of workers are kept: somewhat longer than the window of a day.
	machineAge = 25 * time.Hour

	// coarse is the distance of the samples of workers that are kept as long as those of nodes.
	coarse = 15 * time.Minute
)

// machineExpiry is when a sample of a worker expires.
func machineExpiry(at time.Time) time.Time {
	if at.Truncate(coarse).Equal(at) {
		return at.Add(sampleAge)
	}
	return at.Add(machineAge)
}

// WorkerHistory reads what a connected worker has reported about its machine in the last hour,
// day or week, also before it connected again.
func (o Operator) WorkerHistory(ctx context.Context, id atelier.WorkerID, w apitype.HistoryWindow) (apitype.WorkerHistory, error) {
	frame, err := o.newFrame(w)
	if err != nil {
		return apitype.WorkerHistory{}, err
	}
	steps := make([]machineStep, frame.steps+1)
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		clear(steps)
		worker, err := tx.AnyWorker(id)
		if err != nil {
			return err
		}
		return tx.WorkerSamples(worker, frame.since, func(s store.WorkerSample) { steps[frame.at(s.At)].add(s) })
	})
	h := apitype.WorkerHistory{Window: w, StepSeconds: int(frame.step.Seconds()), Points: make([]apitype.WorkerHistoryPoint, frame.steps)}
	for i, s := range steps[:frame.steps] {
		h.Points[i] = s.point(frame.begin(i))
	}
	return h, missingWorker(err, id)
}

// machineStep is the samples of a worker in a step of a history.
type machineStep struct {
	gpus []gpuStep
	free *int64 // the least
}

// gpuStep is those of one GPU.
type gpuStep struct {
	used, total *int64   // the most
	temperature *float64 // the highest
	power       float64  // the sum
	powers      int64    // of this number of samples
}

func (s *machineStep) add(sample store.WorkerSample) {
	if free := sample.DiskFree; free != nil && (s.free == nil || *free < *s.free) {
		s.free = free
	}
	for i, g := range sample.GPUs {
		if i == len(s.gpus) {
			s.gpus = append(s.gpus, gpuStep{})
		}
		to := &s.gpus[i]
		to.used, to.total, to.temperature = larger(to.used, g.Used), larger(to.total, g.Total), larger(to.temperature, g.Temperature)
		if g.Power != nil {
			to.power, to.powers = to.power+*g.Power, to.powers+1
		}
	}
}

func (s *machineStep) point(at time.Time) apitype.WorkerHistoryPoint {
	return apitype.WorkerHistoryPoint{At: at, DiskFreeBytes: s.free, GPUs: convert(s.gpus, func(g gpuStep) apitype.GPUHistory {
		out := apitype.GPUHistory{MemoryUsedBytes: g.used, MemoryTotalBytes: g.total, TemperatureCelsius: g.temperature}
		if g.powers > 0 {
			out.PowerWatts = new(g.power / float64(g.powers))
		}
		return out
	})}
}

// larger is the larger of two numbers that may be absent.
func larger[T int64 | float64](a, b *T) *T {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
