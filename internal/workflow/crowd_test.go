package workflow_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Workers, users and starts all at once, on the same workflows: everything
// ends, once, and is paid for once.
func TestEverybodyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o, full, withOptions(func(o *workflow.Options) { o.ActiveLimit = 1000 }))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var workers, users sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				for ctx.Err() == nil {
					j, err := f.Fleet.ClaimJob(ctx, wil, f.worker.ID, 10*time.Second)
					if err == nil && j != nil {
						if _, err = f.Fleet.Progress(t.Context(), wil, f.worker.ID, j.ID, apitype.JobProgress{Progress: 0.5, Message: ""}); err == nil {
							err = f.complete(j)
						}
					}
					if err != nil && ctx.Err() == nil {
						t.Errorf("a worker: %v", err)
					}
				}
			})
		}
		owners := []atelier.Account{f.owner(), f.AddAccount(atelier.Account{Wallet: "0xsub"}, rich)}
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error {
			return tx.PutSubscription("0xsub", atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
		})
		if err != nil {
			t.Fatal(err)
		}
		film := step("e", "generate_video", args{"prompt": "x", "videoModel": "minimax-h3-r2v-turbo"}, from("c", 0, "image_index", "referenceImageIndices"))
		ids := make([]string, 12)
		for i := range ids {
			users.Go(func() {
				owner := owners[i%2]
				s, err := f.e.Start(t.Context(), owner, plan(fox, image("b", "a hen"), upscale("c", "a", true), upscale("d", "b", true), film))
				if err != nil {
					t.Errorf("start: %v", err)
					return
				}
				ids[i] = s.Workflow.WorkflowID
				if i%3 == 0 { // in the middle of it
					f.await(owner.Wallet, ids[i], atelier.EventArtifactCreated)
					if c, err := f.e.Cancel(t.Context(), owner.Wallet, atelier.WorkflowID(ids[i]), ""); err != nil || c.Transitioned != (c.Workflow.Status == atelier.StatusCancelled) {
						t.Errorf("cancel: %v, %s, %v", c.Transitioned, c.Workflow.Status, err)
					}
				}
				if i%3 == 1 {
					if _, err := f.e.Resume(t.Context(), owner.Wallet, atelier.WorkflowID(ids[i]), workflow.ResumeRequest{}); err != nil && !atelier.HasCode(err, atelier.CodeWrongState) {
						t.Errorf("resume: %v", err)
					}
				}
				f.await(owner.Wallet, ids[i], "")
			})
		}
		users.Wait()
		stop()
		workers.Wait()
		cost, seen := map[atelier.Wallet]atelier.Money{}, newMoves()
		for i, id := range ids {
			w, err := f.e.Workflow(t.Context(), owners[i%2].Wallet, atelier.WorkflowID(id))
			if err != nil || w.Status != atelier.StatusCompleted && (i%3 != 0 || w.Status != atelier.StatusCancelled) {
				t.Errorf("%d is %s, %v", i, statuses(w), err)
			}
			if i%2 == 0 {
				cost[ann] += paid(w)
			}
			seen.replay(t, f, w)
		}
		for _, owner := range owners { // the plan has paid for the other
			if b, err := f.Billing.Balance(t.Context(), owner.Wallet); err != nil || b.Spark.Debit != cost[owner.Wallet] {
				t.Errorf("%s was paid or is held, %v, and the steps of %s cost %s", b.Spark.Debit, err, owner.Wallet, cost[owner.Wallet])
			}
		}
		f.Audit()
	})
}

// await follows a workflow until an event of a type comes, or it is over.
func (f *fixture) await(owner atelier.Wallet, id string, enough atelier.EventType) {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	news, err := f.e.Follow(ctx, owner, atelier.WorkflowID(id), -1, time.Minute)
	if err != nil {
		f.T.Errorf("follow: %v", err)
		return
	}
	for n, err := range news {
		if err != nil {
			f.T.Errorf("follow: %v", err)
		}
		if n.Event != nil && n.Event.Type == enough || n.Standing != nil && n.Standing.Status.Terminal() {
			return
		}
	}
	f.T.Errorf("%s of %s does not go on", id, owner)
}
