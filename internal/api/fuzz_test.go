package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// FuzzRouter throws anything at the whole service: whatever comes, it is never
// our fault.
func FuzzRouter(f *testing.F) {
	node := httptest.NewServer(http.HandlerFunc(rpcNode))
	f.Cleanup(node.Close)
	s := ateliertest.Start(f, storetest.SQLite(f), func(c *config.Config) {
		c.Chains.Base.RPCURL, c.Chains.Etherlink.RPCURL = node.URL, node.URL
		c.Limits.PublicReadsPerMinute, c.Limits.AccountReadsPerMinute, c.Limits.AuthFailuresPerMinute = 1e9, 1e9, 1e9
	})
	key := s.Account(f, account.NewAccount{}, billing.Credits{}).Key
	for _, seed := range [][4]string{
		{"GET", "/v2/account/me", "", ""},
		{"GET", "/v2/wallet/balance?provider=base&walletAddress=0x00000000000000000000000000000000000000b2", "", ""},
		{"POST", "/v1/chat/completions", "Content-Type: application/json", `{"messages":[]}`},
		{"HEAD", "/v4/account/balance?x=%zz", "api-key: x", ""},
		{"OPTIONS", "/v1/../v2//x", "Origin: null", ""},
		{"PUT", "/%2e%2e/%00", "X-Forwarded-For: ::1", "\xff"},
		{"GET", "/v1/model-catalog/a%2Fb?include=parameters", "If-None-Match: *", ""},
		{"GET", "/v1/models/x", "", ""},
		{"DELETE", "/docs", "", ""},
		{"GET", "/v1/creative-agent/workflows/a%ff", "", ""},
		{"POST", "/v1/creative-agent/workflows", "Idempotency-Key: \xff", `{"input":{"title":"a\u0000b","steps":[]}}`},
		{"POST", "/v1/chat/completions", "X-App-Source: \xff", `{"session_id":"\u0000","messages":[{"role":"user","content":"\ud800"}]}`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	handler := s.Node.HTTP.Handler
	f.Fuzz(func(t *testing.T, method, target, header, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			t.Skip()
		}
		r := &http.Request{
			Method: method, URL: u, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "x", RemoteAddr: "192.0.2.1:1",
			Header: http.Header{"Authorization": {"Bearer " + key}}, Body: io.NopCloser(strings.NewReader(body)),
		}
		if name, value, ok := strings.Cut(header, ":"); ok {
			r.Header.Set(name, strings.TrimSpace(value))
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(t.Context()))
		if w.Code >= 500 {
			t.Errorf("%q %q %q %q: got %d %s", method, target, header, body, w.Code, w.Body)
		}
	})
}
