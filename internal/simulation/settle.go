package simulation

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// mostRounds is how many thirds of a lease all may take to end that was accepted.
const mostRounds = 120

// settle lets time continue without faults, with workers for everything and users who answer, until all is over.
func (w *world) settle() {
	w.calm = true
	for _, s := range w.board.seats {
		s.fault.armed = false
	}
	for _, n := range w.nodes {
		if !n.up {
			n.start()
		}
	}
	if w.chats != nil && !w.chats.up {
		w.chats.begin()
	}
	w.note("settle", "")
	n := w.nodes[0]
	for _, a := range w.clients {
		if err := n.billing.Credit(context.Background(), a.Wallet, billing.Credits{Spark: 1000 * atelier.MoneyUnit, PremiumSpark: 1000 * atelier.MoneyUnit, Svc: 1000 * atelier.MoneyUnit}); err != nil {
			w.t.Fatalf("credit: %v", err)
		}
	}
	w.askAgain()
	for round := 0; ; round++ {
		w.work()
		w.answerAll(round)
		chats := w.answerChats(round)
		w.check()
		open, jobs := w.unfinished()
		if len(open) == 0 && jobs == 0 && chats == 0 {
			break
		}
		if round == mostRounds {
			for _, u := range open {
				w.report("%s of %s does not end: it is %s %s", u.ID, u.Wallet, u.Status, u.Waiting)
			}
			w.wrong("%d jobs and %d chats are not over", jobs, chats)
		}
		w.pass(1, 100)
	}
	w.deliverAll()
	w.dropReservations()
	w.judge()
	w.retire()
}

// unfinished are the workflows that are not over, and how many jobs are not.
func (w *world) unfinished() (open []storetest.Unfinished, jobs int) {
	w.look(func(tx *store.Tx) (err error) {
		if open, err = storetest.UnfinishedWorkflows(tx); err == nil {
			jobs, _, _, err = storetest.UnfinishedWork(tx)
		}
		return err
	})
	return open, jobs
}

// work has workers of both networks do what there is to do.
func (w *world) work() {
	for _, network := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
		var able *worker
		for _, k := range w.present() {
			if k.spec.Network == network && k.spec.Capacity == 8 {
				able = k
			}
		}
		if able == nil {
			able = w.connect(pick(w.r, w.nodes...), apitype.WorkerSpec{Network: network, Models: enginetest.AllModels(), Capacity: 8})
		}
		for able != nil && !able.gone && w.claim(able) {
		}
	}
	for _, k := range w.busy() {
		for len(k.jobs) > 0 && !k.gone {
			before := len(k.jobs)
			if w.complete(k, k.jobs[0]); len(k.jobs) == before {
				break
			}
		}
	}
	w.tick()
}

// answerAll answers what workflows ask their users. What asks too often is cancelled.
func (w *world) answerAll(round int) {
	open, _ := w.unfinished()
	n := pick(w.r, w.nodes...)
	for _, u := range open {
		if u.Status != atelier.StatusWaitingForUser {
			continue
		}
		ctx := context.Background()
		if round > mostRounds/2 || u.Waiting == atelier.WaitSafetyReview && w.r.IntN(3) == 0 {
			_, err := n.workflows.Cancel(ctx, u.Wallet, u.ID, "enough")
			w.note("cancel", "%s: %v", u.ID, err)
			continue
		}
		if u.Waiting == atelier.WaitCostApproval {
			found, err := n.workflows.Workflow(ctx, u.Wallet, u.ID)
			if err == nil {
				isFresh := found.BillingPreview != nil && w.now().Before(found.BillingPreview.ValidityUntil)
				_, err = n.workflows.Confirm(ctx, u.Wallet, u.ID, workflow.Decision{Confirm: isFresh, Preview: found.BillingPreview})
			}
			w.note("confirm", "%s: %v", u.ID, err)
			continue
		}
		_, err := n.workflows.Resume(ctx, u.Wallet, u.ID, workflow.ResumeRequest{})
		w.note("resume", "%s: %v", u.ID, err)
	}
}

// deliverAll lets the time pass in which events are sent that no receiver has got, and files are imported.
func (w *world) deliverAll() {
	const within = 26 * time.Hour // deliveries are tried for a day
	for began := time.Now(); ; {
		var events, imports int
		w.look(func(tx *store.Tx) (err error) {
			_, events, imports, err = storetest.UnfinishedWork(tx)
			return err
		})
		if events+imports == 0 {
			return
		}
		if time.Since(began) > within {
			w.wrong("%d events are not delivered, and %d files not imported", events, imports)
		}
		time.Sleep(5 * time.Minute)
		w.tick()
	}
}
