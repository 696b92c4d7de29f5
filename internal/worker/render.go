package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelier-project/atelier/client"
)

// render fetches what a job reads, renders it while its progress is reported,
// and uploads what was made.
func (w *Worker) render(ctx context.Context, s *client.Session, job client.Job) (made []client.Made, err error) {
	folder, err := os.MkdirTemp("", "atelier-render-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer func() { // a renderer that panics has failed one job, not the worker
		if p := recover(); p != nil {
			err = fmt.Errorf("the renderer broke: %v", p)
		}
		if cause := context.Cause(ctx); errors.Is(cause, errLost) {
			err = errLost
		}
	}()
	r := &reporter{session: s, job: job.JobID, stop: stop}
	var reporting sync.WaitGroup
	reporting.Go(func() { r.run(ctx, s.Lease/4) })
	shown := &previewer{client: w.Client, project: job.ProjectID, next: make(chan preview, 1)}
	reporting.Go(func() { shown.run(ctx) })
	defer reporting.Wait()
	defer stop(nil)

	files, err := w.fetch(ctx, job, folder)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	outputs, err := w.Renderer.Render(ctx, Task{Job: job, Folder: folder, Files: files, Report: r.report, Preview: shown.show})
	if err != nil {
		return nil, err
	}
	if early := w.Pace - time.Since(began); early > 0 && !sleep(ctx, early) {
		return nil, ctx.Err()
	}
	return w.deliver(ctx, job, outputs)
}

// fetch downloads the inputs of a job.
func (w *Worker) fetch(ctx context.Context, job client.Job, folder string) (map[string]string, error) {
	files := map[string]string{}
	for i, in := range job.Inputs {
		path := filepath.Join(folder, fmt.Sprintf("input-%d", i))
		if err := w.download(ctx, in.URL, path); err != nil {
			return nil, fmt.Errorf("the input %s could not be fetched: %w", in.Argument, err)
		}
		name := in.Argument
		for n := 1; files[name] != ""; n++ {
			name = fmt.Sprintf("%s#%d", in.Argument, n)
		}
		files[name] = path
	}
	return files, nil
}

func (w *Worker) download(ctx context.Context, url, path string) error {
	body, _, err := w.Client.Download(ctx, url)
	if err != nil {
		return err
	}
	defer body.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	return errors.Join(err, f.Close())
}

// deliver uploads the outputs of a render.
func (w *Worker) deliver(ctx context.Context, job client.Job, outputs []Output) ([]client.Made, error) {
	types := map[string]string{}
	for _, slot := range job.Artifacts {
		types[slot.ID] = slot.ContentType
	}
	var made []client.Made
	for _, o := range outputs {
		f, err := os.Open(o.Path)
		if err != nil {
			return nil, err
		}
		err = w.Client.UploadResult(ctx, job.ProjectID, o.ID, types[o.ID], f)
		f.Close()
		if err != nil {
			return nil, err
		}
		meta := map[string]any{"renderer": w.Renderer.Name()}
		for k, v := range o.Metadata {
			meta[k] = v
		}
		made = append(made, client.Made{
			ID: o.ID, ContentType: types[o.ID], Width: o.Width, Height: o.Height,
			DurationSeconds: o.DurationSeconds, Seed: o.Seed, Metadata: meta,
		})
	}
	return made, nil
}

// reporter tells the service how far a render is: when it says something new,
// but not too often, and in any case often enough to keep the lease.
type reporter struct {
	session *client.Session
	job     string
	stop    context.CancelCauseFunc

	mu       sync.Mutex
	progress float64
	message  string
	news     chan struct{}
	once     sync.Once
}

// report notes progress. It never blocks the renderer.
func (r *reporter) report(progress float64, message string) {
	r.mu.Lock()
	r.progress, r.message = max(r.progress, min(progress, 1)), message
	r.mu.Unlock()
	select {
	case r.channel() <- struct{}{}:
	default:
	}
}

func (r *reporter) channel() chan struct{} {
	r.once.Do(func() { r.news = make(chan struct{}, 1) })
	return r.news
}

// often is the least time between two reports.
const often = 500 * time.Millisecond

func (r *reporter) run(ctx context.Context, keep time.Duration) {
	timer := time.NewTimer(keep)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.channel():
		case <-timer.C:
		}
		r.mu.Lock()
		progress, message := r.progress, r.message
		r.mu.Unlock()
		cancel, err := r.session.Progress(ctx, r.job, progress, message)
		if cancel || client.Is(err, http.StatusConflict) || client.Is(err, http.StatusNotFound) {
			if cancel {
				r.stop(&Failure{Code: "error", Message: "It was cancelled."})
			} else {
				r.stop(errLost)
			}
			return
		}
		if !sleep(ctx, often) {
			return
		}
		timer.Reset(keep)
	}
}
