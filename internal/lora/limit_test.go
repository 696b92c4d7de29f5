package lora_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func TestConcurrentImports(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o, func(s *settings) { s.ImportsPerDay = 7 })
		same := f.put("same", loratest.LoRA{})
		var (
			wg       sync.WaitGroup
			mu       sync.Mutex
			accepted int
			ids      = map[atelier.LoraID]bool{}
		)
		for n := range 12 {
			link := f.put(name(n), loratest.LoRA{Seed: byte(n)})
			wg.Go(func() {
				_, err := f.e.Import(context.Background(), ann, request(link))
				if err != nil && !atelier.HasCode(err, atelier.CodeRateLimited) {
					t.Errorf("import: %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					accepted++
				}
			})
			wg.Go(func() {
				r, err := f.e.Import(context.Background(), ann, request(same))
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					ids[r.ID] = true
				} else if !atelier.HasCode(err, atelier.CodeRateLimited) {
					t.Errorf("import of the same link: %v", err)
				}
			})
		}
		wg.Wait()
		if len(ids) > 1 || accepted+len(ids) != 7 {
			t.Errorf("%d imports and %d entries of one link were accepted, want 7 together and at most one of the link", accepted, len(ids))
		}
		f.ended.Wait(t, 7)
		lib, err := f.e.Library(context.Background(), ann)
		if err != nil || len(lib.Loras) != 7 {
			t.Fatalf("%d entries, %v; want 7", len(lib.Loras), err)
		}
		for _, r := range lib.Loras {
			if r.Status != atelier.LoraReady {
				t.Errorf("%s is %s: %s", r.ID, r.Status, r.Reason)
			}
		}
		if n := len(f.objects()); n != 7 {
			t.Errorf("%d objects are stored, want 7", n)
		}
	})
}

func TestBlankName(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	q := request(f.put("fox", loratest.LoRA{}))
	for _, q.Name = range []string{" ", "\u3000\u00a0"} {
		if _, err := f.e.Import(t.Context(), ann, q); !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("import as %q: %v", q.Name, err)
		}
	}
}

func TestLibraryIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), func(s *settings) { s.Entries, s.ImportsPerDay = 2, 100 })
	bad := f.put("bad", loratest.LoRA{Rank: 200})
	r := f.imports(bad)
	if got := f.settle(r.ID); got.Status != atelier.LoraRejected || got.FailureCode != atelier.LoraInvalidArtifact {
		t.Fatalf("rank 200: %+v", got)
	}
	second := f.imports(f.put("second", loratest.LoRA{}))
	f.settle(second.ID)
	if _, err := f.e.Import(t.Context(), ann, request(f.put("third", loratest.LoRA{Seed: 3}))); !atelier.HasCode(err, atelier.CodeLoraLibraryFull) {
		t.Errorf("a third import: %v", err)
	}
	if again := f.imports(bad); again.ID != r.ID || again.Status != atelier.LoraQueued {
		t.Errorf("the rejected link again: %+v", again)
	}
	f.settle(r.ID)
	if err := f.e.Delete(t.Context(), ann, r.ID); err != nil {
		t.Fatal(err)
	}
	f.imports(f.put("third", loratest.LoRA{Seed: 3}))
}

func TestImportQueueIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)), func(s *settings) { s.Queue = 2 }) // no node imports
	f.addAccounts()
	for n := range 2 {
		f.imports(f.put(name(n), loratest.LoRA{Seed: byte(n)}))
	}
	if _, err := f.e.Import(t.Context(), ann, request(f.put("more", loratest.LoRA{Seed: 9}))); !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("import into a full queue: %v", err)
	}
}

func TestFullStorage(t *testing.T) {
	t.Parallel()
	free := int64(1 << 40)
	var mu sync.Mutex
	f := newFixture(t, storetest.SQLite(t), func(s *settings) {
		s.Reserve = 1 << 30
		s.FreeSpace = func() (int64, error) { mu.Lock(); defer mu.Unlock(); return free, nil }
	})
	lib, err := f.e.Library(t.Context(), ann)
	if err != nil || lib.Limits.FileBytes == nil || *lib.Limits.FileBytes != 2<<30 {
		t.Errorf("limits %+v, %v", lib.Limits, err)
	}
	mu.Lock()
	free = 1 << 30
	mu.Unlock()
	if lib, err = f.e.Library(t.Context(), ann); err != nil || lib.Limits.FileBytes != nil {
		t.Errorf("limits of a full storage %+v, %v; want no fileBytes", lib.Limits, err)
	}
	if _, err := f.e.Import(t.Context(), ann, request(f.put("fox", loratest.LoRA{}))); !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("import into a full storage: %v", err)
	}
}

func TestPlanEndsBeforeTheImport(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	r := f.imports(f.put("fox", loratest.LoRA{}))
	f.subscribe(ann, atelier.SubscriptionGrace)
	f.serve()
	got := f.settle(r.ID)
	if got.Status != atelier.LoraRejected || got.FailureCode != atelier.LoraSubscriptionRequired || f.sites.Count(loratest.StageCDN) != 0 {
		t.Errorf("entry %+v after %d downloads", got, f.sites.Count(loratest.StageCDN))
	}
}

func TestSuspendedBeforeTheImport(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	r := f.imports(f.put("fox", loratest.LoRA{}))
	f.Write(func(tx *store.Tx) error {
		_, err := tx.SuspendAccount(ann, f.Now())
		return err
	})
	f.serve()
	got := f.settle(r.ID)
	if got.Status != atelier.LoraRejected || !strings.Contains(got.Reason, "suspended") || f.sites.Count(loratest.StageCDN) != 0 {
		t.Errorf("entry %+v after %d downloads", got, f.sites.Count(loratest.StageCDN))
	}
}
