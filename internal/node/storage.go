package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/machine"
	"github.com/atelier-project/atelier/internal/media"
)

// openStorage opens the media storage. For a disk it returns the function that
// serves requests with signed terms; it is nil for S3, which clients reach
// directly.
func (n *Node) openStorage(ctx context.Context) (func(http.ResponseWriter, *http.Request, string) error, error) {
	blobs, err := openSignedStore(ctx, n.config, blob.DiskServerOptions{
		Secrets: n.secrets, URL: n.URL() + "/storage", Now: n.now,
		Admit: func(ctx context.Context, u blob.Upload) (func(), error) { return n.media.Admit(ctx, u) },
		Inspect: func(ctx context.Context, u blob.Upload, f io.ReadSeeker) error {
			return n.media.InspectUpload(ctx, u, f)
		},
	})
	if err != nil {
		return nil, err
	}
	n.blobs = blobs
	if disk, ok := blobs.(*blob.DiskServer); ok {
		return disk.Serve, nil
	}
	return nil, nil
}

// openSignedStore opens S3, or the disk with a server for it.
func openSignedStore(ctx context.Context, c *config.Config, o blob.DiskServerOptions) (blob.SignedStore, error) {
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

func newMedia(o *Admin, c *config.Config, blobs blob.SignedStore, command []string) *media.Engine {
	return media.New(o.DB, blobs, media.Options{
		Limits: mediaLimits(c.Limits), Now: o.now, Plan: o.Accounts.Subscription,
		Unchecked: c.StorageURL != "", FreeSpace: freeSpace(c), DecodeLarge: decodeLarge(command),
	})
}

// freeSpace returns the function that reads how many bytes are free on the disks
// of media and the database. It is nil where both are elsewhere.
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
			free, err := machine.FreeSpace(dir)
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
