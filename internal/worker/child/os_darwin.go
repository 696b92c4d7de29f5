package child

import (
	"os/exec"
	"syscall"
)

// isolate puts a child into a process group of its own.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// apply limits this process and those that it will start.
func (l limits) apply() error { return l.set(nil) }

func niceness(n int) int { return n }
