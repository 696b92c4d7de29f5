package database

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file that one process has at a time. The system closes it when the
// process ends, however it does. It returns nil when another process has the file.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const notShared, sharingViolation = 0, syscall.Errno(32)
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, notShared, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return os.NewFile(uintptr(handle), path), nil
	case errors.Is(err, sharingViolation):
		return nil, nil
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
