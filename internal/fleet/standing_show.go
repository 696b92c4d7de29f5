package fleet

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// shownLapses is how many lapses of a worker are shown.
const shownLapses = 10

// ReadStandings reads what is shown of the standings of workers, of those that have lapsed.
func ReadStandings(tx *store.Tx, workers []atelier.Worker) (map[atelier.WorkerID]*apitype.WorkerStanding, error) {
	out := map[atelier.WorkerID]*apitype.WorkerStanding{}
	for _, w := range workers {
		if w.Lapses == 0 {
			continue
		}
		s, err := tx.Standing(store.NameOf(w))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		lapses, err := tx.Lapses(store.NameOf(w), shownLapses)
		if err != nil {
			return nil, err
		}
		shown := &apitype.WorkerStanding{IsLow: !s.LowSince.IsZero(), Since: s.LowSince, Reason: s.Reason, TrialAt: s.TrialAt, Lapses: []apitype.WorkerLapse{}}
		for _, l := range lapses {
			shown.Lapses = append(shown.Lapses, apitype.WorkerLapse{JobID: l.Job, ModelID: l.Model, Code: apitype.LapseCode(l.Code), Message: l.Message, At: l.At.UTC()})
		}
		out[w.ID] = shown
	}
	return out, nil
}

// ofStranger is what an account sees of the standing of a worker of another: why it is low may say
// what the jobs of others were.
func ofStranger(s *apitype.WorkerStanding) *apitype.WorkerStanding {
	if s == nil || !s.IsLow {
		return nil
	}
	return &apitype.WorkerStanding{IsLow: true, Since: s.Since, Reason: "Other workers have completed jobs that it failed at.", Lapses: []apitype.WorkerLapse{}}
}

// HeartbeatReply is what a worker hears when it has sent a heartbeat.
func (e *Engine) HeartbeatReply(ctx context.Context, w atelier.Wallet, id atelier.WorkerID) (apitype.HeartbeatReply, error) {
	worker, err := e.worker(ctx, w, id)
	return apitype.HeartbeatReply{Draining: worker.Draining, LowStanding: worker.LowReason}, err
}
