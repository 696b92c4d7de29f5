package telemetry

import (
	"errors"
	"syscall"
)

func processorTime() (float64, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, err
	}
	var began, ended, kernel, user syscall.Filetime
	err = syscall.GetProcessTimes(self, &began, &ended, &kernel, &user)
	ticks := func(t syscall.Filetime) float64 { return float64(uint64(t.HighDateTime)<<32 | uint64(t.LowDateTime)) }
	return (ticks(kernel) + ticks(user)) / 1e7, err // ticks of 100 ns
}

func fileLimit() (float64, error) { return 0, errors.ErrUnsupported }
