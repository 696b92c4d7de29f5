package api

import "net/http"

// keyRule says what a route does with an idempotency key.
type keyRule int

const (
	ignored     keyRule = iota // the route takes none
	cutAt192                   // a longer key counts by its first 192 characters
	dropOver200                // a longer key counts as none
)

// idempotencyKey reads the key of a request by the route's rule. The body's
// idempotency_key, where a route has one, is the handler's to fall back on.
func idempotencyKey(h http.Header, rule keyRule) string {
	if rule == ignored {
		return ""
	}
	key := h.Get("Idempotency-Key")
	if key == "" {
		key = h.Get("X-Idempotency-Key")
	}
	return rule.apply(key)
}

// apply brings a key to the length that the rule allows.
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
