//go:build linux || darwin

package blob

import "syscall"

// FreeSpace is how many bytes can still be written where a directory is.
func FreeSpace(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
