package ateliertest

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/catalog"
)

// patience is how long anything awaited may take: far longer than it does on a busy
// machine. It only ends tests that hang.
const patience = 2 * time.Minute

// Worker is a worker that does what a test tells it, over the public worker
// protocol. It offers every native model and tool, unless it is told otherwise.
type Worker struct {
	ID      atelier.WorkerID
	client  *client.Client
	session *client.Session
	held    []apitype.Assignment // claimed and not yet done
}

// Worker connects a worker of an account that may run workers. The functions
// may change what it says of itself.
func (s *Service) Worker(t testing.TB, owner account.Opened, change ...func(*apitype.WorkerSpec)) *Worker {
	t.Helper()
	c := client.New(s.URL, owner.Key)
	spec := apitype.WorkerSpec{Name: "hand", Network: "fast", Models: offered(), Capacity: 16}
	for _, f := range change {
		f(&spec)
	}
	session, err := c.Connect(t.Context(), spec)
	if err != nil {
		t.Fatalf("connect a worker: %v", err)
	}
	return &Worker{ID: session.ID, client: c, session: session}
}

// offered is everything that a worker can offer.
var offered = sync.OnceValue(func() []string {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return append(c.NativeModels(), c.WorkerTools()...)
})

// Claim waits for the next job.
func (w *Worker) Claim(t testing.TB) apitype.Assignment {
	t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); {
		if j, err := w.session.Claim(t.Context(), 25*time.Second); err != nil {
			t.Fatalf("claim: %v", err)
		} else if j != nil {
			return *j
		}
	}
	t.Fatalf("no job came within %s", patience)
	return apitype.Assignment{}
}

// Complete uploads a small file of the ordered type for each of the first n
// artifacts, and completes the job.
func (w *Worker) Complete(t testing.TB, j apitype.Assignment, n int, metadata map[string]any) {
	t.Helper()
	if err := w.complete(t.Context(), j, n, metadata); err != nil {
		t.Fatalf("complete a job of %s: %v", j.ToolName, err)
	}
}

func (w *Worker) complete(ctx context.Context, j apitype.Assignment, n int, metadata map[string]any) error {
	return w.deliver(ctx, j, n, metadata, sampleFor)
}

// CompleteAsOrdered makes pictures of the ordered size, or clips of the ordered length, and completes the job.
func (w *Worker) CompleteAsOrdered(t testing.TB, j apitype.Assignment) {
	t.Helper()
	if err := w.deliver(t.Context(), j, len(j.Artifacts), nil, ordered); err != nil {
		t.Fatalf("complete a job of %s as ordered: %v", j.ToolName, err)
	}
}

// Deliver uploads a file as each artifact of a job, and completes the job.
func (w *Worker) Deliver(t testing.TB, j apitype.Assignment, content []byte) {
	t.Helper()
	err := w.deliver(t.Context(), j, len(j.Artifacts), nil, func(string, apitype.Assignment) (file, error) {
		return file{content: content, width: 64, height: 64}, nil
	})
	if err != nil {
		t.Fatalf("deliver for %s: %v", j.ToolName, err)
	}
}

// Fail reports that a job has failed, and is not worth another attempt.
func (w *Worker) Fail(t testing.TB, j apitype.Assignment) {
	t.Helper()
	if err := w.session.Fail(t.Context(), j.JobID, apitype.JobFailure{Code: "error", Message: "The renderer is broken."}); err != nil {
		t.Fatalf("fail a job of %s: %v", j.ToolName, err)
	}
}

// sampleFor is a small file, whatever a job orders.
func sampleFor(contentType string, _ apitype.Assignment) (file, error) { return sample(contentType) }

// deliver uploads files for the first n artifacts of a job and completes it.
func (w *Worker) deliver(ctx context.Context, j apitype.Assignment, n int, metadata map[string]any, make func(contentType string, j apitype.Assignment) (file, error)) error {
	artifacts, err := w.upload(ctx, j, n, metadata, make)
	if err == nil {
		_, err = w.session.Complete(ctx, j.JobID, apitype.Completion{Artifacts: artifacts, Metrics: apitype.RenderMetrics{RenderSeconds: 0.1}})
	}
	return err
}

// upload uploads a file for each of the first n artifacts of a job.
func (w *Worker) upload(ctx context.Context, j apitype.Assignment, n int, metadata map[string]any, make func(contentType string, j apitype.Assignment) (file, error)) (artifacts []apitype.ReportedArtifact, err error) {
	for _, slot := range j.Artifacts[:min(n, len(j.Artifacts))] {
		f, err := make(slot.ContentType, j)
		if err != nil {
			return nil, err
		}
		if err := w.client.UploadResult(ctx, j.ProjectID, slot.ID, slot.ContentType, bytes.NewReader(f.content)); err != nil {
			return nil, err
		}
		artifacts = append(artifacts, apitype.ReportedArtifact{
			ID: slot.ID, ContentType: slot.ContentType, Width: f.width, Height: f.height, DurationSeconds: f.seconds, Seed: j.Seed, Metadata: metadata,
		})
	}
	return artifacts, nil
}

// Leave closes the worker's session: it drops what it holds.
func (w *Worker) Leave(t testing.TB) {
	t.Helper()
	if err := w.session.Close(t.Context()); err != nil {
		t.Fatalf("leave: %v", err)
	}
}

// take is the job that a scenario speaks of: one that the worker holds and that
// matches, else the next that it claims, which must.
func (w *Worker) take(t testing.TB, matches func(job []byte) error) (apitype.Assignment, error) {
	t.Helper()
	for i, j := range w.held {
		if matches(jobText(j)) == nil {
			w.held = append(w.held[:i:i], w.held[i+1:]...)
			return j, nil
		}
	}
	j := w.Claim(t)
	return j, matches(jobText(j))
}

func jobText(j apitype.Assignment) []byte {
	text, _ := json.Marshal(j) // plain fields
	return text
}
