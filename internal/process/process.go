// Package process starts child processes, each in its own process group, and ends
// them with their descendants. Where the system can, a child ends with this process.
package process

import (
	"os/exec"
	"runtime"
	"time"
)

// pipeGrace is how long a descendant may keep the pipes of an ended process open.
const pipeGrace = time.Second

// Group is a process with its descendants.
type Group struct {
	Cmd  *exec.Cmd
	Gone <-chan struct{} // closed when the process is reaped
}

// Start starts a process. When it has ended, ended is called before Gone is closed. If the
// system can, it is asked to end, or killed, when this process ends.
func Start(cmd *exec.Cmd, kill bool, ended func()) (*Group, error) {
	cmd.WaitDelay = pipeGrace
	isolate(cmd, kill)
	gone, started := make(chan struct{}), make(chan error)
	go func() {
		// Linux treats the end of the thread that started a process as the end of its
		// parent.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // ProcessState has the outcome
			ended()
			close(gone)
		}
	}()
	return &Group{cmd, gone}, <-started
}
