package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"
)

// The errors that callers distinguish, with errors.Is.
var (
	ErrNotFound   = errors.New("no such object")
	ErrTooLarge   = errors.New("the content is larger than allowed")
	ErrInvalidKey = errors.New("the key is not valid")
	ErrDamaged    = errors.New("the object is damaged") // it is there, but not as it was put
	ErrExists     = errors.New("the object already exists")
)

// Store stores objects. Its methods may be called concurrently.
type Store interface {
	// Put stores everything r gives under the key, replacing an earlier object.
	// When it fails, or ctx ends first, the key is as it was before. Of several
	// concurrent calls one wins, complete.
	Put(ctx context.Context, key string, r io.Reader, o PutOptions) (Object, error)

	// Open gives the content of an object. It stays readable until closed even
	// if the object is replaced or deleted meanwhile; in S3 only as long as it is
	// read from its beginning on; otherwise the error is ErrNotFound.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, Object, error)

	// Stat gives what is known about an object.
	Stat(ctx context.Context, key string) (Object, error)

	// Delete removes an object. Removing what is not there is no error.
	Delete(ctx context.Context, key string) error

	// Move gives an object another key, replacing an earlier object.
	Move(ctx context.Context, from, to string) error

	// List walks the keys that begin with prefix and come after the given key,
	// in the order of their bytes. It is for sweepers: objects that come or go
	// during the walk may be seen or not. After an error it ends.
	List(ctx context.Context, prefix, after string) iter.Seq2[Entry, error]

	// Sweep removes what unfinished Puts have left, when nothing was written to it
	// since olderThan, and returns how many there were.
	Sweep(ctx context.Context, olderThan time.Time) (int, error)

	// Sync makes objects durable that were put with Unsynced. Keys of objects that are gone are
	// ignored.
	Sync(ctx context.Context, keys []string) error

	// Ping reports whether objects can be written now, by writing.
	Ping(ctx context.Context) error

	// Close releases what the store holds open.
	Close() error
}

// PutOptions says how to store an object.
type PutOptions struct {
	ContentType string // application/octet-stream when empty
	MaxBytes    int64  // more content fails with ErrTooLarge; no limit when zero
	OnlyNew     bool   // a key that is taken fails with ErrExists
	NoDigest    bool   // the object has no SHA256, and costs half the time
	Unread      bool   // no caller reads the key before Put returns, so it need not appear at once
	Unsynced    bool   // the caller calls Sync later, and puts the object again if the machine fails before

	// Check looks at the whole content before the object appears. Its error
	// is returned as it is, wrapped, and nothing is stored. The digest is empty
	// with NoDigest.
	Check func(content io.ReadSeeker, size int64, sha256 string) error
}

// Object is what is known about a stored object.
type Object struct {
	Key         string
	Size        int64
	SHA256      string // in lower-case hexadecimal; empty for what a client posted with a form
	ContentType string
	ModTime     time.Time // when it was put

	Unsynced bool // as Put returns it: it is durable only after Sync
}

// Entry is an object in a listing.
type Entry struct {
	Key     string
	Size    int64
	ModTime time.Time
}
