package remote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker"
)

// follow polls the vendor until a render has ended, and downloads the result. When
// the job is cancelled, the renderer cancels it at the vendor and waits for the
// final status.
func (j *job) follow(ctx context.Context, i int) ([]worker.Output, error) {
	asking, stop := untilWorkerStops(ctx)
	defer stop()
	lastValid := time.Now() // when the vendor last sent a valid status
	for {
		j.cancelAtVendor(ctx, asking)
		if j.rec.unsaved {
			_ = j.rec.save(ctx)
		}
		made, err := j.pollOnce(asking, i)
		var again *pollAgainError
		if !errors.As(err, &again) {
			return made, err
		}
		if again.fine {
			lastValid = time.Now()
		}
		switch cancelled := !j.finalUntil.IsZero(); {
		case asking.Err() != nil:
			return nil, unknown("The worker is shutting down while the vendor is still rendering.")
		case cancelled && time.Now().After(j.finalUntil):
			return nil, unknown("The vendor received the cancel request but has not reported how the render ended.")
		case time.Since(lastValid) > j.opts.Stall:
			return nil, unknown("The vendor's status cannot be read: %v.", again)
		case time.Since(j.began) > j.opts.Patience:
			return nil, unknown("The vendor is still rendering after %s.", j.opts.Patience)
		}
		if !again.fine {
			j.opts.Log.Warn("poll vendor failed", "vendor", j.opts.Name, "job", j.t.JobID, "reason", again)
		}
		j.wait(ctx, asking, max(j.a.PollEvery, min(again.after, j.opts.Stall/2)))
	}
}

// wait sleeps, until the job is cancelled.
func (j *job) wait(ctx, asking context.Context, d time.Duration) {
	if !j.finalUntil.IsZero() {
		ctx = asking
		d = min(d, max(time.Until(j.finalUntil), time.Millisecond))
	}
	clock.Sleep(ctx, d)
}

// cancelAtVendor cancels every render of a cancelled job at the vendor, once.
func (j *job) cancelAtVendor(ctx, asking context.Context) {
	if !worker.Cancelled(ctx) {
		return
	}
	j.cancelOnce.Do(func() {
		j.finalUntil = time.Now().Add(j.opts.CancelWait)
		if j.a.Cancel == nil {
			return
		}
		for i, p := range j.rec.Parts {
			if p.State != sent {
				continue
			}
			q, err := j.a.Cancel.request(j.about(i), j.api.key)
			if err == nil {
				var a answer
				if a, err = j.api.do(asking, q); err == nil && a.status >= 400 {
					err = fmt.Errorf("it answered with status %d", a.status)
				}
			}
			if err != nil { // it may have ended; the status decides
				j.opts.Log.Info("cancel at vendor failed", "vendor", j.opts.Name, "job", j.t.JobID, "reason", err)
			}
		}
	})
}

// pollAgainError says to poll again.
type pollAgainError struct {
	fine  bool // the vendor is rendering
	after time.Duration
	why   string
}

func (e *pollAgainError) Error() string { return e.why }

func retryError(format string, args ...any) error {
	return &pollAgainError{why: fmt.Sprintf(format, args...)}
}

// pollOnce asks the vendor once.
func (j *job) pollOnce(ctx context.Context, i int) ([]worker.Output, error) {
	q, err := j.a.Poll.request(j.about(i), j.api.key)
	if err != nil {
		return nil, retryError("%v", err)
	}
	doc, err := j.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	word := j.a.Poll.Status.word(doc)
	switch j.a.state(word) {
	case running:
		progress := j.a.Poll.progress(doc)
		j.t.Report((float64(i)+0.95*progress)/float64(len(j.clips)), "the vendor is rendering")
		return nil, &pollAgainError{fine: true, why: "it is still rendering"}
	case succeeded:
		return j.collect(ctx, i, doc)
	case failed:
		return nil, j.readError(doc).failure(false, j.a.Filtered)
	case filtered:
		return nil, j.readError(doc).failure(true, nil)
	case cancelled:
		return nil, worker.Failf("The render was cancelled at the vendor.")
	}
	return nil, retryError("its status %q is unknown", worker.Shorten(toSentence(j.api.clean(word)), 60))
}

// ask sends a request that changes nothing and reads the JSON of the answer.
func (j *job) ask(ctx context.Context, q request) (any, error) {
	a, err := j.api.do(ctx, q)
	if err != nil {
		return nil, retryError("%v", err)
	}
	if a.status < 200 || a.status > 299 {
		return nil, &pollAgainError{after: a.after, why: fmt.Sprintf("it answered with status %d", a.status)}
	}
	doc, err := readJSON(a.body)
	if err != nil {
		return nil, retryError("its answer is not JSON")
	}
	return doc, nil
}

// state is our status for a vendor's.
func (a *Adapter) state(word string) string {
	if s, ok := a.Statuses[word]; ok {
		return s
	}
	for vendor, status := range a.Statuses {
		if strings.EqualFold(vendor, word) {
			return status
		}
	}
	return ""
}

// progress is that of a render, between 0 and 1.
func (e *exchange) progress(doc any) float64 {
	f, err := strconv.ParseFloat(strings.TrimSuffix(e.Progress.word(doc), "%"), 64)
	if err != nil || !(f > 0) {
		return 0
	}
	if e.ProgressOf > 0 {
		f /= e.ProgressOf
	}
	return min(f, 1)
}
