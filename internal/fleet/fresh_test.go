package fleet_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// sendSmall completes a job with results that come with the completion, and returns their keys.
func (w testWorker) sendSmall(j *atelier.Job) (keys []string) {
	w.f.T.Helper()
	list := []apitype.ReportedArtifact{{ID: "a0", Data: []byte("first")}, {ID: "a1", Data: []byte("second")}}
	if _, err := w.Fleet().Complete(context.Background(), w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: list}); err != nil {
		w.f.T.Fatal(err)
	}
	w.f.Read(func(tx *store.Tx) error {
		made, err := tx.Artifacts(j.ID)
		for _, a := range made {
			keys = append(keys, a.Key)
		}
		return err
	})
	return keys
}

// waiting is how many results are in the database until their files are synced.
func (f *fixture) waiting() (n int) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		list, err := tx.FreshObjects(f.Now().Add(time.Hour), 100)
		n = len(list)
		return err
	})
	return n
}

func (f *fixture) wantFile(key, want string) {
	f.T.Helper()
	file, object, err := f.Blobs.Open(f.T.Context(), key)
	if err != nil {
		f.T.Errorf("%s: %v, want %q", key, err, want)
		return
	}
	defer file.Close()
	if got, err := io.ReadAll(file); err != nil || string(got) != want || object.ContentType != "image/png" {
		f.T.Errorf("%s: got %q, %s, %v, want %q", key, got, object.ContentType, err, want)
	}
}

// A small result is in the database until its file is synced. When its file is lost before that,
// the next process writes it again, unless it was deleted.
func TestSmallResultsSurviveALostFile(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil)
		keys := worker.sendSmall(worker.leased(ann, "one"))
		f.wantFile(keys[0], "first")
		f.wantFile(keys[1], "second")
		if n := f.waiting(); n != 2 {
			t.Fatalf("%d results wait, want 2", n)
		}
		for _, key := range keys { // as a power cut leaves them: gone, and half written
			if err := f.Blobs.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.Blobs.Put(t.Context(), keys[1], strings.NewReader("sec"), blob.PutOptions{ContentType: "image/png"}); err != nil {
			t.Fatal(err)
		}
		node, _ := f.NewFleet()
		if err := node.RestoreFresh(t.Context(), f.Now()); err != nil { // those of a moment ago belong to a node that runs
			t.Fatal(err)
		}
		if n := f.waiting(); n != 2 {
			t.Errorf("%d results wait, want 2", n)
		}
		if err := node.RestoreFresh(t.Context(), f.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		f.wantFile(keys[0], "first")
		f.wantFile(keys[1], "second")
		if n := f.waiting(); n != 0 {
			t.Errorf("%d results wait, want none", n)
		}
	})
}

// The results of many completions are synced together, and those that were deleted stay deleted.
func TestSmallResultsAreSynced(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFrozenFixture(t, o)
		ann, wil := f.account("ann", 900), f.account("wil", 0)
		worker := f.connect(wil)
		kept := worker.sendSmall(worker.leased(ann, "one"))
		gone := worker.sendSmall(worker.leased(ann, "two"))
		if err := f.Blobs.Delete(t.Context(), gone[0]); err != nil {
			t.Fatal(err)
		}
		if err := f.Fleet.SyncFresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := f.waiting(); n != 0 {
			t.Errorf("%d results wait, want none", n)
		}
		f.wantFile(kept[0], "first")
		f.Write(func(tx *store.Tx) error { // its artifact is gone
			tx.InsertFreshObject(store.FreshObject{Key: "results/00/gone.png", ContentType: "image/png", Content: []byte("gone"), CreatedAt: f.Now()})
			return nil
		})
		if err := f.Fleet.RestoreFresh(t.Context(), f.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Blobs.Stat(t.Context(), "results/00/gone.png"); err == nil || f.waiting() != 0 {
			t.Errorf("a deleted result was restored: %v", err)
		}
	})
}
