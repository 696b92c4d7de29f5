package worktest

import (
	"runtime"
	"syscall"
	"time"
)

// CPUTime is how long a processor works on a function, which must not leave its
// work to other goroutines. What else the machine does does not count.
func CPUTime(run func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &u); err != nil {
			panic(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	run()
	return used() - before
}
