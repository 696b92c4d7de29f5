package blobtest

import (
	"errors"
	"io"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

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
