package library_test

import (
	"bytes"
	"image"
	"image/png"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

type fixture struct {
	*enginetest.Env
	lib   *library.Engine
	media *media.Engine
	ann   atelier.Account
}

func newFixture(t *testing.T) fixture { return newFixtureOn(t, storetest.SQLite(t)) }

func newFixtureOn(t *testing.T, o store.Options) fixture {
	env := enginetest.New(t, o)
	m := media.New(env.DB, env.Blobs, media.Options{Now: env.Now})
	return fixture{env, library.New(env.DB, env.Blobs, m, library.Options{
		Links: library.Links{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://a.example"}, DownloadTTL: time.Hour, Now: env.Now, Log: enginetest.Log, FirstFrame: kit.Renderer{}.FirstFrame,
	}), m, env.AddAccount(atelier.Account{Wallet: "0xann", Username: "ann"}, billing.Credits{})}
}

// add puts a file into the library.
func (f fixture) add(id, kind, contentType string, content []byte) {
	f.T.Helper()
	key := "results/00/" + id + "-x"
	if _, err := f.Disk.Put(f.T.Context(), key, bytes.NewReader(content), blob.PutOptions{ContentType: contentType}); err != nil {
		f.T.Fatal(err)
	}
	j := store.StoredJob{Job: atelier.Job{
		ID: atelier.JobID("job-" + id), ProjectID: atelier.ProjectID("project-" + id), Wallet: f.ann.Wallet, Owner: atelier.JobOwner{Kind: "workflow", ID: "w-" + id, Part: "step/0"},
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "m"}, Network: atelier.NetworkFast, Attempt: 1, CreatedAt: f.Now(),
	}}
	a := atelier.Artifact{ID: id, JobID: j.ID, ProjectID: j.ProjectID, Kind: kind, ContentType: contentType, Key: key, Bytes: int64(len(content))}
	err := f.DB.Write(f.T.Context(), func(tx *store.Tx) error {
		if _, err := tx.InsertJob(j); err != nil {
			return err
		}
		if err := tx.InsertArtifact(a); err != nil {
			return err
		}
		return tx.InsertLibraryItem(store.NewLibraryItem(j.Job, a, "a", f.Now()))
	})
	if err != nil {
		f.T.Fatal(err)
	}
}

// thumbnail opens the link of an artifact; an empty link means that it has no thumbnail.
func (f fixture) thumbnail(id string) (link string, err error) {
	f.T.Helper()
	a, err := f.lib.Read(f.T.Context(), f.ann.Wallet, id)
	if err != nil {
		f.T.Fatal(err)
	}
	if a.ThumbnailURL == nil {
		return "", nil
	}
	u, _ := url.Parse(*a.ThumbnailURL)
	until, _ := strconv.ParseInt(u.Query().Get("until"), 10, 64)
	file, _, err := f.lib.Thumbnail(f.T.Context(), id, 320, until, u.Query().Get("signature"))
	if err == nil {
		err = file.Close()
	}
	return *a.ThumbnailURL, err
}

func pngOf(t *testing.T, w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file from which no thumbnail can be made has no link once that is known, and harms
// nothing.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	large := pngOf(t, 8, 8)
	copy(large[16:24], []byte{0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0}) // it says that it is 100000 by 100000
	cut := pngOf(t, 64, 64)
	for id, file := range map[string]struct {
		kind, contentType string
		content           []byte
	}{
		"text":  {"image", "image/png", []byte(strings.Repeat("no picture ", 100))},
		"large": {"image", "image/png", large},
		"cut":   {"image", "image/png", cut[:len(cut)-20]},
		"clip":  {"video", "video/mp4", []byte("\x00\x00\x00\x18ftypisom" + strings.Repeat("x", 200))},
	} {
		f.add(id, file.kind, file.contentType, file.content)
		if link, err := f.thumbnail(id); link == "" || !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("%s: got %q, %v, want a link that leads to nothing", id, link, err)
		}
		if link, _ := f.thumbnail(id); link != "" {
			t.Errorf("%s: it still has the link %s", id, link)
		}
	}
	f.add("sound", "audio", "audio/flac", []byte("fLaC and nothing else"))
	if link, _ := f.thumbnail("sound"); link != "" {
		t.Errorf("a sound has the thumbnail %s", link)
	}
}

// Many readers of one link get the same thumbnail. The sweeper keeps it as long as there
// is its artifact.
func TestThumbnailIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add("fox", "image", "image/png", pngOf(t, 1000, 500))
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			if _, err := f.thumbnail("fox"); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	f.Advance(48 * time.Hour)
	if s, err := f.media.Sweep(t.Context(), true); err != nil || s.Objects != 0 {
		t.Errorf("swept %+v, %v, want nothing", s, err)
	}
	if _, err := f.Disk.Stat(t.Context(), media.Thumbnail("results/00/fox-x", 320)); err != nil {
		t.Error(err)
	}
	if _, err := f.Disk.Put(t.Context(), "results/00/fox-preview", strings.NewReader("a preview of its worker"), blob.PutOptions{ContentType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	if err := f.lib.Delete(t.Context(), f.ann.Wallet, "fox"); err != nil {
		t.Fatal(err)
	}
	for entry, err := range f.Disk.List(t.Context(), "results/", "") {
		t.Errorf("%v is left, %v", entry, err)
	}
}

// A clip stays while a workflow uses its last frame, and both files go with it.
func TestLastFrameInUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.add("clip", "video", "video/mp4", []byte("a clip"))
	frame := atelier.Artifact{ID: "clip-lastFrame", JobID: "job-clip", ProjectID: "project-clip", Position: 1, Kind: "image", ContentType: "image/png", Key: "results/00/clip-lastFrame-x"}
	if _, err := f.Disk.Put(t.Context(), frame.Key, bytes.NewReader(pngOf(t, 8, 8)), blob.PutOptions{ContentType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	next := store.StoredWorkflow{ID: "next", Head: store.Head{Wallet: f.ann.Wallet, Status: atelier.StatusRunning, CreatedAt: f.Now(), UpdatedAt: f.Now()}, Plan: []byte("{}"), State: []byte("{}")}
	change := func(do func(tx *store.Tx) error) {
		t.Helper()
		if err := f.DB.Write(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	change(func(tx *store.Tx) error {
		if err := tx.InsertArtifact(frame); err != nil {
			return err
		}
		if err := tx.InsertWorkflow(next); err != nil {
			return err
		}
		return tx.UseArtifact(frame.Key, next.ID)
	})
	if err := f.lib.Delete(t.Context(), f.ann.Wallet, "clip"); !atelier.HasCode(err, atelier.CodeWrongState) {
		t.Errorf("got %v, want that a workflow uses it", err)
	}
	next.Status = atelier.StatusCompleted
	change(func(tx *store.Tx) error { return tx.UpdateWorkflow(&next) })
	if err := f.lib.Delete(t.Context(), f.ann.Wallet, "clip"); err != nil {
		t.Fatal(err)
	}
	for entry, err := range f.Disk.List(t.Context(), "results/", "") {
		t.Errorf("%v is left, %v", entry, err)
	}
}
