//go:build !linux && !darwin

package child

import (
	"os"
)

// Here a child is a plain process: it is killed when its job ends, and ends with
// its parent. Its descendants are not.

func killed(*os.ProcessState) bool { return false }

func (limits) apply() error { return nil }

// last is what a child does when its parent has ended.
var last = func() {}

func endWithParent(act func()) { last = act }

func abandon() {
	last()
	os.Exit(1)
}

func ownPriority() int { return 0 }

func setPriority(group, nice int) {}
