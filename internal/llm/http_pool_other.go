//go:build !unix

package llm

import "net"

// readNow cannot be done on this system.
func readNow(net.Conn, []byte) (n int, known bool) { return 0, false }

// isAlive cannot be known on this system: a request on a connection that the server
// has closed fails, and send tries another.
func isAlive(net.Conn) bool { return true }
