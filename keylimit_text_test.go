package atelier_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
)

// Limits in words are short, however many entries their lists have.
func TestKeyLimitsInWords(t *testing.T) {
	t.Parallel()
	for want, l := range map[string]atelier.KeyLimits{
		"no limits": {},
		"read-only": {ReadOnly: true},
		"expires 2026-05-01T00:00:00Z; endpoints of chat, media; 60 requests a minute; models a, b, c, d, e and others; tools x; 1 addresses; 2.5 usd a day; 20 usd in all": {
			ExpiresAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Groups: []atelier.KeyGroup{atelier.GroupChat, atelier.GroupMedia}, Rate: 60,
			Models: []string{"a", "b", "c", "d", "e", "f"}, Tools: []string{"x"}, Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			Budget: atelier.KeyBudget{Unit: atelier.BudgetUSD, Day: 5 * atelier.MoneyUnit / 2, Total: 20 * atelier.MoneyUnit},
		},
	} {
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
