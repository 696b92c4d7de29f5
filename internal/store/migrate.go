package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"

	"github.com/atelier-project/atelier/internal/database"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() ([]database.Migration, error) {
	folder, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return database.ReadMigrations(folder)
}

// migrate brings the tables up to date.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	return db.database.Migrate(ctx, steps)
}

// Pending counts the migrations that an existing database lacks. It neither creates nor changes one.
func Pending(ctx context.Context, o Options) (n int, err error) {
	o.Existing = true
	steps, err := migrations()
	if err != nil {
		return 0, err
	}
	db, err := database.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	version, err := db.Version(ctx, steps)
	return len(steps) - version, errors.Join(err, db.Close())
}
