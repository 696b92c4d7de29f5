//go:build !linux && !darwin

package child

import (
	"os"
	"os/exec"
)

// Here a child is a process and nothing more: it is killed when its job ends,
// and ends when its parent does. What it has started is not.

func isolate(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() }

func killed(*os.ProcessState) bool { return false }

func (limits) apply() error { return nil }

// last is what a child does when its parent is gone.
var last = func() {}

func endWithParent(act func()) { last = act }

func abandon() {
	last()
	os.Exit(1)
}

func ownPriority() int { return 0 }

func setPriority(group, nice int) {}
