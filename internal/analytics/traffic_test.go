package analytics_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	lease = 3 * time.Hour // no background task of the fleet runs in this time
	unit  = atelier.MoneyUnit
)

var began = time.Date(2026, 10, 28, 21, 0, 0, 0, time.UTC)

// traffic drives a fleet and adds up by itself what should be counted.
type traffic struct {
	*enginetest.Env
	t        *testing.T
	random   *rand.Rand
	counters *analytics.Engine
	workers  []*rig
	want     expectation
	premium  atelier.Money // of ann
}

// expectation is what the counters should say, computed from what the traffic did.
type expectation struct {
	usage   map[string]store.Usage // wallet and day
	parts   map[store.PartKey]store.PartSums
	workers map[store.WorkerKey]store.WorkerSums
	uses    map[store.UseKey]store.UseSums
	months  map[string]atelier.Money // wallet, month and network: dollars earned
	pays    map[paidTo]store.PaySums
	covered atelier.Money // by the plan of pat
}

// paidTo is who is paid.
type paidTo struct {
	wallet  atelier.Wallet
	network atelier.Network
}

// rig is a connected worker.
type rig struct {
	wallet  atelier.Wallet
	network atelier.Network
	nft     string
	node    *fleet.Engine
	id      atelier.WorkerID
	job     *atelier.Job // that it holds
	order   order        // of the job
}

// order is a job as its owner asked for it.
type order struct {
	wallet  atelier.Wallet
	app     string
	model   string
	network atelier.Network
	cost    atelier.Cost
	pieces  int
}

var (
	models = []string{"z_image_turbo_bf16", "chroma1-hd_fp8_scaled"}
	apps   = []string{"", "studio"}
	pay    = map[atelier.Network]billing.Pay{
		atelier.NetworkFast: {PlanBps: 5000, TokenBps: 4000}, atelier.NetworkRelaxed: {PlanBps: 2500, TokenBps: 3333},
	}
)

func newTraffic(t *testing.T, o store.Options, seed uint64) *traffic {
	t.Helper()
	f := &traffic{
		Env: enginetest.New(t, o, func(o *enginetest.Options) { o.Full, o.Fleet = true, fleet.Options{Lease: lease} }),
		t:   t, random: rand.New(rand.NewPCG(seed, 1)), premium: 3 * unit,
		want: expectation{map[string]store.Usage{}, map[store.PartKey]store.PartSums{}, map[store.WorkerKey]store.WorkerSums{},
			map[store.UseKey]store.UseSums{}, map[string]atelier.Money{}, map[paidTo]store.PaySums{}, 0},
	}
	f.FreezeAt(began)
	f.Billing.SetWorkerPay(func(n atelier.Network) billing.Pay { return pay[n] })
	f.Billing.SetPool(billing.Pool{ShareBps: 5000, Price: func(atelier.PlanTier, string) atelier.Money { return 1000 * unit }})
	f.counters = analytics.New(f.DB, f.Now)
	for _, name := range []atelier.Wallet{"0xann", "0xbob", "0xpat", "0xwil", "0xwanda"} {
		f.AddAccount(atelier.Account{Wallet: name, Worker: true}, billing.Credits{Spark: 5000 * unit, PremiumSpark: 3 * unit, Svc: 5000 * unit})
	}
	f.Write(func(tx *store.Tx) error {
		return tx.PutSubscription("0xpat", atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
	})
	f.Fleet, f.Bus = f.NewFleet() // at the time of the frozen clock
	second, _ := f.NewFleet()
	f.RunFleet(f.Fleet)
	f.RunFleet(second)
	for i, network := range []atelier.Network{atelier.NetworkFast, atelier.NetworkFast, atelier.NetworkRelaxed, atelier.NetworkFast} {
		r := &rig{wallet: []atelier.Wallet{"0xwil", "0xwanda"}[i%2], network: network, nft: []string{"", "7", "8", "7"}[i], node: []*fleet.Engine{f.Fleet, second}[i%2]}
		f.connect(r)
		f.workers = append(f.workers, r)
	}
	return f
}

func (f *traffic) connect(r *rig) {
	f.t.Helper()
	w, err := r.node.Connect(f.t.Context(), r.wallet, apitype.WorkerSpec{Name: "rig", Network: r.network, Models: models, Capacity: 1, NFTTokenID: r.nft})
	if err != nil {
		f.t.Fatal(err)
	}
	r.id = w.ID
}

// preferred is how long other workers are preferred for a job that one has dropped.
const preferred = 5 * time.Minute

func (f *traffic) pick(n int) int { return f.random.IntN(n) }

// submit queues a job and returns its id and order.
func (f *traffic) submit(n atelier.Network) (atelier.JobID, order) {
	f.t.Helper()
	o := order{
		wallet: []atelier.Wallet{"0xann", "0xbob", "0xpat"}[f.pick(3)], app: apps[f.pick(2)], model: models[f.pick(2)], network: n, pieces: 3,
		cost: atelier.Cost{Render: true, Spark: atelier.Money(f.random.Int64N(int64(unit)) + 1), USD: atelier.Money(f.random.Int64N(5000) + 1)},
	}
	terms := atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto, App: o.app}
	if o.wallet == "0xbob" {
		terms.Token = atelier.PaySvc
	}
	var id atelier.JobID
	f.Write(func(tx *store.Tx) error {
		j, err := f.Fleet.Submit(tx, fleet.Submission{
			Wallet: o.wallet, Owner: atelier.JobOwner{Kind: "test", ID: "o"}, Network: n, Terms: terms, Cost: o.cost,
			Spec: atelier.JobSpec{Tool: "generate_image", ModelID: o.model, Artifacts: []atelier.JobArtifact{
				{ID: "a0", Kind: "image", ContentType: "image/png"}, {ID: "a1", Kind: "image", ContentType: "image/png"}, {ID: "a2", Kind: "image", ContentType: "image/png"}}},
		})
		id = j.ID
		return err
	})
	return id, o
}

// take has a worker claim the job that is submitted for it.
func (f *traffic) take(r *rig) {
	f.t.Helper()
	id, o := f.submit(r.network)
	f.claim(r, o)
	if r.job.ID != id {
		f.t.Fatalf("it got another job than %s", id)
	}
}

func (f *traffic) claim(r *rig, o order) {
	f.t.Helper()
	j, err := r.node.ClaimJob(context.Background(), r.wallet, r.id, time.Minute)
	if err != nil || j == nil {
		f.t.Fatalf("claim: %v, %v", j, err)
	}
	r.job, r.order = j, o
}

// end ends the job of a worker in one of the possible ways.
func (f *traffic) end(r *rig) {
	f.t.Helper()
	j, o := r.job, r.order
	held := f.Now().Sub(f.job(j.ID).StartedAt)
	r.job = nil
	switch f.pick(8) {
	case 0:
		f.check(r.node.Fail(context.Background(), r.wallet, r.id, j.ID, atelier.JobError{Code: atelier.FailError}))
		f.failed(r, held)
	case 1: // dropped, and rendered when other workers are no longer preferred
		f.check(r.node.Fail(context.Background(), r.wallet, r.id, j.ID, atelier.JobError{Code: atelier.FailDropped}))
		f.failed(r, held)
		f.Advance(preferred)
		f.claim(r, o)
		f.Advance(time.Duration(f.pick(100_000)) * time.Millisecond)
		f.complete(r, o)
	case 2:
		f.Write(func(tx *store.Tx) error { _, err := f.Fleet.Cancel(tx, j.ID); return err })
		f.check(r.node.Fail(context.Background(), r.wallet, r.id, j.ID, atelier.JobError{Code: atelier.FailError}))
	case 3: // the lease expires, twice
		for range 2 {
			f.Advance(lease + time.Second)
			held = f.Now().Sub(f.job(j.ID).StartedAt)
			f.check(r.node.Expire(context.Background())) // any node reaps
			f.failed(r, held)
			if f.job(j.ID).State == atelier.JobQueued {
				f.Advance(preferred)
				f.claim(r, o)
			}
		}
		r.job = nil
	default:
		r.job = j
		f.complete(r, o)
	}
}

func (f *traffic) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *traffic) job(id atelier.JobID) (j store.StoredJob) {
	f.Read(func(tx *store.Tx) (err error) { j, err = tx.Job(id); return err })
	return j
}

// complete delivers some of the pieces.
func (f *traffic) complete(r *rig, o order) {
	f.t.Helper()
	pieces := f.pick(o.pieces) + 1
	var artifacts []apitype.ReportedArtifact
	for i := range pieces {
		artifacts = append(artifacts, apitype.ReportedArtifact{ID: fmt.Sprint("a", i)})
	}
	held := f.Now().Sub(f.job(r.job.ID).StartedAt)
	seconds := apitype.RenderMetrics{RenderSeconds: (held / 2).Truncate(time.Millisecond).Seconds(), ModelSwitchSeconds: float64(f.pick(2)), PrimingSeconds: 1e9} // no worker can have primed that long
	id := r.job.ID
	r.job = nil
	_, err := r.node.Complete(context.Background(), r.wallet, r.id, id, apitype.Completion{Artifacts: artifacts, Metrics: seconds})
	f.check(err)

	spark, usd := o.cost.Spark*atelier.Money(pieces)/atelier.Money(o.pieces), o.cost.USD*atelier.Money(pieces)/atelier.Money(o.pieces)
	u := store.Usage{Jobs: 1}
	sums := store.WorkerSums{
		Jobs: 1, Work: held, Render: (held / 2).Truncate(time.Millisecond), Switch: time.Duration(seconds.ModelSwitchSeconds) * time.Second,
		Priming: held + 5*time.Second, Spark: spark, USD: usd,
	}
	paid := store.PaySums{}
	switch o.wallet {
	case "0xpat":
		u.PlanJobs, u.PlanSpark, u.PlanUSD = 1, spark, usd
		sums.PlanSpark, paid.USD = spark, usd*atelier.Money(pay[o.network].PlanBps)/10_000
		f.want.covered += spark
		f.want.months[fmt.Sprint(r.wallet, f.Now().Format(" 2006-01 "), o.network)] += paid.USD
	case "0xbob":
		u.SvcSpent = spark
		paid.Svc = spark * atelier.Money(pay[o.network].TokenBps) / 10_000
	default:
		u.SparkSpent = spark
		u.PaidSparkSpent = min(f.premium, o.cost.Spark, spark) // Premium Spark is spent first
		f.premium -= u.PaidSparkSpent
		paid.Svc = spark * atelier.Money(pay[o.network].TokenBps) / 10_000
	}
	day := f.Now().Format(time.DateOnly)
	f.add(r, sums)
	all := f.want.pays[paidTo{r.wallet, o.network}]
	all.Add(paid)
	f.want.pays[paidTo{r.wallet, o.network}] = all
	use := f.want.usage[string(o.wallet)+" "+day]
	use.Add(u)
	f.want.usage[string(o.wallet)+" "+day] = use
	for _, d := range []string{day, ""} {
		k := store.PartKey{Wallet: o.wallet, Day: d, App: o.app, Network: o.network, ModelID: o.model}
		p := f.want.parts[k]
		p.Usage.Add(u)
		p.Spark += spark
		f.want.parts[k] = p
		for _, wk := range []store.WorkerKey{{Day: d, Network: o.network}, {Wallet: r.wallet, Day: d, Network: o.network, NFT: r.nft}} {
			s := f.want.uses[store.UseKey{WorkerKey: wk, ModelID: o.model}]
			f.want.uses[store.UseKey{WorkerKey: wk, ModelID: o.model}] = store.UseSums{Jobs: s.Jobs + 1, Spark: s.Spark + spark, Work: s.Work + held}
		}
	}
}

// failed adds a failure of a worker.
func (f *traffic) failed(r *rig, held time.Duration) {
	f.add(r, store.WorkerSums{Errors: 1, Work: held})
}

func (f *traffic) add(r *rig, s store.WorkerSums) {
	day := f.Now().Format(time.DateOnly)
	for _, k := range []store.WorkerKey{
		{Day: day, Network: r.network}, {Network: r.network},
		{Wallet: r.wallet, Day: day, Network: r.network, NFT: r.nft}, {Wallet: r.wallet, Network: r.network, NFT: r.nft},
	} {
		sum := f.want.workers[k]
		sum.Add(s)
		f.want.workers[k] = sum
	}
}

// Random traffic over days, with drops, failures, cancels, expired leases, partial
// results, plans, two tokens, two networks, two nodes and counting at random moments:
// what is read equals what the test has added up, counted or not.
func TestTrafficIsCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newTraffic(t, o, 20261116)
		for range 150 {
			r := f.workers[f.pick(len(f.workers))]
			if r.job == nil {
				f.take(r)
			}
			f.Advance(time.Duration(f.pick(20*60_000)) * time.Millisecond)
			f.end(r)
			if f.pick(10) == 0 {
				f.check(f.counters.Count(t.Context()))
			}
		}
		f.compare("with records that wait")
		f.check(f.counters.Count(t.Context()))
		f.compare("when all are counted")
	})
}

// compare reads everything and compares.
func (f *traffic) compare(when string) {
	t := f.t
	t.Helper()
	f.Audit()
	all := store.Between{From: "2026-01-01", To: "2027-01-01"}
	err := f.DB.Snapshot(t.Context(), func(tx *store.Tx) error {
		for _, w := range []atelier.Wallet{"0xann", "0xbob", "0xpat", "0xwil"} {
			days, err := tx.UsageDays(w, all)
			if err != nil {
				return err
			}
			got := map[string]store.Usage{}
			for day, u := range days {
				got[string(w)+" "+day] = u
			}
			wantSame(t, when+": usage of "+string(w), got, only(f.want.usage, func(k string) bool { return k[:len(w)] == string(w) }))
			for _, b := range []store.Between{all, {}} {
				parts, err := tx.UsageParts(w, b)
				if err != nil {
					return err
				}
				wantSame(t, when+": parts of "+string(w), parts, only(f.want.parts, func(k store.PartKey) bool { return k.Wallet == w && (k.Day == "") == (b.From == "") }))
			}
		}
		for _, filter := range []store.WorkerFilter{
			{}, {Network: atelier.NetworkFast}, {Wallet: "0xwil"}, {Wallet: "0xwanda", Network: atelier.NetworkRelaxed}, {NFTs: []string{"7"}}, {NFTs: []string{"7", "8", "9"}}, {Wallet: "0xann"},
		} {
			for _, b := range []store.Between{all, {}, {From: "2026-10-30", To: "2026-10-31"}} {
				filter.Between = b
				if err := f.compareWorkers(tx, fmt.Sprintf("%s: %+v", when, filter), filter); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.check(err)
	usage, err := f.Billing.PlanUsage(t.Context(), "0xpat")
	if err != nil || usage.Cycle.Spark != f.want.covered || usage.Lifetime.Spark != f.want.covered || usage.Daily.Spark > f.want.covered {
		t.Errorf("%s: the plan has covered %+v, %v, want %s", when, usage, err, f.want.covered)
	}
}

func (f *traffic) compareWorkers(tx *store.Tx, when string, filter store.WorkerFilter) error {
	matches := func(k store.WorkerKey) bool {
		switch {
		case k.Day < filter.From || k.Day > filter.To, filter.Network != "" && k.Network != filter.Network:
			return false
		case len(filter.NFTs) > 0:
			return k.NFT == "7" || (k.NFT == "8" && len(filter.NFTs) > 1)
		}
		return k.Wallet == filter.Wallet
	}
	counts, err := tx.WorkerCounts(filter)
	if err != nil {
		return err
	}
	wantSame(f.t, when, counts, only(f.want.workers, matches))
	uses, err := tx.WorkerUses(filter)
	wantSame(f.t, when, uses, only(f.want.uses, func(k store.UseKey) bool { return matches(k.WorkerKey) }))
	return err
}

func only[K comparable, V any](m map[K]V, keep func(K) bool) map[K]V {
	out := map[K]V{}
	for k, v := range m {
		if keep(k) {
			out[k] = v
		}
	}
	return out
}

func wantSame[K comparable, V any](t *testing.T, what string, got, want map[K]V) {
	t.Helper()
	for k := range got {
		if !reflect.DeepEqual(got[k], want[k]) {
			t.Errorf("%s: %+v:\n got %+v\nwant %+v", what, k, got[k], want[k])
		}
	}
	for k := range want {
		if _, ok := got[k]; !ok {
			t.Errorf("%s: %+v is missing, want %+v", what, k, want[k])
		}
	}
}
