package fleet_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
)

// testWorker is a connected worker.
type testWorker struct {
	enginetest.Worker
	f *fixture
}

// connect connects a worker, which offers model unless it names others.
func (f *fixture) connect(w atelier.Wallet, models ...string) testWorker {
	f.T.Helper()
	if len(models) == 0 {
		models = []string{model}
	}
	return testWorker{f.Connect(w, apitype.WorkerSpec{Models: models}), f}
}

// connectAt connects a worker to another node.
func (f *fixture) connectAt(node *fleet.Engine, w atelier.Wallet, models ...string) testWorker {
	f.T.Helper()
	return testWorker{f.ConnectAt(node, w, apitype.WorkerSpec{Models: models}), f}
}

// connectFallback connects a fallback worker.
func (f *fixture) connectFallback(w atelier.Wallet, models ...string) testWorker {
	f.T.Helper()
	return testWorker{f.Connect(w, apitype.WorkerSpec{Models: models, Capacity: 8, Fallback: true}), f}
}

// at is the worker as a client of another node.
func (w testWorker) at(node *fleet.Engine) testWorker { return testWorker{w.At(node), w.f} }

func (w testWorker) leave() {
	w.f.T.Helper()
	if err := w.Fleet().Disconnect(context.Background(), w.Wallet, w.ID); err != nil {
		w.f.T.Fatal(err)
	}
}

func (w testWorker) drain(draining bool) {
	w.f.T.Helper()
	if err := w.Fleet().DrainWorker(context.Background(), w.ID, draining, nil); err != nil {
		w.f.T.Fatal(err)
	}
}

// leased submits a job and claims it.
func (w testWorker) leased(wallet atelier.Wallet, part string, change ...func(*fleet.Submission)) *atelier.Job {
	w.f.T.Helper()
	w.f.mustSubmit(wallet, part, change...)
	return w.MustClaim()
}

// wantJob claims without waiting.
func (w testWorker) wantJob(when, part string) *atelier.Job {
	w.f.T.Helper()
	wait := time.Duration(0)
	if part != "" {
		wait = time.Minute // on PostgreSQL a claim passes over a job that is being changed
	}
	j := w.Claim(wait)
	got := ""
	if j != nil {
		got = j.Owner.Part
	}
	if got != part {
		w.f.T.Errorf("%s: it got %q, want %q", when, got, part)
	}
	return j
}

// next claims the next job after a completion.
func (w testWorker) next() *atelier.Job {
	w.f.T.Helper()
	a, err := w.Fleet().Next(context.Background(), w.Wallet, w.ID)
	if err != nil {
		w.f.T.Fatalf("next: %v", err)
	}
	if a == nil {
		return nil
	}
	j := w.f.job(a.JobID).Job
	return &j
}

func (w testWorker) progress(j *atelier.Job, p float64) (fleet.LeaseStatus, error) {
	return w.Fleet().Progress(context.Background(), w.Wallet, w.ID, j.ID, apitype.JobProgress{Progress: p, Message: "half"})
}

// report advances the clock and reports meanwhile, as often as a worker should. It
// returns the first error.
func (w testWorker) report(j *atelier.Job, d time.Duration) (err error) {
	const step = lease / 3
	for ; d > 0 && err == nil; d -= step {
		w.f.Advance(step)
		_, err = w.progress(j, 0.5)
	}
	return err
}

func (w testWorker) recordRef(j *atelier.Job, ref string) {
	w.f.T.Helper()
	if _, err := w.Fleet().Progress(context.Background(), w.Wallet, w.ID, j.ID, apitype.JobProgress{Message: "sent", Receipt: ref}); err != nil {
		w.f.T.Fatal(err)
	}
}

// complete completes a job with artifacts that were uploaded.
func (w testWorker) complete(j *atelier.Job, ids ...string) error {
	var artifacts []apitype.ReportedArtifact
	for _, id := range ids {
		artifacts = append(artifacts, apitype.ReportedArtifact{ID: id, Seed: 7})
	}
	_, err := w.Fleet().Complete(context.Background(), w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: artifacts, Metrics: apitype.RenderMetrics{RenderSeconds: 1.5}})
	return err
}

// finish uploads all artifacts and completes the job.
func (w testWorker) finish(j *atelier.Job) {
	w.f.T.Helper()
	w.Upload(j, "a0", "a1")
	if err := w.complete(j, "a0", "a1"); err != nil {
		w.f.T.Fatal(err)
	}
}

// send completes a job with its files in the request. Their content names the
// worker and the attempt.
func (w testWorker) send(j *atelier.Job, ids ...string) error {
	var artifacts []apitype.ReportedArtifact
	for _, id := range ids {
		artifacts = append(artifacts, apitype.ReportedArtifact{ID: id, Data: []byte(w.content(j, id))})
	}
	_, err := w.Fleet().Complete(context.Background(), w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: artifacts})
	return err
}

func (w testWorker) mustSend(j *atelier.Job) {
	w.f.T.Helper()
	if err := w.send(j, "a0", "a1"); err != nil {
		w.f.T.Fatal(err)
	}
}

func (w testWorker) content(j *atelier.Job, id string) string {
	return fmt.Sprintf("%s by %s in attempt %d", id, w.ID, j.Attempt)
}

// claimOrder claims n jobs, one after the other, and returns their parts.
func (w testWorker) claimOrder(n int) string {
	w.f.T.Helper()
	var parts []string
	for range n {
		j := w.MustClaim()
		parts = append(parts, j.Owner.Part)
		w.MustFail(j, atelier.FailError)
	}
	return strings.Join(parts, " ")
}

// beat sends a heartbeat.
func (w testWorker) beat(r apitype.Heartbeat) {
	w.f.T.Helper()
	if err := w.Fleet().Heartbeat(context.Background(), w.Wallet, w.ID, r); err != nil {
		w.f.T.Fatal(err)
	}
}
