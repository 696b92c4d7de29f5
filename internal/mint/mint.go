// Package mint makes new ids: random ones, and ordered ones that begin with the
// time. It is apart from the root package because it reads the clock and the
// system's randomness.
package mint

import (
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/google/uuid"
)

// UUID makes a random UUID, the form of API keys and of most ids.
func UUID() string { return uuid.NewString() }

// OrderedUUID makes a UUID that sorts after those made before it, for rows that
// are kept in order.
func OrderedUUID() string { return uuid.Must(uuid.NewV7()).String() }

// OrderedUUIDAt is a bound: it sorts before every UUID that OrderedUUID makes from
// a time on, and after those made before it.
func OrderedUUIDAt(t time.Time) string {
	ms := t.UnixMilli()
	return fmt.Sprintf("%08x-%04x", ms>>16, ms&0xffff)
}

// Wallet makes an address for an account that has none: 0x and 40 hexadecimal
// digits, like the addresses of a chain.
func Wallet() atelier.Wallet {
	const hex = "0123456789abcdef"
	a, b := uuid.New(), uuid.New()
	out := []byte("0x")
	for _, c := range append(a[:], b[:4]...) {
		out = append(out, hex[c>>4], hex[c&15])
	}
	return atelier.Wallet(out)
}
