package transfer_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/transfer"
)

// A backup of any pair of database and storage is restored on any other.
func TestBackup(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]func(t *testing.T) place{
		"local":   {local, local},
		"to many": {local, many},
		"from":    {many, local},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := furnish(t, pair[0](t), 7)
			dir := filepath.Join(t.TempDir(), "backup")
			backUp(t, from, dir, 7)
			to := pair[1](t).open(t, from.DB)
			restore(t, dir, to)
			checkSame(t, to, from)
		})
	}
}

func many(t *testing.T) place { return place{storetest.Postgres(t), blobtest.OpenS3(t)} }

func backUp(t *testing.T, from transfer.Installation, dir string, copied int64) transfer.Manifest {
	t.Helper()
	m, sum, err := transfer.Backup{From: from, Dir: dir, Secret: "0123456789abcdef"}.Run(t.Context())
	if err != nil || sum.Copied != copied {
		t.Fatalf("%+v, %v; want %d copied", sum, err, copied)
	}
	return m
}

func restore(t *testing.T, dir string, to transfer.Installation) {
	t.Helper()
	saved, err := transfer.OpenBackup(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.DB.Close()
	defer saved.Blobs.Close()
	if _, err := (transfer.Move{From: saved, To: to}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A second backup copies what is new, leaves out what was deleted, and keeps what the source
// has lost. It names what neither has any more. Only its owner reads it.
func TestBackupAgain(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 5)
	dir := t.TempDir()
	backUp(t, from, dir, 5)
	addFile(t, from, 5)
	addFile(t, from, 6)
	for _, key := range []string{"assets/ann/001.png", "assets/ann/002.png", "assets/ann/006.png"} {
		if err := from.Blobs.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	write(t, from.DB, func(tx *store.Tx) error { return tx.DeleteAsset("0xann", "assets/ann/001.png") })
	put(t, from.Blobs, "trash/2026-01-01/assets/ann/009.png", "removed")
	if m := backUp(t, from, dir, 1); !slices.Equal(m.Missing, []string{"assets/ann/006.png"}) {
		t.Errorf("missing are %q", m.Missing)
	}
	saved := slices.Sorted(maps.Keys(contents(t, diskAt(t, filepath.Join(dir, "media")))))
	if want := strings.Fields("assets/ann/000.png assets/ann/002.png assets/ann/003.png assets/ann/004.png assets/ann/005.png atelier/installation"); !slices.Equal(saved, want) {
		t.Errorf("the backup has %q, want %q", saved, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	databases := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v, %v", e.Name(), info.Mode(), err)
		}
		if strings.HasSuffix(e.Name(), ".db") {
			databases++
		}
	}
	if databases != 1 {
		t.Errorf("%d databases are in the backup", databases)
	}
}

// A backup that was interrupted leaves the one before it, and the next one continues.
func TestBackupInterrupted(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 5)
	dir := t.TempDir()
	first := backUp(t, from, dir, 5)
	for n := range 20 {
		addFile(t, from, 5+n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := transfer.Backup{From: from, Dir: dir, Progress: func(s transfer.ObjectSum) {
		if s.Copied == 4 {
			cancel()
		}
	}}.Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a backup that was interrupted returns %v", err)
	}
	if m, err := transfer.ReadManifest(dir); err != nil || !m.At.Equal(first.At) {
		t.Errorf("the backup is of %v, %v; want %v", m.At, err, first.At)
	}
	restore(t, dir, local(t).open(t, from.DB))
	_, sum, err := transfer.Backup{From: from, Dir: dir}.Run(t.Context())
	if err != nil || sum.Objects != 25 || sum.Copied == 0 || sum.Copied >= 20 {
		t.Errorf("the next backup returns %+v, %v", sum, err)
	}
}

// Directories with other things in them are left alone, and what is not a finished backup, or
// has changed, is not restored.
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 1)
	busy := t.TempDir()
	if err := os.WriteFile(filepath.Join(busy, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (transfer.Backup{From: from, Dir: busy}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "it has letter.txt") {
		t.Errorf("a backup into a directory with other files returns %v", err)
	}
	if _, err := transfer.OpenBackup(t.Context(), busy); !errors.Is(err, transfer.ErrNoBackup) {
		t.Errorf("a directory without a backup is opened: %v", err)
	}
	dir := t.TempDir()
	m := backUp(t, from, dir, 1)
	path := filepath.Join(dir, "backup.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for old, with := range map[string]string{m.Tables[0].Digest: strings.Repeat("0", 64), `"format":2`: `"format":3`, m.ListSHA256: strings.Repeat("0", 64), `{`: ``} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, with, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.OpenBackup(t.Context(), dir); err == nil {
			t.Errorf("a backup with %q for %q is opened", with, old)
		}
	}
}

// A first backup that was interrupted before its manifest is made again, and only databases of
// backups are removed.
func TestBackupOfOthersFiles(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 1)
	dir := filepath.Join(t.TempDir(), "b[1")
	backUp(t, from, dir, 1)
	if err := os.Remove(filepath.Join(dir, "backup.json")); err != nil {
		t.Fatal(err)
	}
	backUp(t, from, dir, 0)
	if err := os.WriteFile(filepath.Join(dir, "atelier.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := backUp(t, from, dir, 0)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var databases []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".db") {
			databases = append(databases, e.Name())
		}
	}
	if !slices.Equal(databases, []string{m.Database, "atelier.db"}) {
		t.Errorf("the databases are %q", databases)
	}
}
