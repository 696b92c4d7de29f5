package process

import (
	"os/exec"
	"syscall"
)

// isolate puts a process into its own process group, which a Ctrl-C in the terminal
// does not reach.
func isolate(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
