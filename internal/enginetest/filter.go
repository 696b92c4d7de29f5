package enginetest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/filter"
)

// Transport answers requests without a network.
type Transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f Transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// NewFilter is a content filter with a moderation server that answers as moderate
// does.
func NewFilter(t testing.TB, moderate Transport) *filter.Filter {
	t.Helper()
	f, err := filter.New(filter.Options{Endpoint: "http://moderation.example/v1", Transport: moderate})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// FlagNaughty flags every text with the word naughty.
func FlagNaughty(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := `{"results":[{"flagged":false,"categories":{"sexual":false}}]}`
	if strings.Contains(string(text), "naughty") {
		answer = `{"results":[{"flagged":true,"categories":{"sexual":true}}]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}
