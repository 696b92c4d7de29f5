package blobtest

import (
	"errors"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

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
