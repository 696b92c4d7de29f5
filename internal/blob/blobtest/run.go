package blobtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

// Trait is a difference between stores that the tests allow.
type Trait string

// Flat is a store that keeps an object as a file and the objects below it in a
// folder of the same name, so that a and a/b cannot both be there, and a Put may
// fail when a concurrent Delete removes the folder. Amazon's S3 is not flat, but
// some compatible services are.
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
		"unsynced":             unsynced,
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
