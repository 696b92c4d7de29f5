package atelier

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// KeyGroup is a group of endpoints that an API key may be limited to.
type KeyGroup string

// The groups.
const (
	GroupChat      KeyGroup = "chat"      // completions, responses, messages, chat runs, embeddings
	GroupMedia     KeyGroup = "media"     // uploads, results, the library, and the protocols that answer with media
	GroupWorkflows KeyGroup = "workflows" // workflows, templates, tools
	GroupAccount   KeyGroup = "account"   // balance, usage, keys, webhooks
	GroupWorker    KeyGroup = "worker"    // what a worker calls
	GroupOperator  KeyGroup = "operator"  // what an operator calls
)

// KeyGroups lists the groups.
var KeyGroups = []KeyGroup{GroupChat, GroupMedia, GroupWorkflows, GroupAccount, GroupWorker, GroupOperator}

// BudgetUnit is what a budget counts.
type BudgetUnit string

// The units.
const (
	BudgetSpark BudgetUnit = "spark"
	BudgetUSD   BudgetUnit = "usd"
)

// KeyBudget is how much work an API key may ask for, by its value: what the balance pays for and what a plan covers.
// Zero is no limit.
type KeyBudget struct {
	Unit  BudgetUnit
	Day   Money // a UTC day
	Month Money // a UTC month
	Total Money // since the key was made
}

// KeyLimits are what an API key is limited to. What is zero is not limited.
type KeyLimits struct {
	ExpiresAt time.Time
	Groups    []KeyGroup
	ReadOnly  bool           // it may only use endpoints that change nothing
	Addresses []netip.Prefix // of its clients
	Rate      int            // requests a minute, on each node
	Models    []string       // of language models and of media
	Tools     []string
	Budget    KeyBudget
	Member    Membership // of the member whose key it is
}

// The most entries that the lists of limits have, and the longest name in one.
const (
	MaxKeyAddresses = 50
	MaxKeyNames     = 200
	MaxKeyName      = 200
)

// MaxKeyRate is the highest rate of a key.
const MaxKeyRate = 100_000

// maxBudget keeps sums of budgets far from integer overflow.
const maxBudget = 1_000_000_000 * MoneyUnit

// IsZero reports whether nothing is limited.
func (l KeyLimits) IsZero() bool {
	return l.ExpiresAt.IsZero() && l.Groups == nil && !l.ReadOnly && l.Addresses == nil && l.Rate == 0 && l.Models == nil && l.Tools == nil && l.Budget == KeyBudget{} &&
		l.Member == Membership{}
}

// OwnLimits are the limits of the key itself: without what every key of a member has.
func (l KeyLimits) OwnLimits() KeyLimits {
	l.Member = Membership{}
	return l
}

// Check refuses limits that are not valid. The error names the field.
func (l KeyLimits) Check(now time.Time) error {
	if !l.ExpiresAt.IsZero() && !l.ExpiresAt.After(now) {
		return Refuse("limits.expiresAt", "must be in the future.")
	}
	for i, g := range l.Groups {
		if !slices.Contains(KeyGroups, g) {
			return Refuse(fmt.Sprintf("limits.groups[%d]", i), "must be one of %s.", joinTexts(KeyGroups))
		}
	}
	if len(l.Addresses) > MaxKeyAddresses {
		return Refuse("limits.addresses", "must hold at most %d addresses.", MaxKeyAddresses)
	}
	if l.Rate < 0 || l.Rate > MaxKeyRate {
		return Refuse("limits.requestsPerMinute", "must be at most %d, and not negative.", MaxKeyRate)
	}
	for _, list := range []struct {
		field string
		names []string
	}{{"limits.models", l.Models}, {"limits.tools", l.Tools}} {
		if len(list.names) > MaxKeyNames {
			return Refuse(list.field, "must hold at most %d names.", MaxKeyNames)
		}
		for i, name := range list.names {
			if name == "" || len(name) > MaxKeyName {
				return Refuse(fmt.Sprintf("%s[%d]", list.field, i), "must be 1 to %d characters.", MaxKeyName)
			}
		}
	}
	return l.Budget.check()
}

func (b KeyBudget) check() error {
	if b == (KeyBudget{}) {
		return nil
	}
	if b.Unit != BudgetSpark && b.Unit != BudgetUSD {
		return Refuse("limits.budget.unit", "must be spark or usd.")
	}
	for _, part := range b.parts() {
		if part.amount < 0 || part.amount > maxBudget {
			return Refuse("limits.budget."+part.name, "must be more than 0 and at most %s.", maxBudget.Short())
		}
	}
	if b.Day == 0 && b.Month == 0 && b.Total == 0 {
		return Refuse("limits.budget", "needs an amount: day, month or total.")
	}
	return nil
}

type budgetPart struct {
	name   string
	amount Money
}

func (b KeyBudget) parts() []budgetPart {
	return []budgetPart{{"day", b.Day}, {"month", b.Month}, {"total", b.Total}}
}

// Expired reports whether the key has expired.
func (l *KeyLimits) Expired(now time.Time) bool {
	return l != nil && !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt)
}

// CheckRoute refuses an endpoint that the key may not use: one that is in none of its groups, that changes something
// while the key is read-only, or that needs a higher role than that of the member. Any key may use an endpoint without
// a group.
func (l *KeyLimits) CheckRoute(groups []KeyGroup, changes bool, least Role) error {
	if l == nil || groups == nil {
		return nil
	}
	if !l.Member.Role.Includes(least) {
		return l.refuse("role", "This needs the role %s in the account, and yours is %s. An owner of the account can change it.", least, l.Member.Role)
	}
	if l.Groups != nil && !slices.ContainsFunc(groups, func(g KeyGroup) bool { return slices.Contains(l.Groups, g) }) {
		return l.refuse("groups", "The API key may use endpoints of %s alone, and this one is of %s.", joinTexts(l.Groups), joinTexts(groups))
	}
	if l.ReadOnly && changes {
		return l.refuse("readOnly", "The API key is read-only, and this endpoint changes something.")
	}
	return nil
}

// CheckGroup refuses what belongs to a group that the key may not use.
func (l *KeyLimits) CheckGroup(g KeyGroup) error {
	return l.CheckRoute([]KeyGroup{g}, false, RoleViewer)
}

// CheckAddress refuses clients at other addresses than those of the key. A client without an address is in this
// process.
func (l *KeyLimits) CheckAddress(addr netip.Addr) error {
	if l == nil || l.Addresses == nil || !addr.IsValid() {
		return nil
	}
	if slices.ContainsFunc(l.Addresses, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return nil
	}
	return l.refuse("addresses", "The API key may not be used from the address %s.", addr)
}

// CheckModel refuses a model that the key may not use.
func (l *KeyLimits) CheckModel(id string) error {
	if l == nil || l.Models == nil || slices.Contains(l.Models, id) {
		return nil
	}
	return l.refuse("models", "The API key may not use the model %s: it may use %s.", id, shortList(l.Models))
}

// CheckTool refuses a tool that the key may not use.
func (l *KeyLimits) CheckTool(name string) error {
	if l == nil || l.Tools == nil || slices.Contains(l.Tools, name) {
		return nil
	}
	return l.refuse("tools", "The API key may not use the tool %s: it may use %s.", name, shortList(l.Tools))
}

func (l *KeyLimits) refuse(limit, format string, args ...any) error {
	return Errorf(CodeKeyLimit, format, args...).With("limit", limit)
}

// CheckMade refuses the limits of a key that this key makes, where they are wider than its own. A key with a budget or
// a rate makes no key: the other would have a separate one. The keys of a member share the budget of the membership,
// and have none of their own.
func (l *KeyLimits) CheckMade(made KeyLimits) error {
	wider := func(limit string) error {
		return l.refuse(limit, "The API key that makes the request is limited, and limits.%s of the new one would be wider than its own.", limit)
	}
	switch {
	case l == nil:
		return nil
	case l.Member.KeyID != "" && made.Budget != KeyBudget{}:
		return Refuse("limits.budget", "must be left out: the keys of a member spend within the budget of the member, which an owner of the account sets.")
	case l.Member.KeyID == "" && l.Budget != KeyBudget{}:
		return l.refuse("budget", "The API key that makes the request has a budget: a key without one has to make other keys.")
	case l.Rate > 0:
		return l.refuse("requestsPerMinute", "The API key that makes the request has a separate rate: a key without one has to make other keys.")
	case !l.ExpiresAt.IsZero() && (made.ExpiresAt.IsZero() || made.ExpiresAt.After(l.ExpiresAt)):
		return wider("expiresAt")
	case !within(l.Groups, made.Groups):
		return wider("groups")
	case l.ReadOnly && !made.ReadOnly:
		return wider("readOnly")
	case l.Addresses != nil && (made.Addresses == nil || !withinNetworks(l.Addresses, made.Addresses)):
		return wider("addresses")
	case !within(l.Models, made.Models):
		return wider("models")
	case !within(l.Tools, made.Tools):
		return wider("tools")
	}
	return nil
}

// CheckLimitless refuses what only a key without limits may do. The budget of a membership limits every key of the
// member.
func (l *KeyLimits) CheckLimitless(what string) error {
	if l == nil || l.OwnLimits().IsZero() && !l.Member.Budgeted {
		return nil
	}
	return l.refuse("limited", "A limited API key may not %s: use one without limits.", what)
}

// CheckWhole is CheckLimitless for what a member may do within the budget of the membership.
func (l *KeyLimits) CheckWhole(what string) error {
	if l != nil && l.Member.KeyID != "" {
		own := l.OwnLimits()
		own.Budget = KeyBudget{}
		return own.CheckLimitless(what)
	}
	return l.CheckLimitless(what)
}

// within reports whether a list allows no more than another; nil allows everything.
func within[T comparable](most, list []T) bool {
	if most == nil {
		return true
	}
	return list != nil && !slices.ContainsFunc(list, func(v T) bool { return !slices.Contains(most, v) })
}

func withinNetworks(most, list []netip.Prefix) bool {
	return !slices.ContainsFunc(list, func(p netip.Prefix) bool {
		return !slices.ContainsFunc(most, func(m netip.Prefix) bool { return m.Bits() <= p.Bits() && m.Contains(p.Addr()) })
	})
}

// ParseKeyAddress reads an address, or a network in CIDR form.
func ParseKeyAddress(s string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(s); err == nil {
		if p.Addr().Is4In6() {
			return netip.Prefix{}, fmt.Errorf("%q is an IPv4 network in the form of IPv6: write it as IPv4", s)
		}
		return p.Masked(), nil
	}
	addr, err := netip.ParseAddr(s)
	if err != nil || addr.Zone() != "" {
		return netip.Prefix{}, fmt.Errorf("%q is not an address, nor a network such as 10.0.0.0/8", s)
	}
	addr = addr.Unmap()
	return netip.PrefixFrom(addr, addr.BitLen()), nil
}

func joinTexts[T ~string](list []T) string {
	var out []string
	for _, v := range list {
		out = append(out, string(v))
	}
	return strings.Join(out, ", ")
}

// String says what a key is limited to, for the list of actions.
func (l KeyLimits) String() string {
	var parts []string
	add := func(isLimited bool, format string, args ...any) {
		if isLimited {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(!l.ExpiresAt.IsZero(), "expires %s", l.ExpiresAt.UTC().Format(time.RFC3339))
	add(l.ReadOnly, "read-only")
	add(l.Groups != nil, "endpoints of %s", joinTexts(l.Groups))
	add(l.Rate > 0, "%d requests a minute", l.Rate)
	add(l.Models != nil, "models %s", shortList(l.Models))
	add(l.Tools != nil, "tools %s", shortList(l.Tools))
	add(l.Addresses != nil, "%d addresses", len(l.Addresses))
	for _, p := range l.Budget.parts() {
		per := "a " + p.name
		if p.name == "total" {
			per = "in all"
		}
		add(p.amount > 0, "%s %s %s", p.amount.Short(), l.Budget.Unit, per)
	}
	if parts == nil {
		return "no limits"
	}
	return strings.Join(parts, "; ")
}

// shortList names the first entries of a list.
func shortList(list []string) string {
	const most = 5
	if len(list) > most {
		return joinTexts(list[:most]) + " and others"
	}
	return joinTexts(list)
}

// Values lists the groups.
func (KeyGroup) Values() (list []string) {
	for _, g := range KeyGroups {
		list = append(list, string(g))
	}
	return list
}

// Values lists the units.
func (BudgetUnit) Values() []string { return []string{string(BudgetSpark), string(BudgetUSD)} }
