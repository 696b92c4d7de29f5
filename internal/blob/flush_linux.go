package blob

import (
	"os"
	"syscall"
)

// flush has the system begin to write a part of a file to the disk, and does not
// wait for it.
func flush(f *os.File, offset, length int64) {
	const begin = 2 // SYNC_FILE_RANGE_WRITE
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _ = syscall.SyncFileRange(int(fd), offset, length, begin) })
}
