package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// No operator route can be reached without the role: with no credential, with that of an
// account without the role, with a session token, or as a suspended operator.
func TestOperatorRoutesNeedTheRole(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.AuthFailuresPerMinute = 1000 })
	ann := s.Account(t, account.NewAccount{Worker: true, Unfiltered: true, Tier: "unlimited_pro"}, billing.Credits{})
	olga := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
	gone := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
	if _, err := s.Node.Operators.As(operator.CommandLine).Suspend(t.Context(), string(gone.Account.Wallet), ""); err != nil {
		t.Fatal(err)
	}
	callers := []struct {
		name, credential string
		want             int
	}{
		{"no key", "", 401}, {"no operator", ann.Key, 403}, {"a session token", s.Token(t, olga.Account, time.Hour), 403}, {"a suspended operator", gone.Key, 401},
	}
	walked := 0
	for _, op := range ateliertest.Operations(t, s) {
		if !strings.HasPrefix(op.Path, "/v1/operator/") {
			continue
		}
		walked++
		for _, c := range callers {
			req := newRequest(t, op.Method, s.URL+op.Path, nil)
			if c.credential != "" {
				req.Header.Set("Authorization", "Bearer "+c.credential)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != c.want {
				t.Errorf("%s %s as %s: got %d, want %d", op.Method, op.Path, c.name, resp.StatusCode, c.want)
			}
		}
	}
	if walked < 30 {
		t.Errorf("got %d operator routes, want 30 or more", walked)
	}
}
