package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// What the workers of the played week earn, in hundredths of a percent.
const (
	weekPlanBps  = 3333
	weekTokenBps = 4321
)

// read reads an answer as an account.
func (f *playedWeek) read(name, path string, data any) {
	f.t.Helper()
	key, err := f.accounts.CreateKey(f.t.Context(), atelier.Account{Wallet: atelier.Wallet("0x" + name)}, "")
	f.must(err)
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	f.server.ServeHTTP(w, r)
	if w.Code != 200 {
		f.t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	f.must(json.Unmarshal(w.Body.Bytes(), &struct{ Data any }{data}))
}

// usedDay is a row of the history.
type usedDay struct {
	Date                                                    string
	Jobs, PlanJobs                                          int64
	PlanSpark, PlanUsd, SparkSpent, PaidSparkSpent, svcUsed float64
}

func (f *playedWeek) use(artist atelier.Wallet, from, to time.Time) (u usedDay) {
	var planSpark, planUSD, spark, svc int64
	for _, a := range f.attempts {
		if a.failed || a.artist != artist || a.at.Before(from) || !a.at.Before(to) {
			continue
		}
		u.Jobs++
		switch artist {
		case "0xpat":
			u.PlanJobs++
			planSpark, planUSD = planSpark+a.spark, planUSD+a.usd
		case "0xbob":
			svc += a.spark
		default:
			spark += a.spark
		}
	}
	u.PlanSpark, u.PlanUsd, u.SparkSpent, u.svcUsed = float64(planSpark)/1e6, float64(planUSD)/1e6, float64(spark)/1e6, float64(svc)/1e6
	return u
}

// After a week of work the reads of usage, earnings and balance answer what the raw list of
// that work adds up to.
func TestUsageOfAWeek(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := playWeek(t, o)
		for _, name := range []string{"bob", "pat", "ann"} {
			f.wantHistory(name)
		}
		f.wantPlanUsage()
		for _, name := range []string{"wil", "wanda", "pat"} {
			f.wantEarnings(name)
		}
		f.wantClaims()
		var balance struct{ Spark, Svc struct{ Net string } }
		f.read("bob", "/v4/account/balance", &balance)
		if want := money(1000_000_000 - int64(f.use("0xbob", time.Time{}, f.Now().Add(1)).svcUsed*1e6+0.5)); balance.Svc.Net != want || balance.Spark.Net != "1000.000000" {
			t.Errorf("balance %+v, want %s svc", balance, want)
		}
	})
}

func (f *playedWeek) wantHistory(name string) {
	f.t.Helper()
	const days = 12
	var got struct {
		Days   []usedDay
		Totals usedDay
	}
	f.read(name, fmt.Sprintf("/v1/subscriptions/usage/history?days=%d", days), &got)
	today := f.Now().Truncate(24 * time.Hour)
	for i := range days {
		day := today.AddDate(0, 0, i+1-days)
		want := f.use(atelier.Wallet("0x"+name), day, day.AddDate(0, 0, 1))
		want.Date, want.svcUsed = day.Format(time.DateOnly), 0
		if name == "ann" && want.Date == "2026-02-25" {
			want.Jobs += 2 // the round of a language model, and the paid task of the service
		}
		if i >= len(got.Days) || got.Days[i] != want {
			f.t.Errorf("%s, day %d: got %+v, want %+v", name, i, got.Days, want)
			return
		}
	}
	all := f.use(atelier.Wallet("0x"+name), time.Time{}, f.Now().Add(1))
	if got.Totals.PlanSpark != all.PlanSpark || got.Totals.SparkSpent != all.SparkSpent || got.Totals.PlanJobs != all.PlanJobs {
		f.t.Errorf("%s: totals %+v, want %+v", name, got.Totals, all)
	}
}

func (f *playedWeek) wantPlanUsage() {
	f.t.Helper()
	type window struct {
		RenderSpark, RenderUsd float64
		Jobs                   int64
	}
	var got struct {
		Usage struct {
			PeriodRenderSpark float64
			PeriodJobs        int64
			Value             struct{ Daily, Cycle, Lifetime window }
		}
	}
	f.read("pat", "/v1/subscriptions/usage", &got)
	of := func(from time.Time) window {
		u := f.use("0xpat", from, f.Now().Add(1))
		return window{u.PlanSpark, u.PlanUsd, u.PlanJobs}
	}
	began := time.Date(2026, 2, 25, 9, 0, 0, 0, time.UTC) // of the plan: its days begin at nine
	all, today := of(began), of(f.Now().Truncate(24*time.Hour).Add(9*time.Hour))
	if v := got.Usage.Value; v.Daily != today || v.Cycle != all || v.Lifetime != all || got.Usage.PeriodJobs != all.Jobs || got.Usage.PeriodRenderSpark != all.RenderSpark {
		f.t.Errorf("usage %+v, want %+v today and %+v in all", got.Usage, today, all)
	}
}

// wantEarnings compares what an account's workers have earned from work that the plan of pat
// covered.
func (f *playedWeek) wantEarnings(name string) {
	f.t.Helper()
	type month struct {
		Month                         string
		YourRenderSpark, YourSharePct float64
		EstimatedPayoutMicroUsdc      string
	}
	var got struct {
		Summary struct{ TotalEstimatedUsd float64 }
		Months  []month
	}
	f.read(name, "/v1/subscriptions/worker/earnings?months=2", &got)
	var (
		want  []month
		total int64
	)
	for _, m := range []string{"2026-03", "2026-02"} {
		var own, all, usd int64
		for _, a := range f.attempts {
			if a.failed || a.artist != "0xpat" || a.at.Format("2006-01") != m {
				continue
			}
			all += a.spark
			if a.worker == atelier.Wallet("0x"+name) {
				own += a.spark
				usd += a.usd * weekPlanBps / 10_000
			}
		}
		total += usd
		want = append(want, month{m, float64(own) / 1e6, 100 * float64(own) / float64(all), fmt.Sprint(usd)})
	}
	if !reflect.DeepEqual(got.Months, want) || got.Summary.TotalEstimatedUsd != float64(total)/1e6 {
		f.t.Errorf("%s: got %+v, want %+v and %d", name, got, want, total)
	}
}

// wantClaims closes the first month. Only those who have earned something have a claim.
func (f *playedWeek) wantClaims() {
	f.t.Helper()
	claims := func(name string) [2]string { // of March and February
		var got struct {
			Months []struct {
				Claim *struct{ Status, AmountMicroUsdc string }
			}
		}
		f.read(name, "/v1/subscriptions/worker/earnings?months=2", &got)
		var out [2]string
		for i, m := range got.Months {
			if m.Claim != nil {
				out[i] = m.Claim.Status + " " + m.Claim.AmountMicroUsdc
			}
		}
		return out
	}
	usd := int64(0)
	for _, a := range f.attempts {
		if !a.failed && a.artist == "0xpat" && a.worker == "0xwil" && a.at.Month() == time.February {
			usd += a.usd * weekPlanBps / 10_000
		}
	}
	want := [2]string{}
	for _, step := range []struct {
		claim string
		do    func() error
	}{
		{"", func() error { return nil }},
		{fmt.Sprint("unclaimed ", usd), func() error { _, err := f.Billing.CloseMonths(f.t.Context(), true); return err }},
		{fmt.Sprint("claimed ", usd), func() error { _, err := f.Billing.Claim(f.t.Context(), "0xwil", false, nil); return err }},
	} {
		f.must(step.do())
		want[1] = step.claim
		if wil, pat := claims("wil"), claims("pat"); wil != want || pat != [2]string{} {
			f.t.Errorf("claims are %q and %q, want %q and none", wil, pat, want)
		}
	}
}
