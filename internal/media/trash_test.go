package media_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const aDay = 24 * time.Hour

// Uploads that no workflow uses are removed after a week, with the claim of their
// project. An upload that a workflow has used stays, even when a newer one replaces
// it in its slot.
func TestSweepUnusedUploads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		unused := f.upload("p1", "startingImage")
		used := f.upload("p2", "startingImage")
		err := f.DB.Write(t.Context(), func(tx *store.Tx) error { return tx.UseUpload(used, f.Now()) })
		if err != nil {
			t.Fatal(err)
		}
		newer := f.upload("p2", "startingImage") // replaces it in its slot
		if _, err := f.e.UploadURL(t.Context(), f.who, media.UploadRequest{Endpoint: media.ImageEndpoint, Type: "cnImage", ProjectID: "p3"}); err != nil {
			t.Fatal(err)
		}
		f.Advance(6 * aDay)
		if s := f.sweep(); s.Forms != 1 || len(f.keys()) != 3 {
			t.Errorf("within a week: swept %+v, left %q; want the form that was not used", s, f.keys())
		}
		if got := f.claims("p1", "p2", "p3"); !slices.Equal(got, []string{"p1", "p2"}) {
			t.Errorf("claims %q, want those of projects with uploads", got)
		}
		f.Advance(aDay)
		if s := f.sweep(); s.Forms != 2 {
			t.Errorf("after a week: swept %+v, want two uploads", s)
		}
		if got := f.keys(); !slices.Equal(got, []string{used}) {
			t.Errorf("left %q, want what a workflow has taken", got)
		}
		if got := f.claims("p1", "p2", "p3"); !slices.Equal(got, []string{"p2"}) {
			t.Errorf("claims %q, want that of the project with an upload", got)
		}
		trash := strings.Join(f.list(media.Trash), " ")
		if strings.Count(trash, "trash/") != 2 || !strings.Contains(trash, "/"+unused) || !strings.Contains(trash, "/"+newer) {
			t.Errorf("trash %q", trash)
		}
		f.Advance(100 * aDay)
		if f.sweep(); !slices.Equal(f.list(""), []string{used}) {
			t.Errorf("in the end: %q", f.list(""))
		}
	})
}

// claims lists the projects that have an owner: those that another account cannot
// claim.
func (f *fixture) claims(projects ...string) (claimed []string) {
	f.T.Helper()
	look := errors.New("only a look")
	for _, p := range projects {
		err := f.DB.Write(f.T.Context(), func(tx *store.Tx) error {
			owner, err := tx.ClaimProject(atelier.ProjectID(p), f.stranger, f.Now())
			if err != nil {
				return err
			}
			if owner != f.stranger {
				claimed = append(claimed, p)
			}
			return look
		})
		if !errors.Is(err, look) {
			f.T.Fatal(err)
		}
	}
	return slices.Compact(claimed) // a change may run twice
}

// Swept objects stay in the trash for a week and can be restored.
func TestTrash(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		kept := f.upload("p1", "startingImage")
		f.use(kept)
		f.store("inputs/orphan/x.png")
		f.store("results/00/job-1-preview")
		if s := f.sweep(); s.Objects != 1 || s.Previews != 0 {
			t.Errorf("swept %+v, want the orphan", s)
		}
		if n, err := f.e.Restore(t.Context()); n != 1 || err != nil {
			t.Errorf("restored %d, %v", n, err)
		}
		if got := f.list(""); !slices.Equal(got, []string{kept, "inputs/orphan/x.png", "results/00/job-1-preview"}) {
			t.Errorf("after restoring: %q", got)
		}
		f.sweep()
		f.Advance(7 * aDay) // at least seven whole days
		if s := f.sweep(); s.Trash != 0 || s.Previews != 1 || len(f.list(media.Trash)) != 1 {
			t.Errorf("after a week: swept %+v, trash %q; want the preview gone and the trash kept", s, f.list(media.Trash))
		}
		f.Advance(aDay)
		if s := f.sweep(); s.Trash != 1 || len(f.list(media.Trash)) != 0 {
			t.Errorf("a day later: swept %+v, trash %q", s, f.list(media.Trash))
		}
		// An object that is there again is not written over.
		f.store("trash/2026-01-01/" + kept)
		if n, err := f.e.Restore(t.Context()); n != 0 || err != nil {
			t.Errorf("restored %d, %v over what is there", n, err)
		}
	})
}

func (f *fixture) use(key string) {
	f.T.Helper()
	if err := f.DB.Write(f.T.Context(), func(tx *store.Tx) error { return tx.UseUpload(key, f.Now()) }); err != nil {
		f.T.Fatal(err)
	}
}

// More objects without a row than a tenth of all are more likely to mean a wrong
// database than garbage.
func TestSweepSuspectsAWrongDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		for i := range 120 {
			f.store(fmt.Sprintf("inputs/orphan/%d.png", i))
		}
		refuse := func(text string) {
			t.Helper()
			s, err := f.e.Sweep(t.Context(), false)
			if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "--force") || s.Objects != 0 {
				t.Errorf("swept %+v, %v; want a refusal that says %q", s, err, text)
			}
		}
		refuse("the database names none")
		kept := f.upload("p1", "startingImage")
		f.use(kept)
		refuse("does not name 120 of the 121 objects")
		if len(f.keys()) != 121 {
			t.Errorf("%d objects left", len(f.keys()))
		}
		if s, err := f.e.Sweep(t.Context(), true); err != nil || s.Objects != 120 {
			t.Errorf("forced: %+v, %v", s, err)
		}
		if got := f.keys(); !slices.Equal(got, []string{kept}) {
			t.Errorf("left: %q", got)
		}
		if len(f.list(media.Trash)) != 120 {
			t.Errorf("trash: %d", len(f.list(media.Trash)))
		}
	})
}

// A storage belongs to one database.
func TestInstallation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		a, b := newFixture(t, o), newFixture(t, storetest.SQLite(t))
		tie := func(what string, e *media.Engine, refusal string) {
			t.Helper()
			err := e.Tie(t.Context())
			if refusal == "" && err != nil || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal) || !strings.Contains(err.Error(), "storage adopt")) {
				t.Errorf("%s: got %v, want %q", what, err, refusal)
			}
		}
		stray := media.New(b.DB, a.Blobs, media.Options{Now: time.Now, Plan: nil}) // the other's storage

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
		// An empty storage, such as a new bucket, is accepted.
		empty := newFixture(t, storetest.SQLite(t))
		tie("an empty storage", media.New(a.DB, empty.Blobs, media.Options{Now: time.Now}), "")
	})
}

// Nodes that start at the same time agree.
func TestInstallationAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if err := f.e.Tie(t.Context()); err != nil {
					t.Errorf("Tie: %v", err)
				}
			})
		}
		wg.Wait()
		if err := f.e.Tie(t.Context()); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
