package database

import (
	"context"
	"errors"
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

// Migrate brings the tables up to date, in one transaction. It refuses a database that a
// newer version has migrated, or one that was never released.
func (db *DB) Migrate(ctx context.Context, steps []Migration) error {
	if have, err := db.applied(ctx); err == nil && len(have) == len(steps) && isKnown(have, steps) {
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
		have, err := tx.applied()
		if err == nil {
			err = checkApplied(have, steps)
		}
		if err != nil {
			return err
		}
		for _, step := range steps[len(have):] {
			if err := tx.apply(step); err != nil {
				return fmt.Errorf("migration %04d_%s: %w", step.Version, step.Name, err)
			}
		}
		return nil
	})
}

// Version is how many of the migrations the database has. It refuses one that a newer version
// has migrated, or one that was never released.
func (db *DB) Version(ctx context.Context, steps []Migration) (int, error) {
	have, err := db.applied(ctx)
	if err != nil {
		return 0, err
	}
	return len(have), checkApplied(have, steps)
}

// checkApplied refuses migrations that this program does not know.
func checkApplied(have []string, steps []Migration) error {
	switch {
	case !isKnown(have, steps):
		return errors.New("the database was made by a version that was never released: begin with an empty one")
	case len(have) > len(steps):
		return fmt.Errorf("the database is at version %d, this program knows %d: use a newer program", len(have), len(steps))
	}
	return nil
}

// isKnown reports whether the migrations that were applied begin with the steps, or these
// with them.
func isKnown(have []string, steps []Migration) bool {
	for i, name := range have[:min(len(have), len(steps))] {
		if name != steps[i].Name {
			return false
		}
	}
	return true
}

func (db *DB) applied(ctx context.Context) (names []string, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		names, err = tx.applied()
		return err
	})
	return names, err
}

// applied lists the names of the migrations that were applied, in order.
func (tx *Tx) applied() (names []string, err error) {
	err = tx.Rows(func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	}, "SELECT name FROM schema_migration ORDER BY version")
	return names, err
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
