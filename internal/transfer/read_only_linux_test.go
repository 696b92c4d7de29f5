package transfer_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A backup on a medium that cannot be written is restored.
func TestRestoreFromReadOnly(t *testing.T) {
	t.Parallel()
	from := furnish(t, local(t), 3)
	dir := filepath.Join(t.TempDir(), "100% ? #backup")
	backUp(t, from, dir, 3)
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		if os.Geteuid() == 0 {
			t.Skipf("cannot mount a directory: %v", err)
		}
		makeReadOnly(t, dir)
	} else {
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Errorf("unmount: %v", err)
			}
		})
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := os.Create(filepath.Join(dir, "x")); err == nil {
		file.Close()
		t.Fatal("the directory can be written")
	}
	to := local(t).open(t, from.DB)
	restore(t, dir, to)
	checkSame(t, to, from)
}

// makeReadOnly takes the right to write from all directories until the test ends.
func makeReadOnly(t *testing.T, dir string) {
	t.Helper()
	for _, mode := range []os.FileMode{0o500, 0o700} {
		change := func() {
			err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, mode)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		if mode == 0o500 {
			change()
		} else {
			t.Cleanup(change)
		}
	}
}
