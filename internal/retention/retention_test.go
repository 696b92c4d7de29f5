package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// kept is something of a kind that was made just now, and whether it is still there.
type kept struct {
	kind    string
	ages    retention.Ages
	make    func(f *fixture) (isThere func() bool)
	removed int64
}

// isRow reports whether a row is there.
func (f *fixture) isRow(table, column, value string) func() bool {
	return func() bool {
		f.T.Helper()
		return storetest.HasRow(f.T, f.DB, table, column, value)
	}
}

func all() []kept {
	ended := func(prefix string, s atelier.Status) func(f *fixture) func() bool {
		return func(f *fixture) func() bool {
			id := f.begin(prefix)
			f.end(id, s)
			return func() bool { return f.isThere(id) }
		}
	}
	list := []kept{
		{retention.Logs, retention.Ages{Logs: 30 * day}, func(f *fixture) func() bool {
			flow, run := f.begin(store.WorkflowPrefix), f.begin(store.RunPrefix)
			f.end(flow, atelier.StatusCompleted)
			f.end(run, atelier.StatusFailed)
			return func() bool {
				f.T.Helper()
				if !f.isThere(flow) || !f.isThere(run) {
					f.T.Error("a workflow or run went with its log")
				}
				flows, runs := f.events(flow), f.events(run)
				if flows != runs || flows != 4 && flows != 1 {
					f.T.Errorf("the logs have %d and %d events, want 4, or the last", flows, runs)
				}
				return flows > 1
			}
		}, 6},
		{retention.Uploads, retention.Ages{Uploads: 30 * day}, func(f *fixture) func() bool {
			key := f.upload(f.Now())
			return func() bool {
				f.T.Helper()
				named := f.isNamed(key)
				if at := f.objects(key); named != (len(at) == 1) {
					f.T.Errorf("named: %t, objects: %q", named, at)
				}
				return named
			}
		}, 1},
		{retention.Deliveries, retention.Ages{Deliveries: 30 * day}, func(f *fixture) func() bool {
			d := f.deliver("wf", atelier.DeliveryDone)
			return f.isRow("webhook_delivery", "id", d.ID)
		}, 1},
		{retention.Replays, retention.Ages{Replays: 30 * day}, func(f *fixture) func() bool {
			f.Write(func(tx *store.Tx) error {
				_, err := tx.PutReplay(store.StoredReplay{Owner: ann, RunID: "r", Summary: []byte("{}"), Record: []byte("{}"), UpdatedAt: f.Now()})
				return err
			})
			return f.isRow("replay", "run_id", "r")
		}, 1},
		{retention.Actions, retention.Ages{Actions: 30 * day}, func(f *fixture) func() bool {
			id := mint.OrderedUUIDAt(f.Now())
			f.Write(func(tx *store.Tx) error {
				return tx.InsertAction(store.Action{ID: id, At: f.Now(), By: "0xop", Action: "credit", Wallet: ann, Detail: "5 Spark"})
			})
			return f.isRow("operator_action", "id", id)
		}, 1},
	}
	for _, s := range []atelier.Status{atelier.StatusCompleted, atelier.StatusPartialFailure, atelier.StatusFailed, atelier.StatusCancelled} {
		list = append(list, kept{retention.Workflows, retention.Ages{Workflows: 30 * day}, ended(store.WorkflowPrefix, s), 1})
		list = append(list, kept{retention.ChatRuns, retention.Ages{ChatRuns: 30 * day}, ended(store.RunPrefix, s), 1})
	}
	return list
}

// deliver stores a delivery to the webhook of ann, which it adds first.
func (f *fixture) deliver(subject string, s atelier.DeliveryStatus) atelier.Delivery {
	f.T.Helper()
	hook := atelier.Webhook{ID: "wh_1", Wallet: ann, URL: "https://example.com/", Events: []atelier.WebhookEvent{atelier.HookAll}, Status: "enabled", CreatedAt: f.Now(), UpdatedAt: f.Now()}
	d := atelier.Delivery{ID: store.NewDeliveryID(), WebhookID: hook.ID, Wallet: ann, Subject: subject, Type: atelier.HookWorkflowCompleted, Body: []byte("{}"), CreatedAt: f.Now()}
	there := f.isRow("webhook", "id", hook.ID)()
	f.Write(func(tx *store.Tx) error {
		if !there {
			if err := tx.InsertWebhook(store.StoredWebhook{Webhook: hook}); err != nil {
				return err
			}
		}
		return tx.InsertDelivery(d)
	})
	f.moveDelivery(&d, s)
	return d
}

// moveDelivery gives a delivery that waits a status.
func (f *fixture) moveDelivery(d *atelier.Delivery, s atelier.DeliveryStatus) {
	f.T.Helper()
	if s == atelier.DeliveryWaiting {
		return
	}
	var ended int64
	if s != atelier.DeliverySending {
		ended = f.Now().UnixMilli()
	}
	storetest.MoveDelivery(f.T, f.DB, d.ID, s, ended)
}

// Each kind stays until its time is over, and goes with the next sweep. What has no age stays.
func TestEachKind(t *testing.T) {
	t.Parallel()
	for i, k := range all() {
		t.Run(fmt.Sprint(k.kind, " ", i), func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				f := newFixture(t, o)
				isThere := k.make(f)
				e := f.engine(k.ages)
				f.Advance(30 * day)
				f.sweep(e, map[string]int64{})
				if !isThere() {
					t.Fatal("it is gone when its time is just over")
				}
				f.Advance(time.Second)
				f.sweep(f.engine(retention.Ages{}), map[string]int64{})
				if !isThere() {
					t.Fatal("it is gone although it is kept for ever")
				}
				f.sweep(e, map[string]int64{k.kind: k.removed})
				if isThere() {
					t.Error("it is still there")
				}
				f.sweep(e, map[string]int64{})
				f.Audit()
			})
		})
	}
}

// What has not ended, and what something else needs, stays for as long as that is so, however old it is.
func TestWhatIsNeededStays(t *testing.T) {
	t.Parallel()
	flow := func(f *fixture, s atelier.Status) string {
		id := f.begin(store.WorkflowPrefix)
		f.end(id, s)
		return id
	}
	for name, need := range map[string]func(f *fixture) (isThere func() bool, release func()){
		"a workflow that runs": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.WorkflowPrefix)
			return func() bool { return f.isThere(id) && f.events(id) == 3 }, func() { f.end(id, atelier.StatusFailed) }
		},
		"a workflow that waits for its user": func(f *fixture) (func() bool, func()) {
			id := flow(f, atelier.StatusWaitingForUser)
			return func() bool { return f.isThere(id) && f.events(id) == 4 }, func() { f.end(id, atelier.StatusCancelled) }
		},
		"a chat run that waits for its user": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.RunPrefix)
			f.end(id, atelier.StatusWaitingForUser)
			return func() bool { return f.isThere(id) && f.events(id) == 4 }, func() { f.end(id, atelier.StatusCancelled) }
		},
		"a workflow whose result is a favourite": func(f *fixture) (func() bool, func()) {
			id := flow(f, atelier.StatusCompleted)
			item, mark := f.item(id), store.Mark{Name: store.MarkFavourite}
			f.Write(func(tx *store.Tx) error { return tx.AddMark(item.Ref(), mark) })
			return func() bool { return f.isThere(id) && f.isRow("library", "id", item.ID)() }, func() {
				f.Write(func(tx *store.Tx) error { return tx.RemoveMark(item.Ref(), mark) })
			}
		},
		"a workflow whose result another uses": func(f *fixture) (func() bool, func()) {
			id := flow(f, atelier.StatusCompleted)
			item := f.item(id)
			user := f.begin(store.WorkflowPrefix)
			f.Write(func(tx *store.Tx) error { return tx.UseArtifact("results/"+item.ID, atelier.WorkflowID(user)) })
			return func() bool { return f.isThere(id) }, func() { f.end(user, atelier.StatusCompleted) }
		},
		"a workflow whose result a chat run refers to": func(f *fixture) (func() bool, func()) {
			id := flow(f, atelier.StatusCompleted)
			item := f.item(id)
			user := f.begin(store.RunPrefix)
			f.Write(func(tx *store.Tx) error { return tx.InsertRunFile(atelier.RunID(user), "results/"+item.ID) })
			return func() bool { return f.isThere(id) }, func() { f.end(user, atelier.StatusCompleted) }
		},
		"a workflow of which a webhook is yet to be told": func(f *fixture) (func() bool, func()) {
			id := flow(f, atelier.StatusCompleted)
			d := f.deliver(id, atelier.DeliveryWaiting)
			return func() bool { return f.isThere(id) && f.isRow("webhook_delivery", "id", d.ID)() }, func() { f.moveDelivery(&d, atelier.DeliveryFailed) }
		},
		"a chat run of which a webhook is yet to be told": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.RunPrefix)
			f.end(id, atelier.StatusCompleted)
			d := f.deliver(id, atelier.DeliverySending)
			return func() bool { return f.isThere(id) }, func() { f.moveDelivery(&d, atelier.DeliveryDone) }
		},
		"a chat run that is yet to be paid": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.RunPrefix)
			f.end(id, atelier.StatusCancelled)
			cause := "llm/" + id + "/0"
			storetest.OpenHold(f.T, f.DB, ann, cause)
			return func() bool { return f.isThere(id) }, func() { storetest.CloseHold(f.T, f.DB, cause) }
		},
		"an upload that a chat run refers to": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.RunPrefix)
			key := f.upload(f.Now())
			f.Write(func(tx *store.Tx) error { return tx.InsertRunFile(atelier.RunID(id), key) })
			return func() bool { return f.isNamed(key) }, func() { f.end(id, atelier.StatusCompleted) }
		},
		"an upload of an account with a workflow from then": func(f *fixture) (func() bool, func()) {
			id := f.begin(store.WorkflowPrefix)
			key := f.upload(f.Now())
			return func() bool { return f.isNamed(key) }, func() { f.end(id, atelier.StatusCompleted) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				f := newFixture(t, o)
				isThere, release := need(f)
				e := f.engine(always)
				for range 3 {
					f.Advance(31 * day)
					if _, err := e.Sweep(t.Context()); err != nil || !isThere() {
						t.Fatalf("%v; is it there: %t", err, isThere())
					}
				}
				release()
				f.Advance(31 * day)
				for range 2 { // what kept it may go first
					f.Advance(day)
					if _, err := e.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if isThere() {
					t.Error("it is still there, although nothing needs it")
				}
			})
		})
	}
}

// item adds a picture to the library that a workflow has made, whose key is results/ and its id.
func (f *fixture) item(flow string) (i store.LibraryItem) {
	f.T.Helper()
	id := strings.ReplaceAll(mint.UUID(), "-", "")
	j := store.StoredJob{Job: atelier.Job{
		ID: atelier.JobID("job-" + id), ProjectID: atelier.ProjectID("project-" + id), Wallet: ann, Owner: atelier.JobOwner{Kind: "workflow", ID: flow, Part: "step/0"},
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "m"}, Network: atelier.NetworkFast, Attempt: 1, CreatedAt: f.Now(),
	}}
	a := atelier.Artifact{ID: id, JobID: j.ID, ProjectID: j.ProjectID, Kind: "image", ContentType: "image/png", Key: "results/" + id}
	f.Write(func(tx *store.Tx) error {
		if _, err := tx.InsertJob(j); err != nil {
			return err
		}
		if err := tx.InsertArtifact(a); err != nil {
			return err
		}
		i = store.NewLibraryItem(j.Job, a, "a", f.Now())
		return tx.InsertLibraryItem(i)
	})
	storetest.CompleteJob(f.T, f.DB, j.ID)
	return i
}

// The rows of a workflow go with it, its files go to the trash and after a week from the disk; what was paid stays.
func TestFilesFollowRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		flows := f.NewWorkflows()
		f.RunFleet(f.Fleet)
		w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
		id, key := f.painted(flows, w)
		if len(f.objects(key)) != 1 {
			t.Fatalf("the storage has %q", f.objects(""))
		}
		paid, books := f.Balance(ann), f.counts("ledger", "work_record", "usage_day")
		f.Advance(31 * day)
		f.sweep(f.engine(retention.Ages{Workflows: 30 * day}), map[string]int64{retention.Workflows: 1})
		if _, err := flows.Workflow(t.Context(), ann, atelier.WorkflowID(id)); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("it is read as %v", err)
		}
		if _, err := flows.Follow(t.Context(), ann, atelier.WorkflowID(id), -1, time.Minute); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("it is followed as %v", err)
		}
		if _, err := flows.Events(t.Context(), ann, atelier.WorkflowID(id), -1); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("its log is read as %v", err)
		}
		if got := f.counts("workflow", "workflow_summary", "workflow_label", "job", "artifact", "library", "event", "stored"); got != "0 0 0 0 0 0 0 0" {
			t.Errorf("left are %s rows", got)
		}
		if got := f.objects("results/"); len(got) > 0 {
			t.Errorf("left are %q", got)
		}
		if got := f.objects(media.Trash); len(got) != 1 || !strings.HasSuffix(got[0], key) {
			t.Errorf("the trash has %q", got)
		}
		if got := f.counts("ledger", "work_record", "usage_day"); got != books || f.Balance(ann) != paid {
			t.Errorf("the books have %s rows, want %s; the balance is %v, want %v", got, books, f.Balance(ann), paid)
		}
		f.Audit()
		f.Advance(9 * day)
		if _, err := f.media.Sweep(t.Context(), false); err != nil || len(f.objects("")) > 0 {
			t.Errorf("left are %q, %v", f.objects(""), err)
		}
	})
}

// counts is how many rows some tables have.
func (f *fixture) counts(tables ...string) string {
	f.T.Helper()
	var out []string
	for _, table := range tables {
		out = append(out, fmt.Sprint(storetest.CountRows(f.T, f.DB, table)))
	}
	return strings.Join(out, " ")
}
