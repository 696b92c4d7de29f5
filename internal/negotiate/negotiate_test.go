package negotiate_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/negotiate"
)

func TestPrefersGzip(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "deflate, gzip;q=0.5": true, "gzip;q=0": false, "gzip;q=x": false, "gzip;q=": false, "*": true, "*;q=0": false,
		"gzip;q=0.5, identity": false, "gzip;q=0.5, identity;q=0.5": true, "*;q=0.5, gzip;q=0": false, "br": false,
	} {
		if got := negotiate.PrefersGzip([]string{accept}); got != want {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
	if !negotiate.PrefersGzip([]string{"br", "gzip"}) {
		t.Error("two headers are one list")
	}
}

func TestPrefersJSON(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "application/json": true, "application/json, */*": true, "text/html,application/xhtml+xml,*/*;q=0.8": false,
		"text/html;q=0.5, application/json": true, "application/json;q=0.1, text/html": false, "text/*": false,
	} {
		if got := negotiate.PrefersJSON([]string{accept}); got != want {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
}
