package library_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The thumbnail of a clip needs no temporary file: many at once cannot fill the disk.
func TestThumbnailOfAClipNeedsNoFile(t *testing.T) {
	f := newFixture(t)
	clip, err := os.ReadFile("testdata/clip.mp4")
	if err != nil {
		t.Fatal(err)
	}
	f.add("clip", "video", "video/mp4", clip)
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	if link, err := f.thumbnail("clip"); link == "" || err != nil {
		t.Errorf("got %q, %v", link, err)
	}
}

// watched counts the calls that run at once, and holds them until it is told to go on.
type watched struct {
	blob.SignedStore
	holds func(call, key string) bool
	goOn  chan struct{}

	broken atomic.Bool // no file can be read

	mu            sync.Mutex
	running, most int
	entered       chan int // how many run, after each that begins
}

func watch(s blob.SignedStore, holds func(call, key string) bool) *watched {
	return &watched{SignedStore: s, holds: holds, goOn: make(chan struct{}), entered: make(chan int, 1000)}
}

func (w *watched) hold(call, key string) {
	if !w.holds(call, key) {
		return
	}
	w.mu.Lock()
	w.running++
	w.most = max(w.most, w.running)
	w.entered <- w.running
	w.mu.Unlock()
	<-w.goOn
	w.mu.Lock()
	w.running--
	w.mu.Unlock()
}

func (w *watched) Open(ctx context.Context, key string) (io.ReadSeekCloser, blob.Object, error) {
	w.hold("open", key)
	file, object, err := w.SignedStore.Open(ctx, key)
	if err == nil && w.broken.Load() {
		file = brokenFile{file}
	}
	return file, object, err
}

// brokenFile ends in the middle of its first kilobyte, as when a connection breaks.
type brokenFile struct{ io.ReadSeekCloser }

func (f brokenFile) Read(p []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at >= 512 {
		return 0, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return f.ReadSeekCloser.Read(p[:min(len(p), int(512-at))])
}

// A store that does not answer says nothing about a file: its thumbnail is made later.
func TestStoreThatFailsIsAskedAgain(t *testing.T) {
	t.Parallel()
	f, w := newWatchedFixture(t, func(string, string) bool { return false })
	picture := image.NewGray(image.Rect(0, 0, 64, 64))
	_, _ = rand.NewChaCha8([32]byte{1}).Read(picture.Pix) // so that it is not small
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	f.add("fox", "image", "image/png", file.Bytes())
	w.broken.Store(true)
	if link, err := f.thumbnail("fox"); link == "" || err == nil {
		t.Errorf("got %q and %v from a store that fails", link, err)
	}
	w.broken.Store(false)
	if link, err := f.thumbnail("fox"); link == "" || err != nil {
		t.Errorf("got %q and %v when the store works again", link, err)
	}
}

func (w *watched) Delete(ctx context.Context, key string) error {
	w.hold("delete", key)
	return w.SignedStore.Delete(ctx, key)
}

// until waits for n concurrent calls.
func (w *watched) until(t *testing.T, n int) {
	t.Helper()
	for {
		select {
		case running := <-w.entered:
			if running >= n {
				return
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("there are never %d calls at once", n)
		}
	}
}

func newWatchedFixture(t *testing.T, holds func(call, key string) bool) (fixture, *watched) {
	env := enginetest.New(t, storetest.SQLite(t))
	w := watch(env.Blobs, holds)
	m := media.New(env.DB, w, media.Options{Now: env.Now})
	return fixture{env, library.New(env.DB, w, m, library.Options{
		Links: library.Links{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://a.example"}, DownloadTTL: time.Hour, Now: env.Now, Log: enginetest.Log, FirstFrame: kit.Renderer{}.FirstFrame,
	}), m, env.AddAccount(atelier.Account{Wallet: "0xann", Username: "ann"}, billing.Credits{})}, w
}

// However many thumbnails of one account are opened, a few are made at once, and those of
// another account are made meanwhile.
func TestThumbnailsOfOneAccountAreBounded(t *testing.T) {
	t.Parallel()
	f, w := newWatchedFixture(t, func(call, key string) bool {
		return call == "open" && strings.Contains(key, "/rob-") && strings.HasSuffix(key, "-x")
	})
	rob := f
	rob.ann = f.AddAccount(atelier.Account{Wallet: "0xrob", Username: "rob"}, billing.Credits{})
	var opened sync.WaitGroup
	for i := range 60 {
		id := fmt.Sprintf("rob-%d", i)
		rob.add(id, "image", "image/png", pngOf(t, 8, 8))
		opened.Go(func() {
			if _, err := rob.thumbnail(id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		})
	}
	w.until(t, 20)
	f.add("fox", "image", "image/png", pngOf(t, 8, 8))
	if _, err := f.thumbnail("fox"); err != nil {
		t.Error(err)
	}
	close(w.goOn)
	opened.Wait()
	if w.most > 20 {
		t.Errorf("%d files of one account were open at once", w.most)
	}
}

// Objects are deleted several at a time: on S3 each is a request.
func TestObjectsAreDeletedAtOnce(t *testing.T) {
	t.Parallel()
	f, w := newWatchedFixture(t, func(call, _ string) bool { return call == "delete" })
	var ids []string
	for i := range 10 {
		ids = append(ids, fmt.Sprintf("fox-%d", i))
		f.add(ids[i], "image", "image/png", pngOf(t, 8, 8))
	}
	done := make(chan error)
	go func() {
		got, err := f.lib.DeleteSeveral(t.Context(), f.ann.Wallet, ids)
		if len(got.Deleted) != len(ids) {
			t.Errorf("got %+v", got)
		}
		done <- err
	}()
	w.until(t, 16)
	close(w.goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if w.most > 16 {
		t.Errorf("%d at once", w.most)
	}
	for entry, err := range f.Disk.List(t.Context(), "results/", "") {
		t.Errorf("%v is left, %v", entry, err)
	}
}
