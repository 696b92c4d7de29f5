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

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// result is the result of a render.
type result struct {
	artifacts []apitype.ReportedArtifact
	receipt   bool          // a vendor may be rendering
	switched  time.Duration // how long a model was loaded
	times     times
	began     time.Time // when the render began
}

// render downloads the inputs of a job, renders it, reports progress meanwhile, and
// uploads the results.
func (w *Worker) render(ctx context.Context, s *client.Session, job apitype.Assignment, at *place) (out result, err error) {
	out.began = time.Now()
	j := w.open(ctx, s, job)
	defer func() {
		if p := recover(); p != nil { // a renderer that panics has failed one job, not the worker
			err = fmt.Errorf("the renderer crashed: %v", p)
		}
		j.close()
		out.receipt, err = j.hasReceipt(), j.verdict(j.ctx, err)
	}()
	folder, err := os.MkdirTemp("", folderPattern)
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(folder)
	lap := time.Now()
	reading := j.ctx
	if job.Receipt != "" { // a vendor's render may have to be finished although the job was cancelled
		reading = j.leased
	}
	files, err := w.fetch(reading, job, folder)
	if err != nil {
		return out, err
	}
	out.times.fetch, lap = time.Since(lap), time.Now()
	if w.Slots != nil {
		select {
		case w.Slots <- struct{}{}:
		case <-j.ctx.Done():
			return out, j.ctx.Err()
		}
		defer func() { <-w.Slots }()
	}
	began := time.Now()
	out.times.wait = began.Sub(lap)
	task := Task{Assignment: job, Folder: folder, Files: files, Report: j.report, Preview: j.previews.show, Keep: j.storeReceipt}
	task.Alternatives = j.alternatives
	task.Switched = func(d time.Duration) { out.switched += d; out.times.load += d }
	task.Begun = func() { out.began = time.Now() }
	task.Ending = sync.OnceFunc(func() { at.leaveAfter(func() error { return j.reportRendered(j.leased) }) })
	outputs, err := w.renderInTime(j.ctx, task, j.hasReceipt)
	if err != nil {
		return out, err
	}
	if early := w.Pace - time.Since(began); early > 0 && !clock.Sleep(j.ctx, early) {
		return out, j.ctx.Err()
	}
	out.times.render, lap = time.Since(began)-out.times.load, time.Now()
	out.artifacts, err = w.deliver(j.leased, job, outputs)
	out.times.upload = time.Since(lap)
	return out, err
}

// openJob is a job that a worker renders. Its reporter renews the lease until
// close, also while the renderer ends a cancelled job.
type openJob struct {
	*reporter
	ctx      context.Context // of the render: ends when the job is lost or cancelled, or the worker stops
	leased   context.Context // of reports and uploads: ends with close, or lastMoment after the worker stops
	previews *previewer
	close    func()
}

// open begins to report on a job.
func (w *Worker) open(ctx context.Context, s *client.Session, job apitype.Assignment) *openJob {
	leased, release := context.WithCancel(context.WithoutCancel(ctx))
	ctx, stop := context.WithCancelCause(ctx)
	j := &openJob{
		reporter: &reporter{session: s, job: job.JobID, stop: stop, receipt: job.Receipt != ""},
		ctx:      ctx, leased: leased,
		previews: &previewer{client: w.Client, project: job.ProjectID, next: make(chan preview, 1)},
	}
	var reporting sync.WaitGroup
	reporting.Go(func() { j.reporter.run(leased, s.Lease/4) })
	reporting.Go(func() { j.previews.run(ctx) })
	ignoreStop := context.AfterFunc(ctx, func() {
		if !Cancelled(ctx) {
			time.AfterFunc(lastMoment, release)
		}
	})
	j.close = func() {
		ignoreStop()
		stop(nil)
		release()
		reporting.Wait()
	}
	return j
}

// lastMoment is how long a worker may take to deliver results after it was asked to
// stop.
const lastMoment = 8 * time.Second

// fetch downloads the inputs of a job.
func (w *Worker) fetch(ctx context.Context, job apitype.Assignment, folder string) (map[string]string, error) {
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

// deliver uploads the outputs of a render. Small ones go with the completion
// instead, which saves two round trips each.
func (w *Worker) deliver(ctx context.Context, job apitype.Assignment, outputs []Output) ([]apitype.ReportedArtifact, error) {
	types := map[string]string{}
	for _, slot := range job.Artifacts {
		types[slot.ID] = slot.ContentType
	}
	var artifacts []apitype.ReportedArtifact
	left := client.MaxData
	for _, o := range outputs {
		data, err := w.send(ctx, job, o, types[o.ID], left)
		if err != nil {
			return nil, err
		}
		left -= len(data)
		meta := map[string]any{"renderer": w.Renderer.Name()}
		for k, v := range o.Metadata {
			meta[k] = v
		}
		if meta, err = trimMetadata(meta); err != nil {
			return nil, err
		}
		artifacts = append(artifacts, apitype.ReportedArtifact{
			ID: o.ID, ContentType: types[o.ID], Width: o.Width, Height: o.Height,
			DurationSeconds: o.DurationSeconds, Seed: o.Seed, Metadata: meta, Data: data,
		})
	}
	return artifacts, nil
}

// send uploads a file, or returns it when it fits into the completion.
func (w *Worker) send(ctx context.Context, job apitype.Assignment, o Output, contentType string, limit int) ([]byte, error) {
	f, err := os.Open(w.embedSettings(job, o))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > 0 && size <= int64(limit) {
		return io.ReadAll(f)
	}
	return nil, w.persist(ctx, func() error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return w.Client.UploadResult(ctx, job.ProjectID, o.ID, contentType, f)
	}, nil)
}

// reporter reports the progress of a render to the service: when it changes, but
// not too often, and always often enough to renew the lease.
type reporter struct {
	session *client.Session
	job     atelier.JobID
	stop    context.CancelCauseFunc

	mu       sync.Mutex
	progress float64
	message  string
	receipt  bool // there is one: a vendor may be rendering
	others   int  // workers that could take the job, by the last answer
	news     chan struct{}
	once     sync.Once
}

// report records progress. It never blocks the renderer.
func (r *reporter) report(progress float64, message string) {
	r.mu.Lock()
	r.progress, r.message = max(r.progress, min(progress, 1)), replaceNUL(Redact(message))
	r.mu.Unlock()
	select {
	case r.channel() <- struct{}{}:
	default:
	}
}

func (r *reporter) alternatives() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.others
}

func (r *reporter) channel() chan struct{} {
	r.once.Do(func() { r.news = make(chan struct{}, 1) })
	return r.news
}

// reportInterval is the least time between two reports.
const reportInterval = 500 * time.Millisecond

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
		reply, err := r.session.Progress(ctx, r.job, apitype.JobProgress{Progress: progress, Message: message})
		if r.handleReply(reply, err) != nil {
			return
		}
		if !clock.Sleep(ctx, reportInterval) {
			return
		}
		timer.Reset(keep)
	}
}

// reportRendered reports that the job is rendered, or about to be: it no longer counts among
// those that the worker renders.
func (r *reporter) reportRendered(ctx context.Context) error {
	r.report(1, "finishing")
	cancel, err := r.session.Progress(ctx, r.job, apitype.JobProgress{Progress: 1, Message: "finishing"})
	if lost := r.handleReply(cancel, err); lost != nil {
		return lost
	}
	return err
}

// handleReply ends the render when the service answers that the job is cancelled or
// has another worker. It returns an error when no more reports are needed.
func (r *reporter) handleReply(reply apitype.ProgressReply, err error) error {
	switch {
	case client.Is(err, http.StatusConflict) || client.Is(err, http.StatusNotFound):
		r.stop(errLost)
		return errLost
	case err == nil:
		r.mu.Lock()
		r.others = reply.Alternatives
		r.mu.Unlock()
	}
	if reply.Cancel {
		r.stop(errCancelled) // the lease is renewed until the renderer has ended
	}
	return nil
}

// verdict is the error to report for a render that has ended, or nil.
func (r *reporter) verdict(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLost):
		return errLost
	case cause == errCancelled && errors.Is(err, context.Canceled) && !r.hasReceipt():
		return errCancelled
	}
	return judge(err, r.hasReceipt())
}

func (r *reporter) hasReceipt() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.receipt
}

// judge is the error to report, or nil. With a receipt, the job fails only when the
// renderer reports a failure or the service refuses a file: any other error says
// nothing about the render at the vendor.
func judge(err error, receipt bool) error {
	var f *Failure
	if err == nil || errors.As(err, &f) || !receipt || isRefusal(err) {
		return err
	}
	return Retryf(atelier.FailUnknown, "The outcome is not known yet: %v.", err)
}

// isRefusal reports whether the service refused the request, such as a file that is
// too large: it would refuse it again.
func isRefusal(err error) bool {
	for _, status := range []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity} {
		if client.Is(err, status) {
			return true
		}
	}
	return false
}

// storeReceipt makes the service store a receipt.
func (r *reporter) storeReceipt(ctx context.Context, receipt string) error {
	if len(receipt) > client.MaxReceipt {
		return fmt.Errorf("a receipt of %d bytes is longer than %d", len(receipt), client.MaxReceipt)
	}
	r.mu.Lock()
	progress, message := r.progress, r.message
	r.receipt = true // also when the answer is lost
	r.mu.Unlock()
	reply, err := r.session.Progress(ctx, r.job, apitype.JobProgress{Progress: progress, Message: message, Receipt: receipt})
	if lost := r.handleReply(reply, err); lost != nil {
		return lost
	}
	return err
}
