package media_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const aDay = 24 * time.Hour

// Uploads that no workflow takes go after a week, with the claim of their
// project; what a workflow has taken stays, even when a newer one is in its slot.
func TestSweepUnusedUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		unused := w.upload("p1", "startingImage")
		used := w.upload("p2", "startingImage")
		err := w.db.Write(t.Context(), func(tx *store.Tx) error { return tx.UseUpload(used, w.now) })
		if err != nil {
			t.Fatal(err)
		}
		newer := w.upload("p2", "startingImage") // replaces it in its slot
		if _, err := w.e.UploadURL(t.Context(), w.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: "cnImage", ProjectID: "p3"}); err != nil {
			t.Fatal(err)
		}
		w.advance(6 * aDay)
		if s := w.sweep(); s.Forms != 1 || len(w.keys()) != 3 {
			t.Errorf("within a week: swept %+v, left %q; want the form that was not used", s, w.keys())
		}
		if got := w.claims("p1", "p2", "p3"); !slices.Equal(got, []string{"p1", "p2"}) {
			t.Errorf("claims %q, want those of projects with uploads", got)
		}
		w.advance(aDay)
		if s := w.sweep(); s.Forms != 2 {
			t.Errorf("after a week: swept %+v, want two uploads", s)
		}
		if got := w.keys(); !slices.Equal(got, []string{used}) {
			t.Errorf("left %q, want what a workflow has taken", got)
		}
		if got := w.claims("p1", "p2", "p3"); !slices.Equal(got, []string{"p2"}) {
			t.Errorf("claims %q, want that of the project with an upload", got)
		}
		trash := strings.Join(w.list(media.Trash), " ")
		if strings.Count(trash, "trash/") != 2 || !strings.Contains(trash, "/"+unused) || !strings.Contains(trash, "/"+newer) {
			t.Errorf("trash %q", trash)
		}
		w.advance(100 * aDay)
		if w.sweep(); !slices.Equal(w.list(""), []string{used}) {
			t.Errorf("in the end: %q", w.list(""))
		}
	})
}

// claims tells which projects have an owner: those that a stranger cannot have.
func (w *world) claims(projects ...string) (claimed []string) {
	w.t.Helper()
	look := errors.New("only a look")
	for _, p := range projects {
		err := w.db.Write(w.t.Context(), func(tx *store.Tx) error {
			owner, err := tx.ClaimProject(p, w.stranger, w.now)
			if err != nil {
				return err
			}
			if owner != w.stranger {
				claimed = append(claimed, p)
			}
			return look
		})
		if !errors.Is(err, look) {
			w.t.Fatal(err)
		}
	}
	return slices.Compact(claimed) // a change may run twice
}

// What the sweeper takes is in the trash for a week and can be had back.
func TestTrash(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		kept := w.upload("p1", "startingImage")
		w.use(kept)
		w.store("inputs/orphan/x.png")
		w.store("results/00/job-1-preview")
		if s := w.sweep(); s.Objects != 1 || s.Previews != 0 {
			t.Errorf("swept %+v, want the orphan", s)
		}
		if n, err := w.e.Restore(t.Context()); n != 1 || err != nil {
			t.Errorf("restored %d, %v", n, err)
		}
		if got := w.list(""); !slices.Equal(got, []string{kept, "inputs/orphan/x.png", "results/00/job-1-preview"}) {
			t.Errorf("after restoring: %q", got)
		}
		w.sweep()
		w.advance(7 * aDay) // at least seven whole days
		if s := w.sweep(); s.Trash != 0 || s.Previews != 1 || len(w.list(media.Trash)) != 1 {
			t.Errorf("after a week: swept %+v, trash %q; want the preview gone and the trash kept", s, w.list(media.Trash))
		}
		w.advance(aDay)
		if s := w.sweep(); s.Trash != 1 || len(w.list(media.Trash)) != 0 {
			t.Errorf("a day later: swept %+v, trash %q", s, w.list(media.Trash))
		}
		// An object that is there again is not written over.
		w.store("trash/2026-01-01/" + kept)
		if n, err := w.e.Restore(t.Context()); n != 0 || err != nil {
			t.Errorf("restored %d, %v over what is there", n, err)
		}
	})
}

func (w *world) use(key string) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), func(tx *store.Tx) error { return tx.UseUpload(key, w.now) }); err != nil {
		w.t.Fatal(err)
	}
}

// More objects without a row than a tenth of all are more likely to mean a wrong
// database than garbage.
func TestSweepDoubtsTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		for i := range 120 {
			w.store(fmt.Sprintf("inputs/orphan/%d.png", i))
		}
		refuse := func(text string) {
			t.Helper()
			s, err := w.e.Sweep(t.Context(), false)
			if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "--force") || s.Objects != 0 {
				t.Errorf("swept %+v, %v; want a refusal that says %q", s, err, text)
			}
		}
		refuse("the database names none")
		kept := w.upload("p1", "startingImage")
		w.use(kept)
		refuse("does not name 120 of the 121 objects")
		if len(w.keys()) != 121 {
			t.Errorf("%d objects left", len(w.keys()))
		}
		if s, err := w.e.Sweep(t.Context(), true); err != nil || s.Objects != 120 {
			t.Errorf("forced: %+v, %v", s, err)
		}
		if got := w.keys(); !slices.Equal(got, []string{kept}) {
			t.Errorf("left: %q", got)
		}
		if len(w.list(media.Trash)) != 120 {
			t.Errorf("trash: %d", len(w.list(media.Trash)))
		}
	})
}

// A storage belongs to one database.
func TestInstallation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		a, b := newWorld(t, o), newWorld(t, storetest.SQLite(t))
		tie := func(what string, e *media.Engine, refusal string) {
			t.Helper()
			err := e.Tie(t.Context())
			if refusal == "" && err != nil || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal) || !strings.Contains(err.Error(), "storage adopt")) {
				t.Errorf("%s: got %v, want %q", what, err, refusal)
			}
		}
		stray := media.New(b.db, a.blobs, media.Options{Now: time.Now, Plan: nil}) // the other's storage

		key := a.upload("p1", "startingImage")
		tie("an empty database beside objects", stray, "the database names none of them")
		tie("the database that names them, from before ids", a.e, "")
		tie("again", a.e, "")
		tie("a new database beside a storage with an id", stray, "the database is new or older")
		tie("a new installation", b.e, "")
		tie("another installation's database", stray, "belongs to the installation")
		if got := a.list("inputs/"); !slices.Equal(got, []string{key}) {
			t.Errorf("objects: %q", got)
		}
		if err := stray.Adopt(t.Context()); err != nil {
			t.Fatal(err)
		}
		tie("adopted", stray, "")
		tie("which leaves the other", a.e, "belongs to the installation")
		// An empty storage, such as a new bucket, is taken.
		empty := newWorld(t, storetest.SQLite(t))
		tie("an empty storage", media.New(a.db, empty.blobs, media.Options{Now: time.Now}), "")
	})
}

// Nodes that start at the same time agree.
func TestInstallationAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if err := w.e.Tie(t.Context()); err != nil {
					t.Errorf("Tie: %v", err)
				}
			})
		}
		wg.Wait()
		if err := w.e.Tie(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
