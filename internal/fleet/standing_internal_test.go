package fleet

import (
	"fmt"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// lapsesAt lists lapses of which each is given by its account, the minute at which it was and its
// code, newest first.
func lapsesAt(list ...store.Lapse) []store.Lapse { return list }

func lapseOf(account atelier.Wallet, minute float64, code string) store.Lapse {
	return store.Lapse{Account: account, At: time.UnixMilli(0).Add(time.Duration(minute * float64(time.Minute))), Code: code, Model: "flux", Message: "No space left."}
}

// How many lapses count: those of an account once in a while, unless it is trusted, and those of one
// incident together.
func TestCountLapses(t *testing.T) {
	t.Parallel()
	own := func(minute float64) store.Lapse {
		l := lapseOf("0xwil", minute, atelier.FailDropped)
		l.IsTrusted = true
		return l
	}
	dropped := func(account atelier.Wallet, minute float64) store.Lapse {
		return lapseOf(account, minute, atelier.FailDropped)
	}
	silent := func(account atelier.Wallet, minute float64) store.Lapse {
		return lapseOf(account, minute, lapseSilent)
	}
	for name, test := range map[string]struct {
		lapses []store.Lapse
		want   int
	}{
		"none":                                 {},
		"of three accounts at once":            {lapsesAt(dropped("0xc", 0), dropped("0xb", 0), dropped("0xa", 0)), 3},
		"of one account at once":               {lapsesAt(dropped("0xa", 3), dropped("0xa", 2), dropped("0xa", 0)), 1},
		"of one account, for long":             {lapsesAt(dropped("0xa", 21), dropped("0xa", 15), dropped("0xa", 10), dropped("0xa", 0)), 3},
		"of the worker's own account":          {lapsesAt(own(0.2), own(0.1), own(0)), 3},
		"leases lost together":                 {lapsesAt(silent("0xc", 0.2), silent("0xb", 0.1), silent("0xa", 0)), 1},
		"leases lost one after the other":      {lapsesAt(silent("0xc", 5), silent("0xb", 2.5), silent("0xa", 0)), 3},
		"renderer away, with several jobs":     {lapsesAt(lapseOf("0xb", 0.1, atelier.FailUnavailable), lapseOf("0xa", 0, atelier.FailUnavailable)), 1},
		"an incident does not use up accounts": {lapsesAt(dropped("0xb", 1), silent("0xb", 0.1), silent("0xa", 0)), 2},
	} {
		if got := countLapses(test.lapses); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

// A standing is lowered by the third lapse, its pause grows with each one that counts, and three completed jobs in a
// row restore it.
func TestJudge(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(0).Add(time.Hour)
	var lapses []store.Lapse
	var s store.Standing
	fail := func(account atelier.Wallet) {
		lapses = append([]store.Lapse{lapseOf(account, now.Sub(time.UnixMilli(0)).Minutes(), atelier.FailDropped)}, lapses...)
		lapses[0].Job = atelier.JobID(fmt.Sprint(len(lapses)))
		s = judgeLapse(s, lapses, lapses[0].Job, now)
	}
	want := func(when string, isLow bool, completed int, pause, trialIn time.Duration) {
		t.Helper()
		if s.LowSince.IsZero() == isLow || s.Completed != completed || s.Pause != pause || (isLow && s.TrialAt.Sub(now) != trialIn) || (s.Reason == "") == isLow {
			t.Errorf("%s: got %+v", when, s)
		}
	}
	fail("0xa")
	fail("0xb")
	want("after two", false, 0, 0, 0)
	fail("0xb")
	want("after another of the same account", false, 0, 0, 0)
	fail("0xc")
	want("after three", true, 0, firstTrial, firstTrial)
	since := s.LowSince
	now = now.Add(firstTrial)
	fail("0xd")
	want("after a trial that failed", true, 0, 2*firstTrial, 2*firstTrial)
	fail("0xd")
	want("after one that does not count", true, 0, 2*firstTrial, 2*firstTrial)
	if !s.LowSince.Equal(since) || s.Reason != "Other workers have completed 5 jobs that it failed at. The last one, of flux: No space left." {
		t.Errorf("got %+v", s)
	}
	s = judgeCompleted(s, true, now)
	want("after a completed trial", true, 1, firstTrial, 0)
	s = judgeCompleted(s, false, now)
	want("after one of another model", true, 1, firstTrial, 0)
	for _, account := range []atelier.Wallet{"0xe", "0xf", "0xg", "0xh", "0xi"} {
		fail(account)
	}
	want("after many", true, 0, mostTrial, mostTrial)
	for range 3 {
		s = judgeCompleted(s, true, now)
	}
	if s != (store.Standing{}) {
		t.Errorf("after three in a row: got %+v", s)
	}
	if s = judgeCompleted(s, true, now); s != (store.Standing{}) {
		t.Errorf("in good standing: got %+v", s)
	}
}
