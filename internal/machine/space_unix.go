//go:build linux || darwin

package machine

import (
	"strconv"
	"syscall"
)

// Space is how many bytes can still be written where a directory is, and the size of its disk.
func Space(dir string) (free, total int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil
}

// DiskID is the same for directories on one disk, and empty where it cannot be read.
func DiskID(dir string) string {
	var s syscall.Stat_t
	if err := syscall.Stat(dir, &s); err != nil {
		return ""
	}
	return strconv.FormatUint(uint64(s.Dev), 10)
}
