package blobtest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

func putAndReadBack(t *testing.T, s blob.Store) {
	const key, body = "media/0xAbC/job_1/image.png", "some bytes"
	before := time.Now().Add(-time.Minute)
	made, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{ContentType: `image/png; note="a \"b\" <c>"`})
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	r, opened, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != body {
		t.Errorf("content = %q, %v; want %q", got, err, body)
	}
	found, err := s.Stat(t.Context(), key)
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	for from, o := range map[string]blob.Object{"Put": made, "Open": opened, "Stat": found} {
		if o.Key != key || o.Size != int64(len(body)) || o.SHA256 != digest([]byte(body)) ||
			o.ContentType != `image/png; note="a \"b\" <c>"` {
			t.Errorf("%s = %+v, which is not what was put", from, o)
		}
		if o.ModTime.Before(before) || o.ModTime.After(time.Now().Add(time.Minute)) {
			t.Errorf("%s: ModTime = %v, want about now", from, o.ModTime)
		}
	}
}

func emptyObject(t *testing.T, s blob.Store) {
	if o := put(t, s, "empty", ""); o.Size != 0 || o.SHA256 != digest(nil) {
		t.Errorf("Put = %+v, want size 0", o)
	}
	if got := read(t, s, "empty"); got != "" {
		t.Errorf("content = %q, want none", got)
	}
}

func largeObject(t *testing.T, s blob.Store) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // 3 MiB
	// A reader of unknown length, in small pieces.
	o, err := s.Put(t.Context(), "large", &dribble{r: bytes.NewReader(body)}, blob.PutOptions{})
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	if o.Size != int64(len(body)) || o.SHA256 != digest(body) {
		t.Errorf("Put = %+v, want %d bytes with digest %s", o, len(body), digest(body))
	}
	if read(t, s, "large") != string(body) {
		t.Error("the content came back changed")
	}
}

// dribble reads at most a few kilobytes at once, however large the buffer is.
type dribble struct{ r io.Reader }

func (d *dribble) Read(p []byte) (int, error) { return d.r.Read(p[:min(len(p), 5000)]) }

func defaultContentType(t *testing.T, s blob.Store) {
	if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Stat(t.Context(), "a")
	if err != nil || o.ContentType != "application/octet-stream" {
		t.Errorf("Stat = %+v, %v; want application/octet-stream", o, err)
	}
}

func badContentType(t *testing.T, s blob.Store) {
	for _, kind := range []string{"image/png\r\nSet-Cookie: a=b", "not a type", "text/plain; a=\"" + strings.Repeat("x", 500) + `"`} {
		if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), blob.PutOptions{ContentType: kind}); err == nil {
			t.Errorf("Put with content type %q = nil error", kind)
		}
	}
	wantAbsent(t, s, "a")
}

func replace(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "first, and longer")
	put(t, s, "a/b", "second")
	if got := read(t, s, "a/b"); got != "second" {
		t.Errorf("content = %q, want the second", got)
	}
	if o, err := s.Stat(t.Context(), "a/b"); err != nil || o.SHA256 != digest([]byte("second")) {
		t.Errorf("Stat = %+v, %v; want the second's digest", o, err)
	}
}

func putsAtOnce(t *testing.T, s blob.Store) {
	var wg sync.WaitGroup
	bodies := make(map[string]bool)
	for i := range 8 {
		body := strings.Repeat(string(rune('a'+i)), 100_000)
		bodies[body] = true
		wg.Go(func() {
			if _, err := s.Put(t.Context(), "deep/er/a", &dribble{strings.NewReader(body)}, blob.PutOptions{}); err != nil {
				t.Errorf("Put: %v", err)
			}
		})
	}
	wg.Wait()
	got := read(t, s, "deep/er/a")
	if !bodies[got] {
		t.Errorf("the object has %d bytes and is not one of those put", len(got))
	}
	if o, err := s.Stat(t.Context(), "deep/er/a"); err != nil || o.SHA256 != digest([]byte(got)) {
		t.Errorf("Stat = %+v, %v; want the digest of the content", o, err)
	}
}

func onlyNew(t *testing.T, s blob.Store) {
	first, err := s.Put(t.Context(), "a/b", strings.NewReader("first"), blob.PutOptions{OnlyNew: true})
	if err != nil || first.Size != 5 {
		t.Fatalf("Put of a new object = %+v, %v", first, err)
	}
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("second"), blob.PutOptions{OnlyNew: true}); !errors.Is(err, blob.ErrExists) {
		t.Errorf("Put of what is there = %v, want ErrExists", err)
	}
	if got := read(t, s, "a/b"); got != "first" {
		t.Errorf("content = %q, want the first", got)
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("third"), blob.PutOptions{OnlyNew: true}); err != nil {
		t.Errorf("Put after Delete: %v", err)
	}
}

func onlyNewAtOnce(t *testing.T, s blob.Store) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var won []string
	for i := range 8 {
		body := strings.Repeat(string(rune('a'+i)), 50_000)
		wg.Go(func() {
			_, err := s.Put(t.Context(), "deep/er/a", &dribble{strings.NewReader(body)}, blob.PutOptions{OnlyNew: true})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, body)
			} else if !errors.Is(err, blob.ErrExists) {
				t.Errorf("Put: %v, want ErrExists", err)
			}
		})
	}
	wg.Wait()
	if len(won) != 1 || read(t, s, "deep/er/a") != won[0] {
		t.Errorf("%d of 8 Puts won; want one, and its content there", len(won))
	}
}

func check(t *testing.T, s blob.Store) {
	bad := errors.New("not what it says")
	looked := ""
	o := blob.PutOptions{Check: func(f io.ReadSeeker, size int64, sha string) error {
		b, err := io.ReadAll(f)
		if err != nil || int64(len(b)) != size || digest(b) != sha {
			t.Errorf("Check was shown %d bytes, %v; size %d, digest %s", len(b), err, size, sha)
		}
		if end, err := f.Seek(-1, io.SeekEnd); err != nil || end != size-1 {
			t.Errorf("Seek = %d, %v", end, err)
		}
		if looked = string(b); looked == "bad" {
			return bad
		}
		return nil
	}}
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("bad"), o); !errors.Is(err, bad) || looked != "bad" {
		t.Errorf("Put = %v after a look at %q, want the error of Check", err, looked)
	}
	wantAbsent(t, s, "a/b")
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("good"), o); err != nil {
		t.Errorf("Put: %v", err)
	}
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("bad"), o); !errors.Is(err, bad) {
		t.Errorf("Put = %v, want the error of Check", err)
	}
	if got := read(t, s, "a/b"); got != "good" {
		t.Errorf("content = %q, want what was there before", got)
	}
}

// A store may know the digest even when it was not asked for.
func noDigest(t *testing.T, s blob.Store) {
	body := strings.Repeat("0123456789", 20_000)
	for _, content := range []string{body, "x", ""} {
		made, err := s.Put(t.Context(), "a", strings.NewReader(content), blob.PutOptions{NoDigest: true})
		if err != nil {
			t.Fatalf("Put: %v", err)
		}
		found, err := s.Stat(t.Context(), "a")
		if err != nil || found.Size != int64(len(content)) || found.SHA256 != made.SHA256 {
			t.Errorf("Stat = %+v, %v; Put = %+v", found, err, made)
		}
		if made.SHA256 != "" && made.SHA256 != digest([]byte(content)) {
			t.Errorf("digest = %s, which is wrong", made.SHA256)
		}
		if read(t, s, "a") != content {
			t.Error("the content came back changed")
		}
	}
}

func putBesideDelete(t *testing.T, s blob.Store) {
	stop := make(chan struct{})
	var deleting, putting sync.WaitGroup
	deleting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := s.Delete(t.Context(), "a/b/gone"); err != nil {
					t.Errorf("Delete: %v", err)
					return
				}
			}
		}
	})
	for range 2 {
		putting.Go(func() {
			for range 20 {
				if _, err := s.Put(t.Context(), "a/b/gone", strings.NewReader("x"), blob.PutOptions{}); err != nil {
					t.Errorf("Put: %v", err)
				}
			}
		})
	}
	putting.Wait()
	close(stop)
	deleting.Wait()
	put(t, s, "a/b/stays", "x")
	if got := read(t, s, "a/b/stays"); got != "x" {
		t.Errorf("content = %q, want x", got)
	}
}
