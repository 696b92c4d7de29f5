package node

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/media"
)

// MediaOffice is the part of a node that works on the database and the media
// storage. The storage commands use it beside servers that run on the same.
type MediaOffice struct {
	*Office
	Media *media.Engine
	blobs blob.Gate
}

// OpenMediaOffice opens database and storage. It makes no database where there is
// none.
func OpenMediaOffice(ctx context.Context, c *config.Config) (*MediaOffice, error) {
	office, err := OpenOffice(ctx, c, OfficeOptions{Existing: true})
	if err != nil {
		return nil, err
	}
	blobs, err := openGate(ctx, c, blob.DoorOptions{Secrets: office.secrets, Now: office.now})
	if err != nil {
		return nil, errors.Join(err, office.Close())
	}
	return &MediaOffice{Office: office, Media: newMedia(office, c, blobs, nil, nil), blobs: blobs}, nil
}

// Close closes both.
func (o *MediaOffice) Close() error { return errors.Join(o.blobs.Close(), o.Office.Close()) }
