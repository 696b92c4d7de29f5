package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// limitFlags are the limits of a key on the command line.
type limitFlags struct {
	Expires   expiry      `help:"When it expires: after a time such as 12h or 30d, or at one as RFC 3339." placeholder:"TIME"`
	Budget    []keyBudget `help:"How much work it may ask for: an amount of Spark, or of US dollars as 5usd, a day, a month or in all, such as 100/month. Repeat it for several." placeholder:"N/day|month|total" sep:"none"`
	Rate      *int        `help:"How many requests a minute it may send to each node." placeholder:"N"`
	Allow     []string    `help:"The groups of endpoints that it may use: chat, media, workflows, account, worker, operator." placeholder:"GROUP,…"`
	Models    []string    `help:"The models that it may use, by their ids." placeholder:"ID,…"`
	Tools     []string    `help:"The tools that it may use." placeholder:"NAME,…"`
	Addresses []string    `help:"The addresses or networks of its clients." placeholder:"CIDR,…"`
	ReadOnly  bool        `help:"It may only use endpoints that change nothing."`
}

// limits are the limits that the flags give; nil without a flag.
func (f limitFlags) limits(now time.Time) (*apitype.NewKeyLimits, error) {
	n := &apitype.NewKeyLimits{ReadOnly: f.ReadOnly, Addresses: f.Addresses, Models: f.Models, Tools: f.Tools}
	if err := f.checkGiven(); err != nil {
		return nil, err
	}
	if f.Rate != nil {
		n.Rate = *f.Rate
	}
	for _, g := range f.Allow {
		n.Groups = append(n.Groups, atelier.KeyGroup(g))
	}
	if f.Expires != (expiry{}) {
		n.ExpiresAt = f.Expires.after(now).UTC().Format(time.RFC3339)
	}
	budget, err := readBudget(f.Budget)
	if err != nil {
		return nil, err
	}
	n.Budget = budget
	l, err := n.Limits()
	if err == nil {
		err = l.Check(now)
	}
	if err != nil || l.IsZero() {
		return nil, aboutFlag(err)
	}
	return n, nil
}

// readBudget makes a budget of the amounts of a flag; nil without one.
func readBudget(amounts []keyBudget) (out *apitype.NewKeyBudget, err error) {
	for _, b := range amounts {
		if out == nil {
			out = &apitype.NewKeyBudget{Unit: b.unit}
		}
		part := map[string]*string{"day": &out.Day, "month": &out.Month, "total": &out.Total}[b.per]
		switch {
		case out.Unit != b.unit:
			return nil, errors.New("--budget: all amounts of one key are of Spark, or of US dollars")
		case *part != "":
			return nil, fmt.Errorf("--budget: there are two amounts per %s", b.per)
		}
		*part = b.amount.Short()
	}
	return out, nil
}

// checkGiven refuses flags that are given and limit nothing, such as a list from a variable that is not set: the key
// would not have the limit.
func (f limitFlags) checkGiven() error {
	if f.Rate != nil && *f.Rate < 1 {
		return errors.New("--rate must be above 0")
	}
	for _, list := range []struct {
		flag  string
		items []string
	}{{"--allow", f.Allow}, {"--models", f.Models}, {"--tools", f.Tools}, {"--addresses", f.Addresses}} {
		if list.items != nil && len(list.items) == 0 || slices.Contains(list.items, "") {
			return errors.New(list.flag + " must not be empty")
		}
	}
	return nil
}

// aboutFlag names the flag in place of the field that an error is about.
func aboutFlag(err error) error {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return err
	}
	for field, flag := range map[string]string{
		"expiresAt": "--expires", "groups": "--allow", "addresses": "--addresses", "requestsPerMinute": "--rate", "models": "--models", "tools": "--tools", "budget": "--budget",
	} {
		if strings.HasPrefix(e.Field, "limits."+field) {
			return errors.New(flag + strings.TrimPrefix(e.Message, e.Field))
		}
	}
	return err
}

// expiry is a time from now on, or a point in time.
type expiry struct {
	in time.Duration
	at time.Time
}

func (e expiry) after(now time.Time) time.Time {
	if e.at.IsZero() {
		return now.Add(e.in)
	}
	return e.at
}

// UnmarshalText reads the flag.
func (e *expiry) UnmarshalText(b []byte) (err error) {
	text := string(b)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 1 || n > 36500 {
			return fmt.Errorf("%q is not a number of days such as 30d", text)
		}
		e.in = time.Duration(n) * 24 * time.Hour
		return nil
	}
	if e.in, err = time.ParseDuration(text); err == nil && e.in > 0 {
		return nil
	}
	if e.at, err = time.Parse(time.RFC3339, text); err != nil {
		return fmt.Errorf("%q is neither a time such as 12h or 30d, nor one such as 2026-12-31T00:00:00Z", text)
	}
	e.in = 0
	return nil
}

// keyBudget is one amount of a budget.
type keyBudget struct {
	amount atelier.Money
	unit   atelier.BudgetUnit
	per    string
}

// UnmarshalText reads the flag.
func (k *keyBudget) UnmarshalText(b []byte) (err error) {
	text, per, ok := strings.Cut(strings.ToLower(string(b)), "/")
	if !ok || !slices.Contains([]string{"day", "month", "total"}, per) {
		return fmt.Errorf("%q is not an amount with /day, /month or /total, such as 100/month or 5usd/day", b)
	}
	k.per, k.unit = per, atelier.BudgetSpark
	if number, isUSD := strings.CutSuffix(text, "usd"); isUSD {
		text, k.unit = number, atelier.BudgetUSD
	}
	if k.amount, err = atelier.ParseMoney(text); err != nil || k.amount <= 0 {
		return fmt.Errorf("%q is not an amount above 0", text)
	}
	return nil
}

type keyLimit struct {
	operated
	Wallet string `arg:"" help:"Wallet address or username."`
	Key    string `arg:"" help:"The key, by its hint, as key list shows it."`
	limitFlags
	None bool `help:"Remove all its limits."`
	reasoned
	printing
}

// Run replaces the limits of a key.
func (k *keyLimit) Run(ctx context.Context, t terminal) error {
	limits, err := k.limits(time.Now())
	switch {
	case err != nil:
		return err
	case limits == nil && !k.None:
		return exitError{errors.New("give the limits that the key is to have, or --none to remove them"), 2}
	case limits != nil && k.None:
		return exitError{errors.New("--none cannot be used together with a limit"), 2}
	}
	return k.operate(ctx, func(o operations) error {
		key, err := o.LimitKey(ctx, k.Wallet, k.Key, apitype.LimitKey{Limits: limits, Reason: k.reason()})
		if err != nil {
			return err
		}
		return k.result(t.out, key, keyLine(key))
	})
}

// describeLimits says what a key is limited to, and what is used of its budget.
func describeLimits(l apitype.KeyLimits) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if l.ExpiresAt != nil {
		add("expires %s", l.ExpiresAt.Format(time.RFC3339))
	}
	if l.ReadOnly {
		add("read-only")
	}
	if l.Groups != nil {
		var groups []string
		for _, g := range l.Groups {
			groups = append(groups, string(g))
		}
		add("allow %s", strings.Join(groups, ","))
	}
	if l.RequestsPerMinute > 0 {
		add("%d requests/min", l.RequestsPerMinute)
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"models", l.Models}, {"tools", l.Tools}, {"addresses", l.Addresses}} {
		if list.items != nil {
			add("%s %s", list.name, strings.Join(list.items, ","))
		}
	}
	if b := l.Budget; b != nil {
		for _, p := range []struct {
			per  string
			part *apitype.BudgetPart
		}{{"day", b.Day}, {"month", b.Month}, {"total", b.Total}} {
			if p.part != nil {
				add("%s of %s %s/%s", p.part.Used.Short(), p.part.Limit.Short(), b.Unit, p.per)
			}
		}
	}
	return strings.Join(parts, "; ")
}
