package blobtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

// unread checks that an unread put has the same result as any other.
func unread(t *testing.T, s blob.Store) {
	no := errors.New("no")
	refuse := func(io.ReadSeeker, int64, string) error { return no }
	o := blob.PutOptions{ContentType: "text/plain", NoDigest: true, Unread: true, MaxBytes: 9}
	refused := o
	refused.Check = refuse
	for _, body := range []string{"first", "", "second"} { // a new key, and one that is taken
		if _, err := s.Put(t.Context(), "a/b", strings.NewReader("ten bytes."), o); !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("too much gives %v, want ErrTooLarge", err)
		}
		if _, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte("ten bytes.")), o); !errors.Is(err, blob.ErrTooLarge) {
			t.Errorf("too much gives %v, want ErrTooLarge", err)
		}
		if _, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte("x")), refused); !errors.Is(err, no) {
			t.Errorf("what is refused gives %v", err)
		}
		if body == "first" {
			wantAbsent(t, s, "a/b")
		}
		object, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte(body)), o)
		if err != nil || object.Size != int64(len(body)) || object.Key != "a/b" || object.ContentType != "text/plain" {
			t.Fatalf("Put = %+v, %v", object, err)
		}
		if got := read(t, s, "a/b"); got != body {
			t.Errorf("got %q, want %q", got, body)
		}
	}
	o.OnlyNew = true
	if _, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte("x")), o); !errors.Is(err, blob.ErrExists) {
		t.Errorf("a taken key gives %v, want ErrExists", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(cancelled, "c", bytes.NewReader([]byte("x")), o); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled Put gives %v", err)
	}
}

// An object that was put without a sync is there at once, and can be synced later.
func unsynced(t *testing.T, s blob.Store) {
	o := blob.PutOptions{ContentType: "text/plain", NoDigest: true, Unread: true, Unsynced: true}
	if _, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte("new")), o); err != nil {
		t.Fatal(err)
	}
	if taken, err := s.Put(t.Context(), "a/b", bytes.NewReader([]byte("newer")), o); err != nil || taken.Unsynced {
		t.Errorf("a taken key: got %+v, %v, want an object that is durable", taken, err)
	}
	if err := s.Sync(t.Context(), []string{"a/b", "not/there"}); err != nil {
		t.Errorf("Sync: %v", err)
	}
	if got := read(t, s, "a/b"); got != "newer" {
		t.Errorf("got %q", got)
	}
}

// Of several unread puts of one key at once, one wins, whole.
func unreadAtOnce(t *testing.T, s blob.Store) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			body := bytes.Repeat([]byte{byte('a' + i)}, 1000*(i+1))
			if _, err := s.Put(t.Context(), "k", bytes.NewReader(body), blob.PutOptions{NoDigest: true, Unread: true}); err != nil {
				t.Errorf("Put: %v", err)
			}
		})
	}
	wg.Wait()
	if got := read(t, s, "k"); len(got) == 0 || len(got) != 1000*int(got[0]-'a'+1) || strings.Trim(got, got[:1]) != "" {
		t.Errorf("got %d bytes that begin with %.1q", len(got), got)
	}
}
