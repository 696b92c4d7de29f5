package api_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/api"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// attempt is a job in the hands of a worker, as the test has played it.
type attempt struct {
	artist, worker         atelier.Wallet
	network, nft, model    string
	at                     time.Time // when it ended
	failed                 bool
	held                   int64   // milliseconds
	render, switched, warm float64 // seconds
	spark, usd             int64   // in millionths
}

// stay is the time during which a worker was connected.
type stay struct {
	worker       atelier.Wallet
	network, nft string
	from, to     time.Time
}

// playedWeek is a week of work and the raw list of what was done.
type playedWeek struct {
	*enginetest.Env
	t        *testing.T
	server   *api.Server
	accounts *account.Engine
	attempts []attempt
	stays    []stay
	online   map[string][2]int // by day: the most workers at once on the fast and the relaxed network
}

var weekModels = []string{"z_image_turbo_bf16", "chroma1-hd_fp8_scaled", "flux1-schnell-fp8"}

// playWeek plays a week: each day two shifts of workers, the second of which ends after
// midnight. The jobs are of all accounts, models and networks, for money and by a plan,
// and some of them fail, are dropped or deliver a part of what was ordered.
func playWeek(t *testing.T, o store.Options) *playedWeek {
	t.Helper()
	f := &playedWeek{
		Env: enginetest.New(t, o, func(o *enginetest.Options) { o.Full, o.Fleet = true, fleet.Options{Lease: 3 * time.Hour} }),
		t:   t, online: map[string][2]int{},
	}
	f.FreezeAt(time.Date(2026, 2, 25, 9, 0, 0, 0, time.UTC))
	counters := analytics.New(f.DB, f.Now)
	f.accounts = account.New(f.DB, []string{"a-secret-of-sixteen"}, f.Now)
	f.Billing.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{PlanBps: weekPlanBps, TokenBps: weekTokenBps} })
	f.Billing.SetPool(billing.Pool{ShareBps: 5000, Price: func(atelier.PlanTier, string) atelier.Money { return 1000 * atelier.MoneyUnit }})
	f.server = api.New(api.Config{
		Accounts: f.accounts, Billing: f.Billing, Catalog: enginetest.Catalog(), Analytics: counters, Metrics: telemetry.NewMetrics(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: f.Now,
		Heartbeat: time.Minute, Limits: endpoint.Limits{PublicReads: 1_000_000, AccountReads: 1_000_000, AuthFailures: 1_000_000},
	})
	for _, name := range []string{"ann", "bob", "pat", "wil", "wanda"} {
		f.AddAccount(atelier.Account{Wallet: atelier.Wallet("0x" + name), Username: name, Worker: true},
			billing.Credits{Spark: 1000 * atelier.MoneyUnit, Svc: 1000 * atelier.MoneyUnit})
	}
	f.Write(func(tx *store.Tx) error {
		return tx.PutSubscription("0xpat", atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
	})
	f.Fleet, f.Bus = f.NewFleet()
	f.RunFleet(f.Fleet)
	for i, network := range []atelier.Network{"", atelier.NetworkNode} { // a round of a language model and a task of the service: no renders
		f.Write(func(tx *store.Tx) error {
			return tx.RecordWork(store.Work{Cause: fmt.Sprint("test/", i), Wallet: "0xann", Network: network, ModelID: weekModels[0], At: f.Now(), Spark: 1})
		})
	}
	workers := []stay{
		{worker: "0xwil", network: "fast", nft: "7"}, {worker: "0xwanda", network: "fast"}, {worker: "0xwanda", network: "relaxed", nft: "8"}, {worker: "0xwil", network: "fast", nft: "9"},
	}
	for day := range 7 {
		for shift := range 2 {
			f.playShift(workers[:2+(day+shift)%3], day*2+shift)
			f.FreezeAt(f.nextShift(shift))
		}
		if day == 4 { // the later records stay pending
			f.must(counters.Count(t.Context()))
		}
	}
	return f
}

// nextShift is when the next shift begins: at 23:58:30 of the same day, or at 9:00.
func (f *playedWeek) nextShift(shift int) time.Time {
	day := f.Now().Truncate(24 * time.Hour)
	if shift == 0 {
		return day.Add(24*time.Hour - 90*time.Second)
	}
	return day.Add(9 * time.Hour) // the second shift ended after midnight
}

func (f *playedWeek) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// playShift connects workers, gives each some jobs, and disconnects them.
func (f *playedWeek) playShift(workers []stay, n int) {
	ctx := context.Background()
	var ids []atelier.WorkerID
	count := [2]int{}
	for _, w := range workers {
		c, err := f.Fleet.Connect(ctx, w.worker, apitype.WorkerSpec{Name: "rig", Network: atelier.Network(w.network), Models: weekModels, Capacity: 1, NFTTokenID: w.nft})
		f.must(err)
		ids = append(ids, c.ID)
		if w.network == "fast" {
			count[0]++
		} else {
			count[1]++
		}
	}
	began := f.Now()
	f.noteOnline(count)
	for i, w := range workers {
		for k := range 1 + (n+i)%3 {
			f.playJob(w, ids[i], n*5+i*3+k)
		}
	}
	if f.Now().Format(time.DateOnly) != began.Format(time.DateOnly) {
		f.noteOnline(count) // they are counted when they are seen, which the first to leave is before it leaves
	}
	for i, w := range workers {
		f.Advance(1500 * time.Millisecond)
		f.must(f.Fleet.Disconnect(ctx, w.worker, ids[i]))
		w.from, w.to = began, f.Now()
		f.stays = append(f.stays, w)
	}
}

func (f *playedWeek) noteOnline(n [2]int) {
	day := f.Now().Format(time.DateOnly)
	most := f.online[day]
	f.online[day] = [2]int{max(most[0], n[0]), max(most[1], n[1])}
}

// playJob submits a job and has a worker end it, in a way that depends on the number.
func (f *playedWeek) playJob(w stay, id atelier.WorkerID, n int) {
	ctx := context.Background()
	a := attempt{
		artist: []atelier.Wallet{"0xann", "0xbob", "0xpat"}[n%3], worker: w.worker, network: w.network, nft: w.nft, model: weekModels[(n+n/3)%3],
		spark: int64(n%5+1) * 300_000, usd: int64(n%5+1) * 1500,
	}
	terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}
	if a.artist == "0xbob" {
		terms.Token = atelier.PaySvc
	}
	f.Write(func(tx *store.Tx) error {
		_, err := f.Fleet.Submit(tx, fleet.Submission{
			Wallet: a.artist, Owner: atelier.JobOwner{Kind: "test", ID: "o"}, Network: atelier.Network(a.network), Terms: terms,
			Cost: atelier.Cost{Spark: atelier.Money(a.spark), USD: atelier.Money(a.usd)},
			Spec: atelier.JobSpec{Tool: "generate_image", ModelID: a.model, Artifacts: []atelier.JobArtifact{
				{ID: "a0", Kind: "image", ContentType: "image/png"}, {ID: "a1", Kind: "image", ContentType: "image/png"}, {ID: "a2", Kind: "image", ContentType: "image/png"}}},
		})
		return err
	})
	j, err := f.Fleet.ClaimJob(ctx, w.worker, id, time.Minute)
	if err != nil || j == nil {
		f.t.Fatalf("claim: %v, %v", j, err)
	}
	a.held = int64(n%7+1) * 61_500
	f.Advance(time.Duration(a.held) * time.Millisecond)
	a.at = f.Now()
	fail := func(code string) {
		f.must(f.Fleet.Fail(ctx, w.worker, id, j.ID, atelier.JobError{Code: code}))
		lost := a
		lost.failed = true
		f.attempts = append(f.attempts, lost)
	}
	switch n % 6 {
	case 1:
		fail(atelier.FailError)
		return
	case 2: // the service tries it once more
		fail(atelier.FailDropped)
		f.Advance(5 * time.Minute) // other workers are preferred until then
		if j, err = f.Fleet.ClaimJob(ctx, w.worker, id, time.Minute); err != nil || j == nil {
			f.t.Fatalf("claim again: %v, %v", j, err)
		}
		f.Advance(time.Duration(a.held) * time.Millisecond)
		a.at = f.Now()
	}
	pieces := int64(1 + n%3)
	a.spark, a.usd = a.spark*pieces/3, a.usd*pieces/3
	a.render, a.switched, a.warm = float64(n%4)+0.25, float64(n%2), 0.125
	var made []apitype.ReportedArtifact
	for i := range pieces {
		made = append(made, apitype.ReportedArtifact{ID: fmt.Sprint("a", i)})
	}
	_, err = f.Fleet.Complete(ctx, w.worker, id, j.ID, apitype.Completion{Artifacts: made, Metrics: apitype.RenderMetrics{RenderSeconds: a.render, ModelSwitchSeconds: a.switched, PrimingSeconds: a.warm}})
	f.must(err)
	f.attempts = append(f.attempts, a)
}

// whose selects what was done.
type whose struct {
	worker, artist atelier.Wallet
	nfts           []string
	network        string
	from, to       string // days; empty for the lifetime
}

func (s whose) matches(worker, artist atelier.Wallet, nft, network string, at time.Time) bool {
	day := at.Format(time.DateOnly)
	return (s.worker == "" || s.worker == worker) && (s.artist == "" || s.artist == artist) && (s.nfts == nil || slices.Contains(s.nfts, nft)) &&
		(s.network == "" || s.network == network) && (s.from == "" || s.from <= day && day <= s.to)
}

func (f *playedWeek) done(s whose) (out []attempt) {
	for _, a := range f.attempts {
		if s.matches(a.worker, a.artist, a.nft, a.network, a.at) {
			out = append(out, a)
		}
	}
	return out
}

// connected is how many milliseconds workers were connected: each day counts what is
// between its midnights.
func (f *playedWeek) connected(s whose) (ms int64) {
	for _, w := range f.stays {
		for day := w.from.Truncate(24 * time.Hour); day.Before(w.to); day = day.AddDate(0, 0, 1) {
			if s.matches(w.worker, "", w.nft, w.network, day) {
				ms += min(w.to.UnixMilli(), day.AddDate(0, 0, 1).UnixMilli()) - max(w.from.UnixMilli(), day.UnixMilli())
			}
		}
	}
	return ms
}

func inSeconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', -1, 64) }

func money(n int64) string { return fmt.Sprintf("%d.%06d", n/1_000_000, n%1_000_000) }

// counters computes the counters of workers.
func (f *playedWeek) counters(s whose) map[string]any {
	var (
		jobs, errors, held, spark, usd int64
		render, switched, warm         float64
	)
	for _, a := range f.done(s) {
		held += a.held
		if a.failed {
			errors++
			continue
		}
		jobs++
		spark, usd = spark+a.spark, usd+a.usd
		render, switched, warm = render+a.render, switched+a.switched, warm+a.warm
	}
	return map[string]any{
		"jobCompleteWorker": fmt.Sprint(jobs), "jobErrorWorker": fmt.Sprint(errors), "connectedSecWorker": inSeconds(float64(f.connected(s))),
		"workSecWorker": inSeconds(float64(held)), "renderSecCompleteWorker": inSeconds(render * 1000), "modelSwitchSecWorker": inSeconds(switched * 1000),
		"primingSecWorker": inSeconds(warm * 1000), "renderTokenCompleteWorker": money(spark), "renderUSDCompleteWorker": money(usd),
		"testJobSecWorker": "0", "routineCooldownSecWorker": "0", "penaltyCooldownSecWorker": "0",
	}
}

// uses computes completed renders by model, and what they cost.
func (f *playedWeek) uses(s whose) (jobs, spark map[string]int64) {
	jobs, spark = map[string]int64{}, map[string]int64{}
	for _, a := range f.done(s) {
		if !a.failed {
			jobs[a.model]++
			spark[a.model] += a.spark
		}
	}
	return jobs, spark
}

func shown(m map[string]int64, show func(int64) string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = show(v)
	}
	return out
}

func number(n int64) string { return fmt.Sprint(n) }

// want compares an answer.
func (f *playedWeek) want(path string, query map[string]string, data any, metadata any) {
	f.t.Helper()
	values := url.Values{}
	for k, v := range query {
		if v != "" {
			values.Set(k, v)
		}
	}
	w := httptest.NewRecorder()
	f.server.ServeHTTP(w, httptest.NewRequest("GET", path+"?"+values.Encode(), nil))
	var got map[string]any
	f.must(json.Unmarshal(w.Body.Bytes(), &got))
	want := map[string]any{"status": "success", "data": data}
	if metadata != nil {
		want["metadata"] = metadata
	}
	text, err := json.Marshal(want)
	f.must(err)
	var plain map[string]any
	f.must(json.Unmarshal(text, &plain))
	if !reflect.DeepEqual(got, plain) {
		f.t.Errorf("GET %s %v:\n got %s\nwant %s", path, query, w.Body, text)
	}
}

// After a week of work every analytics endpoint answers what the raw list of that work
// adds up to.
func TestAnalyticsOfAWeek(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := playWeek(t, o)
		var days []string
		for day := time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC); !day.After(f.Now()); day = day.AddDate(0, 0, 1) {
			days = append(days, day.Format(time.DateOnly))
		}
		for _, network := range []string{"", "fast", "relaxed"} {
			for _, worker := range []atelier.Wallet{"", "0xwil", "0xwanda", "0xann"} {
				f.wantCounters(days, worker, network)
			}
			jobs, spark := f.uses(whose{network: network})
			f.want("/v1/analytics/model-use/lifetime", map[string]string{"network": network, "includeSpark": "true"},
				map[string]any{"analytics": shown(jobs, number), "sparkAnalytics": shown(spark, money)}, nil)
			for _, account := range []string{"ann", "bob", "pat", "wil", "wanda"} {
				for _, role := range []string{"worker", "artist"} {
					f.wantModels(days, account, role, network)
				}
			}
		}
		f.wantNFTs(days)
		f.wantNetworkCharts(days)
	})
}

func (f *playedWeek) wantCounters(days []string, worker atelier.Wallet, network string) {
	f.t.Helper()
	s := whose{worker: worker, network: network}
	address := strings.ToUpper(string(worker))
	f.want("/v1/analytics/lifetime", map[string]string{"address": address, "network": network}, f.counters(s), nil)
	chart := map[string]any{}
	events := []string{"workSecWorker", "jobErrorWorker", "connectedSecWorker"}
	for _, day := range days {
		s.from, s.to = day, day
		c := f.counters(s)
		f.want("/v1/analytics/day", map[string]string{"address": address, "network": network, "date": day}, map[string]any{"date": day, "analytics": c}, nil)
		chart[dayKey(day)] = []any{c[events[0]], c[events[1]], c[events[2]]}
	}
	f.want("/v1/analytics/chart/daily/events/query", map[string]string{"query": strings.Join(events, ","), "address": address, "network": network, "startDate": days[0]},
		f.eventChart(days, events, chart), nil)
}

func dayKey(day string) string {
	at, _ := time.Parse(time.DateOnly, day)
	return fmt.Sprint(at.Unix())
}

func (f *playedWeek) eventChart(days, events []string, chart map[string]any) map[string]any {
	return map[string]any{
		"first": json.RawMessage(dayKey(days[0])), "last": json.RawMessage(dayKey(days[len(days)-1])), "count": len(days), "fields": events, "analytics": chart,
	}
}

// wantModels compares the models of an account in a role.
func (f *playedWeek) wantModels(days []string, account, role, network string) {
	f.t.Helper()
	wallet := atelier.Wallet("0x" + account)
	of := func(w atelier.Wallet, day string) whose {
		s := whose{worker: w, network: network, from: day, to: day}
		if role == "artist" {
			s.worker, s.artist = "", w
		}
		return s
	}
	f.wantModelChart(days, of(wallet, ""), map[string]string{"address": string(wallet)}, role, network)
	for _, day := range []string{"", days[2]} {
		f.wantStats(map[string]string{"username": account, "role": role, "network": network}, day, of(wallet, day), func(model string) (others []int64) {
			for _, other := range []atelier.Wallet{"0xann", "0xbob", "0xpat", "0xwil", "0xwanda"} {
				jobs, _ := f.uses(of(other, day))
				others = append(others, jobs[model])
			}
			return others
		})
	}
}

func (f *playedWeek) wantModelChart(days []string, s whose, query map[string]string, role, network string) {
	f.t.Helper()
	data := map[string]map[string]any{"analytics": {}, "sparkAnalytics": {}}
	used := map[string]bool{}
	for _, day := range days {
		s.from, s.to = day, day
		jobs, spark := f.uses(s)
		data["analytics"][dayKey(day)], data["sparkAnalytics"][dayKey(day)] = shown(jobs, number), shown(spark, money)
		for model := range jobs {
			used[model] = true
		}
	}
	metadata := map[string]any{"role": role, "startDate": days[0], "endDate": days[len(days)-1], "count": len(days), "models": append([]string{}, slices.Sorted(maps.Keys(used))...)}
	query["role"], query["network"], query["count"] = role, network, fmt.Sprint(len(days))
	if network == "" {
		delete(data, "sparkAnalytics")
	} else {
		query["includeSpark"], metadata["network"] = "true", network
	}
	f.want("/v1/analytics/chart/daily/model-use/query", query, data, metadata)
}

// wantStats compares the models of a subject, a page of two models at a time.
func (f *playedWeek) wantStats(query map[string]string, day string, s whose, others func(model string) []int64) {
	f.t.Helper()
	jobs, spark := f.uses(s)
	models := slices.SortedFunc(maps.Keys(jobs), func(a, b string) int { return cmp.Or(cmp.Compare(jobs[b], jobs[a]), cmp.Compare(a, b)) })
	items := []any{}
	for _, model := range models {
		rank := 1
		for _, n := range others(model) {
			if n > jobs[model] {
				rank++
			}
		}
		item := map[string]any{"modelId": model, "renderCount": number(jobs[model]), "rank": rank}
		if query["network"] != "" {
			item["sparkValue"] = money(spark[model])
		}
		items = append(items, item)
	}
	query["limit"], query["includeRank"] = "2", "true"
	if day != "" {
		query["period"], query["date"] = "day", day
	}
	for page := range 3 {
		query["page"] = fmt.Sprint(page + 1)
		first := min(len(items), page*2)
		f.want("/v1/model-renders/user-stats", query,
			map[string]any{"modelStats": items[first:min(len(items), first+2)], "totalModels": len(items), "totalPages": (len(items) + 1) / 2}, nil)
	}
}

func (f *playedWeek) wantNFTs(days []string) {
	f.t.Helper()
	nfts := []string{"7", "8", "9", "10"}
	f.want("/v1/analytics/lifetime", map[string]string{"nft": "7,8"}, f.counters(whose{nfts: []string{"7", "8"}}), nil)
	for _, nft := range nfts {
		of := func(nft, day string) whose {
			return whose{nfts: []string{nft}, network: "fast", from: day, to: day}
		}
		f.want("/v1/analytics/lifetime/nft/"+nft, nil, f.counters(whose{nfts: []string{nft}}), nil)
		f.wantModelChart(days, of(nft, ""), map[string]string{"nftTokenId": nft}, "worker", "fast")
		f.wantStats(map[string]string{"nftTokenId": nft, "role": "worker", "network": "fast"}, "", of(nft, ""), func(model string) (others []int64) {
			for _, other := range nfts {
				jobs, _ := f.uses(of(other, ""))
				others = append(others, jobs[model])
			}
			return others
		})
	}
	for _, day := range days {
		all := map[string]any{}
		for _, nft := range nfts {
			c := f.counters(whose{nfts: []string{nft}, from: day, to: day})
			f.want("/v1/analytics/day/nft/"+nft, map[string]string{"date": day}, map[string]any{"date": day, "analytics": c}, nil)
			all[nft] = map[string]any{"primingSecWorker": c["primingSecWorker"]}
		}
		f.want("/v1/analytics/day/nfts", map[string]string{"tokenIds": strings.Join(nfts, ","), "date": day, "keys": "primingSecWorker"},
			map[string]any{"date": day, "analytics": all}, nil)
	}
}

// wantNetworkCharts compares the counters of the whole network.
func (f *playedWeek) wantNetworkCharts(days []string) {
	f.t.Helper()
	charts := map[string]map[string]any{}
	for _, day := range days {
		fast, relaxed, nfts := map[atelier.Wallet]bool{}, map[atelier.Wallet]bool{}, map[string]bool{}
		for _, w := range f.stays {
			if w.from.Format(time.DateOnly) > day || w.to.Format(time.DateOnly) < day {
				continue
			}
			if w.network == "fast" {
				fast[w.worker] = true
			} else {
				relaxed[w.worker] = true
			}
			if w.nft != "" {
				nfts[w.nft] = true
			}
		}
		online := f.online[day]
		for name, n := range map[string]int{
			"uloginWorkerAddressFast": len(fast), "uloginWorkerAddressRelaxed": len(relaxed), "activeWorkerNFT": len(nfts),
			"workerOnlineSnapshotFast": online[0], "workerOnlineSnapshotRelaxed": online[1], "workerOnlineSnapshotTotal": online[0] + online[1],
		} {
			if charts[name] == nil {
				charts[name] = map[string]any{}
			}
			charts[name][dayKey(day)] = fmt.Sprint(n)
		}
	}
	for name, chart := range charts {
		f.want("/v1/analytics/chart/daily/events/query", map[string]string{"query": name, "address": "0xwil", "network": "fast", "count": fmt.Sprint(len(days))},
			f.eventChart(days, []string{name}, chart), nil)
	}
}
