package transfer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/transfer"
)

// objectFile is the file of an object in a disk storage.
func objectFile(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "objects", "*", "*", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	return found[0]
}

func tryRestore(t *testing.T, dir string, to transfer.Installation) error {
	t.Helper()
	saved, err := transfer.OpenBackup(t.Context(), dir)
	if err != nil {
		return err
	}
	defer saved.DB.Close()
	defer saved.Blobs.Close()
	_, err = transfer.Move{From: saved, To: to}.Run(t.Context())
	return err
}

// A backup in which objects were exchanged, added or removed is refused by the name of
// an object, also of one that no row names. Objects that were added are not restored.
func TestRestoreOfChangedObjects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, media string)
		want   string
	}{
		"swapped": {func(t *testing.T, media string) {
			a, b := objectFile(t, media, "001.png"), objectFile(t, media, "002.png")
			for _, names := range [][2]string{{a, a + ".x"}, {b, a}, {a + ".x", b}} {
				if err := os.Rename(names[0], names[1]); err != nil {
					t.Fatal(err)
				}
			}
		}, "2, the first is assets/ann/001.png"},
		"removed upload": {func(t *testing.T, media string) {
			if err := os.Remove(objectFile(t, media, "upload.png")); err != nil {
				t.Fatal(err)
			}
		}, "1, the first is uploads/ann/upload.png"},
		"added": {func(t *testing.T, media string) { put(t, diskAt(t, media), "assets/ann/added.png", "new") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := furnish(t, local(t), 4)
			put(t, from.Blobs, "uploads/ann/upload.png", "what a client has posted")
			dir := t.TempDir()
			backUp(t, from, dir, 5)
			c.change(t, filepath.Join(dir, "media"))
			to := local(t).open(t, from.DB)
			err := tryRestore(t, dir, to)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkSame(t, to, from)
			} else if !errors.Is(err, transfer.ErrIncomplete) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the restore returned %v, want %q", err, c.want)
			}
		})
	}
}

// An object that was stored without a digest and has rotted since does not replace the good copy of
// an earlier backup, whether a row names it or not. One that was written again does.
func TestBackupOfRottenObjects(t *testing.T) {
	t.Parallel()
	media, dir := t.TempDir(), t.TempDir()
	from := furnish(t, place{sqlite(t), diskAt(t, media)}, 4)
	put(t, from.Blobs, "uploads/ann/upload.png", "what a client has posted")
	names := []string{"000.png", "001.png", "002.png", "003.png", "upload.png"}
	long := time.Now().Add(-time.Hour)
	for _, name := range names {
		if err := os.Chtimes(objectFile(t, media, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	backUp(t, from, dir, 5)
	good := contents(t, diskAt(t, filepath.Join(dir, "media")))
	for _, name := range names {
		damage(t, media, name)
		if err := os.Chtimes(objectFile(t, media, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	put(t, from.Blobs, "assets/ann/000.png", "written again, without a digest!")
	good["assets/ann/000.png"] = "image/png written again, without a digest!"
	for range 2 { // the list of the second backup protects what it has kept, too
		m, _, err := transfer.Backup{From: from, Dir: dir}.Run(t.Context())
		if err != nil || len(m.Missing) > 0 {
			t.Fatalf("missing are %q, %v", m.Missing, err)
		}
		for key, want := range contents(t, diskAt(t, filepath.Join(dir, "media"))) {
			if want != good[key] {
				t.Errorf("%s has changed in the backup", key)
			}
			delete(good, key)
		}
		if len(good) > 0 {
			t.Errorf("the backup lacks %d objects", len(good))
		}
		good = contents(t, diskAt(t, filepath.Join(dir, "media")))
	}
}

// A first backup names what has rotted at the source.
func TestBackupNamesDamage(t *testing.T) {
	t.Parallel()
	media := t.TempDir()
	from := furnish(t, place{sqlite(t), diskAt(t, media)}, 2)
	damage(t, media, "001.png")
	m, _, err := transfer.Backup{From: from, Dir: t.TempDir()}.Run(t.Context())
	if err != nil || len(m.Missing) != 1 || m.Missing[0] != "assets/ann/001.png" {
		t.Errorf("missing are %q, %v", m.Missing, err)
	}
}

// The secret of an earlier backup does not stay when the configuration has it since.
func TestBackupForgetsSecret(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 1)
	dir := t.TempDir()
	backUp(t, from, dir, 1)
	key := filepath.Join(dir, transfer.SecretFile)
	if text, err := os.ReadFile(key); err != nil || string(text) != "0123456789abcdef\n" {
		t.Fatalf("the secret is %q, %v", text, err)
	}
	if _, _, err := (transfer.Backup{From: from, Dir: dir, Secrets: []string{"another secret"}}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(key); !os.IsNotExist(err) {
		t.Errorf("the secret of the earlier backup is still there: %v", err)
	}
}
