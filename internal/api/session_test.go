package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Behind a proxy with HTTPS the cookie has the prefix and the attribute that keep it there.
func TestConsoleOverHTTPS(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.PublicURL = "https://atelier.example" })
	ann := s.Account(t, account.NewAccount{}, billing.Credits{})
	send := func(method, path, body string, header ...string) *http.Response {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "atelier.example"
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.Node.HTTP.Handler.ServeHTTP(w, r)
		return w.Result()
	}
	resp := send("POST", "/v1/console/sessions", `{"apiKey": "`+ann.Key+`"}`, "Origin", "https://atelier.example", "Sec-Fetch-Site", "same-origin")
	set := resp.Header.Get("Set-Cookie")
	if resp.StatusCode != 201 || !strings.HasPrefix(set, "__Host-atelier=") || !strings.HasSuffix(set, "; Path=/; HttpOnly; Secure; SameSite=Strict") {
		t.Fatalf("got %d with %q", resp.StatusCode, set)
	}
	var begun struct {
		Data struct{ Session struct{ Token string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&begun); err != nil {
		t.Fatal(err)
	}
	cookie, _, _ := strings.Cut(set, ";")
	for _, path := range []string{"/v1/console/session", "/v2/account/me"} {
		if resp := send("GET", path, "", "Cookie", cookie, "Atelier-Console", begun.Data.Session.Token); resp.StatusCode != 200 {
			t.Errorf("GET %s: got %d", path, resp.StatusCode)
		}
	}
	// Another server of the host, on any port, can set cookies of these names: as many as a browser keeps.
	for _, name := range []string{"atelier", "__Host-atelier"} {
		foreign := strings.Repeat(name+"="+strings.Repeat("A", 26)+"; ", 179)
		if resp := send("GET", "/v1/console/session", "", "Cookie", foreign+cookie, "Atelier-Console", begun.Data.Session.Token); resp.StatusCode != 200 {
			t.Errorf("beside 179 foreign cookies %s: got %d", name, resp.StatusCode)
		}
	}
	code := s.Node.Accounts.CreateCode(ann.Account.Wallet)
	if resp := send("POST", "/v1/console/sessions", `{"code": "`+code+`"}`); resp.StatusCode != 403 {
		t.Errorf("a code from another machine: got %d, want 403", resp.StatusCode)
	}
	resp = send("DELETE", "/v1/console/session", "", "Cookie", cookie, "Atelier-Console", begun.Data.Session.Token, "Origin", "https://atelier.example")
	if set := resp.Header.Get("Set-Cookie"); resp.StatusCode != 200 || set != "__Host-atelier=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict" {
		t.Errorf("signing out: got %d with %q", resp.StatusCode, set)
	}
}

// A stream that a console follows ends when its session does.
func TestStreamsEndWithTheConsoleSession(t *testing.T) {
	t.Parallel()
	h := openStudio(t, storetest.SQLite(t), func(c *config.Config) { c.Limits.SSEHeartbeat = 50 * 1e6 }).artist(t)
	id, _ := h.workflow("a fox")
	req := h.fromConsole("GET", workflows+"/"+id+"/events/stream")
	stream := ateliertest.OpenStream(t, req)
	if _, err := stream.NextEvent(); err != nil {
		t.Fatal(err)
	}
	out := newRequest(t, "DELETE", h.s.URL+"/v1/console/session", nil)
	out.Header = req.Header.Clone()
	resp, err := http.DefaultClient.Do(out)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("signing out: %v, %v", resp, err)
	}
	resp.Body.Close()
	for {
		if _, err := stream.NextEvent(); err != nil {
			return // it has ended
		}
	}
}
