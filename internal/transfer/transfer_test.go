package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/transfer"
)

// place is a database and a storage without anything in them.
type place struct {
	database store.Options
	blobs    blob.Store
}

func diskAt(t *testing.T, dir string) blob.Store {
	t.Helper()
	d, err := blob.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func sqlite(t *testing.T) store.Options {
	return store.Options{Path: filepath.Join(t.TempDir(), "atelier.db"), NoSync: true}
}

func local(t *testing.T) place { return place{sqlite(t), diskAt(t, t.TempDir())} }

// open opens the place as the target of a copy.
func (p place) open(t *testing.T, like *store.DB) transfer.Installation {
	t.Helper()
	db, err := store.OpenEmpty(t.Context(), p.database, like)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return transfer.Installation{DB: db, Blobs: p.blobs}
}

// furnish makes an installation with an account that has money and files.
func furnish(t *testing.T, p place, files int) transfer.Installation {
	t.Helper()
	db, err := store.Open(t.Context(), p.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	i := transfer.Installation{DB: db, Blobs: p.blobs}
	books := billing.New(db, time.Now, func(atelier.PlanTier) int { return 0 })
	_, err = account.New(db, []string{"a secret of the tests"}, time.Now).Create(t.Context(), account.NewAccount{Wallet: "0xann"},
		func(tx *store.Tx, w atelier.Wallet) error {
			if _, err := tx.InsertInstallation("installation-1", time.Now()); err != nil {
				return err
			}
			return books.BookCredits(tx, w, "first", billing.Credits{Spark: 5 * atelier.MoneyUnit})
		})
	if err != nil {
		t.Fatal(err)
	}
	put(t, i.Blobs, media.InstallationKey, "installation-1\n")
	for n := range files {
		addFile(t, i, n)
	}
	return i
}

// addFile stores a file that a row names.
func addFile(t *testing.T, i transfer.Installation, n int) {
	t.Helper()
	key := fmt.Sprintf("assets/ann/%03d.png", n)
	put(t, i.Blobs, key, strings.Repeat(fmt.Sprint(n), 100+n))
	write(t, i.DB, func(tx *store.Tx) error {
		return tx.InsertAsset(atelier.Asset{ID: key, Wallet: "0xann", SHA256: key, BlobKey: key, State: atelier.AssetReady, CreatedAt: time.Now()})
	})
}

func put(t *testing.T, s blob.Store, key, content string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(content), blob.PutOptions{ContentType: "image/png", NoDigest: len(content)%2 == 0}); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// contents are the objects of a storage.
func contents(t *testing.T, s blob.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for entry, err := range s.List(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		file, object, err := s.Open(t.Context(), entry.Key)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		kind := object.ContentType
		if entry.Key == media.InstallationKey {
			kind = ""
		}
		all[entry.Key] = kind + " " + string(text)
	}
	return all
}

// checkSame compares two installations, row by row and byte by byte.
func checkSame(t *testing.T, got, want transfer.Installation) {
	t.Helper()
	rows, err := got.DB.SumRows(t.Context())
	before, err2 := want.DB.SumRows(t.Context())
	if err := errors.Join(err, err2); err != nil || !slices.Equal(rows, before) {
		t.Errorf("the copy has the rows\n%v, %v\nand the source\n%v", rows, err, before)
	}
	if have, had := contents(t, got.Blobs), contents(t, want.Blobs); !maps.Equal(have, had) {
		t.Errorf("the copy has the objects\n%q\nand the source\n%q", slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(had)))
	}
}

// An installation goes from SQLite and disk through every other pair of database and storage
// and back, and is the same everywhere.
func TestMoveAround(t *testing.T) {
	t.Parallel()
	s3 := func() blob.Store { return blobtest.OpenS3(t) }
	at := furnish(t, local(t), 25)
	first := at
	for _, p := range []place{
		{storetest.Postgres(t), s3()}, {sqlite(t), s3()}, {storetest.Postgres(t), diskAt(t, t.TempDir())}, local(t),
	} {
		to := p.open(t, at.DB)
		moved, err := transfer.Move{From: at, To: to}.Run(t.Context())
		if err != nil || moved.Objects != 25 || moved.Copied != 25 {
			t.Fatalf("%+v, %v", moved.ObjectSum, err)
		}
		checkSame(t, to, first)
		at = to
	}
}

// A copy that was interrupted continues where it was, and one that was prepared beside servers
// copies what is new.
func TestMoveResumes(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 40)
	to := local(t).open(t, from.DB)
	ctx, cancel := context.WithCancel(t.Context())
	m := transfer.Move{From: from, To: to, Progress: func(s transfer.ObjectSum) {
		if s.Copied == 10 {
			cancel()
		}
	}}
	if _, err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a copy that was interrupted returns %v", err)
	}
	if _, err := m.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	addFile(t, from, 40)
	put(t, from.Blobs, "assets/ann/003.png", "other content of the same key")
	m.Progress = nil
	moved, err := m.Run(t.Context())
	if err != nil || moved.Objects != 41 || moved.Copied != 2 {
		t.Errorf("%+v, %v", moved.ObjectSum, err)
	}
	checkSame(t, to, from)
}

// Storages that belong to others, or have something in them, are refused, and nothing of the
// source that is damaged is copied.
func TestMoveRefuses(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 3)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, to blob.Store)
		want    string
	}{
		"another installation": {func(t *testing.T, to blob.Store) { put(t, to, media.InstallationKey, "other\n") }, "belongs to another installation, other"},
		"objects":              {func(t *testing.T, to blob.Store) { put(t, to, "notes.txt", "mine") }, "not empty: it has the object notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := local(t).open(t, from.DB)
			c.prepare(t, to.Blobs)
			if _, err := (transfer.Move{From: from, To: to}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the copy returned %v", err)
			}
			if n := storetest.CountRows(t, to.DB, "account"); n != 0 {
				t.Errorf("%d accounts were copied", n)
			}
		})
	}
}

// A file whose bytes have changed since it was stored fails the copy, unless what there is is to
// be copied. One that no row names is left out.
func TestMoveOfDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from := furnish(t, place{sqlite(t), diskAt(t, dir)}, 4)
	put(t, from.Blobs, "results/ann/unnamed.png", "what a crash has left")
	damage(t, dir, "unnamed.png")
	to := local(t).open(t, from.DB)
	m := transfer.Move{From: from, To: to}
	if _, err := m.Prepare(t.Context()); err != nil {
		t.Errorf("damage that no row names: %v", err)
	}
	damage(t, dir, "001.png")
	if err := to.Blobs.Delete(t.Context(), "assets/ann/001.png"); err != nil {
		t.Fatal(err)
	}
	_, err := m.Run(t.Context())
	if !errors.Is(err, transfer.ErrIncomplete) || !strings.Contains(err.Error(), "1, the first is assets/ann/001.png") {
		t.Errorf("the copy returned %v", err)
	}
	if n := storetest.CountRows(t, to.DB, "account"); n != 0 {
		t.Errorf("%d accounts were copied", n)
	}
	m.Incomplete = true
	if _, err := m.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := to.Blobs.Stat(t.Context(), "assets/ann/001.png"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the damaged object was copied: %v", err)
	}
}

// What was written into the target while objects were copied is not deleted: the copy fails.
func TestMoveIntoWhatIsUsed(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 2)
	to := local(t).open(t, from.DB)
	m := transfer.Move{From: from, To: to, Progress: func(s transfer.ObjectSum) {
		if s.Objects == 1 {
			write(t, to.DB, func(tx *store.Tx) error {
				_, err := tx.InsertInstallation("other", time.Now())
				return err
			})
		}
	}}
	if _, err := m.Run(t.Context()); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("the copy returned %v", err)
	}
	if n := storetest.CountRows(t, to.DB, "installation"); n != 1 {
		t.Errorf("%d rows are left of those that were written", n)
	}
}

// damage changes the first byte of a file.
func damage(t *testing.T, dir, name string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "objects", "*", "*", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	file, err := os.OpenFile(found[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte("?"), 0)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// A database is in use while a node has a lease.
func TestCheckUnused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		if err := transfer.CheckUnused(t.Context(), db); err != nil {
			t.Errorf("a database without nodes: %v", err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.KeepNode("n1", time.Now().Add(time.Hour), time.Time{}) })
		if err := transfer.CheckUnused(t.Context(), db); !errors.Is(err, transfer.ErrInUse) {
			t.Errorf("a database with a node: %v", err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.ForgetNode("n1") })
		if err := transfer.CheckUnused(t.Context(), db); err != nil {
			t.Errorf("a database whose node has ended: %v", err)
		}
	})
}
