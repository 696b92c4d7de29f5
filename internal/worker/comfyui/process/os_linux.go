package process

import (
	"os/exec"
	"syscall"
)

// isolate puts a process into a process group of its own, which a Ctrl-C in the
// terminal does not reach. The kernel kills the process when this one ends.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
