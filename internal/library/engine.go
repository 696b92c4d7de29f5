package library

import (
	"context"
	"image"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine keeps libraries. It is safe for concurrent use.
type Engine struct {
	db    *store.DB
	blobs blob.SignedStore
	media *media.Engine
	opts  Options

	wanted *queue            // files to be read in the background
	memory *admission.Memory // of all that are read

	mu     sync.Mutex
	making map[string]*making // by the key of the thumbnail
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Links       Links
	Catalog     *catalog.Catalog // the names of models, by which artifacts are found
	DownloadTTL time.Duration
	Now         func() time.Time
	Log         *slog.Logger

	// FirstFrame reads the index of a clip, and returns the size of its frames and a function
	// that decodes the first. Without it clips have the previews that workers send.
	FirstFrame func(ctx context.Context, file io.ReaderAt, size int64) (bounds image.Point, decode func() (image.Image, error), err error)
}

const (
	// readers is how many files are read in the background at once.
	readers = 4

	// readMemory and accountMemory limit what reading files may take at once, and what that of
	// one account may: some twenty pictures, or one clip with the largest index.
	readMemory    = 512 << 20
	accountMemory = 160 << 20
)

// New makes an engine. Files are read in the background only while Run is running.
func New(db *store.DB, blobs blob.SignedStore, m *media.Engine, o Options) *Engine {
	return &Engine{db: db, blobs: blobs, media: m, opts: o, wanted: newQueue(), memory: admission.NewMemory(readMemory, accountMemory), making: map[string]*making{}}
}

// Run reads the files of artifacts that lists have shown until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	var running sync.WaitGroup
	for range readers {
		running.Go(func() { e.readWanted(ctx) })
	}
	running.Wait()
}

func (e *Engine) readWanted(ctx context.Context) {
	for {
		item, done, err := e.wanted.next(ctx)
		if err != nil {
			return
		}
		if err := e.derive(ctx, item, smallSize); err != nil && ctx.Err() == nil {
			e.opts.Log.Debug("read artifact for the library failed", "artifact", item.ID, "error", err)
		}
		done()
	}
}

// errNotFound is the error for an artifact that does not exist and for one of another
// account.
func errNotFound(id string) error { return atelier.Missing("id", id, "artifact") }
