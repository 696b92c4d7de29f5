//go:build unix

package modeldir

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file that one process has at a time; nil when another one has it. A link is not
// followed: others write into the folder too, and what it names may be any file of this process.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		file.Close()
		return nil, nil
	}
	return file, nil // a network disk may have no locks: the checksum finds what two writers do
}

// renamesOpen reports whether an open file can get another name: its lock lasts until it has.
const renamesOpen = true

// atOnce has the opening of a file not wait, as that of a pipe would.
const atOnce = syscall.O_NONBLOCK
