package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
)

// The types here are the values of flags. A wrong value is found while the command line is
// parsed, and the error names the flag.

// text is a value that is not empty. An empty value, as a script with an unset variable
// passes it, is a mistake and not the same as no flag.
type text string

// UnmarshalText reads the flag.
func (t *text) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("must not be empty")
	}
	*t = text(b)
	return nil
}

// path is a file or a directory.
type path string

// UnmarshalText reads the flag.
func (p *path) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("must not be empty")
	}
	*p = path(kong.ExpandPath(string(b)))
	return nil
}

// amount is a number of tokens to add.
type amount atelier.Money

// Decode reads the flag. It takes the next word even if it looks like a flag, so that -5
// is refused as an amount and not as an unknown flag.
func (a *amount) Decode(ctx *kong.DecodeContext) error {
	word := ctx.Scan.Pop()
	if word.IsEOL() {
		return errors.New("needs an amount, such as 12.5")
	}
	money, err := atelier.ParseMoney(word.String())
	if err == nil {
		err = billing.Credits{Spark: money}.Check()
	}
	*a = amount(money)
	return err
}

// status is a subscription status.
type status atelier.SubscriptionStatus

// UnmarshalText reads the flag.
func (s *status) UnmarshalText(b []byte) error {
	if !slices.Contains(atelier.SubscriptionStatuses, atelier.SubscriptionStatus(b)) {
		return fmt.Errorf("%q is not one of %s", b, strings.Join(atelier.SubscriptionNone.Values(), ", "))
	}
	*s = status(b)
	return nil
}

// moment is a point in time.
type moment time.Time

// UnmarshalText reads the flag.
func (m *moment) UnmarshalText(b []byte) error {
	at, err := time.Parse(time.RFC3339, string(b))
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2026-12-31T00:00:00Z", b)
	}
	*m = moment(at.UTC())
	return nil
}

// lifetime is how long a session token is valid.
type lifetime time.Duration

// UnmarshalText reads the flag.
func (l *lifetime) UnmarshalText(b []byte) error {
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 90s, 30m or 12h", b)
	}
	if d < account.MinTokenTTL || d > account.MaxTokenTTL {
		return fmt.Errorf("must be between %v and %v", account.MinTokenTTL, account.MaxTokenTTL)
	}
	*l = lifetime(d)
	return nil
}
