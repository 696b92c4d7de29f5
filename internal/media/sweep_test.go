package media_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// fixture is a media engine with two accounts and a plan that tests change.
type fixture struct {
	*enginetest.Env
	e    *media.Engine
	plan atelier.Subscription
	who  atelier.Caller

	stranger atelier.Wallet // another account
}

func newFixture(t *testing.T, o store.Options) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.New(t, o), stranger: "0xcarl"}
	f.Freeze()
	f.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now())
	f.e = media.New(f.DB, f.Blobs, media.Options{
		Now:  f.Now,
		Plan: func(context.Context, atelier.Wallet) (atelier.Subscription, error) { return f.plan.At(f.Now()), nil },
		Limits: media.Limits{
			UploadBytes: 1 << 20, UploadBytesADay: 1 << 30, FormsADay: 1000, PostsAMinute: 100, PixelsAMinute: 1e9, UnusedTTL: 7 * 24 * time.Hour,
			FormTTL: time.Hour, DownloadTTL: 48 * time.Hour, AssetBytes: 1 << 20, AssetEntries: 10,
			LibraryBytes: 1 << 30, CopyBytesADay: 1 << 30, BindingsADay: 2, PutWindow: 5 * time.Minute, FinalizeWindow: time.Hour,
		},
	})
	f.who = f.account("0xann")
	f.account(f.stranger)
	return f
}

func (f *fixture) account(w atelier.Wallet) atelier.Caller {
	f.T.Helper()
	return atelier.Caller{Account: f.AddAccount(atelier.Account{Wallet: w}, billing.Credits{})}
}

// upload asks for a form and puts bytes under its key, as the disk server would.
func (f *fixture) upload(project, kind string) string {
	f.T.Helper()
	form, err := f.e.UploadURL(f.T.Context(), f.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: kind, ProjectID: atelier.ProjectID(project), ContentType: "image/png"})
	if err != nil {
		f.T.Fatal(err)
	}
	f.store(form.Fields["key"])
	return form.Fields["key"]
}

func (f *fixture) store(key string) {
	f.T.Helper()
	if _, err := f.Blobs.Put(f.T.Context(), key, strings.NewReader("bytes"), blob.PutOptions{ContentType: "image/png"}); err != nil {
		f.T.Fatal(err)
	}
}

// keys lists the objects that are not in the trash.
func (f *fixture) keys() []string {
	f.T.Helper()
	return slices.DeleteFunc(f.list(""), func(key string) bool { return strings.HasPrefix(key, media.Trash) })
}

func (f *fixture) list(prefix string) (keys []string) {
	f.T.Helper()
	for entry, err := range f.Blobs.List(f.T.Context(), prefix, "") {
		if err != nil {
			f.T.Fatal(err)
		}
		keys = append(keys, entry.Key)
	}
	return keys
}

func (f *fixture) sweep() media.Swept {
	f.T.Helper()
	s, err := f.e.Sweep(f.T.Context(), false)
	if err != nil {
		f.T.Fatal(err)
	}
	return s
}

// A sweep never removes an object that a row names, and in time removes all others.
func TestSweepUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		first := f.upload("p1", "startingImage")
		second := f.upload("p1", "startingImage") // replaces the first
		other := f.upload("p1", "cnImage")
		if _, err := f.e.UploadURL(t.Context(), f.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: "referenceMask", ProjectID: "p1"}); err != nil {
			t.Fatal(err) // a form that is never used
		}
		f.store("inputs/orphan/x.png")
		f.store("elsewhere/x.png") // not an object of media

		if s := f.sweep(); s.Forms != 0 || s.Objects != 1 {
			t.Errorf("while forms are open: swept %+v, want the orphan", s)
		}
		if got := f.keys(); len(got) != 4 || slices.Contains(got, "inputs/orphan/x.png") {
			t.Errorf("left: %q", got)
		}
		f.Advance(3 * time.Hour)
		s := f.sweep()
		if s.Forms != 2 || s.Objects != 0 {
			t.Errorf("after forms closed: swept %+v, want the unused and the replaced one", s)
		}
		got := f.keys()
		if slices.Contains(got, first) || !slices.Contains(got, second) || !slices.Contains(got, other) || !slices.Contains(got, "elsewhere/x.png") {
			t.Errorf("left: %q", got)
		}
		if key, _, err := f.e.Input(t.Context(), "0xann", "p1", "startingImage"); err != nil || key != second {
			t.Errorf("the slot shows %s, %v", key, err)
		}
		if s := f.sweep(); s.Any() {
			t.Errorf("a second sweep removed %+v", s)
		}
	})
}

const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello

// saved makes a ready asset of the bytes hello, as a WAV.
func (f *fixture) saved() media.AssetRecord {
	f.T.Helper()
	p, err := f.e.Prepare(f.T.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"})
	if err != nil {
		f.T.Fatal(err)
	}
	err = f.DB.Write(f.T.Context(), func(tx *store.Tx) error {
		a, err := tx.Asset("0xann", p.ID)
		if err != nil {
			return err
		}
		f.store(a.BlobKey)
		return tx.FinishAsset("0xann", p.ID, f.Now())
	})
	if err != nil {
		f.T.Fatal(err)
	}
	return p.AssetRecord
}

func (f *fixture) library() int {
	f.T.Helper()
	list, err := f.e.Assets(f.T.Context(), "0xann")
	if err != nil {
		f.T.Fatal(err)
	}
	return len(list)
}

// Assets are kept while the plan is active and for thirty days after the later
// of the end of the paid period and the last save or reuse.
func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.saved()
		f.Advance(400 * day)
		if f.sweep(); f.library() != 1 {
			t.Fatal("an asset of an active subscriber was removed")
		}
		f.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionCancelEnd, f.Now().Add(10*day), f.Now())
		f.Advance(10*day + 30*day - time.Hour)
		if f.sweep(); f.library() != 1 {
			t.Fatal("an asset was removed within thirty days of the paid period")
		}
		f.Advance(time.Hour)
		if s := f.sweep(); f.library() != 0 || s.Assets != 1 || len(f.keys()) != 0 {
			t.Errorf("after thirty days: %d assets, %d objects, swept %+v", f.library(), len(f.keys()), s)
		}
		// Without any period, the last use counts.
		f.plan = atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now())
		f.saved()
		f.plan = atelier.Subscription{Status: atelier.SubscriptionNone}
		f.Advance(30*day - time.Hour)
		if f.sweep(); f.library() != 1 {
			t.Fatal("an asset was removed within thirty days of its last use")
		}
		f.Advance(2 * time.Hour)
		if f.sweep(); f.library() != 0 {
			t.Error("an unused asset was kept")
		}
	})
}

func TestUnfinishedAssetsAreRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	if _, err := f.e.Prepare(t.Context(), "0xann", media.NewAsset{SHA256: sum, Bytes: 5, ContentType: "audio/wav"}); err != nil {
		t.Fatal(err)
	}
	f.Advance(90 * time.Minute)
	if f.sweep(); f.library() != 1 {
		t.Fatal("an upload that may still be on its way was removed")
	}
	f.Advance(31 * time.Minute)
	if s := f.sweep(); f.library() != 0 || s.Assets != 1 {
		t.Errorf("left %d, swept %+v", f.library(), s)
	}
}

func TestBindingsADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		a := f.saved()
		bind := func() error {
			_, err := f.e.Bind(t.Context(), "0xann", media.Binding{AssetID: a.ID, ProjectID: atelier.ProjectID(mint.UUID()), Type: "referenceAudio", ID: "referenceAudio2"})
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
		f.Advance(24 * time.Hour)
		if err := bind(); err != nil {
			t.Errorf("the next day: %v", err)
		}
		f.Advance(7 * 24 * time.Hour)
		if f.sweep(); storetest.CountRows(t, f.DB, "asset_day") != 1 {
			t.Errorf("%d days are counted a week later, want the second", storetest.CountRows(t, f.DB, "asset_day"))
		}
	})
}

// A library with one free entry accepts one of many concurrent assets.
func TestLibraryLimitUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			taken int
		)
		for i := range 30 {
			wg.Go(func() {
				digits := []byte(sum)
				digits[0], digits[1] = "0123456789abcdef"[i/16], "0123456789abcdef"[i%16]
				_, err := f.e.Prepare(context.Background(), "0xann", media.NewAsset{SHA256: string(digits), Bytes: 5, ContentType: "audio/wav"})
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
		if taken != 10 || f.library() != 10 {
			t.Errorf("%d were taken, %d are there, want 10", taken, f.library())
		}
	})
}
