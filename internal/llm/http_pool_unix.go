//go:build unix

package llm

import (
	"net"
	"syscall"
)

// isAlive reports whether an idle connection can be used: the server has neither
// closed it nor sent anything.
func isAlive(c net.Conn) bool {
	s, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		n, err := syscall.Read(int(fd), b[:])
		quiet = n < 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK)
		return true // do not wait
	})
	return err == nil && quiet
}
