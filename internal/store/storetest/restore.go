package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
)

// Remember remembers the rows of a SQLite file. The function that it returns restores them, which is
// much faster than to open another file: the statements stay prepared.
func Remember(t testing.TB, db *store.DB) (restore func(*store.DB)) {
	t.Helper()
	const copies = "remembered_"
	var tables, filled []string
	err := db.Write(context.Background(), func(tx *store.Tx) (err error) {
		filled = nil
		if tables, err = tablesInOrder(tx); err != nil {
			return err
		}
		for _, name := range tables {
			var rows int
			if err == nil {
				err = tx.Row(`SELECT COUNT(*) FROM ` + name).Scan(&rows)
			}
			if err == nil && rows > 0 {
				filled = append(filled, name)
				_, err = tx.Exec(fmt.Sprintf(`CREATE TABLE %s%s AS SELECT * FROM %s`, copies, name, name))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(db *store.DB) {
		t.Helper()
		err := db.Write(context.Background(), func(tx *store.Tx) error {
			for _, name := range tables {
				if _, err := tx.Exec(`DELETE FROM ` + name); err != nil {
					return err
				}
			}
			for _, name := range slices.Backward(filled) {
				if _, err := tx.Exec(fmt.Sprintf(`INSERT INTO %s SELECT * FROM %s%s`, name, copies, name)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tablesInOrder lists the tables of a SQLite file, each before those that its rows refer to.
func tablesInOrder(tx *store.Tx) (order []string, err error) {
	refers := map[string][]string{} // a table to those that refer to it
	var names []string
	err = tx.Rows(func(scan func(...any) error) error {
		var name, to string
		err := scan(&name, &to)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if to != "" && to != name {
			refers[to] = append(refers[to], name)
		}
		return err
	}, `SELECT m.name, COALESCE(f."table", '') FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND SUBSTR(m.name, 1, 7) <> 'sqlite_' ORDER BY m.name, f."table"`)
	var visit func(name string)
	visit = func(name string) {
		for _, first := range refers[name] {
			if !slices.Contains(order, first) {
				visit(first)
			}
		}
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	for _, name := range names {
		visit(name)
	}
	return order, err
}
