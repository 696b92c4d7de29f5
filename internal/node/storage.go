package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/media"
)

// openStorage opens the place for media. On disk, clients come to this process
// with their signed terms, and the function that serves them is returned; it
// is nil where they go to an S3.
func (n *Node) openStorage(ctx context.Context) (func(http.ResponseWriter, *http.Request, string) error, error) {
	if n.config.StorageURL != "" {
		if n.config.Limits.DownloadTTL > 7*24*time.Hour {
			return nil, errors.New("limits.download_ttl: S3 signs URLs for at most 168h")
		}
		s3, err := blob.OpenS3(ctx, n.config.StorageURL)
		if err != nil {
			return nil, fmt.Errorf("storage_url: %w", err)
		}
		n.blobs = s3
		return nil, nil
	}
	disk, err := blob.OpenDisk(n.config.MediaDir())
	if err != nil {
		return nil, fmt.Errorf("data_dir: %w", err)
	}
	door := blob.NewDoor(disk, blob.DoorOptions{
		Secrets: n.secrets, URL: n.URL() + "/storage", Now: n.now, Inspect: media.Inspect,
	})
	n.blobs = door
	return door.Serve, nil
}

func mediaLimits(l config.Limits) media.Limits {
	return media.Limits{
		UploadBytes: l.UploadBytes, FormTTL: l.UploadFormTTL, DownloadTTL: l.DownloadTTL,
		AssetBytes: l.AssetFileBytes, AssetEntries: l.AssetEntries, LibraryBytes: l.AssetLibraryBytes,
		CopyBytesADay: l.AssetCopyBytesPerDay, BindingsADay: l.AssetBindingsPerDay,
		PutWindow: l.AssetPutWindow, FinalizeWindow: l.AssetFinalizeWindow,
	}
}

// produced asks the fleet for what workers make.
func (n *Node) produced(ctx context.Context, p media.Product) (media.Place, error) {
	if p.LastFrame {
		p.ID += fleet.LastFrame
	}
	find := func() (fleet.Place, error) {
		return n.fleet.DownloadPlace(ctx, p.Caller.Wallet, p.ProjectID, p.ID, p.Preview)
	}
	if p.Upload {
		find = func() (fleet.Place, error) { return n.fleet.UploadPlace(ctx, p.Caller, p.ProjectID, p.ID, p.Preview) }
	}
	place, err := find()
	return media.Place{Key: place.Key, ContentType: place.ContentType}, err
}

// sweepEvery is how often a node looks for what nobody needs any more.
const sweepEvery = 15 * time.Minute

// sweep removes what nobody needs, until ctx ends.
func (n *Node) sweep(ctx context.Context) {
	for {
		wait(ctx, sweepEvery)
		if ctx.Err() != nil {
			return
		}
		swept, err := n.media.Sweep(ctx)
		keys, lost := n.workflows.Sweep(ctx)
		tabs, stale := n.Billing.Sweep(ctx)
		if err := errors.Join(err, lost, stale); err != nil && ctx.Err() == nil {
			n.log.Warn("sweep", "error", err)
		}
		if keys > 0 || tabs > 0 {
			n.log.Info("swept", "keys", keys, "tabs", tabs)
		}
		if swept.Any() {
			n.log.Info("swept", "forms", swept.Forms, "assets", swept.Assets, "objects", swept.Objects, "leavings", swept.Leavings)
		}
	}
}
