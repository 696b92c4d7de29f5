package simulation

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
)

// files is a storage in memory, which all nodes share.
type files struct {
	mu   sync.Mutex
	held map[string][]byte
}

func newFiles() *files { return &files{held: map[string][]byte{}} }

// address begins the signed URL of a file.
const address = "http://storage.example/"

func (f *files) find(key string) (blob.Object, []byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, ok := f.held[key]
	if !ok {
		return blob.Object{}, nil, blob.ErrNotFound
	}
	return blob.Object{Key: key, Size: int64(len(content)), SHA256: digest(content)}, content, nil
}

// has reports whether a file under a key with a prefix has a content.
func (f *files) has(prefix string, content []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, held := range f.held {
		if strings.HasPrefix(key, prefix) && bytes.Equal(held, content) {
			return true
		}
	}
	return false
}

// Put implements blob.Store.
func (f *files) Put(_ context.Context, key string, r io.Reader, o blob.PutOptions) (blob.Object, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return blob.Object{}, err
	}
	if o.MaxBytes > 0 && int64(len(content)) > o.MaxBytes {
		return blob.Object{}, blob.ErrTooLarge
	}
	if o.Check != nil {
		if err := o.Check(bytes.NewReader(content), int64(len(content)), digest(content)); err != nil {
			return blob.Object{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.held[key]; taken && o.OnlyNew {
		return blob.Object{}, blob.ErrExists
	}
	f.held[key] = content
	return blob.Object{Key: key, Size: int64(len(content)), SHA256: digest(content), ContentType: o.ContentType}, nil
}

// Open implements blob.Store.
func (f *files) Open(_ context.Context, key string) (io.ReadSeekCloser, blob.Object, error) {
	object, content, err := f.find(key)
	return nopCloser{bytes.NewReader(content)}, object, err
}

// Stat implements blob.Store.
func (f *files) Stat(_ context.Context, key string) (blob.Object, error) {
	object, _, err := f.find(key)
	return object, err
}

// Delete implements blob.Store.
func (f *files) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.held, key)
	return nil
}

// Copy implements blob.SignedStore.
func (f *files) Copy(_ context.Context, from, to string) error {
	_, content, err := f.find(from)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[to] = content
	return nil
}

// Move implements blob.Store.
func (f *files) Move(ctx context.Context, from, to string) error {
	if err := f.Copy(ctx, from, to); err != nil {
		return err
	}
	return f.Delete(ctx, from)
}

// List implements blob.Store.
func (f *files) List(_ context.Context, prefix, after string) iter.Seq2[blob.Entry, error] {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []blob.Entry
	for key, content := range f.held {
		if strings.HasPrefix(key, prefix) && key > after {
			list = append(list, blob.Entry{Key: key, Size: int64(len(content))})
		}
	}
	slices.SortFunc(list, func(a, b blob.Entry) int { return strings.Compare(a.Key, b.Key) })
	return func(yield func(blob.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Sweep implements blob.Store.
func (f *files) Sweep(context.Context, time.Time) (int, error) { return 0, nil }

// Sync implements blob.Store.
func (f *files) Sync(context.Context, []string) error { return nil }

// Ping implements blob.Store.
func (f *files) Ping(context.Context) error { return nil }

// Close implements blob.Store.
func (f *files) Close() error { return nil }

// Form implements blob.SignedStore.
func (f *files) Form(_ context.Context, key string, _ blob.FormTerms) (blob.Form, error) {
	return blob.Form{URL: address + key}, nil
}

// PutURL implements blob.SignedStore.
func (f *files) PutURL(_ context.Context, key string, _ blob.PutTerms) (blob.SignedPut, error) {
	return blob.SignedPut{URL: address + key}, nil
}

// GetURL implements blob.SignedStore.
func (f *files) GetURL(_ context.Context, key string, _ blob.GetTerms) (string, error) {
	return address + key, nil
}

// KeyOf implements blob.SignedStore.
func (f *files) KeyOf(url string) (string, bool) { return strings.CutPrefix(url, address) }

type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }
