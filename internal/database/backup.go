package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// BackupSQLite copies a SQLite file into a new one, consistent and compact,
// while other processes read and write it. Only its owner can read the copy. An
// incomplete copy is removed.
func BackupSQLite(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNoDatabase, err)
	} else if err != nil {
		return err
	}
	conn, err := sqlite.OpenConn(from, sqlite.OpenReadWrite)
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	defer conn.Close()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(busyTimeout)
	// SQLite writes into an existing empty file, which keeps its mode.
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{to}})
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return syncDirectory(filepath.Dir(to))
}

// syncDirectory makes changes of names in a directory durable.
func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
