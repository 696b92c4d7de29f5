package media_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// world is an engine on real parts, with a clock and a plan that tests move.
type world struct {
	t     *testing.T
	e     *media.Engine
	db    *store.DB
	blobs *blob.DiskServer
	mu    sync.Mutex
	now   time.Time
	plan  atelier.Subscription
	who   atelier.Caller

	stranger atelier.Wallet // another account
}

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	w := &world{t: t, now: time.Now().UTC().Truncate(time.Millisecond), db: storetest.Open(t, o)}
	disk, err := blob.OpenDisk(filepath.Join(t.TempDir(), "media"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disk.Close() })
	clock := func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now }
	w.blobs = blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://x", Now: clock})
	w.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, w.now)
	w.e = media.New(w.db, w.blobs, media.Options{
		Now:  clock,
		Plan: func(context.Context, atelier.Wallet) (atelier.Subscription, error) { return w.plan.At(clock()), nil },
		Limits: media.Limits{
			UploadBytes: 1 << 20, UploadBytesADay: 1 << 30, FormsADay: 1000, PostsAMinute: 100, PixelsAMinute: 1e9, UnusedTTL: 7 * 24 * time.Hour,
			FormTTL: time.Hour, DownloadTTL: 48 * time.Hour, AssetBytes: 1 << 20, AssetEntries: 10,
			LibraryBytes: 1 << 30, CopyBytesADay: 1 << 30, BindingsADay: 2, PutWindow: 5 * time.Minute, FinalizeWindow: time.Hour,
		},
	})
	w.who = atelier.Caller{Account: atelier.Account{Wallet: "0xann", Username: "ann", CreatedAt: w.now}}
	w.stranger = "0xcarl"
	err = w.db.Write(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.InsertAccount(w.who.Account), tx.InsertAccount(atelier.Account{Wallet: w.stranger, Username: "carl", CreatedAt: w.now}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) advance(d time.Duration) { w.mu.Lock(); defer w.mu.Unlock(); w.now = w.now.Add(d) }

// upload asks for a form and puts bytes under its key, as the door would.
func (w *world) upload(project, kind string) string {
	w.t.Helper()
	f, err := w.e.UploadURL(w.t.Context(), w.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: kind, ProjectID: project, ContentType: "image/png"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store(f.Fields["key"])
	return f.Fields["key"]
}

func (w *world) store(key string) {
	w.t.Helper()
	if _, err := w.blobs.Put(w.t.Context(), key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "image/png"}); err != nil {
		w.t.Fatal(err)
	}
}

// keys lists the objects that are not in the trash.
func (w *world) keys() []string {
	w.t.Helper()
	return slices.DeleteFunc(w.list(""), func(key string) bool { return strings.HasPrefix(key, media.Trash) })
}

func (w *world) list(prefix string) (keys []string) {
	w.t.Helper()
	for entry, err := range w.blobs.List(w.t.Context(), prefix, "") {
		if err != nil {
			w.t.Fatal(err)
		}
		keys = append(keys, entry.Key)
	}
	return keys
}

func (w *world) sweep() media.Swept {
	w.t.Helper()
	s, err := w.e.Sweep(w.t.Context(), false)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// A sweep never removes what a row names, and removes all else in time.
func TestSweepUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		first := w.upload("p1", "startingImage")
		second := w.upload("p1", "startingImage") // replaces the first
		other := w.upload("p1", "cnImage")
		if _, err := w.e.UploadURL(t.Context(), w.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: "referenceMask", ProjectID: "p1"}); err != nil {
			t.Fatal(err) // a form that is never used
		}
		w.store("inputs/orphan/x.png")
		w.store("elsewhere/x.png") // another room's

		if s := w.sweep(); s.Forms != 0 || s.Objects != 1 {
			t.Errorf("while forms are open: swept %+v, want the orphan", s)
		}
		if got := w.keys(); len(got) != 4 || slices.Contains(got, "inputs/orphan/x.png") {
			t.Errorf("left: %q", got)
		}
		w.advance(3 * time.Hour)
		s := w.sweep()
		if s.Forms != 2 || s.Objects != 0 {
			t.Errorf("after forms closed: swept %+v, want the unused and the replaced one", s)
		}
		got := w.keys()
		if slices.Contains(got, first) || !slices.Contains(got, second) || !slices.Contains(got, other) || !slices.Contains(got, "elsewhere/x.png") {
			t.Errorf("left: %q", got)
		}
		if key, _, err := w.e.Input(t.Context(), "0xann", "p1", "startingImage"); err != nil || key != second {
			t.Errorf("the slot shows %s, %v", key, err)
		}
		if s := w.sweep(); s.Any() {
			t.Errorf("a second sweep removed %+v", s)
		}
	})
}

const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello

// saved makes a ready asset of the bytes hello, as a WAV.
func (w *world) saved() media.AssetRecord {
	w.t.Helper()
	p, err := w.e.Prepare(w.t.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"})
	if err != nil {
		w.t.Fatal(err)
	}
	err = w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		a, err := tx.Asset("0xann", p.ID)
		if err != nil {
			return err
		}
		w.store(a.BlobKey)
		return tx.FinishAsset("0xann", p.ID, w.now)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return p.AssetRecord
}

func (w *world) library() int {
	w.t.Helper()
	list, err := w.e.Assets(w.t.Context(), "0xann")
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list)
}

// Assets are kept while the plan is active and for thirty days after the later
// of the end of the paid period and the last save or reuse.
func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.saved()
		w.advance(400 * day)
		if w.sweep(); w.library() != 1 {
			t.Fatal("an asset of an active subscriber was removed")
		}
		w.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionCancelEnd, w.now.Add(10*day), w.now)
		w.advance(10*day + 30*day - time.Hour)
		if w.sweep(); w.library() != 1 {
			t.Fatal("an asset was removed within thirty days of the paid period")
		}
		w.advance(time.Hour)
		if s := w.sweep(); w.library() != 0 || s.Assets != 1 || len(w.keys()) != 0 {
			t.Errorf("after thirty days: %d assets, %d objects, swept %+v", w.library(), len(w.keys()), s)
		}
		// Without any period, the last use counts.
		w.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, w.now)
		w.saved()
		w.plan = atelier.Subscription{Status: atelier.SubscriptionNone}
		w.advance(30*day - time.Hour)
		if w.sweep(); w.library() != 1 {
			t.Fatal("an asset was removed within thirty days of its last use")
		}
		w.advance(2 * time.Hour)
		if w.sweep(); w.library() != 0 {
			t.Error("an unused asset was kept")
		}
	})
}

func TestUnfinishedAssetsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	if _, err := w.e.Prepare(t.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"}); err != nil {
		t.Fatal(err)
	}
	w.advance(90 * time.Minute)
	if w.sweep(); w.library() != 1 {
		t.Fatal("an upload that may still be on its way was removed")
	}
	w.advance(31 * time.Minute)
	if s := w.sweep(); w.library() != 0 || s.Assets != 1 {
		t.Errorf("left %d, swept %+v", w.library(), s)
	}
}

func TestBindingsADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		a := w.saved()
		bind := func() error {
			_, err := w.e.Bind(t.Context(), "0xann", media.Binding{AssetID: a.ID, ProjectID: mint.UUID(), Type: "referenceAudio", ID: "referenceAudio2"})
			return err
		}
		for range 2 {
			if err := bind(); err != nil {
				t.Fatal(err)
			}
		}
		if err := bind(); !atelier.HasCode(err, atelier.CodeRateLimited) {
			t.Errorf("the third of the day: got %v", err)
		}
		w.advance(24 * time.Hour)
		if err := bind(); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}

// A library that has room for one more takes one of many that come at once.
func TestLibraryLimitUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			taken int
		)
		for i := range 30 {
			wg.Go(func() {
				digits := []byte(sum)
				digits[0], digits[1] = "0123456789abcdef"[i/16], "0123456789abcdef"[i%16]
				_, err := w.e.Prepare(context.Background(), "0xann", media.NewAsset{SHA256: string(digits), Bytes: 5, ContentType: "audio/wav"})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					taken++
				case !atelier.HasCode(err, atelier.CodeLibraryFull):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if taken != 10 || w.library() != 10 {
			t.Errorf("%d were taken, %d are there, want 10", taken, w.library())
		}
	})
}
