package store

import (
	"context"
	"embed"
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
