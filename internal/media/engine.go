package media

import (
	"context"
	"image"
	"io"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// Engine manages uploads and saved assets. It is safe for concurrent use.
type Engine struct {
	db    *store.DB
	blobs blob.SignedStore
	opts  Options
	types typeCache

	pool       *decodePool
	allowances allowances
}

// Options are what an engine needs besides its adapters.
type Options struct {
	Limits Limits
	Now    func() time.Time

	// Unchecked says that the storage stores the content of a form without
	// inspecting it, as S3 does; then the engine inspects it before it is read.
	Unchecked bool

	// FreeSpace returns how many bytes are free where media or the database are. It
	// is nil where that is not known, as with S3.
	FreeSpace func() (int64, error)

	// Decode reads a picture to its end; DecodePicture when nil. Tests replace it.
	Decode func(io.Reader) error

	// DecodeLarge does the same with a picture that takes much memory, outside
	// this process. It returns the picture, made smaller so that its longer edge has
	// at most edge pixels; with an edge of 0 it returns nil. Its errors are
	// ErrUnreadable and ErrBusy, among others. When it is nil, uploads are decoded
	// here.
	DecodeLarge func(ctx context.Context, picture io.Reader, edge int) (image.Image, error)

	// Plan returns the current plan of an account.
	Plan func(context.Context, atelier.Wallet) (atelier.Subscription, error)
}

// Limits bound uploads.
type Limits struct {
	UploadBytes     int64 // of one upload
	UploadBytesADay int64 // of all uploads of an account
	FormsADay       int
	PostsAMinute    int
	PixelsAMinute   int64 // that are decoded for an account
	FreeSpaceBytes  int64 // below which no upload is taken
	UnusedTTL       time.Duration
	FormTTL         time.Duration
	DownloadTTL     time.Duration
	AssetBytes      int64 // of one saved asset
	AssetEntries    int   // in one library
	LibraryBytes    int64 // of one library
	CopyBytesADay   int64
	BindingsADay    int
	PutWindow       time.Duration
	FinalizeWindow  time.Duration
}

// New makes an engine.
func New(db *store.DB, blobs blob.SignedStore, o Options) *Engine {
	if o.Decode == nil {
		o.Decode = func(r io.Reader) error { _, err := DecodePicture(r); return err }
	}
	return &Engine{
		db: db, blobs: blobs, opts: o, pool: newDecodePool(),
		allowances: allowances{postsAMinute: o.Limits.PostsAMinute, pixelsAMinute: o.Limits.PixelsAMinute},
	}
}
