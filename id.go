package atelier

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// The ids of the entities that engines name in one call. Each has a type, so that
// the compiler refuses one in the place of another.
type (
	JobID      string
	WorkerID   string
	ProjectID  string // a generation as its owner names it; one job renders it
	WorkflowID string
)

// NewUUID mints a random UUID, the form of API keys and of most ids.
func NewUUID() string { return uuid.NewString() }

// NewOrderedUUID mints a UUID that sorts after those minted before it, for
// rows that are kept in order.
func NewOrderedUUID() string { return uuid.Must(uuid.NewV7()).String() }

// OrderedUUIDAt sorts before every UUID that NewOrderedUUID mints from a time on,
// and after those minted before it.
func OrderedUUIDAt(t time.Time) string {
	ms := t.UnixMilli()
	return fmt.Sprintf("%08x-%04x", ms>>16, ms&0xffff)
}

// IsUUID reports whether s is a UUID in its usual spelling.
func IsUUID(s string) bool {
	return len(s) == 36 && uuid.Validate(s) == nil
}

// NewWallet mints an address for an account that brought none: 0x and 40
// hexadecimal digits, like the others.
func NewWallet() Wallet {
	const hex = "0123456789abcdef"
	a, b := uuid.New(), uuid.New()
	out := []byte("0x")
	for _, c := range append(a[:], b[:4]...) {
		out = append(out, hex[c>>4], hex[c&15])
	}
	return Wallet(out)
}
