package retention_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
)

const (
	ann = atelier.Wallet("0xann")
	wil = atelier.Wallet("0xwil") // owns the worker
	day = 24 * time.Hour
)

// always keeps everything for 30 days.
var always = retention.Ages{Workflows: 30 * day, ChatRuns: 30 * day, Logs: 30 * day, Uploads: 30 * day, Deliveries: 30 * day, Replays: 30 * day, Actions: 30 * day}

// fixture is an installation of one account, whose clock stands still but for Advance.
type fixture struct {
	*enginetest.Env
	media *media.Engine
}

func newFixture(t testing.TB, o store.Options) *fixture {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, o), "")
	f.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	f.AddAccount(atelier.Account{Wallet: wil, Worker: true}, billing.Credits{})
	return f
}

// newFixtureOn is an installation on a database, with its files in a directory.
func newFixtureOn(t testing.TB, db *store.DB, dir string) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.NewOn(t, db, func(o *enginetest.Options) { o.Dir = dir })}
	f.Freeze()
	f.media = media.New(f.DB, f.Store(), media.Options{Now: f.Now})
	return f
}

// engine is that of a node of the installation.
func (f *fixture) engine(ages retention.Ages) *retention.Engine {
	return retention.New(f.DB, f.media, retention.Options{Ages: ages, Now: f.Now, Log: enginetest.Log})
}

// sweep sweeps as a node, and checks how much of each kind was removed.
func (f *fixture) sweep(e *retention.Engine, want map[string]int64) {
	f.T.Helper()
	got, err := e.Sweep(f.T.Context())
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		f.T.Errorf("removed %v, %v, want %v", got, err, want)
	}
}

// begin stores a workflow that is running, or with the prefix of chat runs such a run, and three events of its log.
func (f *fixture) begin(prefix string) string {
	f.T.Helper()
	f.Advance(time.Millisecond) // no two have the same id
	id := prefix + mint.OrderedUUIDAt(f.Now())
	h := store.Head{Wallet: ann, Status: atelier.StatusRunning, CreatedAt: f.Now(), UpdatedAt: f.Now()}
	f.Write(func(tx *store.Tx) error {
		if err := f.log(tx, id, &h, 3); err != nil {
			return err
		}
		if prefix == store.RunPrefix {
			return tx.InsertRun(store.StoredRun{ID: atelier.RunID(id), Head: h, Request: []byte("{}"), State: []byte("{}")})
		}
		return tx.InsertWorkflow(store.StoredWorkflow{ID: atelier.WorkflowID(id), Head: h, Plan: []byte("{}"), State: []byte("{}"), Kind: "image", Texts: []string{"a fox"}})
	})
	return id
}

// log adds events to a log.
func (f *fixture) log(tx *store.Tx, id string, h *store.Head, n int) error {
	var c journal.Change
	for i := range n {
		c.Emit(*h, fmt.Sprint(i), apitype.WorkflowProgress{})
	}
	return journal.New(f.DB, f.Bus).Store(tx, id, h, &c, f.Now(), 0)
}

// end gives what begin has stored a status, with another event.
func (f *fixture) end(id string, s atelier.Status) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) error {
		if strings.HasPrefix(id, store.RunPrefix) {
			r, err := tx.Run(ann, atelier.RunID(id))
			if err != nil {
				return err
			}
			from := r.Status
			r.Status = s
			if err := f.log(tx, id, &r.Head, 1); err != nil {
				return err
			}
			return tx.UpdateRun(r, from)
		}
		w, err := tx.Workflow(ann, atelier.WorkflowID(id))
		if err != nil {
			return err
		}
		w.Status = s
		if err := f.log(tx, id, &w.Head, 1); err != nil {
			return err
		}
		return tx.UpdateWorkflow(&w)
	})
}

// isThere reports whether a workflow or chat run is stored.
func (f *fixture) isThere(id string) bool {
	f.T.Helper()
	var err error
	f.Read(func(tx *store.Tx) error {
		if strings.HasPrefix(id, store.RunPrefix) {
			_, err = tx.Run(ann, atelier.RunID(id))
		} else {
			_, err = tx.Workflow(ann, atelier.WorkflowID(id))
		}
		return nil
	})
	return err == nil
}

// events counts the events of a log.
func (f *fixture) events(id string) (n int) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		log, err := tx.Events(id, -1, 1000, 1<<20)
		n = len(log)
		return err
	})
	return n
}

// painted is a workflow that has made a picture by way of the engines. It returns its id and the key of the picture.
func (f *fixture) painted(e *workflow.Engine, w enginetest.Worker) (id string, key string) {
	f.T.Helper()
	s, err := e.Start(context.Background(), f.account(ann), workflow.StartRequest{
		Title: "test", Steps: []atelier.StepInput{{ID: "a", ToolName: "generate_image", Arguments: map[string]any{"prompt": "a fox"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Filter: true,
	})
	if err != nil {
		f.T.Fatal(err)
	}
	j := w.MustClaim()
	if err := w.Deliver(j, j.Spec.Artifacts, nil); err != nil {
		f.T.Fatal(err)
	}
	f.Read(func(tx *store.Tx) error {
		made, err := tx.Artifacts(j.ID)
		if err == nil {
			key = made[0].Key
		}
		return err
	})
	return s.Workflow.WorkflowID, key
}

func (f *fixture) account(w atelier.Wallet) (a atelier.Account) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) { a, err = tx.Account(w); return err })
	return a
}

// objects lists the keys of the storage below a prefix.
func (f *fixture) objects(prefix string) (keys []string) {
	f.T.Helper()
	for entry, err := range f.Blobs.List(f.T.Context(), prefix, "") {
		if err != nil {
			f.T.Fatal(err)
		}
		keys = append(keys, entry.Key)
	}
	return keys
}

// upload stores an upload that a workflow used at a time, with its object.
func (f *fixture) upload(used time.Time) string {
	f.T.Helper()
	project := atelier.ProjectID(mint.UUID())
	key := "inputs/" + string(project) + "/startingImage/" + mint.OrderedUUIDAt(f.Now())
	f.Write(func(tx *store.Tx) error {
		if _, err := tx.ClaimProject(project, ann, f.Now()); err != nil {
			return err
		}
		return tx.InsertUpload(store.Upload{Key: key, ProjectID: project, Slot: "startingImage", Wallet: ann, CreatedAt: f.Now(), OpenUntil: f.Now().Add(time.Hour), UsedAt: used})
	})
	if _, err := f.Blobs.Put(f.T.Context(), key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "image/png"}); err != nil {
		f.T.Fatal(err)
	}
	return key
}

func (f *fixture) isNamed(key string) (named bool) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) { named, err = tx.KeyNamed(key); return err })
	return named
}
