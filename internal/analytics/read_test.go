package analytics_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// sum adds up what is expected of workers.
func (f *traffic) sum(day string, match func(store.WorkerKey) bool) (out store.WorkerSums) {
	for k, s := range f.want.workers {
		if k.Day == day && match(k) {
			out.Add(s)
		}
	}
	return out
}

// The reads of the engine equal what the test has added up from the jobs.
func TestReads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newTraffic(t, o, 7)
		for range 60 {
			r := f.workers[f.pick(len(f.workers))]
			f.take(r)
			f.Advance(time.Duration(f.pick(90*60_000)) * time.Millisecond)
			f.end(r)
		}
		f.check(f.counters.Count(t.Context()))
		for range 10 { // these wait to be counted
			r := f.workers[f.pick(len(f.workers))]
			f.take(r)
			f.end(r)
		}
		today := f.Now().Format(time.DateOnly)
		for _, c := range []struct {
			subject analytics.Subject
			match   func(store.WorkerKey) bool
		}{
			{analytics.Subject{}, func(k store.WorkerKey) bool { return k.Wallet == "" }},
			{analytics.Subject{Network: "relaxed"}, func(k store.WorkerKey) bool { return k.Wallet == "" && k.Network == "relaxed" }},
			{analytics.Subject{Address: "0XWIL"}, func(k store.WorkerKey) bool { return k.Wallet == "0xwil" }},
			{analytics.Subject{Username: "wanda", Network: "fast"}, func(k store.WorkerKey) bool { return k.Wallet == "0xwanda" && k.Network == "fast" }},
			{analytics.Subject{NFTs: []string{"7", "8"}}, func(k store.WorkerKey) bool { return k.NFT != "" }},
			{analytics.Subject{Address: "0xann"}, func(k store.WorkerKey) bool { return false }},
		} {
			f.readCounters(c.subject, today, f.sum(today, c.match), f.sum("", c.match))
			chart, err := f.counters.Events(t.Context(), []string{"jobCompleteWorker", "workSecWorker"}, c.subject, analytics.Span{Count: 10})
			if err != nil || len(chart.Days) != 10 {
				t.Fatalf("%+v: %v, %v", c.subject, chart, err)
			}
			for _, d := range chart.Days {
				want := f.sum(d.At.Format(time.DateOnly), c.match)
				if d.Values[0] != fmt.Sprint(want.Jobs) || d.Values[1] != strconv.FormatFloat(want.Work.Seconds(), 'f', -1, 64) {
					t.Errorf("%+v on %v: got %v, want %+v", c.subject, d.At, d.Values, want)
				}
			}
		}
		f.readModels(today)
		f.readEarnings()
	})
}

func (f *traffic) readCounters(s analytics.Subject, today string, day, lifetime store.WorkerSums) {
	f.t.Helper()
	got, date, err := f.counters.Day(f.t.Context(), s, "", nil)
	if err != nil || date != today || got["jobCompleteWorker"] != fmt.Sprint(day.Jobs) || got["jobErrorWorker"] != fmt.Sprint(day.Errors) || got["renderTokenCompleteWorker"] != day.Spark.String() {
		f.t.Errorf("%+v on %s: got %v, %v, want %+v", s, date, got, err, day)
	}
	got, err = f.counters.Lifetime(f.t.Context(), s, []string{"jobCompleteWorker", "renderUSDCompleteWorker", "testJobSecWorker"})
	if err != nil || len(got) != 3 || got["jobCompleteWorker"] != fmt.Sprint(lifetime.Jobs) || got["renderUSDCompleteWorker"] != lifetime.USD.String() || got["testJobSecWorker"] != "0" {
		f.t.Errorf("%+v over the lifetime: got %v, %v, want %+v", s, got, err, lifetime)
	}
}

// readModels reads the uses of models.
func (f *traffic) readModels(today string) {
	t := f.t
	t.Helper()
	uses := func(day, model string, match func(store.WorkerKey) bool) (out store.UseSums) {
		for k, u := range f.want.uses {
			if k.Day == day && k.ModelID == model && match(k.WorkerKey) {
				out = store.UseSums{Jobs: out.Jobs + u.Jobs, Spark: out.Spark + u.Spark}
			}
		}
		return out
	}
	asked := func(w atelier.Wallet, day, model string) (out store.UseSums) {
		for k, p := range f.want.parts {
			if k.Wallet == w && k.Day == day && k.ModelID == model {
				out = store.UseSums{Jobs: out.Jobs + p.Jobs, Spark: out.Spark + p.Spark}
			}
		}
		return out
	}
	all, err := f.counters.LifetimeModels(t.Context(), "")
	wil, err2 := f.counters.ModelChart(t.Context(), analytics.Subject{Address: "0xwil"}, analytics.RoleWorker, []string{models[0]}, analytics.Span{})
	ann, err3 := f.counters.ModelChart(t.Context(), analytics.Subject{Address: "0xann"}, analytics.RoleArtist, nil, analytics.Span{Start: f.Now().AddDate(0, 0, -6).Format(time.DateOnly)})
	if err != nil || err2 != nil || err3 != nil || len(wil.Days) != 7 || len(ann.Days) != 7 {
		t.Fatal(err, err2, err3, len(wil.Days), len(ann.Days))
	}
	for _, m := range models {
		if want := uses("", m, func(k store.WorkerKey) bool { return k.Wallet == "" }); all.Jobs[m] != want.Jobs || all.Spark[m] != want.Spark {
			t.Errorf("%s over the lifetime: got %+v, want %+v", m, all, want)
		}
		for i := range ann.Days {
			day := ann.Days[i].At.Format(time.DateOnly)
			if want := asked("0xann", day, m); ann.Days[i].Jobs[m] != want.Jobs || ann.Days[i].Spark[m] != want.Spark {
				t.Errorf("%s for ann on %s: got %+v, want %+v", m, day, ann.Days[i], want)
			}
			if want := uses(day, m, func(k store.WorkerKey) bool { return k.Wallet == "0xwil" }); m == models[0] && wil.Days[i].Jobs[m] != want.Jobs || m != models[0] && wil.Days[i].Jobs[m] != 0 {
				t.Errorf("%s by wil on %s: got %+v, want %+v", m, day, wil.Days[i], want)
			}
		}
	}
	for _, day := range []string{"", today} {
		for role, accounts := range map[analytics.Role][]atelier.Wallet{analytics.RoleArtist: {"0xann", "0xbob", "0xpat"}, analytics.RoleWorker: {"0xwil", "0xwanda"}} {
			count := func(w atelier.Wallet, m string) int64 {
				if role == analytics.RoleArtist {
					return asked(w, day, m).Jobs
				}
				return uses(day, m, func(k store.WorkerKey) bool { return k.Wallet == w }).Jobs
			}
			for _, w := range accounts {
				f.readStats(w, role, day, count, accounts)
			}
		}
	}
}

func (f *traffic) readStats(w atelier.Wallet, role analytics.Role, day string, count func(atelier.Wallet, string) int64, accounts []atelier.Wallet) {
	t := f.t
	t.Helper()
	var want []string
	for _, m := range models {
		if count(w, m) > 0 {
			want = append(want, m)
		}
	}
	slices.SortFunc(want, func(a, b string) int { return int(count(w, b) - count(w, a)) })
	var got []analytics.UserModel
	for page := range 4 {
		list, total, err := f.counters.UserStats(t.Context(), analytics.StatsQuery{
			Subject: analytics.Subject{Address: string(w)}, Role: role, Daily: day != "", Date: day, Page: page + 1, Limit: 1, Rank: true})
		if err != nil || total != len(want) || len(list) > 1 {
			t.Fatalf("%s as %s: %v, %d, %v", w, role, list, total, err)
		}
		got = append(got, list...)
	}
	if len(got) != len(want) {
		t.Fatalf("%s as %s on %q: got %+v, want %v", w, role, day, got, want)
	}
	for i, g := range got {
		rank := 1
		for _, other := range accounts {
			if count(other, g.ModelID) > g.Jobs {
				rank++
			}
		}
		if count(w, g.ModelID) != g.Jobs || g.Rank != rank || count(w, want[i]) != g.Jobs {
			t.Errorf("%s as %s on %q: got %+v, want rank %d of %d", w, role, day, g, rank, count(w, g.ModelID))
		}
	}
}

// readEarnings closes months and claims, twice each.
func (f *traffic) readEarnings() {
	t := f.t
	t.Helper()
	ctx := t.Context()
	month := f.Now()
	f.FreezeAt(time.Date(month.Year(), month.Month()+1, 1, 0, 0, 0, 0, time.UTC).Add(-1))
	for _, isOver := range []bool{false, true} {
		e, err := f.Billing.Earnings(ctx, "0xwil", 2)
		last := slices.IndexFunc(e.Months, func(m billing.EarningMonth) bool { return m.Month == month.Format("2006-01") })
		if err != nil || last < 0 || e.Months[last].Ended != isOver || e.Months[last].Closed {
			t.Errorf("at %s: %+v, %v, want a month that is over: %v", f.Now(), e.Months, err, isOver)
		}
		f.Advance(1)
	}
	f.FreezeAt(time.Date(month.Year(), month.Month()+1, 1, 0, 59, 59, 0, time.UTC))
	early, err := f.Billing.CloseMonths(ctx, true)
	if err != nil || slices.ContainsFunc(early, func(c billing.ClosedMonth) bool { return c.Month == month.Format("2006-01") }) {
		t.Errorf("closed too early: %v, %v", early, err)
	}
	f.Advance(time.Second)
	closed, err := f.Billing.CloseMonths(ctx, true)
	if err != nil || len(closed) != 1 || closed[0].Month != month.Format("2006-01") || closed[0].Accounts != 2 {
		t.Errorf("closed %v, %v", closed, err)
	}
	if again, err := f.Billing.CloseMonths(ctx, true); err != nil || len(again) != 0 {
		t.Errorf("closed again: %v, %v", again, err)
	}
	for _, w := range []atelier.Wallet{"0xwil", "0xwanda", "0xann"} {
		var usd, svc, fast atelier.Money
		for k, s := range f.want.pays {
			if k.wallet == w {
				usd, svc = usd+s.USD, svc+s.Svc
				if k.network == atelier.NetworkFast {
					fast += s.Svc
				}
			}
		}
		e, err := f.Billing.Earnings(ctx, w, 3)
		if err != nil || e.Estimated != usd || e.Finalized != usd || e.Unclaimed != usd || e.Claimed != 0 || len(e.Months) != 3 {
			t.Errorf("%s earned %+v, %v, want %s", w, e, err, usd)
		}
		for _, m := range e.Months {
			for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed} {
				if want := f.want.months[fmt.Sprint(w, " ", m.Month, " ", n)]; m.ByNetwork[n].USD != want {
					t.Errorf("%s earned %+v in %s on %s, want %s", w, m.ByNetwork[n], m.Month, n, want)
				}
			}
		}
		before := f.Balance(w)
		if before.USD.SubscriptionUnclaimed != usd || before.Svc.FastUnclaimed != fast || before.Svc.RelaxedUnclaimed != svc-fast {
			t.Errorf("%s has %+v, want %s dollars, %s and %s svc unclaimed", w, before, usd, fast, svc-fast)
		}
		claimed, err := f.Billing.Claim(ctx, w, false, nil)
		if err != nil || claimed.USD != usd || claimed.Svc != svc {
			t.Errorf("%s claimed %+v, %v, want %s and %s", w, claimed, err, usd, svc)
		}
		again, err := f.Billing.Claim(ctx, w, false, nil)
		after := f.Balance(w)
		if err != nil || again.USD != 0 || again.Svc != 0 || after.Svc.Net != before.Svc.Net+svc || after.USD.SubscriptionUnclaimed != 0 || after.Svc.FastUnclaimed != 0 {
			t.Errorf("%s claimed %+v again, %v, and has %+v", w, again, err, after)
		}
	}
	f.Audit()
}

// Wrong parameters are refused by name.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newTraffic(t, storetest.SQLite(t), 1)
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"query": func() error {
			_, err := f.counters.Events(ctx, []string{"jobCompleteWorker", "x"}, analytics.Subject{}, analytics.Span{})
			return err
		},
		"count": func() error {
			_, err := f.counters.Events(ctx, []string{"jobCompleteWorker"}, analytics.Subject{}, analytics.Span{Count: 121})
			return err
		},
		"startDate": func() error {
			_, err := f.counters.ModelChart(ctx, analytics.Subject{}, analytics.RoleWorker, nil, analytics.Span{Start: "2026-07-01"})
			return err
		},
		"network": func() error {
			_, err := f.counters.Lifetime(ctx, analytics.Subject{NFTs: []string{"7"}, Network: "fast"}, nil)
			return err
		},
		"address": func() error {
			_, _, err := f.counters.Day(ctx, analytics.Subject{NFTs: []string{"7"}, Address: "0xwil"}, "", nil)
			return err
		},
		"keys": func() error {
			_, _, err := f.counters.Day(ctx, analytics.Subject{}, "", []string{"jobComplete"})
			return err
		},
		"date": func() error {
			_, _, err := f.counters.Day(ctx, analytics.Subject{}, "2026-02-30", nil)
			return err
		},
	} {
		var refused *atelier.Error
		if err := call(); !errors.As(err, &refused) || refused.Field != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := f.counters.Day(ctx, analytics.Subject{Address: "0xnobody"}, "", nil); !atelier.HasCode(err, atelier.CodeNotFound) {
		t.Errorf("an unknown wallet: %v", err)
	}
}

// Numbers of records that were undone do not end the counting early.
func TestCountPassesUndoneRecords(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		record := func(n int, err error) error {
			return db.Write(t.Context(), func(tx *store.Tx) error {
				for i := range n {
					w := store.Work{Cause: fmt.Sprint("job/", i, "/1"), Wallet: "0xann", Network: atelier.NetworkFast, ModelID: "m", Failed: true}
					if err := tx.RecordWork(w); err != nil {
						return err
					}
				}
				return err
			})
		}
		undo := errors.New("undo")
		if err := record(1, undo); !errors.Is(err, undo) {
			t.Fatal(err)
		}
		if err := record(300, nil); err != nil {
			t.Fatal(err)
		}
		if err := analytics.New(db, time.Now).Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		isPending := true
		if err := db.Read(t.Context(), func(tx *store.Tx) (err error) { isPending, err = tx.AnyPending(); return err }); err != nil || isPending {
			t.Errorf("records are pending: %v, %v", isPending, err)
		}
	})
}
