//go:build !linux && !darwin

package process

import "os/exec"

// Here a process is a plain one: it is killed without its descendants, there is no way to
// ask it to end, and it does not end with this one.

func isolate(*exec.Cmd, bool) {}

// Terminate kills the process.
func (g *Group) Terminate() { _ = g.Cmd.Process.Kill() }

// Kill kills the process.
func (g *Group) Kill() { _ = g.Cmd.Process.Kill() }
