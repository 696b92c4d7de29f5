package endpoint

import (
	"io"
	"net/http"
	"testing"

	"github.com/atelier-project/atelier/internal/wire"
)

// A page of another origin reads neither metrics nor health; everything else
// it may read.
func TestOperationsAreNotForOtherOrigins(t *testing.T) {
	t.Parallel()
	nop := Handle(func(*Call, Empty) (Empty, error) { return Empty{}, nil })
	paths := map[string]bool{"/metrics": false, "/healthz": false, "/readyz": false, "/openapi.json": true, "/v1/models": true}
	var table []Route
	for path := range paths {
		table = append(table, line("GET", path, Verbatim, wire.Lenient, NoKey, nop))
	}
	s := serverOf(io.Discard, table...)
	for path, open := range paths {
		for _, method := range []string{http.MethodGet, http.MethodOptions} {
			h := send1(s, method, path, "", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "GET").Header()
			if got := h.Get("Access-Control-Allow-Origin") == "*"; got != open {
				t.Errorf("%s %s: open to all origins: %t, want %t", method, path, got, open)
			}
		}
	}
}
