package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one numbered step. Released ones are never edited.
type migration struct {
	version int64
	name    string
	sql     string
}

// fills do what SQL alone cannot. They run when all migrations are applied, because
// their statements are those of the current tables.
var fills = map[int64]func(*Tx) error{19: (*Tx).importWork, 21: (*Tx).importLists, 22: (*Tx).addPendingToWindows, 23: (*Tx).importLibrary}

func migrations() ([]migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // in order of name
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		base := strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql")
		number, title, _ := strings.Cut(base, "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version != int64(len(out)+1) {
			return nil, fmt.Errorf("store: migration %s is out of order", name)
		}
		out = append(out, migration{version, title, string(text)})
	}
	return out, nil
}

// migrate brings the tables up to date, in one transaction. It refuses a database
// that a newer version has migrated.
func (db *DB) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	if have, err := db.version(ctx); err == nil && have == int64(len(steps)) {
		return nil // the usual start: nothing to write
	}
	return db.Write(ctx, func(tx *Tx) error {
		if lock := tx.dialect.lockMigrations; lock != "" {
			if err := tx.rows(func(func(...any) error) error { return nil }, lock); err != nil {
				return err
			}
		}
		if _, err := tx.exec(`CREATE TABLE IF NOT EXISTS schema_migration (
			version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`); err != nil {
			return err
		}
		have, err := tx.schemaVersion()
		if err != nil {
			return err
		}
		if have > int64(len(steps)) {
			return fmt.Errorf("the database is at version %d, this program knows %d: use a newer program", have, len(steps))
		}
		for _, step := range steps[have:] {
			if err := tx.apply(step); err != nil {
				return fmt.Errorf("migration %04d_%s: %w", step.version, step.name, err)
			}
		}
		for _, step := range steps[have:] {
			if fill := fills[step.version]; fill != nil {
				if err := fill(tx); err != nil {
					return fmt.Errorf("migration %04d_%s: %w", step.version, step.name, err)
				}
			}
		}
		return nil
	})
}

func (db *DB) version(ctx context.Context) (version int64, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		version, err = tx.schemaVersion()
		return err
	})
	return version, err
}

func (tx *Tx) schemaVersion() (version int64, err error) {
	err = tx.row("SELECT COALESCE(MAX(version), 0) FROM schema_migration").scan(&version)
	return version, err
}

func (tx *Tx) apply(m migration) error {
	for statement := range strings.SplitSeq(m.sql, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		statement = strings.NewReplacer("/* clustered */", tx.dialect.clustered, "/* serial */", tx.dialect.serial).Replace(statement)
		if _, err := tx.exec(statement); err != nil {
			return err
		}
	}
	_, err := tx.exec("INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)",
		m.version, m.name, time.Now().UnixMilli())
	return err
}
