package blobtest

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelier-project/atelier/internal/blob"
)

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
	broken := errors.New("the connection broke")
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
	source := io.MultiReader(strings.NewReader("half of it"), onRead(cancel), strings.NewReader("the rest"))
	if _, err := s.Put(ctx, "a", source, blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want context.Canceled", err)
	}
	wantAbsent(t, s, "a")

	// The context may also end with the last byte.
	ctx, cancel = context.WithCancel(t.Context())
	source = io.MultiReader(strings.NewReader("all of it"), onRead(cancel))
	if _, err := s.Put(ctx, "a", source, blob.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want context.Canceled", err)
	}
	wantAbsent(t, s, "a")
}

// onRead is empty content that calls a function when it is read.
type onRead func()

func (d onRead) Read([]byte) (int, error) {
	d()
	return 0, io.EOF
}
