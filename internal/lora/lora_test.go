package lora_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Many requests import at the same time: the limits of an account hold, and one link

// makes one entry.

// All statuses count for the library; a rejected entry is queued again in a full one.

// A plan that ends before a node comes to the import.

// A suspended account leaves no work behind: what waits is not imported.

// A site may not say how large a file is. It is checked when it is stored.

// overlay is a catalog with changes.

func overlay(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "more.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A file of the public catalog is refused for the models that it lists, before the

// download where the site gives its digest, else after it.

// Rejections of the file are checked again when the rules change; others are not.

func TestNewRules(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	f := newFixture(t, o)
	f.sites.AddRepo(loratest.Repo{Name: "ann/bad", Files: map[string][]byte{"bad.safetensors": loratest.LoRA{Family: "krea-2"}.File()}, Unsized: true})
	f.sites.Behave(loratest.StageCDN, loratest.Replace(loratest.LoRA{Family: "krea-2", Rank: 200}.File()))
	bad := f.imports("https://" + loratest.HubHost + "/ann/bad/resolve/main/bad.safetensors")
	f.settle(bad.ID)
	f.sites.Behave(loratest.StageCDN, nil) // so that the rules accept it
	f.sites.Behave(loratest.StageFile, loratest.Status(404))
	gone := f.imports(f.put("gone", loratest.LoRA{}))
	f.settle(gone.ID)
	f.sites.Behave(loratest.StageFile, nil)
	if n, err := f.e.Sweep(t.Context()); n != 0 || err != nil {
		t.Fatalf("Sweep = %d, %v; nothing has changed", n, err)
	}
	f.stop() // otherwise it may take the import
	newer := newFixtureOn(t, f.DB, func(s *settings) { s.sites, s.Rules = f.sites, 2 })
	newer.serve()
	if n, err := newer.e.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("Sweep = %d, %v; want the one rejected file", n, err)
	}
	if got := newer.settle(bad.ID); got.Status != atelier.LoraReady {
		t.Errorf("with newer rules: %+v", got)
	}
	if got := f.read(gone.ID); got.Status != atelier.LoraRejected || got.FailureCode != atelier.LoraSourceAccess {
		t.Errorf("a file that the site does not have: %+v", got)
	}
}

// withToy is the catalog of an operator who offers a model of a new family.
const withToy = `loraFamilies:
  - { id: toy, name: Toy }
models:
  - { id: toy_model, sid: 9001, base: image-large, name: Toy, tierId: toy, loraFamily: toy, selectors: { generate_image: [toy] }, price: { usd: "0.01", per: megapixel } }
`

// A retired model puts its LoRAs into review; they return with it.

func TestRetiredModel(t *testing.T) {
	t.Parallel()
	c := overlay(t, withToy)
	f := newFixture(t, storetest.SQLite(t), func(s *settings) { s.catalog = c })
	imports := func(link string) apitype.PersonalLora {
		q := request(link)
		q.ModelID = "toy_model"
		r, err := f.e.Import(t.Context(), ann, q)
		if err != nil {
			t.Fatal(err)
		}
		return f.settle(r.ID)
	}
	ready, held := imports(f.put("fox", loratest.LoRA{})), imports(f.put("hen", loratest.LoRA{Seed: 1}))
	if ready.Status != atelier.LoraReady || held.Status != atelier.LoraReady {
		t.Fatalf("entries %+v, %+v", ready, held)
	}
	operator := lora.NewOperator(f.DB, f.Now)
	if _, err := operator.HoldBack(t.Context(), held.ID, "", nil); err != nil {
		t.Fatal(err)
	}
	retired := newFixtureOn(t, f.DB, func(s *settings) { s.sites = f.sites })
	if n, err := retired.e.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("Sweep = %d, %v", n, err)
	}
	if got := retired.read(ready.ID); got.Status != atelier.LoraReview || got.Reason == "" {
		t.Errorf("with its model retired: %+v", got)
	}
	if l, err := operator.Release(t.Context(), ready.ID, nil); err == nil {
		t.Errorf("a LoRA whose model is retired was released: %+v", l)
	}
	if n, err := f.e.Sweep(t.Context()); n != 1 || err != nil {
		t.Fatalf("Sweep = %d, %v", n, err)
	}
	if got := f.read(ready.ID); got.Status != atelier.LoraReady || got.Reason != "" {
		t.Errorf("with its model back: %+v", got)
	}
	if got := f.read(held.ID); got.Status != atelier.LoraReview {
		t.Errorf("what the operator holds back: %+v", got)
	}
	if _, err := operator.Release(t.Context(), held.ID, nil); err != nil {
		t.Fatal(err)
	}
	if got := f.read(held.ID); got.Status != atelier.LoraReady {
		t.Errorf("released: %+v", got)
	}
	if _, err := operator.Revoke(t.Context(), held.ID, "It was reported.", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Release(t.Context(), held.ID, nil); err == nil {
		t.Error("a revoked LoRA was released")
	}
}

// A file that is imported again is not stored yet: its entry does not become ready

// when its model is offered again.

func TestRetiredModelOfNewRules(t *testing.T) {
	t.Parallel()
	c := overlay(t, withToy)
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)), func(s *settings) { s.catalog, s.Rules = c, 2 })
	f.addAccounts()
	q := request(f.put("fox", loratest.LoRA{}))
	q.ModelID = "toy_model"
	r, err := f.e.Import(t.Context(), ann, q)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(func(tx *store.Tx) error { // the old rules have refused it after the download
		l, err := tx.LoraOfAny(r.ID)
		if err != nil {
			return err
		}
		l.Status, l.Failure, l.SHA256, l.Rules = atelier.LoraRejected, atelier.LoraInvalidArtifact, digest([]byte("fox")), 1
		return tx.UpdateLora(&l, atelier.LoraQueued)
	})
	retired := newFixtureOn(t, f.DB, func(s *settings) { s.sites = f.sites })
	for _, node := range []*fixture{f, retired, f} {
		if n, err := node.e.Sweep(t.Context()); n != 1 || err != nil {
			t.Fatalf("Sweep = %d, %v; want 1", n, err)
		}
	}
	if got := f.read(r.ID); got.Status != atelier.LoraQueued {
		t.Errorf("the entry is %+v, want it queued", got)
	}
}

// Transient failures are retried with longer and longer pauses, and then given up.

func TestRetries(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	f.Freeze()
	f.sites.Behave(loratest.StageCDN, loratest.Status(503))
	r := f.imports(f.put("fox", loratest.LoRA{}))
	pauses := []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, time.Hour}
	for n, pause := range pauses {
		got := f.settle(r.ID)
		if got.Status != atelier.LoraQueued || got.Reason == "" {
			t.Fatalf("after failure %d: %+v", n+1, got)
		}
		// The clock stands while this looks ahead, so no node has begun the import meanwhile.
		if f.due(pause - time.Second) {
			t.Fatalf("failure %d is retried before %v", n+1, pause)
		}
		if !f.due(pause) {
			t.Fatalf("failure %d is not retried after %v", n+1, pause)
		}
		f.Advance(pause)
		f.Bus.Publish("jobs/node")
	}
	got := f.settle(r.ID)
	if got.Status != atelier.LoraRejected || got.FailureCode != atelier.LoraSourceAccess || !strings.Contains(got.Reason, "8 tries") {
		t.Fatalf("after the last failure: %+v", got)
	}
	var jobs int
	f.Read(func(tx *store.Tx) error {
		list, err := storetest.JobsOf(tx, atelier.JobOwner{Kind: "lora", ID: string(r.ID)})
		jobs = len(list)
		return err
	})
	if jobs > 2 {
		t.Errorf("%d jobs are kept, want the last ones only", jobs)
	}
}

// due reports whether a node could begin an import after a time.

func (f *fixture) due(after time.Duration) (any bool) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) (err error) {
		any, err = tx.AnyQueued(store.Wanted{Network: atelier.NetworkNode, Models: []string{"import_lora"}, Now: f.Now().Add(after)})
		return err
	})
	return any
}

// An import and the removal of its entry race: neither is lost, and nothing is left.

func TestDeleteRacesImport(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o, func(s *settings) { s.ImportsPerDay = 1000 })
		link := f.put("fox", loratest.LoRA{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 8 {
					r, err := f.e.Import(context.Background(), ann, request(link))
					if err != nil {
						t.Errorf("import: %v", err)
						continue
					}
					err = f.e.Delete(context.Background(), ann, r.ID)
					if err != nil && !atelier.HasCode(err, atelier.CodeLoraChanged) && !atelier.HasCode(err, atelier.CodeNotFound) {
						t.Errorf("delete: %v", err)
					}
				}
			})
		}
		wg.Wait()
		lib, err := f.e.Library(t.Context(), ann)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range lib.Loras { // a removal that met a change has left one
			for err = f.e.Delete(t.Context(), ann, r.ID); atelier.HasCode(err, atelier.CodeLoraChanged); {
				err = f.e.Delete(t.Context(), ann, r.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f.Read(func(tx *store.Tx) error {
			counts, err := tx.CountImports()
			if counts != 0 {
				t.Errorf("%d imports are under way without an entry", counts)
			}
			return err
		})
	})
}

// The object of a removed LoRA stays until the render that loads it is over.

func TestRemovedWhileRendered(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := f.imports(f.put("fox", loratest.LoRA{}))
	f.settle(r.ID)
	if got := f.content(r.ID); !bytes.Equal(got, loratest.LoRA{Family: "krea-2"}.File()) {
		t.Fatal("the stored file is not the one of the site")
	}
	key := f.row(r.ID).Key
	worker, job := f.render(r.ID, key)
	if err := f.e.Delete(t.Context(), ann, r.ID); err != nil {
		t.Fatal(err)
	}
	if keys := f.objects(); len(keys) != 1 || keys[0] != key {
		t.Errorf("objects while it is rendered: %v", keys)
	}
	worker.MustFail(job, atelier.FailError)
	named := true
	f.Read(func(tx *store.Tx) (err error) {
		named, err = tx.KeyNamed(key)
		return err
	})
	if named {
		t.Error("the object is kept after the render")
	}
}

// The file of an entry that a worker found not to fit is not kept.

func TestRejectedWhileRendered(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := f.imports(f.put("fox", loratest.LoRA{}))
	f.settle(r.ID)
	key := f.row(r.ID).Key
	worker, job := f.render(r.ID, key)
	worker.MustFail(job, atelier.FailLoraMismatch)
	named := true
	f.Read(func(tx *store.Tx) (err error) {
		named, err = tx.KeyNamed(key)
		return err
	})
	if got := f.row(r.ID); got.Status != atelier.LoraRejected || named {
		t.Errorf("the entry is %+v, and its file is kept: %v", got, named)
	}
}

// Renders that are cancelled because access was lost do not keep a worker from those

// behind them.

func TestLookAgainAfterLostAccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := f.imports(f.put("fox", loratest.LoRA{}))
	f.settle(r.ID)
	for range 12 { // more than one look at the queue sees
		f.submit(r.ID, f.row(r.ID).Key)
	}
	f.subscribe(ann, atelier.SubscriptionGrace)
	worker := f.Connect(node, apitype.WorkerSpec{Name: "gpu", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1})
	sub := f.Bus.Subscribe("jobs/fast")
	defer sub.Close()
	if j := worker.Claim(0); j != nil {
		t.Fatalf("leased %+v", j)
	}
	select {
	case <-sub.C():
	default:
		t.Error("the dispatchers were not nudged after renders were cancelled")
	}
}

// What is stored is what was checked: a file that changes between the two requests is

// checked again.

// Files of each family with the names of each public trainer are imported.

// Hostile files and servers are refused or given up, and leave nothing.

// table is a file with this header and two bytes of weights.
