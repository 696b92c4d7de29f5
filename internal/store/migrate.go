package store

import (
	"context"
	"embed"
	"io/fs"

	"github.com/atelier-project/atelier/internal/database"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// fills do what the SQL of a migration alone cannot.
var fills = map[int64]func(*Tx) error{19: (*Tx).importWork, 21: (*Tx).importLists, 22: (*Tx).addPendingToWindows, 23: (*Tx).importLibrary, 29: (*Tx).fillPays}

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
	for i, step := range steps {
		if fill, ok := fills[step.Version]; ok {
			steps[i].Fill = db.run(fill)
		}
	}
	return db.database.Migrate(ctx, steps)
}
