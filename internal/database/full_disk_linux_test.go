package database_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
)

// smallDisk mounts a file system of a few megabytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// occupy fills a disk to its last byte.
func occupy(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, chunk := range []int{64 << 10, 4 << 10, 1} {
		for err == nil {
			_, err = file.Write(make([]byte, chunk))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		err = nil
	}
	return path
}

// On a disk that is really full, everything can be deleted, also after the program was
// started again.
func TestDeletionsOnAFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "32m")
	o := database.Options{Path: filepath.Join(dir, "atelier.db"), Reserve: 8 << 20} // more than the log has
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.Migrate(t.Context(), notes); err != nil {
		t.Fatal(err)
	}
	large := func(i int) string { return fmt.Sprintf("%03d-%s", i, bytes.Repeat([]byte("x"), 20_000)) }
	for i := range 100 {
		write(t, db, insert(large(i)))
	}
	filler := occupy(t, dir)
	stored := 100
	for ; err == nil; stored++ { // into the free part of the log
		err = db.Write(t.Context(), insert(large(stored)))
	}
	if part(err) != atelier.PartStorage {
		t.Fatalf("a change on a full disk: %v", err)
	}
	remove := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := db.WriteDeletion(t.Context(), func(tx *database.Tx) error {
				return tx.Must("DELETE FROM note WHERE name = $1", large(i))
			}); err != nil {
				t.Fatalf("deletion %d: %v", i, err)
			}
		}
	}
	remove(0, 40)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	occupy(t, dir) // closing has removed the log
	again, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open on a full disk: %v", err)
	}
	db = again
	remove(40, 100)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	write(t, db, insert(large(0)))
	remove(0, 1)
	if got := sizeOf(t, o.Path+"-reserve"); got != o.Reserve {
		t.Errorf("with space again the reserve has %d bytes", got)
	}
}
