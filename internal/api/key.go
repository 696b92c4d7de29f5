package api

import (
	"net/http"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// keyRule says what a route does with an idempotency key.
type keyRule int

const (
	ignored     keyRule = iota // the route ignores keys
	cutAt192                   // a longer key counts by its first 192 characters
	dropOver200                // a longer key counts as none
)

// idempotencyKey reads the key of a request by the route's rule. A handler may fall back
// to idempotency_key of the body.
func idempotencyKey(h http.Header, rule keyRule) (string, error) {
	if rule == ignored {
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
	return rule.apply(key), nil
}

// apply truncates or drops a key that is too long for the rule.
func (rule keyRule) apply(key string) string {
	runes := []rune(key)
	switch {
	case rule == cutAt192 && len(runes) > 192:
		return string(runes[:192])
	case rule == dropOver200 && len(runes) > 200, rule == ignored:
		return ""
	}
	return key
}
