//go:build linux || darwin

package process

import "syscall"

// Terminate asks the process and its descendants to end.
func (g *Group) Terminate() { _ = syscall.Kill(-g.Cmd.Process.Pid, syscall.SIGTERM) }

// Kill kills the process and its descendants. While one of them lives, the system does not
// reuse the number of the group.
func (g *Group) Kill() { _ = syscall.Kill(-g.Cmd.Process.Pid, syscall.SIGKILL) }
