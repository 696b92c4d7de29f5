package remote

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/worker"
)

// job is a job with a vendor that queues renders: one render for each clip.
type job struct {
	*Renderer
	a      *Adapter
	t      worker.Task
	m      Model
	rec    *receipt
	clips  []apitype.AssignmentArtifact
	stills []apitype.AssignmentArtifact // the last frame of each, where it is ordered
	began  time.Time

	cancelOnce sync.Once // cancels at the vendor
	finalUntil time.Time // until when to wait for the final status
}

func (r *Renderer) renderQueue(ctx context.Context, t worker.Task, m Model) ([]worker.Output, error) {
	j := &job{Renderer: r, a: r.opts.Adapter, t: t, m: m, began: time.Now()}
	for _, s := range t.Artifacts {
		if strings.HasPrefix(s.ContentType, "image/") {
			j.stills = append(j.stills, s)
		} else {
			j.clips = append(j.clips, s)
		}
	}
	var err error
	if j.rec, err = openReceipt(t, r.opts.Name, len(j.clips)); err != nil {
		return nil, err
	}
	refusal, err := j.submitAll(ctx)
	if err != nil {
		return nil, err
	}
	var outputs []worker.Output
	for i := range j.clips {
		if j.rec.Parts[i].State != sent {
			continue
		}
		made, err := j.follow(ctx, i)
		if err == nil {
			outputs = append(outputs, made...)
			continue
		}
		if !final(err) {
			return nil, err
		}
		if refusal == nil {
			refusal = err
		}
	}
	switch {
	case len(outputs) > 0:
		if refusal != nil { // the clips so far are delivered, and only they are paid for
			r.opts.Log.Warn("vendor made fewer clips than ordered", "vendor", r.opts.Name, "job", t.JobID, "reason", refusal)
		}
		return outputs, nil
	case worker.Cancelled(ctx):
		return nil, worker.Failf("It was cancelled.")
	case refusal == nil:
		refusal = worker.Failf("The vendor refused the request.")
	}
	return nil, refusal
}

// submitAll submits every clip that was not submitted before. The refusal is that
// of one clip while others are rendered; the error ends the attempt.
func (j *job) submitAll(ctx context.Context) (refusal, err error) {
	for i := range j.clips {
		if s := j.rec.Parts[i].State; s == sent || s == refused {
			continue
		}
		if ctx.Err() != nil && j.rec.Parts[i].State == unsent {
			if j.rec.mayBeSent() {
				return stopped(ctx), nil
			}
			return nil, stopped(ctx)
		}
		err := j.submitOne(ctx, i)
		switch {
		case err == nil:
		case isUnknown(err) || !j.rec.mayBeSent():
			return nil, err
		default:
			return err, nil // the others would be refused too
		}
	}
	return nil, nil
}

// submitOne submits one clip to the vendor.
func (j *job) submitOne(ctx context.Context, i int) error {
	q, err := j.request(ctx, i)
	if err != nil {
		return err
	}
	var id string
	err = j.submit(ctx, j.t, j.rec, i, func(ctx context.Context, key string) error {
		if h := j.a.IdempotencyHeader; h != "" {
			q.headers[h] = key
		}
		a, err := j.api.do(ctx, q)
		if err != nil {
			return submitError(err)
		}
		doc, unread := readJSON(a.body)
		p := policy{busy: j.a.Busy, refused: j.a.Refused, idempotent: j.idempotent()}
		if err := p.judge(a, func() error { return j.readError(doc).failure(false, j.a.Filtered) }); err != nil {
			return err
		}
		if id = j.a.Submit.ID.word(doc); unread != nil || id == "" || len(id) > maxID {
			return &unresolvedError{errID.Error()}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := j.rec.set(ctx, i, sent, id); err != nil {
		j.opts.Log.Warn("store vendor id failed, will retry", "vendor", j.opts.Name, "job", j.t.JobID, "error", err)
	}
	j.t.Report(0, "the vendor accepted the job")
	return nil
}

// request is the submit of one clip.
func (j *job) request(ctx context.Context, i int) (request, error) {
	if !j.a.serves(j.t.ToolName) {
		return request{}, worker.Failf("The vendor does not support %s.", j.t.ToolName)
	}
	o, err := newOrder(j.t, j.m, i)
	if err != nil {
		return request{}, err
	}
	if err := j.addEdgeFrames(ctx, o); err != nil {
		return request{}, err
	}
	if err := o.assignSlots(j.a); err != nil {
		return request{}, err
	}
	var failed error
	q, err := j.a.Submit.request(o.scope(j.a, &failed), j.api.key)
	if failed != nil {
		return q, failed
	}
	return q, err
}

// request makes the request of an exchange.
func (e *exchange) request(of scope, key string) (request, error) {
	q := request{method: e.Method, headers: map[string]string{}}
	where, query, _ := cutText(e.path)
	filled, missing := where.fill(of, url.PathEscape)
	if missing == "" && query != nil {
		var tail string
		tail, missing = query.fill(of, url.QueryEscape)
		filled += tail
	}
	for name, t := range e.headers {
		if missing != "" {
			break
		}
		q.headers[name], missing = t.fill(func(slot string) (any, bool) {
			if slot == "key" {
				return key, key != ""
			}
			return of(slot)
		}, same)
	}
	if missing != "" {
		return q, worker.Failf("The vendor needs %s, which the job does not have.", missing)
	}
	q.path = filled
	if e.body == nil {
		return q, nil
	}
	v, _, _ := e.body.fill(of)
	body, err := wire.Marshal(v)
	q.body, q.kind = body, "application/json"
	return q, err
}

// cutText splits a path template at its question mark.
func cutText(t text) (before, after text, found bool) {
	for i, p := range t {
		n := strings.IndexByte(p.literal, '?')
		if p.slot != "" || n < 0 {
			continue
		}
		before = append(append(before, t[:i]...), piece{literal: p.literal[:n]})
		after = append(text{{literal: p.literal[n:]}}, t[i+1:]...)
		return before, after, true
	}
	return t, nil, false
}

// about is the scope of requests about a render that the vendor has.
func (j *job) about(i int) scope {
	return func(slot string) (any, bool) {
		switch slot {
		case "id":
			return j.rec.Parts[i].ID, true
		case "job":
			return string(j.t.JobID), true
		case "model":
			return j.m.VendorID, true
		}
		return nil, false
	}
}

// readError reads the vendor's error.
func (j *job) readError(doc any) vendorError {
	first := func(paths []path) string {
		for _, p := range paths {
			if w := p.word(doc); w != "" {
				return j.api.clean(w)
			}
		}
		return ""
	}
	return vendorError{first(j.a.Errors.Code), first(j.a.Errors.Message)}
}
