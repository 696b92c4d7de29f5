package blobtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

// Trait is what a store cannot help doing differently.
type Trait string

// Flat is a store that keeps an object as a file and the objects below it in a
// folder of the same name, so that a and a/b cannot both be there, and a Put may
// fail when a Delete takes the folder away under it. S3 itself is not like that,
// but some that speak its language are.
const Flat Trait = "flat"

// Run tests the stores that newStore gives. Each call must give an empty store,
// which newStore closes when its test ends.
func Run(t *testing.T, newStore func(t *testing.T) blob.Store, traits ...Trait) {
	flat := slices.Contains(traits, Flat)
	for name, test := range map[string]func(*testing.T, blob.Store){
		"put and read back":    putAndReadBack,
		"empty object":         emptyObject,
		"large object":         largeObject,
		"default content type": defaultContentType,
		"bad content type":     badContentType,
		"replace":              replace,
		"not found":            notFound,
		"delete":               deleteTwice,
		"move":                 move,
		"seek":                 seek,
		"open outlives delete": openOutlivesDelete,
		"size limit":           sizeLimit,
		"failing source":       failingSource,
		"cancelled put":        cancelledPut,
		"invalid keys":         invalidKeys,
		"only new":             onlyNew,
		"only new at once":     onlyNewAtOnce,
		"check":                check,
		"no digest":            noDigest,
		"unread":               unread,
		"unread at once":       unreadAtOnce,
		"puts at once":         putsAtOnce,
		"list":                 func(t *testing.T, s blob.Store) { list(t, s, flat) },
		"sweep":                sweep,
		"ping":                 ping,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newStore(t))
		})
	}
	for name, test := range map[string]func(*testing.T, blob.Store){
		"nested keys":       nestedKeys,
		"put beside delete": putBesideDelete,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if flat {
				t.Skip("left out: this store keeps objects in folders of their names")
			}
			test(t, newStore(t))
		})
	}
}

func put(t *testing.T, s blob.Store, key, body string) blob.Object {
	t.Helper()
	o, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{ContentType: "text/plain"})
	if err != nil {
		t.Fatalf("Put(%q): %v", key, err)
	}
	return o
}

func read(t *testing.T, s blob.Store, key string) string {
	t.Helper()
	r, _, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatalf("Open(%q): %v", key, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("reading %q: %v", key, err)
	}
	return string(b)
}

func wantAbsent(t *testing.T, s blob.Store, key string) {
	t.Helper()
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Stat(%q) = %v, want ErrNotFound", key, err)
	}
	if keys := keysOf(t, s, "", ""); len(keys) > 0 {
		t.Errorf("List = %q, want nothing", keys)
	}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

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

// dribble reads at most a few kilobytes at once, whatever room it is given.
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

func notFound(t *testing.T, s blob.Store) {
	put(t, s, "a/b/c", "x")
	for _, key := range []string{"z", "a", "a/b", "a/b/d", "a/b/c/d"} {
		if _, _, err := s.Open(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open(%q) = %v, want ErrNotFound", key, err)
		}
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Stat(%q) = %v, want ErrNotFound", key, err)
		}
	}
}

func deleteTwice(t *testing.T, s blob.Store) {
	put(t, s, "a/b/c", "x")
	for range 2 {
		if err := s.Delete(t.Context(), "a/b/c"); err != nil {
			t.Errorf("Delete: %v", err)
		}
	}
	if err := s.Delete(t.Context(), "never/there"); err != nil {
		t.Errorf("Delete of what was never there: %v", err)
	}
	wantAbsent(t, s, "a/b/c")
	put(t, s, "a/b/c", "again")
	if got := read(t, s, "a/b/c"); got != "again" {
		t.Errorf("content = %q, want again", got)
	}
}

func seek(t *testing.T, s blob.Store) {
	put(t, s, "a", "0123456789")
	r, _, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if end, err := r.Seek(0, io.SeekEnd); err != nil || end != 10 {
		t.Errorf("Seek to the end = %d, %v; want 10", end, err)
	}
	if _, err := r.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 3)
	if _, err := io.ReadFull(r, part); err != nil || string(part) != "456" {
		t.Errorf("read %q, %v; want 456", part, err)
	}
	if _, err := r.Seek(-2, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "89" {
		t.Errorf("read %q, %v; want 89", rest, err)
	}
}

func openOutlivesDelete(t *testing.T, s blob.Store) {
	put(t, s, "a", "old")
	r, _, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put(t, s, "a", "new")
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "old" {
		t.Errorf("content = %q, %v; want what was opened", got, err)
	}
}

func sizeLimit(t *testing.T, s blob.Store) {
	if _, err := s.Put(t.Context(), "a", strings.NewReader("12345"), blob.PutOptions{MaxBytes: 5}); err != nil {
		t.Errorf("Put of exactly the limit: %v", err)
	}
	_, err := s.Put(t.Context(), "a", strings.NewReader("123456"), blob.PutOptions{MaxBytes: 5})
	if !errors.Is(err, blob.ErrTooLarge) {
		t.Errorf("Put over the limit = %v, want ErrTooLarge", err)
	}
	if got := read(t, s, "a"); got != "12345" {
		t.Errorf("content = %q, want what was there before", got)
	}
	endless := &counting{}
	if _, err := s.Put(t.Context(), "b", endless, blob.PutOptions{MaxBytes: 1 << 20}); !errors.Is(err, blob.ErrTooLarge) {
		t.Errorf("Put of endless content = %v, want ErrTooLarge", err)
	}
	if endless.n.Load() > 4<<20 {
		t.Errorf("%d bytes were read for a limit of 1 MiB", endless.n.Load())
	}
	if _, err := s.Stat(t.Context(), "b"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Stat = %v, want ErrNotFound", err)
	}
}

// counting is content without an end.
type counting struct{ n atomic.Int64 }

func (c *counting) Read(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

func failingSource(t *testing.T, s blob.Store) {
	broken := errors.New("the line broke")
	source := func() io.Reader { return io.MultiReader(strings.NewReader("half of it"), failing{broken}) }
	if _, err := s.Put(t.Context(), "a/b", source(), blob.PutOptions{}); !errors.Is(err, broken) {
		t.Errorf("Put = %v, want the source's error", err)
	}
	wantAbsent(t, s, "a/b")
	put(t, s, "a/b", "whole")
	if _, err := s.Put(t.Context(), "a/b", source(), blob.PutOptions{}); !errors.Is(err, broken) {
		t.Errorf("Put = %v, want the source's error", err)
	}
	if got := read(t, s, "a/b"); got != "whole" {
		t.Errorf("content = %q, want what was there before", got)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func cancelledPut(t *testing.T, s blob.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	source := io.MultiReader(strings.NewReader("half of it"), doing(cancel), strings.NewReader("the rest"))
	if _, err := s.Put(ctx, "a", source, blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want context.Canceled", err)
	}
	wantAbsent(t, s, "a")

	// The context may also end with the last byte.
	ctx, cancel = context.WithCancel(t.Context())
	source = io.MultiReader(strings.NewReader("all of it"), doing(cancel))
	if _, err := s.Put(ctx, "a", source, blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want context.Canceled", err)
	}
	wantAbsent(t, s, "a")
}

// doing is empty content that does something when it is read.
type doing func()

func (d doing) Read([]byte) (int, error) {
	d()
	return 0, io.EOF
}

// InvalidKeys are keys that every store refuses.
var InvalidKeys = []string{
	"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "a/./b", ".hidden", "a/.hidden", "a.", "a./b",
	"a\x00b", "a b", "a\\b", `..\a`, "a+", "a+/b", "a:b", "a*", "ü", "a\n", "%2e%2e/a", "~a", "\xff",
	strings.Repeat("x", 129), strings.Repeat("x/", 300) + "x",
}

func invalidKeys(t *testing.T, s blob.Store) {
	for _, key := range InvalidKeys {
		_, errPut := s.Put(t.Context(), key, strings.NewReader("x"), blob.PutOptions{})
		_, _, errOpen := s.Open(t.Context(), key)
		_, errStat := s.Stat(t.Context(), key)
		errDelete := s.Delete(t.Context(), key)
		for call, err := range map[string]error{"Put": errPut, "Open": errOpen, "Stat": errStat, "Delete": errDelete} {
			if !errors.Is(err, blob.ErrInvalidKey) {
				t.Errorf("%s(%q) = %v, want ErrInvalidKey", call, key, err)
			}
		}
	}
	longest := strings.Repeat(strings.Repeat("x", 127)+"/", 3) + strings.Repeat("x", 128)
	put(t, s, longest, "x")
	if got := keysOf(t, s, "", ""); len(got) != 1 || got[0] != longest {
		t.Errorf("List = %q, want only the longest key allowed", got)
	}
}

func nestedKeys(t *testing.T, s blob.Store) {
	keys := []string{"a", "a/b", "a/b/c"}
	for _, key := range keys {
		put(t, s, key, key)
	}
	for _, key := range keys {
		if got := read(t, s, key); got != key {
			t.Errorf("content of %q = %q", key, got)
		}
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	if read(t, s, "a") != "a" || read(t, s, "a/b/c") != "a/b/c" {
		t.Error("deleting a/b changed its neighbours")
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
		t.Errorf("the object has %d bytes and is none of those put", len(got))
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

// A store may know the digest even when nobody wants it.
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

func move(t *testing.T, s blob.Store) {
	made := put(t, s, "a/b/c", "moved")
	if err := s.Move(t.Context(), "a/b/c", "d/e/a/b/c"); err != nil {
		t.Fatalf("Move: %v", err)
	}
	if keys := keysOf(t, s, "", ""); !slices.Equal(keys, []string{"d/e/a/b/c"}) {
		t.Errorf("after Move: %q, want only the new key", keys)
	}
	found, err := s.Stat(t.Context(), "d/e/a/b/c")
	if err != nil || found.SHA256 != made.SHA256 || found.ContentType != made.ContentType || read(t, s, "d/e/a/b/c") != "moved" {
		t.Errorf("Stat = %+v, %v; want what was put: %+v", found, err, made)
	}
	put(t, s, "x", "replaced")
	if err := s.Move(t.Context(), "d/e/a/b/c", "x"); err != nil || read(t, s, "x") != "moved" {
		t.Errorf("Move onto another object: %v, content %q", err, read(t, s, "x"))
	}
	if err := s.Move(t.Context(), "x", "x"); err != nil || read(t, s, "x") != "moved" {
		t.Errorf("Move onto itself: %v", err)
	}
	if err := s.Move(t.Context(), "gone", "y"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Move of what is not there = %v, want ErrNotFound", err)
	}
	if err := s.Move(t.Context(), "../x", "y"); !errors.Is(err, blob.ErrInvalidKey) {
		t.Errorf("Move from an invalid key = %v, want ErrInvalidKey", err)
	}
	if err := s.Move(t.Context(), "x", "y/"); !errors.Is(err, blob.ErrInvalidKey) {
		t.Errorf("Move to an invalid key = %v, want ErrInvalidKey", err)
	}
	if keys := keysOf(t, s, "", ""); !slices.Equal(keys, []string{"x"}) {
		t.Errorf("in the end: %q, want x alone", keys)
	}
}

func sweep(t *testing.T, s blob.Store) {
	put(t, s, "a/b", "x")
	if _, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Errorf("Sweep: %v", err)
	}
	if got := read(t, s, "a/b"); got != "x" {
		t.Errorf("content after Sweep = %q, want x", got)
	}
}

func ping(t *testing.T, s blob.Store) {
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping: %v", err)
	}
	if keys := keysOf(t, s, "", ""); len(keys) > 0 {
		t.Errorf("Ping left %q", keys)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Ping(ctx); err == nil {
		t.Error("Ping with a cancelled context = nil")
	}
}
