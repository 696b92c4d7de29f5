package endpoint

import (
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// KeyRule says what a route does with an idempotency key.
type KeyRule int

const (
	NoKey       KeyRule = iota // the route ignores keys
	CutAt192                   // a longer key counts by its first 192 characters
	DropOver200                // a longer key counts as none
)

// idempotencyKey reads the key of a request by the rule of its route. A handler may fall back to idempotency_key of the
// body. A route of another service's protocol has separate keys: what the same key has started elsewhere would not be
// an answer of that protocol.
func idempotencyKey(h http.Header, rt *Route) (string, error) {
	if rt.Key == NoKey {
		return "", nil
	}
	name := "Idempotency-Key"
	if h.Get(name) == "" {
		name = "X-Idempotency-Key"
	}
	key := h.Get(name)
	if !wire.IsText(key) {
		return "", atelier.Refuse(name, "must be valid UTF-8 text.")
	}
	key = rt.Key.Apply(key)
	if key != "" && rt.Format.isForeign() {
		key = rt.Pattern + "\n" + key // no header has a line break
	}
	return key, nil
}

// Apply truncates or drops a key that is too long for the rule.
func (rule KeyRule) Apply(key string) string {
	runes := []rune(key)
	switch {
	case rule == CutAt192 && len(runes) > 192:
		return string(runes[:192])
	case rule == DropOver200 && len(runes) > 200, rule == NoKey:
		return ""
	}
	return key
}
