package endpoint

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// What a handler does with its call as the context is done for the account of its caller, also by contexts around it.
func TestCallsActForTheirAccount(t *testing.T) {
	t.Parallel()
	c := &Call{Context: t.Context()}
	if got := admission.AccountOf(c); got != "" {
		t.Errorf("before the caller is known: %q, want no account", got)
	}
	c.Caller = atelier.Caller{Account: atelier.Account{Wallet: "0xann"}}
	inner, cancel := context.WithCancel(c)
	defer cancel()
	if got := admission.AccountOf(inner); got != "0xann" {
		t.Errorf("got %q, want 0xann", got)
	}
}
