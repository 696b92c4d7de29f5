//go:build !unix

package llm

import "net"

// isAlive cannot be known on this system: a request on a connection that the server
// has closed fails, and send tries another.
func isAlive(net.Conn) bool { return true }
