package blobtest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

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
