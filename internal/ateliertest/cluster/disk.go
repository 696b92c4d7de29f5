package cluster

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// smallDisk is how much the disk of the primary holds where it is small.
const smallDisk = "200m"

// limitDisk puts a folder on a small disk, in memory, or skips the test where that is not allowed.
func limitDisk(t testing.TB, dir string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=700,size="+smallDisk, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("left out: a small disk cannot be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
}

// FillDisk fills the disk of the primary until release.
func (p *Postgres) FillDisk() (release func()) {
	p.t.Helper()
	name := filepath.Join(p.primary.dir, "filler")
	f, err := os.Create(name)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		p.t.Errorf("fill the disk: %v, want that it is full", err)
	}
	f.Close()
	return func() {
		if err := os.Remove(name); err != nil {
			p.t.Error(err)
		}
		p.start(p.primary) // if it has ended because it could not write its log
		p.awaitStandby()
	}
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
