//go:build linux || darwin

package machine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/machine"
)

// lister runs a script in the place of the program.
func lister(t *testing.T, script string) *machine.Lister {
	t.Helper()
	l := machine.NewLister()
	l.Program = filepath.Join(t.TempDir(), "nvidia-smi")
	l.Timeout = time.Minute
	if err := os.WriteFile(l.Program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return l
}

func show(g machine.GPU) string {
	text := fmt.Sprintf("%s %s %q", g.Index, g.UUID, g.Name)
	for _, n := range []*int64{g.Total, g.Free} {
		if n != nil {
			text += fmt.Sprint(" ", *n>>20)
		} else {
			text += " -"
		}
	}
	for _, n := range []*float64{g.Temperature, g.Power} {
		if n != nil {
			text += fmt.Sprint(" ", *n)
		} else {
			text += " -"
		}
	}
	return text
}

// What the driver tells is read; what a GPU does not have, odd lines and endless output are not.
func TestGPUs(t *testing.T) {
	t.Parallel()
	list, err := lister(t, `cat <<'E'
0, GPU-8f2c11d0-1111, NVIDIA H200, 143771, 120000, 41, 78.52
1, GPU-8f2c11d0-2222, Quadro, rev. 2, 8192, 9000, [N/A], [Not Supported]
2, GPU-x, odd, NaN, -1, inf, 1e400
No devices were found
E`).GPUs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range list {
		got = append(got, show(g))
	}
	want := `0 GPU-8f2c11d0-1111 "NVIDIA H200" 143771 120000 41 78.52
1 GPU-8f2c11d0-2222 "Quadro, rev. 2" 8192 8192 - -
2 GPU-x "odd" - - - -`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for id, named := range map[string]bool{"0": true, "GPU-8f2c11d0-1111": true, "GPU-8f2c11d0-1": true, "1": false, "": false, "GPU-": false, "GPU-8f2c11d0-2222": false} {
		if list[0].Is(id) != named {
			t.Errorf("%q names the first GPU: got %v", id, !named)
		}
	}
	endless, err := lister(t, "head -c 10000000 /dev/zero; yes '0, GPU-1, card, 1, 1, 1, 1' | head -n 100000").GPUs(t.Context())
	if err != nil || len(endless) > 64 {
		t.Errorf("endless output: %d GPUs, %v", len(endless), err)
	}
}

// A machine without the driver, and one whose driver fails or hangs, has no GPUs that are known.
func TestNoGPUs(t *testing.T) {
	t.Parallel()
	for what, l := range map[string]*machine.Lister{
		"no program": {Program: "/nonexistent/nvidia-smi"}, "a relative path": {Program: "nvidia-smi"}, "it fails": lister(t, "exit 9"), "it hangs": lister(t, "exec sleep 1000"),
	} {
		if l.Timeout == 0 {
			fresh := machine.NewLister()
			fresh.Program, l = l.Program, fresh
		}
		if what == "it hangs" {
			l.Timeout = 10 * time.Millisecond
		}
		if list, err := l.GPUs(t.Context()); err == nil || list != nil {
			t.Errorf("%s: got %v, %v", what, list, err)
		}
	}
}

func TestSpace(t *testing.T) {
	t.Parallel()
	free, total, err := machine.Space(t.TempDir())
	if err != nil || free <= 0 || total < free {
		t.Errorf("got %d of %d, %v", free, total, err)
	}
	if _, _, err := machine.Space("/nonexistent"); err == nil {
		t.Error("a directory that is not there has space")
	}
}
