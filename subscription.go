package atelier

import (
	"slices"
	"time"
)

// PlanTier is what an account is subscribed to; empty for no plan.
type PlanTier string

// The tiers.
const (
	TierNone         PlanTier = ""
	TierUnlimited    PlanTier = "unlimited"
	TierUnlimitedPro PlanTier = "unlimited_pro"
)

// SubscriptionStatus is where a subscription stands.
type SubscriptionStatus string

// The statuses of the specification.
const (
	SubscriptionNone      SubscriptionStatus = "none"
	SubscriptionTrialing  SubscriptionStatus = "trialing"
	SubscriptionActive    SubscriptionStatus = "active"
	SubscriptionCancelEnd SubscriptionStatus = "cancel_at_period_end"
	SubscriptionGrace     SubscriptionStatus = "grace_period"
	SubscriptionPastDue   SubscriptionStatus = "past_due"
	SubscriptionExpired   SubscriptionStatus = "expired"
	SubscriptionCanceled  SubscriptionStatus = "canceled"
)

// SubscriptionStatuses lists them in the order of the specification.
var SubscriptionStatuses = []SubscriptionStatus{
	SubscriptionNone, SubscriptionTrialing, SubscriptionActive, SubscriptionCancelEnd,
	SubscriptionGrace, SubscriptionPastDue, SubscriptionExpired, SubscriptionCanceled,
}

// Values lists the statuses for the OpenAPI document.
func (SubscriptionStatus) Values() []string {
	var out []string
	for _, s := range SubscriptionStatuses {
		out = append(out, string(s))
	}
	return out
}

// How long a subscription stays where time alone moves it.
const (
	TrialLength   = 3 * 24 * time.Hour  // a trial without a given end
	GraceLength   = 7 * 24 * time.Hour  // a renewal is retried this long
	PastDueLength = 21 * 24 * time.Hour // then it is owed this long
)

// Subscription is what is stored: what an operator or a payment set last. At gives
// what follows from it at a time.
type Subscription struct {
	Tier        PlanTier
	Term        string // monthly or annual
	Provider    string
	Status      SubscriptionStatus
	Since       time.Time // when it entered this status
	PeriodStart time.Time
	PeriodEnd   time.Time
	Renews      bool // at its end the next period begins by itself
	Canceled    bool // a trial that will not go on
}

// Active reports whether the plan covers work now. It assumes that s is the
// result of At.
func (s Subscription) Active() bool {
	return slices.Contains([]SubscriptionStatus{SubscriptionTrialing, SubscriptionActive, SubscriptionCancelEnd}, s.Status)
}

// subscriptionMove is one row of the state table of time: a subscription in
// the status From moves to To when its time has come, if If holds.
type subscriptionMove struct {
	From SubscriptionStatus
	When func(Subscription) time.Time
	Says string // the trigger, for the drawn table
	If   func(Subscription) bool
	To   SubscriptionStatus
}

func periodEnd(s Subscription) time.Time  { return s.PeriodEnd }
func graceEnd(s Subscription) time.Time   { return s.Since.Add(GraceLength) }
func pastDueEnd(s Subscription) time.Time { return s.Since.Add(PastDueLength) }
func canceled(s Subscription) bool        { return s.Canceled }
func renews(s Subscription) bool          { return s.Renews }
func always(Subscription) bool            { return true }

// subscriptionMoves is the state table of time. The first row that fits wins.
// none, expired and canceled have no row: time alone does not leave them.
var subscriptionMoves = []subscriptionMove{
	{SubscriptionTrialing, periodEnd, "trial ends, cancelled", canceled, SubscriptionExpired},
	{SubscriptionTrialing, periodEnd, "trial ends, renews by itself", renews, SubscriptionActive},
	{SubscriptionTrialing, periodEnd, "trial ends, no renewal", always, SubscriptionGrace},
	{SubscriptionActive, periodEnd, "period ends, renews by itself", renews, SubscriptionActive},
	{SubscriptionActive, periodEnd, "period ends, no renewal", always, SubscriptionGrace},
	{SubscriptionCancelEnd, periodEnd, "period ends", always, SubscriptionCanceled},
	{SubscriptionGrace, graceEnd, "7 days of retries end", always, SubscriptionPastDue},
	{SubscriptionPastDue, pastDueEnd, "21 days past due end", always, SubscriptionExpired},
}

// At returns the subscription as it stands at the given time.
func (s Subscription) At(now time.Time) Subscription {
	anchor := s.anchor()
	for {
		move, due := s.due(now)
		if !due {
			return s
		}
		s.Since = move.When(s)
		if move.To == SubscriptionActive {
			s.PeriodStart, s.PeriodEnd = s.PeriodEnd, s.periodAfter(anchor)
		}
		s.Status = move.To
	}
}

// DailyWindow is the window of a day around a time, by which the use of a plan is
// limited: it begins at the time of day at which the billing period began. It assumes
// that s is the result of At. Without a period, it is the UTC day.
func (s Subscription) DailyWindow(now time.Time) (start, end time.Time) {
	const day = 24 * time.Hour
	passed := now.Sub(s.PeriodStart) % day
	if s.PeriodStart.IsZero() {
		passed = now.Sub(now.UTC().Truncate(day))
	}
	if passed < 0 {
		passed += day
	}
	start = now.Add(-passed)
	return start, start.Add(day)
}

func (s Subscription) due(now time.Time) (subscriptionMove, bool) {
	for _, m := range subscriptionMoves {
		if m.From == s.Status && m.If(s) {
			return m, !now.Before(m.When(s))
		}
	}
	return subscriptionMove{}, false
}

// Months is how many months a billing period has.
func (s Subscription) Months() int {
	if s.Term == "annual" {
		return 12
	}
	return 1
}

// TermEnd is when a billing period of the usual length ends.
func (s Subscription) TermEnd() time.Time { return AddMonths(s.PeriodStart, s.Months()) }

// anchor is the moment whose day of the month every later period keeps: a
// plan that began on the 31st ends on the 28th of February and on the 31st of
// March. A first period of another length, a trial, anchors at its end.
func (s Subscription) anchor() time.Time {
	if s.TermEnd().Equal(s.PeriodEnd) {
		return s.PeriodStart
	}
	return s.PeriodEnd
}

// periodAfter is the end of the period that follows the current one.
func (s Subscription) periodAfter(anchor time.Time) time.Time {
	n := 0
	for !AddMonths(anchor, n).After(s.PeriodEnd) {
		n += s.Months()
	}
	return AddMonths(anchor, n)
}

// SubscriptionMove is one row of the state table of time, in words.
type SubscriptionMove struct {
	From, To SubscriptionStatus
	Trigger  string
}

// SubscriptionMoves lists the state table of time for documents.
func SubscriptionMoves() []SubscriptionMove {
	var out []SubscriptionMove
	for _, m := range subscriptionMoves {
		out = append(out, SubscriptionMove{m.From, m.To, m.Says})
	}
	return out
}

// AddMonths returns t moved by n calendar months, on the same day or, where
// the month is shorter, on its last day.
func AddMonths(t time.Time, n int) time.Time {
	moved := t.AddDate(0, n, 0)
	if moved.Day() != t.Day() { // it ran over into the next month
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// Subscribe makes the subscription that an operator describes: a tier, a status,
// and the end of the period, which may be zero. An active plan without an end
// renews every month until it is changed.
func Subscribe(tier PlanTier, status SubscriptionStatus, end, now time.Time) Subscription {
	s := Subscription{
		Tier: tier, Term: "monthly", Provider: "manual",
		Status: status, Since: now, PeriodStart: now, PeriodEnd: end,
	}
	if tier == TierNone || status == SubscriptionNone {
		return Subscription{Status: SubscriptionNone, Since: now}
	}
	if !end.IsZero() {
		if end.Before(now) {
			s.PeriodStart = AddMonths(end, -1)
		}
		return s
	}
	switch status {
	case SubscriptionActive:
		s.Renews = true
		s.PeriodEnd = AddMonths(now, 1)
	case SubscriptionTrialing:
		s.PeriodEnd = now.Add(TrialLength)
	case SubscriptionCancelEnd:
		s.PeriodEnd = AddMonths(now, 1)
	default: // it has just ended
		s.PeriodStart, s.PeriodEnd = AddMonths(now, -1), now
	}
	return s
}
