package lora_test

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The process dies at every commit of an import, before it and after it. Another
// process brings it to an end: an accepted import is not lost, it counts once, and the
// stored file is whole.
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for what, file := range map[string]loratest.LoRA{"good": {Family: "krea-2"}, "bad": {Family: "krea-2", Rank: 200}} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, after := range []bool{false, true} {
				n, step := int64(1), int64(1)
				if testing.Short() {
					step = 7
				}
				for crashAt(t, file, n, after) {
					n += step
				}
				if n < 4 {
					t.Errorf("it has only %d commits", n-1)
				}
			}
		})
	}
}

// crashAt imports until the process dies at its n-th commit, and then continues in
// another. It reports false when there are fewer commits.
func crashAt(t *testing.T, file loratest.LoRA, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB, func(s *settings) { s.dir = dir })
	f.addAccounts()
	link := f.put("fox", file)
	stop := f.serve()
	f.ClaimWaits.Wait(t, 2)
	db.Arm()
	r, err := f.e.Import(db.Alive, ann, request(link))
	accepted := err == nil
	if accepted {
		select {
		case <-db.Alive.Done():
		case <-f.first:
		}
	}
	stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), func(s *settings) { s.dir, s.sites = dir, f.sites })
	heir.Advance(time.Hour) // every lease has ended, and every pause
	if err := heir.Fleet.Expire(context.Background()); err != nil {
		t.Fatal(err)
	}
	heir.Advance(time.Hour)
	lib, err := heir.e.Library(context.Background(), ann)
	if err != nil {
		t.Fatal(err)
	}
	if len(lib.Loras) > 1 || accepted && len(lib.Loras) == 0 {
		t.Fatalf("commit %d, after it: %v: %d entries, accepted: %v", n, after, len(lib.Loras), accepted)
	}
	if len(lib.Loras) == 1 {
		if accepted && lib.Loras[0].ID != r.ID {
			t.Errorf("the entry is %s, not %s", lib.Loras[0].ID, r.ID)
		}
		heir.serve()
		heir.complete(lib.Loras[0].ID, file)
	}
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return db.Dead()
}

// complete waits until the import of an entry has ended, and checks it.
func (f *fixture) complete(id atelier.LoraID, file loratest.LoRA) {
	f.T.Helper()
	for f.read(id).Status == atelier.LoraQueued || f.read(id).Status == atelier.LoraValidating {
		f.ended.Wait(f.T, 1)
	}
	got, good := f.read(id), file.Rank <= 128
	switch {
	case good && (got.Status != atelier.LoraReady || !bytes.Equal(f.content(id), file.File())):
		f.T.Errorf("the entry is %+v", got)
	case !good && got.Status != atelier.LoraRejected:
		f.T.Errorf("the entry is %+v", got)
	}
	f.Read(func(tx *store.Tx) error {
		imports, err := tx.ImportsOn(ann, time.Now().UTC().Format(time.DateOnly))
		if imports > 1 {
			f.T.Errorf("%d imports were counted", imports)
		}
		return err
	})
}

// A node loses its lease in the middle of a download. Another one imports the file,
// and what the first does afterwards changes nothing.
func TestTakeover(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	f.Freeze()
	f.RunFleet(f.Fleet)
	link := f.put("fox", loratest.LoRA{})
	held, release := f.holdDownload()
	r := f.imports(link)
	first := f.job(f.Fleet)
	done := f.start(first)
	<-held
	if got := f.read(r.ID); got.Status != atelier.LoraValidating || got.Progress == nil {
		t.Errorf("while it is downloaded: %+v", got)
	}
	f.Advance(time.Hour)
	if err := f.Fleet.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := f.job(f.Fleet)
	if second.ID != first.ID || second.Attempt != 2 {
		t.Fatalf("the second attempt is %+v", second)
	}
	key := f.row(r.ID).Key
	if _, err := f.e.NodeTasks()["import_lora"](t.Context(), *second, nil); err != nil {
		t.Fatal(err)
	}
	ready := f.row(r.ID)
	if ready.Status != atelier.LoraReady || ready.Key == key {
		t.Fatalf("after the second attempt: %+v", ready)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the first attempt: %v", err)
	}
	if got := f.row(r.ID); got.Key != ready.Key || got.Revision != ready.Revision {
		t.Errorf("the first attempt has changed the entry: %+v", got)
	}
	if keys := f.objects(); len(keys) != 1 || keys[0] != ready.Key {
		t.Errorf("objects %v, want only %s", keys, ready.Key)
	}
}

// job leases the import that is queued.
func (f *fixture) job(e *fleet.Engine) *atelier.Job {
	f.T.Helper()
	w := f.ConnectAt(e, node, apitype.WorkerSpec{Name: "node", Network: atelier.NetworkNode, Models: []string{"import_lora"}, Capacity: 1})
	return w.MustClaim()
}

// Nodes that die do not use up the tries of an import.
func TestServiceFailuresDoNotCount(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	f.Freeze()
	f.RunFleet(f.Fleet)
	r := f.imports(f.put("fox", loratest.LoRA{}))
	for range 20 { // more than the tries there are
		f.job(f.Fleet)
		f.Advance(time.Hour) // the lease ends, and every pause
		if err := f.Fleet.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.Advance(time.Hour)
	}
	if l := f.row(r.ID); l.Status != atelier.LoraQueued || l.Tries != 0 || !strings.Contains(l.Reason, "service") {
		t.Errorf("after many dead nodes: %+v", l)
	}
}

// An entry that the operator revokes while its file is downloaded is not imported.
func TestRevokedWhileDownloaded(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	f.RunFleet(f.Fleet)
	held, release := f.holdDownload()
	r := f.imports(f.put("fox", loratest.LoRA{Rank: 128, Layers: 28})) // several megabytes
	j := f.job(f.Fleet)
	done := f.start(j)
	<-held
	if _, err := lora.NewOperator(f.DB, f.Now).Revoke(t.Context(), r.ID, "", nil); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the import: %v", err)
	}
	if got := f.read(r.ID); got.Status != atelier.LoraRevoked {
		t.Errorf("the entry is %+v", got)
	}
	if keys := f.objects(); len(keys) != 0 {
		t.Errorf("objects %v are left", keys)
	}
}

// holdDownload holds the second request to the storage, which reads a file after its
// header, until release is closed.
func (f *fixture) holdDownload() (held <-chan struct{}, release chan<- struct{}) {
	var requests atomic.Int64
	began, goOn := make(chan struct{}), make(chan struct{})
	f.sites.Behave(loratest.StageCDN, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests.Add(1) == 2 {
				close(began)
				<-goOn
			}
			next.ServeHTTP(w, r)
		})
	})
	return began, goOn
}

// start runs an import as a node does.
func (f *fixture) start(j *atelier.Job) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := f.e.NodeTasks()["import_lora"](context.Background(), *j, nil)
		done <- err
	}()
	return done
}
