package database

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Migration is one numbered step. Released ones are never edited.
type Migration struct {
	Version int64
	Name    string
	SQL     string

	// Fill does what SQL alone cannot. It runs when all migrations are applied, because
	// its statements are those of the current tables.
	Fill func(*Tx) error
}

// ReadMigrations reads the files NNNN_name.sql of a folder.
func ReadMigrations(files fs.FS) (out []Migration, err error) {
	names, err := fs.Glob(files, "*.sql") // in order of name
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		number, title, _ := strings.Cut(strings.TrimSuffix(name, ".sql"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version != int64(len(out)+1) {
			return nil, fmt.Errorf("database: migration %s is out of order", name)
		}
		out = append(out, Migration{Version: version, Name: title, SQL: string(text)})
	}
	return out, nil
}

// Migrate brings the tables up to date, in one transaction. It refuses a database
// that a newer version has migrated.
func (db *DB) Migrate(ctx context.Context, steps []Migration) error {
	if have, err := db.version(ctx); err == nil && have == int64(len(steps)) {
		return nil // the usual start: nothing to write
	}
	return db.Write(ctx, func(tx *Tx) error {
		if lock := tx.Dialect.lockMigrations; lock != "" {
			if err := tx.Rows(func(func(...any) error) error { return nil }, lock); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`CREATE TABLE IF NOT EXISTS schema_migration (
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
				return fmt.Errorf("migration %04d_%s: %w", step.Version, step.Name, err)
			}
		}
		for _, step := range steps[have:] {
			if step.Fill != nil {
				if err := step.Fill(tx); err != nil {
					return fmt.Errorf("migration %04d_%s: %w", step.Version, step.Name, err)
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
	err = tx.Row("SELECT COALESCE(MAX(version), 0) FROM schema_migration").Scan(&version)
	return version, err
}

func (tx *Tx) apply(m Migration) error {
	for statement := range strings.SplitSeq(m.SQL, ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		statement = strings.NewReplacer("/* clustered */", tx.Dialect.clustered, "/* serial */", tx.Dialect.serial).Replace(statement)
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	_, err := tx.Exec("INSERT INTO schema_migration (version, name, applied_at) VALUES ($1, $2, $3)",
		m.Version, m.Name, time.Now().UnixMilli())
	return err
}
