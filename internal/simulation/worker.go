package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
)

// worker is a program that renders, in one session.
type worker struct {
	name   string
	wallet atelier.Wallet
	spec   apitype.WorkerSpec
	id     atelier.WorkerID
	node   *node // to which it speaks
	jobs   []*holding
	past   []*holding // that it has answered or lost
	gone   bool       // it was told that its session is over, or has left
}

// holding is a job that a worker was told to have.
type holding struct {
	worker *worker
	job    *apitype.Assignment
	until  time.Time // of the lease, as the worker was told
	unsure bool      // it has answered, and does not know whether the answer came
	over   bool      // it has answered, or has lost the job
}

// reach is the node to which a worker speaks: another one when its own is down.
func (k *worker) reach(w *world) *node {
	if !k.node.up {
		if n := w.anyNode(); n != nil {
			k.node = n
		}
	}
	if !k.node.up {
		return nil
	}
	return k.node
}

// present are the workers that have a session, as they know.
func (w *world) present() (list []*worker) {
	for _, k := range w.workers {
		if !k.gone && k.reach(w) != nil {
			list = append(list, k)
		}
	}
	return list
}

// busy are those that have a job.
func (w *world) busy() (list []*worker) {
	for _, k := range w.present() {
		if len(k.jobs) > 0 {
			list = append(list, k)
		}
	}
	return list
}

func (w *world) connectWorker() {
	n := w.anyNode()
	if n == nil || len(w.present()) >= 4 {
		return
	}
	models := slices.Clone(enginetest.AllModels())
	if w.r.IntN(3) == 0 {
		w.r.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
		models = models[:len(models)/2]
	}
	w.connect(n, apitype.WorkerSpec{
		Network: pick(w.r, atelier.NetworkFast, atelier.NetworkFast, atelier.NetworkRelaxed), Models: models, Capacity: 1 + w.r.IntN(3), Fallback: w.r.IntN(5) == 0,
	})
}

// connect opens a session.
func (w *world) connect(n *node, spec apitype.WorkerSpec) *worker {
	k := &worker{name: fmt.Sprint("worker", len(w.workers)), wallet: pick(w.r, atelier.Wallet("0xwil"), "0xwes"), spec: spec, node: n}
	k.spec.Name = k.name
	session, err := n.fleet.Connect(context.Background(), k.wallet, k.spec)
	w.note("connect", "%s to %s, %s, %d jobs, fallback %v: %s, %v", k.name, n.name, spec.Network, spec.Capacity, spec.Fallback, session.ID, err)
	if err != nil || w.lost() {
		return nil
	}
	k.id = session.ID
	w.workers = append(w.workers, k)
	return k
}

// lost reports whether the network loses an answer.
func (w *world) lost() bool {
	if w.calm || w.r.IntN(100) >= w.rules.faults/2 {
		return false
	}
	w.count("an answer was lost")
	w.note("lost", "")
	return true
}

// told notes what a worker learns about its session from an error.
func (w *world) told(k *worker, err error) {
	if atelier.HasCode(err, atelier.CodeNotFound) {
		w.count("a session was over")
		k.gone = true
		k.past, k.jobs = append(k.past, k.jobs...), nil
	}
}

func (w *world) claimJob() {
	if list := w.present(); len(list) > 0 {
		w.claim(pick(w.r, list...))
	}
}

// claim takes a job, and reports whether there was one.
func (w *world) claim(k *worker) bool {
	n := k.reach(w)
	if n == nil {
		return false
	}
	job, err := n.fleet.Claim(context.Background(), k.wallet, k.id, 0)
	if err != nil {
		w.note("claim", "%s at %s: %v", k.name, n.name, err)
		w.told(k, err)
		return false
	}
	return w.got(k, job)
}

// got hands a worker the job that it was told to have.
func (w *world) got(k *worker, job *apitype.Assignment) bool {
	if job == nil || w.lost() {
		return false
	}
	w.count("claimed")
	w.note("got", "%s job %s of %s, %s, attempt %d until %s", k.name, job.JobID, job.ToolName, job.ModelID, job.Attempt, job.LeaseUntil.Format(time.TimeOnly))
	before := w.holders[job.JobID]
	h := &holding{worker: k, job: job, until: job.LeaseUntil}
	w.holders[job.JobID] = h
	if before != nil && !before.unsure && before.worker != k && slices.Contains(before.worker.jobs, before) && before.until.After(w.now()) && w.isConnected(before.worker) {
		w.wrong("%s has job %s, whose lease %s has until %s", k.name, job.JobID, before.worker.name, before.until)
	}
	for _, o := range slices.Clone(k.jobs) {
		if o.job.JobID == job.JobID { // it has it again
			k.drop(o)
		}
	}
	k.jobs = append(k.jobs, h)
	return true
}

// lose has a worker drop a job that it is told to have lost. Until its lease ends that can only be because its
// session has ended, or because it has answered before.
func (w *world) lose(k *worker, h *holding) {
	if w.holders[h.job.JobID] == h && !h.unsure && !h.over && h.until.After(w.now()) && w.isConnected(k) {
		w.wrong("%s has lost job %s, whose lease it has until %s", k.name, h.job.JobID, h.until.Format(time.TimeOnly))
	}
	k.drop(h)
}

// drop has a worker forget a job.
func (k *worker) drop(h *holding) {
	h.over = true
	k.jobs = slices.DeleteFunc(k.jobs, func(o *holding) bool { return o == h })
	k.past = append(k.past, h)
}

func (w *world) reportProgress() {
	if list := w.busy(); len(list) > 0 {
		k := pick(w.r, list...)
		w.progress(k, pick(w.r, k.jobs...))
	}
}

// progress renews a lease. A worker that is told to stop does.
func (w *world) progress(k *worker, h *holding) {
	n := k.reach(w)
	if n == nil {
		return
	}
	s, err := n.fleet.Progress(context.Background(), k.wallet, k.id, h.job.JobID, apitype.JobProgress{Progress: float64(w.r.IntN(10)) / 10, Message: "at work"})
	w.note("progress", "%s job %s: cancel %v, %v", k.name, h.job.JobID, s.Cancel, err)
	switch {
	case atelier.HasCode(err, atelier.CodeJobLost):
		w.lose(k, h)
	case err != nil:
		w.told(k, err)
	case w.lost():
	case s.Cancel && w.r.IntN(2) == 0:
		w.fail(k, h, atelier.FailError)
	default:
		w.stillHas(k, h, "renewed")
		h.until = s.LeaseUntil
	}
}

// stillHas holds an answer that only the worker with the job may get against who was told last to have it.
func (w *world) stillHas(k *worker, h *holding, what string) {
	if last := w.holders[h.job.JobID]; last.worker != k {
		w.wrong("%s has %s job %s, of which it had lost the lease to %s", k.name, what, h.job.JobID, last.worker.name)
	}
}

func (w *world) completeJob() {
	if list := w.busy(); len(list) > 0 {
		k := pick(w.r, list...)
		w.complete(k, pick(w.r, k.jobs...))
	}
}

// complete delivers a job, sometimes without all of its artifacts.
func (w *world) complete(k *worker, h *holding) {
	n := k.reach(w)
	if n == nil {
		return
	}
	made := h.job.Artifacts
	if !w.calm && len(made) > 1 && w.r.IntN(4) == 0 {
		made = made[:1+w.r.IntN(len(made)-1)]
	}
	c := apitype.Completion{ClaimNext: w.r.IntN(4) == 0}
	for _, a := range made {
		c.Artifacts = append(c.Artifacts, apitype.ReportedArtifact{ID: a.ID, Width: 64, Height: 48, Data: []byte(enginetest.Findings)})
	}
	next, err := n.fleet.Complete(context.Background(), k.wallet, k.id, h.job.JobID, c)
	w.note("complete", "%s job %s with %d of %d at %s: %v", k.name, h.job.JobID, len(made), len(h.job.Artifacts), n.name, err)
	switch {
	case err == nil:
		w.stillHas(k, h, "completed")
		if _, twice := w.promised[h.job.JobID]; twice {
			w.wrong("%s has completed job %s, which was completed before", k.name, h.job.JobID)
		}
		w.count("completed")
		if w.lost() {
			h.unsure = true
			return
		}
		w.promise(h.job.JobID, atelier.JobCompleted, atelier.JobCancelled)
		k.drop(h)
		w.got(k, next)
	case atelier.HasCode(err, atelier.CodeJobLost):
		w.lose(k, h)
	default:
		h.unsure = h.unsure || atelier.IsOutage(err)
		w.told(k, err)
	}
}

func (w *world) failJob() {
	if list := w.busy(); len(list) > 0 {
		k := pick(w.r, list...)
		w.fail(k, pick(w.r, k.jobs...), pick(w.r, atelier.FailError, atelier.FailOutOfMemory, atelier.FailDropped, atelier.FailDropped, atelier.FailContentFiltered, atelier.FailUnavailable))
	}
}

// fail gives a job up.
func (w *world) fail(k *worker, h *holding, code string) {
	n := k.reach(w)
	if n == nil {
		return
	}
	err := n.fleet.Fail(context.Background(), k.wallet, k.id, h.job.JobID, atelier.JobError{Code: code, Message: "it went wrong"})
	w.note("fail", "%s job %s with %s: %v", k.name, h.job.JobID, code, err)
	switch {
	case err == nil:
		w.stillHas(k, h, "failed")
		w.count("failed")
		if w.lost() {
			h.unsure = true
			return
		}
		k.drop(h)
	case atelier.HasCode(err, atelier.CodeJobLost):
		w.lose(k, h)
	default:
		h.unsure = h.unsure || atelier.IsOutage(err)
		w.told(k, err)
	}
}

// answerLate has a worker answer for a job that it has answered for or lost before. Nothing may come of it, unless it
// has the job again.
func (w *world) answerLate() {
	var late []*holding
	for _, k := range w.workers {
		if k.reach(w) != nil {
			late = append(late, k.past...)
		}
	}
	if len(late) == 0 {
		return
	}
	h := pick(w.r, late...)
	k := h.worker
	if w.holders[h.job.JobID] == h {
		w.complete(k, h) // the answer before may have been lost, and no other worker has the job
		return
	}
	if last := w.holders[h.job.JobID]; last.worker == k {
		return
	}
	w.complete(k, h)
}

func (w *world) sendHeartbeat() {
	list := w.present()
	if len(list) == 0 {
		return
	}
	k := pick(w.r, list...)
	report := apitype.Heartbeat{}
	if w.r.IntN(4) == 0 {
		report.Unavailable = "The renderer starts."
	}
	w.beat(k, report)
}

func (w *world) beat(k *worker, report apitype.Heartbeat) {
	if n := k.reach(w); n != nil {
		err := n.fleet.Heartbeat(context.Background(), k.wallet, k.id, report)
		if err != nil || report.Unavailable != "" {
			w.note("heartbeat", "%s %q: %v", k.name, report.Unavailable, err)
		}
		w.told(k, err)
	}
}

// leave ends a session: the worker disconnects, or is gone without a word.
func (w *world) leave() {
	list := w.present()
	if len(list) == 0 {
		return
	}
	k := pick(w.r, list...)
	if w.r.IntN(2) == 0 {
		err := k.node.fleet.Disconnect(context.Background(), k.wallet, k.id)
		w.note("disconnect", "%s: %v", k.name, err)
	} else {
		w.note("vanish", "%s", k.name)
	}
	k.gone = true
	for len(k.jobs) > 0 {
		k.drop(k.jobs[0])
	}
}
