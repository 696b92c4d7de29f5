package atelier_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
)

var day0 = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// Every status and every moment at which time alone moves it, with the moments
// just before, at which it must not move.
func TestSubscriptionMovesWithTime(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		start  atelier.Subscription
		after  time.Duration
		status atelier.SubscriptionStatus
		active bool
	}{
		{"none stays", set(atelier.SubscriptionNone, 0), 9999 * day, atelier.SubscriptionNone, false},
		{"trial runs", set(atelier.SubscriptionTrialing, 0), 3*day - 1, atelier.SubscriptionTrialing, true},
		{"trial ends", set(atelier.SubscriptionTrialing, 0), 3 * day, atelier.SubscriptionGrace, false},
		{"trial with an end ends there", set(atelier.SubscriptionTrialing, day), day, atelier.SubscriptionGrace, false},
		{"cancelled trial runs", cancelled(set(atelier.SubscriptionTrialing, day)), day - 1, atelier.SubscriptionTrialing, true},
		{"cancelled trial ends", cancelled(set(atelier.SubscriptionTrialing, day)), day, atelier.SubscriptionExpired, false},
		{"renewing trial becomes active", renewing(set(atelier.SubscriptionTrialing, day)), day, atelier.SubscriptionActive, true},
		{"active runs", set(atelier.SubscriptionActive, 10*day), 10*day - 1, atelier.SubscriptionActive, true},
		{"active without renewal", set(atelier.SubscriptionActive, 10*day), 10 * day, atelier.SubscriptionGrace, false},
		{"active renews", set(atelier.SubscriptionActive, 0), 4000 * day, atelier.SubscriptionActive, true},
		{"cancelled runs to its end", set(atelier.SubscriptionCancelEnd, 10*day), 10*day - 1, atelier.SubscriptionCancelEnd, true},
		{"cancelled ends", set(atelier.SubscriptionCancelEnd, 10*day), 10 * day, atelier.SubscriptionCanceled, false},
		{"grace runs", set(atelier.SubscriptionGrace, 0), 7*day - 1, atelier.SubscriptionGrace, false},
		{"grace ends", set(atelier.SubscriptionGrace, 0), 7 * day, atelier.SubscriptionPastDue, false},
		{"past due runs", set(atelier.SubscriptionPastDue, 0), 21*day - 1, atelier.SubscriptionPastDue, false},
		{"past due ends", set(atelier.SubscriptionPastDue, 0), 21 * day, atelier.SubscriptionExpired, false},
		{"from trial to the end in one step", set(atelier.SubscriptionTrialing, 0), 31 * day, atelier.SubscriptionExpired, false},
		{"a day before that", set(atelier.SubscriptionTrialing, 0), 31*day - 1, atelier.SubscriptionPastDue, false},
		{"expired stays", set(atelier.SubscriptionExpired, 0), 9999 * day, atelier.SubscriptionExpired, false},
		{"canceled stays", set(atelier.SubscriptionCanceled, 0), 9999 * day, atelier.SubscriptionCanceled, false},
		{"set active with an end in the past", set(atelier.SubscriptionActive, -day), 0, atelier.SubscriptionGrace, false},
	} {
		got := tc.start.At(day0.Add(tc.after))
		if got.Status != tc.status || got.Active() != tc.active {
			t.Errorf("%s: got %s (active %v), want %s (active %v)", tc.name, got.Status, got.Active(), tc.status, tc.active)
		}
		if again := got.At(day0.Add(tc.after)); again != got {
			t.Errorf("%s: asking twice moved it to %+v", tc.name, again)
		}
	}
}

// set is what an operator's word makes; 0 means no end.
func set(status atelier.SubscriptionStatus, end time.Duration) atelier.Subscription {
	var at time.Time
	if end != 0 {
		at = day0.Add(end)
	}
	return atelier.Subscribe(atelier.TierUnlimited, status, at, day0)
}

func cancelled(s atelier.Subscription) atelier.Subscription { s.Canceled = true; return s }
func renewing(s atelier.Subscription) atelier.Subscription  { s.Renews = true; return s }

func TestRenewedPeriodsKeepTheirDay(t *testing.T) {
	t.Parallel()
	s := set(atelier.SubscriptionActive, 0)
	for _, tc := range []struct{ at, start, end string }{
		{"2026-02-01", "2026-01-31", "2026-02-28"},
		{"2026-03-01", "2026-02-28", "2026-03-31"},
		{"2026-04-15", "2026-03-31", "2026-04-30"},
		{"2028-03-01", "2028-02-29", "2028-03-31"},
	} {
		at, err := time.Parse(time.DateOnly, tc.at)
		if err != nil {
			t.Fatal(err)
		}
		got := s.At(at)
		if got.PeriodStart.Format(time.DateOnly) != tc.start || got.PeriodEnd.Format(time.DateOnly) != tc.end {
			t.Errorf("at %s: got %s to %s, want %s to %s", tc.at, got.PeriodStart, got.PeriodEnd, tc.start, tc.end)
		}
	}
}

func TestNoTierIsNoSubscription(t *testing.T) {
	t.Parallel()
	s := atelier.Subscribe(atelier.TierNone, atelier.SubscriptionActive, time.Time{}, day0)
	if s.Status != atelier.SubscriptionNone || s.Active() {
		t.Errorf("got %+v", s)
	}
}

// The daily window of a plan begins at the time of day at which its period began.
func TestDailyWindow(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 31, 15, 20, 0, 0, time.UTC)
	plan := atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, began)
	for _, tc := range []struct{ now, start time.Time }{
		{began, began},
		{began.Add(day - 1), began},
		{began.Add(day), began.Add(day)},
		{time.Date(2026, 5, 2, 15, 19, 59, 0, time.UTC), time.Date(2026, 5, 1, 15, 20, 0, 0, time.UTC)}, // the period began on April 30
		{began.Add(-time.Minute), began.Add(-day)},                                                      // before the plan
	} {
		start, end := plan.At(tc.now).DailyWindow(tc.now)
		if !start.Equal(tc.start) || !end.Equal(tc.start.Add(day)) {
			t.Errorf("at %v: got %v to %v, want %v", tc.now, start, end, tc.start)
		}
	}
	if start, _ := (atelier.Subscription{}).DailyWindow(began); !start.Equal(time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("without a plan it begins at %v, want midnight", start)
	}
}
