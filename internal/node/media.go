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

// MediaOffice is the part of a node that works on the database and the media
// storage. The storage commands use it beside servers that run on the same.
type MediaOffice struct {
	*Admin
	Media *media.Engine
	blobs blob.SignedStore
}

// ErrNoStorage says that there is no media storage to open.
var ErrNoStorage = errors.New("there is no media storage of the service here yet")

// OpenMediaOffice opens database and storage. It makes neither where there is
// none.
func OpenMediaOffice(ctx context.Context, c *config.Config) (*MediaOffice, error) {
	office, err := OpenOffice(ctx, c, AdminOptions{Existing: true})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.MediaDir()); c.StorageURL == "" && errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("data_dir: %s: %w", c.MediaDir(), ErrNoStorage), office.Close())
	}
	blobs, err := openGate(ctx, c, blob.DiskServerOptions{Secrets: office.secrets, Now: office.now})
	if err != nil {
		return nil, errors.Join(err, office.Close())
	}
	return &MediaOffice{Admin: office, Media: newMedia(office, c, blobs, nil, nil), blobs: blobs}, nil
}

// Close closes both.
func (o *MediaOffice) Close() error { return errors.Join(o.blobs.Close(), o.Admin.Close()) }
