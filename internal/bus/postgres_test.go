package bus_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/pipetest"
)

// A connection that works in every way but for notifications, as one through a pooler in
// transaction mode, is reported as what it is.
func TestConnectionThatDoesNotHear(t *testing.T) {
	t.Parallel()
	n := postgresNetwork(t)
	p := pipetest.NewProxy(t, n.protocol, n.address)
	p.Filter(withoutNotifications)
	o := n.options(t, p.Addr())
	o.Heartbeat = time.Minute
	a := start(t, o, p)
	if line := a.awaitLine(t, lost); !strings.Contains(line, "connection pooler in transaction mode") {
		t.Errorf("the log says %q", line)
	}
}

// withoutNotifications leaves the messages of type A out of what a server sends. Each read
// from the server has whole messages, because they are small.
func withoutNotifications(data []byte) (out []byte) {
	for len(data) >= 5 {
		size := min(1+int(binary.BigEndian.Uint32(data[1:])), len(data))
		if data[0] != 'A' {
			out = append(out, data[:size]...)
		}
		data = data[size:]
	}
	return append(out, data...)
}
