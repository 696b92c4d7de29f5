//go:build linux || darwin

package child

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// killed reports whether a process was killed.
func killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// set sets the limits that every system has, and more.
func (l limits) set(more map[int]uint64) error {
	all := map[int]uint64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_FSIZE: uint64(l.FileBytes), syscall.RLIMIT_NOFILE: l.OpenFiles,
	}
	if l.CPU > 0 {
		all[syscall.RLIMIT_CPU] = uint64(l.CPU/time.Second) + 1
	}
	for which, value := range more {
		all[which] = value
	}
	for which, value := range all {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(which, &now); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
		value = min(value, now.Max)
		if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
	}
	// A write beyond the limit returns an error instead of killing the process,
	// here and in programs that it starts.
	signal.Ignore(syscall.SIGXFSZ)
	return nil
}

// endWithParent calls last and ends this process and all its descendants when the
// parent has ended.
func endWithParent(last func()) {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		<-terminate
		last()
		_ = syscall.Kill(0, syscall.SIGKILL)
	}()
}

// abandon ends this process as if its parent had ended.
func abandon() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	select {}
}

// ownPriority is the niceness of this process.
func ownPriority() int {
	n, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	return niceness(n)
}

// setPriority sets the niceness of a process group.
func setPriority(group, nice int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, group, nice) }
