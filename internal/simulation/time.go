package simulation

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
)

// wait lets time pass: mostly as workers and nodes use it, sometimes so much that no worker was heard meanwhile.
func (w *world) wait() {
	switch w.r.IntN(12) {
	case 0, 1:
		time.Sleep(time.Duration(1+w.r.IntN(20_000)) * time.Millisecond)
		w.tick()
	case 2:
		w.pass(2+w.r.IntN(6), 30)
	case 3:
		w.note("silence", "")
		time.Sleep(time.Duration(1+w.r.IntN(16*60)) * time.Minute)
		w.tick()
	default:
		w.pass(1+w.r.IntN(3), 95)
	}
}

// pass lets thirds of a lease pass, in which a percentage of the workers reports what they have.
func (w *world) pass(thirds, diligent int) {
	for range thirds {
		time.Sleep(w.rules.lease / 3)
		for _, k := range w.present() {
			if w.r.IntN(100) >= diligent {
				continue
			}
			for _, h := range slices.Clone(k.jobs) {
				if !k.gone {
					w.progress(k, h)
				}
			}
			if len(k.jobs) == 0 && !k.gone {
				w.beat(k, apitype.Heartbeat{})
			}
		}
		w.tick()
	}
}

// tick has every node do what is due, in any order.
func (w *world) tick() {
	w.note("tick", "")
	list := w.running()
	w.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, n := range list {
		if n.runTasks(); w.calm || w.r.IntN(2) == 0 {
			for range 3 {
				if !w.nodeTask(n) {
					break
				}
			}
		}
	}
	if w.calm || w.r.IntN(2) == 0 {
		w.workOnChats()
	}
}

func (w *world) doNodeTask() {
	if n := w.anyNode(); n != nil {
		_, err := n.webhooks.Queue(context.Background())
		if err != nil {
			w.note("queue", "%s: %v", n.name, err)
		}
		w.nodeTask(n)
	}
}

// nodeTask has a node do one of the jobs of nodes. It reports false when none is queued.
func (w *world) nodeTask(n *node) bool {
	ctx := context.Background()
	tasks := n.tasks()
	if n.inside == "" {
		session, err := n.fleet.Connect(ctx, service, apitype.WorkerSpec{Name: n.name, Network: atelier.NetworkNode, Models: taskNames, Capacity: 4})
		if err != nil {
			w.note("inside", "%s: %v", n.name, err)
			return false
		}
		n.inside = session.ID
	}
	j, err := n.fleet.ClaimJob(ctx, service, n.inside, 0)
	if err != nil {
		w.note("inside", "%s: %v", n.name, err)
		if atelier.HasCode(err, atelier.CodeNotFound) {
			n.inside = ""
		}
		return false
	}
	if j == nil {
		return false
	}
	w.note("task", "%s job %s of %s", n.name, j.ID, j.Spec.Tool)
	made, err := tasks[j.Spec.ModelID](ctx, *j, nil)
	failed, _ := err.(*fleet.TaskError)
	switch {
	case n.seat.fault.dead:
		return false
	case err == nil:
		_, err = n.fleet.Complete(ctx, service, n.inside, j.ID, apitype.Completion{Artifacts: made})
	case failed != nil:
		err = n.fleet.Fail(ctx, service, n.inside, j.ID, atelier.JobError{Code: atelier.FailError, Message: failed.Message, Retryable: failed.Retryable})
	default:
		err = n.fleet.Fail(ctx, service, n.inside, j.ID, atelier.JobError{Code: atelier.FailDropped, Message: "The service was interrupted.", Retryable: true})
	}
	w.count("node tasks")
	w.note("task", "%s job %s: %v", n.name, j.ID, err)
	return true
}

// taskNames are the tasks that nodes do.
var taskNames = []string{"deliver_webhook", "import_lora"}

// tasks are the tasks that a node does.
func (n *node) tasks() map[string]fleet.NodeTask {
	all := n.webhooks.NodeTasks()
	maps.Copy(all, n.loras.NodeTasks())
	return all
}
