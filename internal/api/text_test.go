package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// Headers are bytes, which need not be text: what a column keeps of them is.
// They are written by hand here, because a proper client would not.
func TestHeadersAreText(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.Start(t, o)
		key := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100}).Key
		const plan = `{"input": {"steps": [{"id": "a", "toolName": "finalize_response", "arguments": {"outcome": "success"}}]}}`
		for _, tc := range []struct {
			path, header, body string
			status             int
			says               string
		}{
			{"/v1/creative-agent/workflows", "X-App-Source: a\xffb", plan, 400, `"field":"app_source"`},
			{"/v1/creative-agent/workflows", "X-App-Source: a\x00b", plan, 400, "400 Bad Request"},
			{"/v1/creative-agent/workflows", "Idempotency-Key: a\xffb", plan, 400, `"field":"Idempotency-Key"`},
			{"/v1/creative-agent/workflows", "X-Idempotency-Key: \xed\xa0\x80", plan, 400, `"field":"X-Idempotency-Key"`},
			{"/v1/creative-agent/workflows", "Idempotency-Key: a\x00b", plan, 400, "400 Bad Request"},
			{"/v1/creative-agent/workflows", "Idempotency-Key: ü", plan, 201, "success"},
			{"/v1/chat/completions", "X-App-Source: \xff", `{"messages": [{"role": "user", "content": "Hi"}]}`, 400, `"param":"app_source"`},
			{"/v1/chat/completions", "X-Token-Type: \xff", `{"messages": [{"role": "user", "content": "Hi"}]}`, 400, `"param":"token_type"`},
			{"/v1/creative-agent/workflows", "api-key: \xff", plan, 201, "success"},
		} {
			status, text := post(t, s.URL, tc.path, key, tc.header, tc.body)
			if status != tc.status || !strings.Contains(text, tc.says) {
				t.Errorf("%s %q: got %d %s, want %d with %s", tc.path, tc.header, status, text, tc.status, tc.says)
			}
		}
		if status, text := post(t, s.URL, "/v1/creative-agent/workflows", "\xff", "", plan); status != 401 {
			t.Errorf("a key that is no text: got %d %s, want 401", status, text)
		}
	})
}

// post sends a request byte by byte as it is given.
func post(t *testing.T, url, path, key, header, body string) (int, string) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if header != "" {
		header += "\r\n"
	}
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		path, key, header, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("%s %q: %v", path, header, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
