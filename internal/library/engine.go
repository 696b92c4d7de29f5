package library

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine keeps libraries. It is safe for concurrent use.
type Engine struct {
	db    *store.DB
	blobs blob.SignedStore
	media *media.Engine
	opts  Options

	wanted chan store.LibraryItem // files to be read in the background

	mu     sync.Mutex
	making map[string]*making // by the key of the thumbnail
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Links       Links
	DownloadTTL time.Duration
	Now         func() time.Time
	Log         *slog.Logger
}

// waitingLooks is how many files wait to be read in the background. Others are read when
// they are wanted again.
const waitingLooks = 256

// New makes an engine. Files are read in the background only while Run is running.
func New(db *store.DB, blobs blob.SignedStore, m *media.Engine, o Options) *Engine {
	return &Engine{db: db, blobs: blobs, media: m, opts: o, wanted: make(chan store.LibraryItem, waitingLooks), making: map[string]*making{}}
}

// Run reads the files of artifacts that lists have shown, one after the other, until ctx
// ends.
func (e *Engine) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case item := <-e.wanted:
			if err := e.look(ctx, item, smallSize); err != nil && ctx.Err() == nil {
				e.opts.Log.Debug("read artifact for the library failed", "artifact", item.ID, "error", err)
			}
		}
	}
}

// errNotFound is the error for an artifact that does not exist and for one of another
// account.
func errNotFound(id string) error { return atelier.Missing("id", id, "artifact") }
