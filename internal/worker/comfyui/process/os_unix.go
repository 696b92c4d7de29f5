//go:build linux || darwin

package process

import (
	"os"
	"syscall"
)

// terminateGroup asks a process and its descendants to end.
func terminateGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup kills a process and its descendants. While one of them lives, the system
// does not reuse the number of the group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
