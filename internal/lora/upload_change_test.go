package lora_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// An entry that changes while its file arrives does not become ready, and no object is left.
func TestEntryChangesWhileUploaded(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		code   atelier.Code
		change func(f *fixture, id atelier.LoraID) error
		left   atelier.LoraStatus
	}{
		"removed": {atelier.CodeLoraChanged, func(f *fixture, id atelier.LoraID) error { return f.e.Delete(context.Background(), ann, id) }, ""},
		"revoked": {atelier.CodeLoraChanged, func(f *fixture, id atelier.LoraID) error {
			_, err := lora.NewOperator(f.DB, f.Now).Revoke(context.Background(), id, "", nil)
			return err
		}, atelier.LoraRevoked},
		"without a plan": {atelier.CodeNoUnlimitedAccess, func(f *fixture, _ atelier.LoraID) error { f.subscribe(ann, atelier.SubscriptionGrace); return nil }, ""},
		"suspended": {atelier.CodeAccountSuspended, func(f *fixture, _ atelier.LoraID) error {
			f.Write(func(tx *store.Tx) error { _, err := tx.SuspendAccount(ann, f.Now()); return err })
			return nil
		}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := newUploads(t, storetest.SQLite(t))
			file := loratest.LoRA{Family: "krea-2"}.File()
			release := make(chan struct{})
			slow := newSlowFile(file, release)
			ended := make(chan error, 1)
			go func() {
				_, _, err := f.e.Upload(context.Background(), ann, upload(int64(len(file))), slow.content)
				ended <- err
			}()
			<-slow.begun
			err := c.change(f, f.entries()[0].ID)
			close(release)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !atelier.HasCode(err, c.code) {
				t.Errorf("upload: %v", err)
			}
			if all := f.entries(); len(f.objects()) != 0 || c.left == "" && len(all) != 0 || c.left != "" && (len(all) != 1 || all[0].Status != c.left) {
				t.Errorf("left are %v and %+v", f.objects(), all)
			}
		})
	}
}

// The process dies at every commit of an upload. Nothing of an upload that was not answered
// is left after a sweep, unless it was ready already.
func TestCrashAtEveryCommitOfAnUpload(t *testing.T) {
	t.Parallel()
	for what, file := range map[string][]byte{"good": loratest.LoRA{Family: "krea-2"}.File(), "bad": loratest.LoRA{Family: "krea-2", Rank: 200}.File()} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, after := range []bool{false, true} {
				n := int64(1)
				for crashUploadAt(t, file, n, after) {
					n++
				}
				if n < 3 {
					t.Errorf("it has only %d commits", n-1)
				}
			}
		})
	}
}

func crashUploadAt(t *testing.T, file []byte, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB, func(s *settings) { s.dir = dir })
	f.addAccounts()
	db.Arm()
	r, _, err := f.e.Upload(db.Alive, ann, upload(int64(len(file))), bytes.NewReader(file))
	accepted := err == nil
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), func(s *settings) { s.dir, s.sites = dir, f.sites })
	heir.Advance(time.Hour)
	if _, err := heir.e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := heir.entries()
	switch {
	case accepted && (len(all) != 1 || all[0].ID != r.ID):
		t.Errorf("the accepted upload is not there: %+v", all)
	case len(all) == 0:
		heir.isEmpty()
	case all[0].Status != atelier.LoraReady || !bytes.Equal(heir.content(all[0].ID), file) || heir.counted() != 1:
		t.Errorf("left is %+v, counted %d times", all, heir.counted())
	}
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return db.Dead()
}

// A sweep removes uploads that give no sign of life, and no others.
func TestSweepOfUploads(t *testing.T) {
	t.Parallel()
	f := newUploads(t, storetest.SQLite(t))
	f.Freeze()
	ready, _ := f.sends(loratest.LoRA{Family: "krea-2"}.File())
	dead := f.row(ready.ID)
	dead.ID, dead.Key, dead.Status, dead.SHA256 = atelier.NewLoraID(mint.UUID()), "loras/dead.safetensors", atelier.LoraValidating, ""
	f.Write(func(tx *store.Tx) error {
		if err := tx.CountImport(ann, dead.CreatedAt.Format(time.DateOnly)); err != nil {
			return err
		}
		return tx.InsertLora(dead)
	})
	if _, err := f.Blobs.Put(t.Context(), dead.Key, strings.NewReader("what has arrived"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ after, left int }{{4, 2}, {2, 1}} {
		f.Advance(time.Duration(c.after) * time.Minute)
		if _, err := f.e.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if all := f.entries(); len(all) != c.left || f.counted() != c.left || len(f.objects()) != c.left {
			t.Errorf("%d entries, %d counted, %d objects; want %d of each", len(all), f.counted(), len(f.objects()), c.left)
		}
	}
	if got := f.read(ready.ID); got.Status != atelier.LoraReady {
		t.Errorf("the other entry is %+v", got)
	}
}

// While a file arrives, its progress is recorded, and it is stopped before it fills the storage.
func TestUploadIsWatched(t *testing.T) {
	t.Parallel()
	var (
		looks             atomic.Int64 // at the free space: before the upload, then from time to time
		looking, goOn     = make(chan struct{}), make(chan struct{})
		enough, tooLittle = int64(1 << 40), int64(1 << 20)
	)
	f := newUploads(t, storetest.SQLite(t), func(s *settings) {
		s.Reserve = 1 << 30
		s.FreeSpace = func() (int64, error) {
			switch n := looks.Add(1); {
			case n < 3:
				return enough, nil
			case n == 3:
				close(looking)
				<-goOn
			}
			return tooLittle, nil
		}
	})
	file := loratest.LoRA{Family: "krea-2"}.File()
	half := bytes.NewReader(file[:len(file)/2])
	ended := make(chan error, 1)
	go func() {
		_, _, err := f.e.Upload(context.Background(), ann, upload(int64(len(file))), io.MultiReader(half, readerFunc(func([]byte) (int, error) {
			<-goOn
			runtime.Gosched()
			return 0, nil // until the upload is stopped
		})))
		ended <- err
	}()
	<-looking
	all := f.entries()
	close(goOn)
	if len(all) != 1 || all[0].Progress == nil || *all[0].Progress <= 0 || *all[0].Progress >= 1 {
		t.Errorf("while the file arrives: %+v", all)
	}
	if err := <-ended; !atelier.HasCode(err, atelier.CodeUnavailable) {
		t.Errorf("upload: %v", err)
	}
	f.isEmpty()
}
