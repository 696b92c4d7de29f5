package database_test

import (
	"errors"
	"os"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

const reserveSize = 256 << 10

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return -1
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// A deletion that finds the disk full runs again with the space of the reserve, which is
// there again afterwards. Other changes do not get it.
func TestReserveIsForDeletions(t *testing.T) {
	t.Parallel()
	o := databasetest.SQLite(t)
	o.Reserve = reserveSize
	db := openNotes(t, o)
	path := o.Path + "-reserve"
	if got := sizeOf(t, path); got != reserveSize {
		t.Fatalf("the reserve has %d bytes", got)
	}
	fullWithReserve := func(tx *database.Tx) error { // as SQLite says it
		if sizeOf(t, path) >= 0 {
			return &atelier.UnavailableError{Part: atelier.PartStorage, Err: errors.New("database or disk is full")}
		}
		return insert("ann")(tx)
	}
	if err := db.Write(t.Context(), fullWithReserve); part(err) != atelier.PartStorage {
		t.Errorf("a change: %v", err)
	}
	if err := db.WriteDeletion(t.Context(), fullWithReserve); err != nil {
		t.Errorf("a deletion: %v", err)
	}
	if got := sizeOf(t, path); got != reserveSize {
		t.Errorf("the reserve has %d bytes afterwards", got)
	}
	if err := db.Read(t.Context(), find("ann")); err != nil {
		t.Error(err)
	}
	denied := errors.New("no")
	if err := db.WriteDeletion(t.Context(), func(*database.Tx) error { return denied }); !errors.Is(err, denied) || sizeOf(t, path) != reserveSize {
		t.Errorf("a deletion that fails otherwise: %v", err)
	}
}
