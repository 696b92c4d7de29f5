package endpoint

import (
	"net/http/httptest"
	"testing"
)

// Requests that may use the cookie of the console, by how the service is reached.
func TestOrigins(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		public, listen, host, origin string
		accepted, secure             bool
	}{
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "", true, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080", true, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:9000", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "http://localhost:8080", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "null", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080", "file://", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "localhost:9000", "http://localhost:9000", true, false}, // a forwarded port
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "[::1]:8080", "http://[::1]:8080", true, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "evil.example:8080", "http://evil.example:8080", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "localhost.evil.example", "", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "192.168.1.5:8080", "", false, false},
		{"http://127.0.0.1:8080", "127.0.0.1:8080", "", "", false, false},

		{"http://127.0.0.1:8080", "0.0.0.0:8080", "192.168.1.5:8080", "http://192.168.1.5:8080", true, false},
		{"http://127.0.0.1:8080", ":8080", "[fd00::5]:8080", "http://[fd00::5]:8080", true, false},
		{"http://127.0.0.1:8080", ":8080", "studio.lan:8080", "http://studio.lan:8080", false, false},
		{"http://127.0.0.1:8080", "studio.lan:8080", "STUDIO.lan:8080", "http://studio.lan:8080", true, false},

		{"https://atelier.example", "127.0.0.1:8080", "atelier.example", "https://atelier.example", true, true},
		{"https://atelier.example", "127.0.0.1:8080", "atelier.example", "https://atelier.example:443", true, true},
		{"https://atelier.example", "127.0.0.1:8080", "atelier.example", "", true, true},
		{"https://atelier.example", "127.0.0.1:8080", "atelier.example", "http://atelier.example", false, false},
		{"https://atelier.example", "127.0.0.1:8080", "atelier.example", "https://www.atelier.example", false, false},
		{"https://atelier.example", "127.0.0.1:8080", "127.0.0.1:8080", "https://atelier.example", true, true}, // a proxy that changes the host
		{"https://atelier.example", "127.0.0.1:8080", "127.0.0.1:8080", "https://evil.example", false, false},
		{"https://atelier.example", "127.0.0.1:8080", "evil.example", "https://atelier.example", false, false},
	} {
		r := httptest.NewRequest("POST", "/v1/console/sessions", nil)
		r.Host = tc.host
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		o := newOrigins(tc.public, tc.listen)
		if err := o.check(r); (err == nil) != tc.accepted {
			t.Errorf("%+v: got %v", tc, err)
		} else if err == nil && o.isSecure(r) != tc.secure {
			t.Errorf("%+v: secure: %t", tc, !tc.secure)
		}
	}
}

// A code is for browsers on the machine of the service, and not for those behind a proxy.
func TestIsLocal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		peer, host, header string
		want               bool
	}{
		{"127.0.0.1:5000", "127.0.0.1:8080", "", true},
		{"[::1]:5000", "localhost:8080", "", true},
		{"[::ffff:127.0.0.1]:5000", "localhost:8080", "", true},
		{"192.0.2.1:5000", "127.0.0.1:8080", "", false},
		{"127.0.0.1:5000", "atelier.example", "", false},
		{"127.0.0.1:5000", "127.0.0.1:8080", "X-Forwarded-For", false},
		{"127.0.0.1:5000", "127.0.0.1:8080", "Forwarded", false},
		{"127.0.0.1:5000", "127.0.0.1:8080", "X-Real-IP", false},
		{"127.0.0.1:5000", "127.0.0.1:8080", "Via", false},
		{"inside", "127.0.0.1:8080", "", false},
	} {
		r := httptest.NewRequest("POST", "/v1/console/sessions", nil)
		r.RemoteAddr, r.Host = tc.peer, tc.host
		if tc.header != "" {
			r.Header.Set(tc.header, "127.0.0.1")
		}
		if got := IsLocal(r); got != tc.want {
			t.Errorf("%+v: got %t", tc, got)
		}
	}
}
