package media

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine answers for media. It is safe for concurrent use.
type Engine struct {
	db    *store.DB
	blobs blob.Gate
	o     Options
	seen  sightings
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Limits Limits
	Now    func() time.Time

	// Unchecked says that the storage takes what a form brings without looking
	// at it, as an S3 does; then it is looked at before it is handed on.
	Unchecked bool

	// Plan tells the plan of an account as it stands now.
	Plan func(context.Context, atelier.Wallet) (atelier.Subscription, error)

	// Produced finds the object of something that a worker makes or has made.
	Produced func(context.Context, Product) (Place, error)
}

// Limits bound uploads.
type Limits struct {
	UploadBytes    int64
	FormTTL        time.Duration
	DownloadTTL    time.Duration
	AssetBytes     int64 // of one saved asset
	AssetEntries   int   // in one library
	LibraryBytes   int64 // of one library
	CopyBytesADay  int64
	BindingsADay   int
	PutWindow      time.Duration
	FinalizeWindow time.Duration
}

// Product names something that a worker makes: an artifact of a project, its
// preview, or the last frame of a clip.
type Product struct {
	Caller    atelier.Caller
	ProjectID string
	ID        string
	Door      Door
	Preview   bool
	LastFrame bool
	Upload    bool // a worker wants to send it; otherwise its owner wants to see it
}

// Place is where a product is.
type Place struct {
	Key         string
	ContentType string
}

// New makes an engine.
func New(db *store.DB, blobs blob.Gate, o Options) *Engine {
	return &Engine{db: db, blobs: blobs, o: o}
}
