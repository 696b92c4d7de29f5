package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A link to sign in is made only where browsers reach the service by a loopback address.
func TestConsoleLinkNeedsALoopbackAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		listen, public string
		want           bool
	}{
		{"127.0.0.1:0", "", true},
		{"127.0.0.1:0", "http://localhost:8080", true},
		{"127.0.0.1:0", "https://atelier.example", false},
		{"0.0.0.0:0", "", false},
	} {
		s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Listen, c.PublicURL = tc.listen, tc.public })
		if link, _, err := s.Node.ConsoleLink(t.Context()); err != nil || link != "" {
			t.Errorf("%+v, without an account: got %q, %v", tc, link, err)
		}
		s.Account(t, account.NewAccount{Username: "ann"}, billing.Credits{})
		s.Clock.Advance(time.Second)
		s.Account(t, account.NewAccount{Username: "bob"}, billing.Credits{})
		link, as, err := s.Node.ConsoleLink(t.Context())
		if err != nil || (link != "") != tc.want {
			t.Errorf("%+v: got %q, %v", tc, link, err)
		}
		if tc.want && (as.Username != "ann" || !strings.HasPrefix(link, s.URL+"/#code=")) {
			t.Errorf("%+v: got %q for %s", tc, link, as.Username)
		}
		s.Stop()
	}
}
