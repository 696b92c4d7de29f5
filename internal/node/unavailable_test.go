package node_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// While the database is unavailable, answers say when to retry, in the envelope of
// the route; when it is back, the same requests succeed.
func TestDatabaseAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	proxy := newSwitchedProxy(t, storetest.Postgres(t))
	s := ateliertest.Start(t, proxy.options, func(c *config.Config) { c.Limits.AccountReadsPerMinute = 1_000_000 })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{})
	token := s.Token(t, ann.Account, time.Hour)
	proxy.shut()
	for _, tc := range []struct{ path, credential, want string }{
		{"/v2/account/me", ann.Key, `"errorCode":2009`},
		{"/v2/account/me", token, `"errorCode":2009`},
		{"/v1/creative-agent/workflows", ann.Key, `"details":{"part":"database"}`},
		{"/v1/models", ann.Key, `"type":"server_error","param":null,"code":"unavailable"`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+tc.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tc.credential)
		resp, body := exchange(t, req)
		if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "2" || !strings.Contains(body, tc.want) {
			t.Errorf("%s: got %d, Retry-After %q, %s; want 503, 2 and %s", tc.path, resp.StatusCode, resp.Header.Get("Retry-After"), body, tc.want)
		}
	}
	proxy.open(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		status, body := s.Get(t, "/v2/account/me", ann.Key)
		switch {
		case status == http.StatusOK:
			return
		case status != http.StatusServiceUnavailable || ctx.Err() != nil:
			t.Fatalf("after the database is back: got %d %s, want 503 and then 200", status, body)
		}
	}
}

// exchange sends a request and reads the answer.
func exchange(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
