package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
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
	gate, err := openGate(ctx, n.config, blob.DiskServerOptions{
		Secrets: n.secrets, URL: n.URL() + "/storage", Now: n.now,
		Admit: func(ctx context.Context, u blob.Upload) (func(), error) { return n.media.Admit(ctx, u) },
		Inspect: func(ctx context.Context, u blob.Upload, f io.ReadSeeker) error {
			return n.media.InspectUpload(ctx, u, f)
		},
	})
	if err != nil {
		return nil, err
	}
	n.blobs = gate
	if door, ok := gate.(*blob.DiskServer); ok {
		return door.Serve, nil
	}
	return nil, nil
}

// openGate opens an S3, or the disk with a door.
func openGate(ctx context.Context, c *config.Config, o blob.DiskServerOptions) (blob.SignedStore, error) {
	if c.StorageURL != "" {
		if c.Limits.DownloadTTL > 7*24*time.Hour {
			return nil, errors.New("limits.download_ttl: S3 signs URLs for at most 168h")
		}
		s3, err := blob.OpenS3(ctx, c.StorageURL)
		if err != nil {
			return nil, fmt.Errorf("storage_url: %w", err)
		}
		return s3, nil
	}
	disk, err := blob.OpenDisk(c.MediaDir())
	if err != nil {
		return nil, fmt.Errorf("data_dir: %w", err)
	}
	return blob.NewDiskServer(disk, o), nil
}

func newMedia(o *Admin, c *config.Config, blobs blob.SignedStore, produced func(context.Context, media.Product) (media.Place, error), command []string) *media.Engine {
	return media.New(o.db, blobs, media.Options{
		Limits: mediaLimits(c.Limits), Now: o.now, Plan: o.Accounts.Subscription, Produced: produced,
		Unchecked: c.StorageURL != "", FreeSpace: freeSpace(c), DecodeLarge: decodeLarge(command),
	})
}

// freeSpace tells how much room there is on the disks of this machine that media
// and the database are on. It is nil where they are on none.
func freeSpace(c *config.Config) func() (int64, error) {
	var dirs []string
	if c.StorageURL == "" {
		dirs = append(dirs, c.MediaDir())
	}
	if c.DatabaseURL == "" {
		dirs = append(dirs, c.DataDir)
	}
	if dirs == nil {
		return nil
	}
	return func() (int64, error) {
		least := int64(math.MaxInt64)
		for _, dir := range dirs {
			free, err := blob.FreeSpace(dir)
			if err != nil {
				return 0, err
			}
			least = min(least, free)
		}
		return least, nil
	}
}

func mediaLimits(l config.Limits) media.Limits {
	return media.Limits{
		UploadBytes: l.UploadBytes, UploadBytesADay: l.UploadBytesPerDay, FormsADay: l.UploadFormsPerDay, PostsAMinute: l.MediaURLsPerMinute,
		PixelsAMinute: l.UploadMegapixels * 1_000_000, FreeSpaceBytes: l.FreeSpaceBytes, UnusedTTL: l.UnusedUploadTTL, FormTTL: l.UploadFormTTL, DownloadTTL: l.DownloadTTL,
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
		swept, err := n.media.Sweep(ctx, false)
		keys, lost := n.workflows.Sweep(ctx)
		expired, kept := n.workflows.Expire(ctx)
		tabs, stale := n.Billing.Sweep(ctx)
		if err := errors.Join(err, lost, kept, stale); err != nil && ctx.Err() == nil {
			n.log.Warn("sweep", "error", err)
		}
		if keys > 0 || tabs > 0 || expired > 0 {
			n.log.Info("swept", "keys", keys, "tabs", tabs, "workflows", expired)
		}
		if swept.Any() {
			level := slog.LevelInfo
			if swept.Objects > 0 {
				level = slog.LevelWarn // somebody may miss them
			}
			n.log.Log(ctx, level, "swept media", "forms", swept.Forms, "assets", swept.Assets, "objects", swept.Objects, "trash", media.Trash,
				"previews", swept.Previews, "emptied", swept.Trash, "leavings", swept.Leavings)
		}
	}
}
