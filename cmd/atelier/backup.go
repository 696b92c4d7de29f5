package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/atelier-project/atelier/internal/database"
)

// backupCommand copies the database.
type backupCommand struct {
	installation
	Target path `arg:"" help:"File to write, which must not exist yet, or a directory: the file in it is named after the current time."`
}

// Run writes one consistent file while servers read and write the database. It does not
// migrate: it copies the tables as they are.
func (b *backupCommand) Run(ctx context.Context, t terminal) error {
	c, err := b.load()
	if err != nil {
		return err
	}
	if c.DatabaseURL != "" {
		return errors.New("the database is PostgreSQL: use pg_dump or continuous archiving")
	}
	target := string(b.Target)
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		target = filepath.Join(target, "atelier-"+time.Now().UTC().Format("20060102T150405Z")+".db")
	}
	if err := database.BackupSQLite(ctx, c.DatabaseFile(), target); err != nil {
		return withDatabaseHint(fmt.Errorf("backup: %w", err))
	}
	_, err = fmt.Fprintln(t.out, target)
	return err
}
