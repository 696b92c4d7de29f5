package signin_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/signin"
)

// slow is a provider whose answer is waited for until the client gives up.
type slow struct {
	clock *enginetest.Clock
	asked int
}

func (s *slow) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	s.clock.Advance(10 * time.Second)
	return nil, errors.New("timeout")
}

// Those who waited for a provider with another person do not ask it in turn: each would wait for all before.
func TestSlowProviderIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := &slow{clock: &enginetest.Clock{}}
	s.clock.FreezeAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	e, err := signin.New(signin.Options{
		Providers: []signin.Provider{{Name: "op", Issuer: "https://op.example"}}, PublicURL: "https://atelier.example", Secrets: []string{secret},
		Client: &http.Client{Transport: s}, Now: s.clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, _, err := e.Begin(t.Context(), "op", signin.Wish{}); err == nil {
			t.Error("a provider that does not answer has begun a sign-in")
		}
	}
	if s.asked != 1 {
		t.Errorf("it was asked %d times at once, want 1", s.asked)
	}
}
