package process

import (
	"os/exec"
	"syscall"
)

// isolate puts a process into its own process group, which a Ctrl-C in the terminal
// does not reach. The kernel signals the process when this one ends.
func isolate(cmd *exec.Cmd, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: signal}
}
