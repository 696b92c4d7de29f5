//go:build unix

package node

import (
	"math"
	"syscall"
)

// mostFiles is how many files this process may have open at once.
func mostFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt64
	}
	return uint64(limit.Cur)
}
