//go:build unix

package llm

import (
	"net"
	"syscall"
)

// readNow reads what has arrived, without waiting: nothing when known is true and n is 0. known is false when the
// connection cannot be asked, or has ended.
func readNow(c net.Conn, p []byte) (n int, known bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0, false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Read(func(fd uintptr) bool {
		var err error
		n, err = syscall.Read(int(fd), p)
		known = n > 0 || err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true // do not wait
	})
	return max(n, 0), known && err == nil
}

// isAlive reports whether an idle connection can be used: the server has neither
// closed it nor sent anything.
func isAlive(c net.Conn) bool {
	if _, ok := c.(syscall.Conn); !ok {
		return true
	}
	var b [1]byte
	n, known := readNow(c, b[:])
	return known && n == 0
}
