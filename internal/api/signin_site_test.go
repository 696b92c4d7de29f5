package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// Another site makes no person join an account, and another server of the domain, which can set cookies of all names
// without the prefix, makes no person finish its own sign-in.
func TestSignInsOfOtherSites(t *testing.T) {
	t.Parallel()
	op := ateliertest.NewOpenID(t, ateliertest.ClockOf(store.Options{}).Now)
	provide := useProvider(t, op, nil)
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		provide(c)
		c.PublicURL = "https://atelier.example"
	})
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(path, site string, cookies ...*http.Cookie) *http.Response {
		t.Helper()
		req := httptest.NewRequest("GET", path, nil)
		req.Host = "atelier.example"
		if site != "" {
			req.Header.Set("Sec-Fetch-Site", site)
		}
		for _, c := range cookies {
			req.AddCookie(c)
		}
		w := httptest.NewRecorder()
		s.Node.HTTP.Handler.ServeHTTP(w, req)
		return w.Result()
	}
	const begin = "/v1/console/providers/op/begin"
	for _, c := range []struct {
		query, site string
		status      int
	}{
		{"?invitation=x", "cross-site", 403}, {"?invitation=x", "same-site", 403}, {"?invitation=x", "same-origin", 303}, {"?invitation=x", "none", 303},
		{"?invitation=x", "", 303}, {"", "cross-site", 303},
	} {
		if got := get(begin+c.query, c.site); got.StatusCode != c.status || c.status == 403 && len(got.Cookies()) > 0 {
			t.Errorf("begin%s from %q: got %d with %v, want %d", c.query, c.site, got.StatusCode, got.Cookies(), c.status)
		}
	}
	for name, want := range map[string]int{"__Host-atelier-signin": 403, "atelier-signin": 401} { // 403: a member of nothing
		begun := get(begin, "")
		if len(begun.Cookies()) != 1 || begun.Cookies()[0].Name != "__Host-atelier-signin" {
			t.Fatalf("begin sets %v", begun.Cookies())
		}
		answer, err := stay.Get(begun.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		to, err := url.Parse(answer.Header.Get("Location"))
		if err != nil || !strings.HasSuffix(to.Path, "/callback") {
			t.Fatalf("the provider sends to %s, %v", to, err)
		}
		if got := get(to.RequestURI(), "cross-site", &http.Cookie{Name: name, Value: begun.Cookies()[0].Value}); got.StatusCode != want {
			t.Errorf("the callback with the cookie %s: got %d, want %d", name, got.StatusCode, want)
		}
	}
}
