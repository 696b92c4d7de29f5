package blobtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

func keysOf(t *testing.T, s blob.Store, prefix, after string) []string {
	t.Helper()
	var keys []string
	for e, err := range s.List(t.Context(), prefix, after) {
		if err != nil {
			t.Fatalf("List(%q, %q): %v", prefix, after, err)
		}
		keys = append(keys, e.Key)
	}
	return keys
}

func list(t *testing.T, s blob.Store, flat bool) {
	// In a byte-wise order a dash and a dot come before the slash and a digit
	// after it, which a walk over folders gets wrong easily.
	all := []string{
		"a", "a-b", "a-b/c", "a.b", "a/b", "a/b-c", "a/b.c/d", "a/b/c", "a/b/d/e", "a/c", "a0", "b/a/a", "b/b/b", "c",
	}
	if flat {
		all = []string{
			"a-b/c", "a.b", "a/b-c", "a/b.c/d", "a/b/c", "a/b/d/e", "a/c", "a0", "b/a/a", "b/b/b", "c",
		}
	}
	if !slices.IsSorted(all) {
		t.Fatal("the test's own list is not sorted")
	}
	for i := range all {
		put(t, s, all[(i*5)%len(all)], strings.Repeat("x", (i*5)%len(all)))
	}
	prefixes := []string{"", "a", "a/", "a/b", "a/b/", "a-", "a.b", "b/a/a", "b/a/a/", "c", "d", "nothing/here/", "a/b/d/e"}
	afters := append([]string{"", "0", "a/", "a/b/", "a/b/cc", "aa", "z"}, all...)
	for _, prefix := range prefixes {
		for _, after := range afters {
			var want []string
			for _, key := range all {
				if strings.HasPrefix(key, prefix) && key > after {
					want = append(want, key)
				}
			}
			if got := keysOf(t, s, prefix, after); !slices.Equal(got, want) {
				t.Errorf("List(%q, %q) = %q, want %q", prefix, after, got, want)
			}
		}
	}
	for e, err := range s.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Stat(t.Context(), e.Key)
		if err != nil || e.Size != o.Size || e.ModTime.Sub(o.ModTime).Abs().Seconds() > 1 {
			t.Errorf("List gives %+v, Stat gives %+v, %v", e, o, err)
		}
	}
	stopEarly(t, s, all)
	deleteWhileListing(t, s, all)
}

func stopEarly(t *testing.T, s blob.Store, all []string) {
	t.Helper()
	for e := range s.List(t.Context(), "", "") {
		if e.Key != all[0] {
			t.Errorf("first key = %q, want %q", e.Key, all[0])
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range s.List(ctx, "", "") {
		cancel()
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("List ended with %v, want context.Canceled", last)
	}
	var refused error
	for _, err := range s.List(t.Context(), "../", "") {
		refused = err
	}
	if !errors.Is(refused, blob.ErrInvalidKey) {
		t.Errorf("List of ../ ended with %v, want ErrInvalidKey", refused)
	}
}

// deleteWhileListing is what a sweeper does.
func deleteWhileListing(t *testing.T, s blob.Store, all []string) {
	t.Helper()
	seen := 0
	for e, err := range s.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if err := s.Delete(t.Context(), e.Key); err != nil {
			t.Fatal(err)
		}
	}
	if left := keysOf(t, s, "", ""); seen != len(all) || len(left) > 0 {
		t.Errorf("deleted %d of %d, left %q", seen, len(all), left)
	}
}
