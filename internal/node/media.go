package node

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/media"
)

// MediaAdmin is the part of a node that works on the database and the media
// storage. The storage commands use it while servers run on the same database and
// storage.
type MediaAdmin struct {
	*Admin
	Media *media.Engine
	blobs blob.SignedStore
}

// ErrNoStorage says that there is no media storage to open.
var ErrNoStorage = errors.New("there is no media storage of the service here yet")

// OpenMediaAdmin opens database and storage. It creates neither.
func OpenMediaAdmin(ctx context.Context, c *config.Config) (*MediaAdmin, error) {
	admin, err := OpenAdmin(ctx, c, AdminOptions{Existing: true})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.MediaDir()); c.StorageURL == "" && errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("data_dir: %s: %w", c.MediaDir(), ErrNoStorage), admin.Close())
	}
	blobs, err := openSignedStore(ctx, c, blob.DiskServerOptions{Secrets: admin.secrets, Now: admin.now})
	if err != nil {
		return nil, errors.Join(err, admin.Close())
	}
	return &MediaAdmin{Admin: admin, Media: newMedia(admin, c, blobs, nil), blobs: blobs}, nil
}

// Close closes both.
func (o *MediaAdmin) Close() error { return errors.Join(o.blobs.Close(), o.Admin.Close()) }
