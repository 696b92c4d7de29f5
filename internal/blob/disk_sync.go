package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Sync implements Store.
func (d *Disk) Sync(ctx context.Context, keys []string) error {
	folders := map[string]bool{}
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := CheckKey(key); err != nil {
			return err
		}
		f, err := d.root.OpenFile(filePath(key), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			return fmt.Errorf("blob: sync %s: %w", key, diskOutage(err))
		}
		folders[path.Dir(filePath(key))] = true
	}
	for folder := range folders {
		if err := d.syncFolder(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("blob: sync %s: %w", folder, diskOutage(err))
		}
	}
	return nil
}
