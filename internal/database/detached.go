package database

import (
	"context"

	"github.com/atelier-project/atelier/internal/detached"
)

// ReadDetached is Read for the goroutine of a stream, which must not keep the deep
// stack that a database driver needs.
func (db *DB) ReadDetached(ctx context.Context, fn func(*Tx) error) (err error) {
	detached.Run(func() { err = db.Read(ctx, fn) })
	return err
}
