package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Every row of every table is the same in a copy, from either database into either, and new
// records are numbered after those that were copied.
func TestCopyRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		from := storetest.Open(t, o)
		fillTables(t, from, 120)
		storetest.Each(t, func(t *testing.T, o store.Options) {
			to, err := store.OpenEmpty(t.Context(), o, from)
			if err != nil {
				t.Fatal(err)
			}
			read, err := from.CopyRows(t.Context(), to)
			if err != nil {
				t.Fatal(err)
			}
			got, err := to.SumRows(t.Context())
			if err != nil || !slices.Equal(got, read) {
				t.Errorf("the copy has\n%v, %v\nand the source\n%v", got, err, read)
			}
			for _, table := range read {
				if table.Rows != 120 {
					t.Errorf("%d rows of %s were copied, not 120", table.Rows, table.Name)
				}
			}
			last, err := store.NextRecord(t.Context(), to)
			if err != nil || last != 121 {
				t.Errorf("the next record has the number %d, %v", last, err)
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := store.OpenEmpty(t.Context(), o, from); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("a database with rows was taken for an empty one: %v", err)
			}
		})
	})
}

// A table that has one other value has another sum.
func TestSumRows(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t))
	fillTables(t, db, 2)
	before, err := db.SumRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, func(tx *store.Tx) error {
		return store.Exec(tx, "UPDATE setting SET value = value || ' ' WHERE name LIKE '%1'")
	})
	after, err := db.SumRows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range before {
		if same := after[i] == table; same != (table.Name != "setting") {
			t.Errorf("%v became %v", table, after[i])
		}
	}
}

// fillTables gives every table some rows. The values of a row come from its number, so that
// those that refer to others find them.
func fillTables(t *testing.T, db *store.DB, rows int) {
	t.Helper()
	columns, err := store.Columns(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string][][2]string{}
	for _, c := range columns {
		name, kind, _ := strings.Cut(c, " ")
		table, column, _ := strings.Cut(name, ".")
		types[table] = append(types[table], [2]string{column, strings.ToLower(kind)})
	}
	delete(types, "schema_migration")
	tables, err := store.TableNames(t.Context(), db)
	if err != nil || len(tables) != len(types) {
		t.Fatalf("the tables %q of %d are copied, %v", tables, len(types), err)
	}
	write(t, db, func(tx *store.Tx) error {
		for _, table := range tables {
			if err := store.Exec(tx, "DELETE FROM "+table); err != nil {
				return err
			}
			for i := range rows {
				if err := store.Exec(tx, insertion(table, types[table], i+1)); err != nil {
					return fmt.Errorf("%s: %w", table, err)
				}
			}
		}
		return nil
	})
}

func insertion(table string, columns [][2]string, i int) string {
	var names, values []string
	for _, c := range columns {
		value, length := "", i
		if table == "setting" && c[0] == "value" {
			length = 2000 * i // so that some batches have more bytes than are sent at once
		}
		switch kind := c[1]; {
		case kind == "text":
			value = fmt.Sprintf("'%d Zürich “%s” \t\\ %d'", i, strings.Repeat("x", length), i)
		case kind == "boolean":
			value = []string{"FALSE", "TRUE"}[i%2]
		case kind == "double precision":
			value = fmt.Sprintf("%d.1", i)
		case table == "purse":
			value = "0" // no more can be held than was granted
		case table == "work_record" && c[0] == "id":
			value = fmt.Sprint(i)
		default:
			value = fmt.Sprint(1<<60 + i)
		}
		names, values = append(names, c[0]), append(values, value)
	}
	return "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}
