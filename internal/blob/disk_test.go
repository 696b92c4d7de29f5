package blob_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/blob/blobtest"
)

func openDisk(t testing.TB, dir string) *blob.Disk {
	t.Helper()
	d, err := blob.OpenDisk(dir)
	if err != nil {
		t.Fatalf("OpenDisk: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func put(t testing.TB, s blob.Store, key, body string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(body), blob.PutOptions{ContentType: "text/plain"}); err != nil {
		t.Fatalf("Put(%q): %v", key, err)
	}
}

// files lists every file and every folder below dir.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDisk(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Store { return openDisk(t, t.TempDir()) })
}

func TestDiskSurvivesReopening(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	first := openDisk(t, dir)
	put(t, first, "a/b", "x")
	first.Close()
	o, err := openDisk(t, dir).Stat(t.Context(), "a/b")
	if err != nil || o.ContentType != "text/plain" || o.Size != 1 {
		t.Errorf("Stat = %+v, %v; want what was put before", o, err)
	}
}

func TestDiskLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDisk(t, dir)
	bad := errors.New("bad")
	if _, err := d.Put(t.Context(), "a/b/c", failing{bad}, blob.PutOptions{}); !errors.Is(err, bad) {
		t.Errorf("Put = %v, want the source's error", err)
	}
	if _, err := d.Put(t.Context(), "a/b/c", strings.NewReader("xx"), blob.PutOptions{MaxBytes: 1}); err == nil {
		t.Error("Put over the limit = nil")
	}
	func() {
		defer func() { recover() }()
		d.Put(t.Context(), "a/b/c", panicking{}, blob.PutOptions{})
	}()
	put(t, d, "a/b/c", "x")
	if err := d.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	if err := d.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(files(t, dir), " "); got != "objects tmp" {
		t.Errorf("left on disk: %s; want only the two folders", got)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("reader") }

func TestDiskCannotBeEscaped(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	d := openDisk(t, dir)
	put(t, d, "a/b", "x")
	// A secret that would pass for an object.
	secret, err := os.ReadFile(filepath.Join(dir, "objects", "a+", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"folder+":  outside,
		"climber+": "../../" + filepath.Base(outside),
		"file":     filepath.Join(outside, "secret"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, "objects", link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"folder/secret", "climber/secret", "file"} {
		if r, _, err := d.Open(t.Context(), key); err == nil {
			r.Close()
			t.Errorf("Open(%q) reads a file outside", key)
		}
		if _, err := d.Stat(t.Context(), key); err == nil {
			t.Errorf("Stat(%q) sees a file outside", key)
		}
	}
	for _, key := range []string{"folder/new", "climber/new"} {
		if _, err := d.Put(t.Context(), key, strings.NewReader("x"), blob.PutOptions{}); err == nil {
			t.Errorf("Put(%q) writes outside", key)
		}
	}
	if err := d.Delete(t.Context(), "folder/secret"); err == nil {
		t.Error("Delete reaches outside")
	}
	if got := strings.Join(files(t, outside), " "); got != "secret" {
		t.Errorf("outside: %s; want it untouched", got)
	}
	for e, err := range d.List(t.Context(), "", "") {
		if err != nil || e.Key != "a/b" {
			t.Errorf("List gives %q, %v; want only a/b", e.Key, err)
		}
	}
}

func TestDiskNoticesDamage(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
		"empty":     func(p string) error { return os.Truncate(p, 0) },
		"cut short": func(p string) error { return os.Truncate(p, 700) },
		"too long": func(p string) error {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			return os.WriteFile(p, append([]byte("more"), b...), 0o600)
		},
		"not ours": func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("x", 2000)), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDisk(t, dir)
			put(t, d, "a", strings.Repeat("content", 100))
			if err := harm(filepath.Join(dir, "objects", "a")); err != nil {
				t.Fatal(err)
			}
			if _, _, err := d.Open(t.Context(), "a"); !errors.Is(err, blob.ErrDamaged) {
				t.Errorf("Open = %v, want ErrDamaged", err)
			}
			for e, err := range d.List(t.Context(), "", "") {
				if err != nil || e.Key != "a" || e.Size < 0 {
					t.Errorf("List gives %+v, %v", e, err)
				}
			}
			put(t, d, "a", "new")
			if o, err := d.Stat(t.Context(), "a"); err != nil || o.Size != 3 {
				t.Errorf("Stat after putting it again = %+v, %v", o, err)
			}
		})
	}
}

func TestDiskSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDisk(t, dir)
	now := time.Now()
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "older": 3 * time.Hour, "young": time.Minute} {
		path := filepath.Join(dir, "tmp", name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := d.Sweep(t.Context(), now.Add(-time.Hour)); n != 2 || err != nil {
		t.Errorf("Sweep = %d, %v; want 2", n, err)
	}
	if got := strings.Join(files(t, filepath.Join(dir, "tmp")), " "); got != "young" {
		t.Errorf("left in tmp: %s; want young", got)
	}
}

func TestDiskPingFailsWithoutItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openDisk(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "tmp")); err != nil {
		t.Fatal(err)
	}
	if err := d.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("Ping = %v, want an error that says storage cannot be written", err)
	}
}

func TestOpenDiskRefusesAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := blob.OpenDisk(path); err == nil {
		d.Close()
		t.Error("OpenDisk of a file = nil error")
	}
}

func BenchmarkDiskPut(b *testing.B) {
	d := openDisk(b, b.TempDir())
	body := strings.Repeat("x", 1<<20)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		put(b, d, "media/0xabc/image.png", body)
	}
}

func BenchmarkDiskOpen(b *testing.B) {
	d := openDisk(b, b.TempDir())
	put(b, d, "media/0xabc/image.png", "x")
	b.ReportAllocs()
	for b.Loop() {
		r, _, err := d.Open(b.Context(), "media/0xabc/image.png")
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
	}
}

// An object that a crash left half written is damaged until it is put again.
func TestPutReplacesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := blob.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if err := os.WriteFile(filepath.Join(dir, "objects", "a"), []byte("half of i"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Stat(t.Context(), "a"); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("Stat = %v, want ErrDamaged", err)
	}
	if _, err := d.Put(t.Context(), "a", bytes.NewReader([]byte("all of it")), blob.PutOptions{NoDigest: true, Unread: true}); err != nil {
		t.Fatal(err)
	}
	if object, err := d.Stat(t.Context(), "a"); err != nil || object.Size != 9 {
		t.Errorf("Stat = %+v, %v", object, err)
	}
}
