package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// LeaseStatus is the reply to a worker about a job that it holds.
type LeaseStatus struct {
	Cancel     bool
	LeaseUntil time.Time

	// Alternatives is how many other workers could take the job now. They are counted only
	// when a report brings no progress: then the renderer may be away.
	Alternatives int

	progress float64
}

// lockOwnJob finds and locks a job, and refuses a worker that does not hold it.
func (e *Engine) lockOwnJob(tx *store.Tx, workerID atelier.WorkerID, jobID atelier.JobID) (store.StoredJob, error) {
	j, err := tx.LockJob(jobID)
	if errors.Is(err, store.ErrNotFound) || (err == nil && (j.State != atelier.JobLeased || j.WorkerID != workerID)) {
		return j, errLost()
	}
	return j, err
}

// Progress records the progress of a job and renews its lease, within the deadlines of
// leaseEnd. An ExternalRef is durable when it returns. Reports beyond the limit are
// answered from the row, and change nothing.
func (e *Engine) Progress(ctx context.Context, w atelier.Wallet, workerID atelier.WorkerID, jobID atelier.JobID, n apitype.JobProgress) (s LeaseStatus, err error) {
	worker, err := e.admit(ctx, w, workerID)
	if err != nil {
		return s, err
	}
	if n.Receipt == "" && !e.presence.mayWrite(workerID) {
		s, err = e.leaseStatus(ctx, worker, jobID, n.Progress)
		if err != nil || n.Progress < 1 || s.progress >= 1 { // the first full progress makes space for a claim
			e.presence.countIdle(workerID, 1)
			return s, err
		}
	}
	over, rests := false, store.StoredJob{}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := e.lockOwnJob(tx, workerID, jobID)
		if err != nil {
			return err
		}
		if n.Receipt != "" && !e.mayKeepRef(worker, j.Spec.ModelID) {
			return atelier.Refuse("receipt", "is accepted only from the service's own workers, for vendor models. Leave it out.")
		}
		now := e.opts.Now()
		s = LeaseStatus{Cancel: j.Cancel, LeaseUntil: e.leaseEnd(j, now)}
		if over = !s.LeaseUntil.After(now); over {
			j.Lease = s.LeaseUntil
			return e.endLease(tx, j, "The worker did not stop in time.")
		}
		if rests = (store.StoredJob{}); isResting(n.Progress, j) {
			rests = j
		}
		j.Progress, j.Message, j.Lease = max(n.Progress, j.Progress), n.Message, s.LeaseUntil
		if n.Receipt != "" {
			j.ExternalRef = n.Receipt
		}
		used := (now.Sub(j.StartedAt) - j.Counted).Truncate(store.TurnLength)
		if used > 0 { // turns are counted under the lock of the account, as in Submit and at the end
			if err := tx.LockAccount(j.Wallet); err != nil {
				return err
			}
		}
		j.Counted += max(0, used)
		if err := tx.RenewLease(j.Job); err != nil {
			return err
		}
		if h := e.hooks[j.Owner.Kind]; h.Progressed != nil && !j.Cancel {
			if err := h.Progressed(tx, j.Job); err != nil {
				return err
			}
		}
		if used > 0 {
			tx.CountTime(j.Wallet, j.Network, used)
		}
		return nil
	})
	if err == nil && over {
		err = errLost()
	}
	if err != nil {
		e.presence.countIdle(workerID, 1)
		return s, err
	}
	if rests.ID != "" {
		err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
			s.Alternatives, err = e.alternatives(tx, worker, rests)
			return err
		})
	}
	return s, err
}

// isResting reports whether a report of progress brings none, although the render is not done.
func isResting(progress float64, j store.StoredJob) bool {
	return progress <= j.Progress && j.Progress < 1
}

// leaseStatus reads the lease of a job of a worker, which has reported progress.
func (e *Engine) leaseStatus(ctx context.Context, w atelier.Worker, jobID atelier.JobID, progress float64) (s LeaseStatus, err error) {
	err = e.db.Read(ctx, func(tx *store.Tx) error {
		j, err := tx.Job(jobID)
		if errors.Is(err, store.ErrNotFound) || (err == nil && (j.State != atelier.JobLeased || j.WorkerID != w.ID)) {
			return errLost()
		}
		if err != nil {
			return err
		}
		s = LeaseStatus{Cancel: j.Cancel, LeaseUntil: j.Lease, progress: j.Progress}
		if isResting(progress, j) {
			s.Alternatives, err = e.alternatives(tx, w, j)
		}
		return err
	})
	return s, err
}

// alternatives counts the workers that could take a job now if its worker gave it back. There are
// none when it was the last attempt, or a vendor may be rendering the job.
func (e *Engine) alternatives(tx *store.Tx, w atelier.Worker, j store.StoredJob) (n int, err error) {
	if j.Attempt >= atelier.MaxAttempts || j.Cancel || j.ExternalRef != "" || j.Network == atelier.NetworkNode {
		return 0, nil
	}
	return tx.CountFree(j, w)
}

// Complete settles a finished job in one transaction: its artifacts, its price, the
// record of its worker, and its owner. The files were uploaded before, or are in
// the request. It returns the worker's next job, if the worker asks for one and one is
// queued; finding none does not affect the completed job.
func (e *Engine) Complete(ctx context.Context, w atelier.Wallet, workerID atelier.WorkerID, jobID atelier.JobID, c apitype.Completion) (*apitype.Assignment, error) {
	claim := e.newClaim(ctx, w, workerID, c.ClaimNext)
	if err := e.finish(ctx, w, workerID, jobID, c, nil, claim); err != nil || !c.ClaimNext {
		return nil, err
	}
	next, err := e.claimed(ctx, w, workerID, claim)
	if err != nil {
		e.opts.Log.Warn("claim next job failed", "worker", workerID, "error", err)
	}
	return next, nil
}

// finish settles a finished job. stored are the keys of the artifacts that a node task has
// stored. The worker gets its next job in the same transaction, if there is a claim.
func (e *Engine) finish(ctx context.Context, w atelier.Wallet, workerID atelier.WorkerID, jobID atelier.JobID, c apitype.Completion, stored map[string]string, claim *nextClaim) error {
	worker, err := e.admit(ctx, w, workerID)
	if err != nil {
		return err
	}
	for {
		j, cached, err := e.leased(ctx, workerID, jobID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if j.State != atelier.JobLeased || j.WorkerID != workerID {
			e.presence.countIdle(workerID, 1)
			return errLost()
		}
		files, err := e.collect(ctx, worker, j, c.Artifacts, stored)
		if err != nil && cached {
			continue // the cached job may be outdated, and its files elsewhere
		}
		if err != nil {
			e.presence.countIdle(workerID, refusedFiles)
			return err
		}
		var outcome completion
		err = e.db.Write(ctx, func(tx *store.Tx) (err error) {
			claim.reset() // the change may run again
			outcome, err = e.complete(tx, worker, j, files, c.Metrics, cached)
			if err == nil && outcome == settled {
				err = claim.match(tx)
			}
			return err
		})
		if err != nil && claim.hasFailed() { // nothing was written, and the completion alone may be
			claim = nil
			err = e.db.Write(ctx, func(tx *store.Tx) (err error) {
				outcome, err = e.complete(tx, worker, j, files, c.Metrics, cached)
				return err
			})
		}
		files.cleanUp(context.WithoutCancel(ctx), outcome, err)
		if err == nil && outcome == settled {
			e.presence.noteDone(workerID, j.Spec.ModelID)
		}
		if err != nil || outcome != movedOn {
			return err
		}
	}
}

// completion is the outcome of a completion without error.
type completion int

const (
	settled   completion = iota // the job is completed
	cancelled                   // the job was cancelled before
	movedOn                     // the cached job is outdated: read it again
)

// complete settles a job that was read before the transaction.
func (e *Engine) complete(tx *store.Tx, w atelier.Worker, j store.StoredJob, f files, m apitype.RenderMetrics, cached bool) (completion, error) {
	now := e.opts.Now()
	counted, done, err := tx.CompleteJob(j.ID, w.ID, j.Leases, now)
	if err != nil {
		return settled, err
	}
	if done {
		j.Counted = counted
		if err := e.noteStanding(tx, w, j, now); err != nil { // lock order: job, workers, then account
			return settled, err
		}
		e.storeFresh(tx, f.unsynced)
		return settled, e.settle(tx, w, j, f.artifacts, m, now)
	}
	row, err := e.lockOwnJob(tx, w.ID, j.ID)
	switch {
	case err != nil:
		return settled, err
	case row.Cancel && row.ExternalRef == "":
		return cancelled, e.end(tx, row, atelier.JobCancelled, atelier.JobError{Code: "cancelled", Message: "It was cancelled."})
	case cached:
		return movedOn, nil
	}
	return settled, errLost()
}

// errLost refuses a worker that no longer holds a job.
func errLost() error {
	return atelier.Errorf(atelier.CodeJobLost, "This worker no longer holds the job: its lease expired, or the job has ended.")
}

// files are the objects of a completion.
type files struct {
	blobs     blob.SignedStore
	artifacts []atelier.Artifact
	fresh     []string // keys that only this completion knows
	uploads   []string // keys that they were copied from

	unsynced []store.FreshObject // the files of which may not be on the disk yet
}

// isPreview reports whether what a worker makes stands in for what the model of a job makes. All workers render a tool
// without a model equally well.
func isPreview(w atelier.Worker, s atelier.JobSpec) bool {
	return w.Fallback && s.ModelID != s.Tool
}

// collect copies the files of a completion, uploaded or sent with it, to keys that only
// this completion knows. Upload forms stay open after a job is settled, so an upload
// is never used where it was uploaded to, and is inspected only after it was copied.
func (e *Engine) collect(ctx context.Context, w atelier.Worker, j store.StoredJob, artifacts []apitype.ReportedArtifact, stored map[string]string) (f files, err error) {
	f.blobs = e.blobs
	if len(artifacts) == 0 && len(j.Spec.Artifacts) > 0 {
		return f, atelier.Refuse("artifacts", "must not be empty: fail a job that has no results.")
	}
	seen, want := map[string]bool{}, e.ordered(w, j.Spec)
	for i, m := range artifacts {
		position, slot := slotOf(j.Spec, m.ID)
		if slot == nil || seen[m.ID] {
			return f, atelier.Refuse("artifacts", "names %q, which is not one of the job's artifacts, or names it twice.", m.ID)
		}
		seen[m.ID] = true
		a := atelier.Artifact{
			ID: m.ID, JobID: j.ID, ProjectID: j.ProjectID, Position: position, Kind: slot.Kind, ContentType: slot.ContentType, Key: stored[m.ID],
			Width: m.Width, Height: m.Height, DurationSeconds: m.DurationSeconds, Seed: m.Seed, Metadata: m.Metadata,
		}
		a.Metadata = markPreview(m.Metadata, isPreview(w, j.Spec))
		if a.ContentType == "" { // it was not known when the job was queued
			a.ContentType = m.ContentType
		}
		if a.Key == "" {
			a.Key = freshKey(j.Job, *slot)
		}
		if m.Data != nil {
			if err := e.inspect(ctx, i, m, &a, want); err != nil {
				return f, err
			}
		}
		f.artifacts = append(f.artifacts, a)
	}
	defer func() {
		if err != nil {
			f.discard(context.WithoutCancel(ctx))
		}
	}()
	for i, m := range artifacts {
		_, slot := slotOf(j.Spec, m.ID)
		if err := e.receive(ctx, &f, m, &f.artifacts[i], uploadKey(j.Job, *slot), stored[m.ID] != ""); err != nil {
			return f, err
		}
		if m.Data == nil {
			if err := e.readUploaded(ctx, i, &f.artifacts[i], want, stored[m.ID] != ""); err != nil {
				return f, err
			}
		}
		if a := &f.artifacts[i]; a.ContentType == "application/json" && a.Bytes <= maxContent {
			if err := e.include(ctx, a); err != nil {
				return f, err
			}
		}
	}
	slices.SortFunc(f.artifacts, func(a, b atelier.Artifact) int { return a.Position - b.Position }) // a worker may report them in any order
	return f, nil
}

// receive stores an artifact at its key, unless it is there.
func (e *Engine) receive(ctx context.Context, f *files, m apitype.ReportedArtifact, a *atelier.Artifact, upload string, isStored bool) error {
	switch {
	case m.Data != nil:
		f.fresh = append(f.fresh, a.Key)
		a.Bytes = int64(len(m.Data))
		o := blob.PutOptions{ContentType: a.ContentType, NoDigest: true, Unread: true} // without a digest, as uploads with a form
		o.Unsynced = e.fresh.admits(len(m.Data))
		stored, err := e.blobs.Put(ctx, a.Key, bytes.NewReader(m.Data), o)
		if err != nil {
			return err
		}
		if stored.Unsynced {
			f.unsynced = append(f.unsynced, store.FreshObject{Key: a.Key, ContentType: a.ContentType, Content: m.Data, CreatedAt: e.opts.Now()})
		}
	case !isStored:
		f.fresh, f.uploads = append(f.fresh, a.Key), append(f.uploads, upload)
		if err := e.blobs.Copy(ctx, upload, a.Key); errors.Is(err, blob.ErrNotFound) {
			return atelier.Refuse("artifacts", "names %q, which was not uploaded.", m.ID)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// cleanUp removes the files that a completion no longer needs. When its outcome is
// unknown, all of them stay; the sweeper removes those that no row names.
func (f files) cleanUp(ctx context.Context, outcome completion, err error) {
	switch {
	case err == nil && outcome == settled:
		f.remove(ctx, f.uploads)
	case err == nil || atelier.HasCode(err, atelier.CodeJobLost):
		f.discard(ctx)
	}
}

// discard removes the files that only this completion knows.
func (f files) discard(ctx context.Context) { f.remove(ctx, f.fresh) }

func (f files) remove(ctx context.Context, keys []string) {
	for _, key := range keys {
		_ = f.blobs.Delete(ctx, key) // the sweeper removes it otherwise
	}
}

// markPreview sets in the metadata whether a fallback worker has rendered an
// artifact. It replaces what the worker sent.
func markPreview(given map[string]any, preview bool) map[string]any {
	if _, claimed := given["preview"]; !claimed && !preview {
		return given
	}
	out := maps.Clone(given)
	delete(out, "preview")
	if preview {
		if out == nil {
			out = map[string]any{}
		}
		out["preview"] = true
	}
	return out
}

// maxContent is the largest JSON artifact whose content is copied into its metadata.
const maxContent = 64 << 10

// include copies the content of a JSON artifact into its metadata, where later steps
// read it.
func (e *Engine) include(ctx context.Context, a *atelier.Artifact) error {
	file, _, err := e.blobs.Open(ctx, a.Key)
	if err != nil {
		return err
	}
	defer file.Close()
	var content any
	if err := wire.Decode(wire.NewDecoder(io.LimitReader(file, maxContent)), &content); err != nil {
		return atelier.Refuse("artifacts", "names %q, which is not JSON.", a.ID)
	}
	meta := map[string]any{"content": content}
	for k, v := range a.Metadata {
		if k != "content" {
			meta[k] = v
		}
	}
	a.Metadata = meta
	return nil
}

// LastFrame ends the id of the artifact that is the last frame of another.
const LastFrame = "-lastFrame"

// actualCost is what a completed job costs: the price is reduced by the share of
// results that are missing.
func actualCost(j store.StoredJob, artifacts []atelier.Artifact) atelier.Cost {
	cost, ordered := j.Charge.Cost, orderedPieces(j.Spec)
	delivered := countPieces(artifacts, func(a atelier.Artifact) string { return a.ID })
	if delivered < ordered {
		cost.Spark = cost.Spark * atelier.Money(delivered) / atelier.Money(ordered)
		cost.USD = cost.USD * atelier.Money(delivered) / atelier.Money(ordered)
	}
	return cost
}

// orderedPieces is how many paid pieces a job should make.
func orderedPieces(s atelier.JobSpec) int {
	return countPieces(s.Artifacts, func(a atelier.JobArtifact) string { return a.ID })
}

// countPieces counts the paid pieces: a last frame belongs to its clip.
func countPieces[T any](list []T, id func(T) string) (n int) {
	for _, item := range list {
		if !strings.HasSuffix(id(item), LastFrame) {
			n++
		}
	}
	return n
}

func slotOf(s atelier.JobSpec, id string) (int, *atelier.JobArtifact) {
	for i := range s.Artifacts {
		if s.Artifacts[i].ID == id {
			return i, &s.Artifacts[i]
		}
	}
	return 0, nil
}

// settle records the artifacts of a completed job, charges its price and calls its
// owner's hook.
func (e *Engine) settle(tx *store.Tx, w atelier.Worker, j store.StoredJob, artifacts []atelier.Artifact, m apitype.RenderMetrics, now time.Time) error {
	if err := tx.LockAccount(j.Wallet); err != nil { // lock order: account, then purse and owner
		return err
	}
	for _, a := range artifacts {
		if err := tx.InsertArtifact(a); err != nil {
			return err
		}
	}
	w, err := countNFT(tx, w, now)
	if err != nil {
		return err
	}
	actual := actualCost(j, artifacts)
	if err := e.billing.Settle(tx, j.Wallet, billing.Cause(j.ID, j.Attempt), j.Charge, actual, render(w, j, m, now)); err != nil {
		return err
	}
	e.countTime(tx, j, now)
	if e.completed != nil {
		if err := e.completed(tx, w, j); err != nil {
			return err
		}
	}
	tx.OnCommit(func() {
		e.renderTimes.note(j.Spec.ModelID, now.Sub(j.StartedAt))
		e.observe(j, m)
	})
	j.State, j.Progress, j.EndedAt = atelier.JobCompleted, 1, now
	j.Charged, j.ChargedByPlan = actual, j.Charge.ByPlan
	return e.reportEnded(tx, j, artifacts)
}

// observe reports what a worker says that a completed render took.
func (e *Engine) observe(j store.StoredJob, m apitype.RenderMetrics) {
	if j.Network == atelier.NetworkNode {
		return
	}
	const most = 24 * 60 * 60 // whatever a worker says, a sum stays a number
	e.renders.Observe(min(m.RenderSeconds, most), string(j.Network), j.Spec.ModelID)
	if m.ModelSwitchSeconds > 0 {
		e.switchTimes.Observe(min(m.ModelSwitchSeconds, most), j.Spec.ModelID)
	}
}

// countTime adds the time that a worker held a job to the turns of its account, without
// what was counted before.
func (e *Engine) countTime(tx *store.Tx, j store.StoredJob, now time.Time) {
	held := max(0, now.Sub(j.StartedAt))
	tx.CountJob(j.Wallet, j.Network, max(0, held-j.Counted), held)
}

// Fail ends a job that a worker gives up. A dropped job is retried once, a failed
// one is not. One whose outcome is unknown is requeued as unresolved. One that comes back
// because the renderer is away is requeued, and its worker is unavailable.
func (e *Engine) Fail(ctx context.Context, w atelier.Wallet, workerID atelier.WorkerID, jobID atelier.JobID, fault atelier.JobError) error {
	worker, err := e.admit(ctx, w, workerID)
	if err != nil {
		return err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		j, err := e.lockOwnJob(tx, workerID, jobID)
		switch {
		case err != nil:
			return err
		case fault.Code == atelier.FailUnknown && !e.mayKeepRef(worker, j.Spec.ModelID):
			return atelier.Refuse("code", "may be unknown only from the service's own workers, for vendor models. Send error or dropped.")
		case fault.Code == atelier.FailUnknown:
			return e.requeueUnresolved(tx, j, fault.Message)
		case fault.Code == atelier.FailUnavailable && (!j.Cancel || j.ExternalRef != ""):
			return e.takeBack(tx, worker, j, fault.Message)
		case j.Cancel:
			return e.end(tx, j, atelier.JobCancelled, atelier.JobError{Code: "cancelled", Message: "It was cancelled."})
		case fault.Code == atelier.FailDropped:
			return e.dropIn(tx, j, atelier.FailDropped, because("The worker dropped the job", fault.Message))
		case fault.Code == atelier.FailLoraMismatch:
			if err := e.rejectLora(tx, j, fault.Message); err != nil {
				return err
			}
		}
		return e.end(tx, j, atelier.JobFailed, fault)
	})
	if err != nil {
		e.presence.countIdle(workerID, 1)
	}
	return err
}
