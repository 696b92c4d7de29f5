package spotcheck_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/spotcheck"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

const (
	unit  = atelier.MoneyUnit
	model = "z_image_turbo_bf16"
	payer = atelier.Wallet("atelier-embedded")
	price = 10 * unit
)

// fixture is a fleet with spot checks. ann has a plan, sue and tom are trusted, and all but ann
// have workers.
type fixture struct {
	*enginetest.Env
	checks *spotcheck.Engine
	ann    atelier.Wallet
}

func newFixture(t testing.TB, db *store.DB, dir string, set ...func(*spotcheck.Options)) *fixture {
	t.Helper()
	f := &fixture{Env: enginetest.NewOn(t, db, func(o *enginetest.Options) {
		o.Dir = dir
		o.Fleet = fleet.Options{Lease: 2 * time.Minute, DownloadTTL: time.Hour, FallbackAfter: time.Minute}
	}), ann: "0xann"}
	f.Billing.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{PlanBps: 5000, TokenBps: 5000} })
	f.Billing.SetPool(billing.Pool{ShareBps: 5000, Price: func(atelier.PlanTier, string) atelier.Money { return 20 * unit }})
	f.Billing.SetReview(billing.Review{SvcUSD: 5000})
	o := spotcheck.Options{Percent: 100, By: []atelier.Wallet{"0xsue", "0xtom"}, Payer: payer, Earns: f.Billing.Earns, Now: f.Now, Log: enginetest.Log}
	for _, do := range set {
		do(&o)
	}
	f.checks = spotcheck.New(f.DB, f.Bus, f.Fleet, f.Blobs, media.New(f.DB, f.Blobs, media.Options{Now: f.Now}), o)
	f.RunFleet(f.Fleet)
	return f
}

// newMonth is a fixture at the beginning of a month, with the account of ann and a purse for
// checks.
func newMonth(t testing.TB, o store.Options, spark atelier.Money, set ...func(*spotcheck.Options)) *fixture {
	t.Helper()
	f := newFixture(t, storetest.Open(t, o), t.TempDir(), set...)
	f.FreezeAt(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	f.open(spark)
	return f
}

func (f *fixture) open(spark atelier.Money) {
	f.T.Helper()
	f.AddAccount(atelier.Account{Wallet: f.ann, Worker: true, Unfiltered: true}, billing.Credits{})
	f.AddAccount(atelier.Account{Wallet: payer, Worker: true}, billing.Credits{Spark: spark})
	f.Write(func(tx *store.Tx) error {
		return tx.PutSubscription(f.ann, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, f.Now()), f.Now())
	})
}

// worker connects a worker of a new account.
func (f *fixture) worker(name string) enginetest.Worker {
	f.T.Helper()
	w := atelier.Wallet("0x" + name)
	f.AddAccount(atelier.Account{Wallet: w, Worker: true}, billing.Credits{})
	return f.Connect(w, apitype.WorkerSpec{Name: name + "s-gpu", Models: []string{model}})
}

// order is an order of a picture for ann.
func (f *fixture) order(set ...func(*fleet.Submission)) fleet.Submission {
	s := fleet.Submission{
		Wallet: f.ann, Owner: atelier.JobOwner{Kind: "test", ID: "t"}, Network: atelier.NetworkFast,
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: price, USD: price / 200, Render: true},
		Spec: atelier.JobSpec{
			Tool: "generate_image", ModelID: model, Seed: 7, SafeContentFilter: true, Arguments: map[string]any{"prompt": "a fox"},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}},
		},
	}
	for _, do := range set {
		do(&s)
	}
	return s
}

// ask orders a picture.
func (f *fixture) ask(set ...func(*fleet.Submission)) (j atelier.Job) {
	f.T.Helper()
	f.Write(func(tx *store.Tx) (err error) { j, err = f.Fleet.Submit(tx, f.order(set...)); return err })
	return j
}

// picture is a picture of blots that a seed decides, with noise as another card makes it.
func picture(seed, noise uint64) []byte {
	p, random := image.NewRGBA(image.Rect(0, 0, 96, 64)), rand.New(rand.NewPCG(seed, 1))
	for i := range p.Pix {
		p.Pix[i] = 255
	}
	for range 12 {
		x, y, r := random.IntN(96), random.IntN(64), 6+random.IntN(20)
		c := color.RGBA{uint8(random.IntN(256)), uint8(random.IntN(256)), uint8(random.IntN(256)), 255}
		for dy := -r; dy <= r; dy++ {
			for dx := -r; dx <= r; dx++ {
				if dx*dx+dy*dy <= r*r {
					p.SetRGBA(x+dx, y+dy, c)
				}
			}
		}
	}
	grain := rand.New(rand.NewPCG(noise, 2))
	for i := range p.Pix {
		if i%4 < 3 {
			p.Pix[i] = uint8(min(255, max(0, int(p.Pix[i])+grain.IntN(21)-10)))
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, p); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// render has a worker make the next job: a picture, whatever was ordered.
func (f *fixture) render(w enginetest.Worker, file []byte) *atelier.Job {
	f.T.Helper()
	j := w.MustClaim()
	f.deliver(w, j, file)
	return j
}

func (f *fixture) deliver(w enginetest.Worker, j *atelier.Job, file []byte) {
	f.T.Helper()
	_, err := f.Fleet.Complete(context.Background(), w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: "a0", Data: file}}})
	if err != nil {
		f.T.Fatal(err)
	}
}

// advance takes the checks a step further.
func (f *fixture) advance() {
	f.T.Helper()
	if err := f.checks.Advance(context.Background()); err != nil {
		f.T.Fatal(err)
	}
}

// all are the open and the decided checks.
func (f *fixture) all() (open, decided []store.SpotCheck) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		list, err := tx.SpotChecksBefore(time.Time{}, "", 1000)
		for _, c := range list {
			if c.State == atelier.SpotCheckOpen {
				open = append(open, c)
			} else {
				decided = append(decided, c)
			}
		}
		return err
	})
	return open, decided
}

// want is the one check, which must be decided like this.
func (f *fixture) want(state atelier.SpotCheckState, fault atelier.Wallet, reason string) store.SpotCheck {
	f.T.Helper()
	open, decided := f.all()
	if len(open) != 0 || len(decided) != 1 {
		f.T.Fatalf("there are %d open and %d decided checks: %+v %+v", len(open), len(decided), open, decided)
	}
	c := decided[0]
	if c.State != state || c.AtFault != fault || !strings.Contains(c.Reason, reason) {
		f.T.Errorf("the check is %s, the fault of %q: %q; want %s, %q: %q", c.State, c.AtFault, c.Reason, state, fault, reason)
	}
	f.Read(func(tx *store.Tx) error {
		jobs, err := storetest.JobsOf(tx, atelier.JobOwner{Kind: "spot_check", ID: string(c.ID)})
		if len(jobs) > 0 {
			f.T.Errorf("%d jobs of the check are left", len(jobs))
		}
		return err
	})
	if b := f.Balance(payer).Spark; b.Net != b.Credit-b.Debit {
		f.T.Errorf("something is held: %+v", b)
	}
	f.Audit()
	return c
}

// paid is what an account has spent on checks.
func (f *fixture) paid() atelier.Money { return f.Balance(payer).Spark.Debit }

// A render is made again by a worker of a trusted account, and once more where the pictures
// differ.
func TestSpotChecks(t *testing.T) {
	t.Parallel()
	fox, owl, cat := picture(1, 1), picture(2, 2), picture(3, 3)
	for _, tc := range []struct {
		name    string
		renders [][]byte
		state   atelier.SpotCheckState
		fault   atelier.Wallet
		reason  string
	}{
		{"the same", [][]byte{fox, picture(1, 9)}, atelier.SpotCheckSame, "", ""},
		{"it is wrong", [][]byte{owl, fox, picture(1, 9)}, atelier.SpotCheckWrong, "0xone", "sues-gpu (0xsue) and toms-gpu (0xtom) have made the same, ones-gpu (0xone) something else."},
		{"a trusted one is wrong", [][]byte{fox, owl, picture(1, 9)}, atelier.SpotCheckUnclear, "", "two different results"},
		{"all differ", [][]byte{fox, owl, cat}, atelier.SpotCheckUnclear, "", "two different results"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				f := newMonth(t, o, 100*unit)
				one := f.worker("one")
				f.ask()
				workers := []enginetest.Worker{one, f.worker("sue"), f.worker("tom")}
				for i, file := range tc.renders {
					f.render(workers[i], file)
					f.advance()
				}
				f.want(tc.state, tc.fault, tc.reason)
				if want := price * atelier.Money(len(tc.renders)-1); f.paid() != want {
					t.Errorf("the checks cost %s, want %s", f.paid(), want)
				}
			})
		})
	}
}

// Only workers of trusted accounts get a render again, and no fallback worker.
func TestWhoMakesItAgain(t *testing.T) {
	t.Parallel()
	f := newMonth(t, storetest.SQLite(t), 100*unit)
	first := f.worker("one")
	f.ask()
	sue := f.worker("sue")
	f.render(first, picture(1, 1))
	f.advance()
	others := []enginetest.Worker{
		first, f.worker("two"), f.Connect(f.ann, apitype.WorkerSpec{Name: "own", Models: []string{model}}),
		f.Connect(sue.Wallet, apitype.WorkerSpec{Name: "spare", Models: []string{model}, Fallback: true}),
	}
	f.Advance(2 * time.Minute) // a fallback worker would get another job by now
	for _, w := range others {
		if j := w.Claim(0); j != nil {
			t.Errorf("a worker of %s got %s", w.Wallet, j.ID)
		}
	}
	sue = f.Connect(sue.Wallet, apitype.WorkerSpec{Name: "sues-gpu", Models: []string{model}})
	f.render(sue, picture(1, 2))
	f.advance()
	f.want(atelier.SpotCheckSame, "", "")
}

// What is not checked. A trusted account has a worker that could make it again.
func TestWhatIsNotChecked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		order func(*fleet.Submission)
		by    func(*fixture) enginetest.Worker
		draw  float64
		isNot bool
	}{
		"what is drawn":              {isNot: true},
		"not drawn":                  {draw: 0.5},
		"a clip":                     {order: func(s *fleet.Submission) { s.Spec.Artifacts[0].Kind = "video" }},
		"without the content filter": {order: func(s *fleet.Submission) { s.Spec.SafeContentFilter = false }},
		"free":                       {order: func(s *fleet.Submission) { s.Cost = atelier.Cost{} }},
		"of a trial":                 {order: func(s *fleet.Submission) { s.Wallet = "0xtrial" }},
		"own": {by: func(f *fixture) enginetest.Worker {
			return f.Connect(f.ann, apitype.WorkerSpec{Models: []string{model}})
		}},
		"of a trusted account": {by: func(f *fixture) enginetest.Worker { return f.worker("tom") }},
		"of a fallback worker": {by: func(f *fixture) enginetest.Worker {
			return f.Connect(payer, apitype.WorkerSpec{Models: []string{model}, Fallback: true})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newMonth(t, storetest.SQLite(t), 100*unit, func(o *spotcheck.Options) { o.Percent, o.Draw = 50, func() float64 { return tc.draw } })
			f.AddAccount(atelier.Account{Wallet: "0xtrial"}, billing.Credits{})
			f.Write(func(tx *store.Tx) error {
				return tx.PutSubscription("0xtrial", atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionTrialing, time.Time{}, f.Now()), f.Now())
			})
			by := func(f *fixture) enginetest.Worker { return f.worker("one") }
			if tc.by != nil {
				by = tc.by
			}
			one := by(f)
			f.ask(func(s *fleet.Submission) {
				if tc.order != nil {
					tc.order(s)
				}
			})
			j := one.MustClaim()
			f.worker("sue")
			f.deliver(one, j, picture(1, 1))
			if open, decided := f.all(); (len(open)+len(decided) > 0) != tc.isNot {
				t.Errorf("there are the checks %+v %+v", open, decided)
			}
		})
	}
}

// A check that cannot be made says why, and holds nothing.
func TestChecksThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spark  atelier.Money
		do     func(f *fixture, sue enginetest.Worker)
		reason string
		cost   atelier.Money
	}{
		"no money": {price - 1, func(f *fixture, sue enginetest.Worker) {}, "The account atelier-embedded cannot pay for it.", 0},
		"none is left": {100 * unit, func(f *fixture, sue enginetest.Worker) {
			f.render(sue, picture(2, 1))
			if err := f.Fleet.Disconnect(context.Background(), sue.Wallet, sue.ID); err != nil {
				f.T.Fatal(err)
			}
			f.advance()
		}, "No worker of a trusted account offers the model now.", price},
		"it fails": {100 * unit, func(f *fixture, sue enginetest.Worker) {
			sue.MustFail(sue.MustClaim(), atelier.FailError)
			f.advance()
		}, "The check failed: it went wrong", 0},
		"not in time": {100 * unit, func(f *fixture, _ enginetest.Worker) {
			f.Advance(7 * time.Hour)
			f.advance()
			f.advance()
		}, "No trusted worker has made it in time.", 0},
		"deleted": {100 * unit, func(f *fixture, sue enginetest.Worker) {
			f.render(sue, picture(2, 1))
			open, _ := f.all()
			f.Read(func(tx *store.Tx) error {
				artifacts, err := tx.Artifacts(open[0].ID)
				if err != nil {
					return err
				}
				return f.Blobs.Delete(context.Background(), artifacts[0].Key)
			})
			f.advance()
		}, "A result was deleted before it was compared.", price},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				f := newMonth(t, o, tc.spark)
				one := f.worker("one")
				f.ask()
				sue := f.worker("sue")
				f.render(one, picture(1, 1))
				f.advance()
				tc.do(f, sue)
				f.want(atelier.SpotCheckUnclear, "", tc.reason)
				if f.paid() != tc.cost {
					t.Errorf("it cost %s, want %s", f.paid(), tc.cost)
				}
			})
		})
	}
}

// A worker that has made something else is drained where that is set, and its claims wait for an
// operator: also when it was found after the month, and when it claims much later.
func TestAWorkerAtFault(t *testing.T) {
	t.Parallel()
	nov, dec, feb := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC), time.Date(2027, 2, 20, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		drain          bool
		found, claimed time.Time
	}{
		"reported": {false, nov, dec}, "drained": {true, nov, dec}, "found after the month": {false, dec, dec}, "claimed later": {false, nov, feb},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := 1.0
			f := newMonth(t, storetest.SQLite(t), 100*unit, func(o *spotcheck.Options) { o.Drain, o.Draw = tc.drain, func() float64 { return drawn } })
			f.ask()
			f.render(f.worker("one"), picture(5, 1)) // is not checked
			drawn = 0
			f.FreezeAt(tc.found)
			one := f.Connect("0xone", apitype.WorkerSpec{Name: "again", Models: []string{model}})
			f.ask()
			workers := []enginetest.Worker{one, f.worker("sue"), f.worker("tom")}
			for i, file := range [][]byte{picture(5, 1), picture(1, 1), picture(1, 2)} {
				f.render(workers[i], file)
				if i == 2 {
					f.Advance(90 * time.Second) // the worker at fault is silent, and connected
				}
				f.advance()
			}
			f.want(atelier.SpotCheckWrong, "0xone", "")
			f.Read(func(tx *store.Tx) error {
				for i, w := range workers {
					row, err := tx.AnyWorker(w.ID)
					if err != nil || row.Draining != (tc.drain && i == 0) {
						t.Errorf("worker %d drains: %t, %v", i, row.Draining, err)
					}
				}
				return nil
			})
			f.FreezeAt(tc.claimed.Add(2 * time.Hour))
			if err := f.checks.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Billing.CloseMonths(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			c, err := f.Billing.Claim(t.Context(), one.Wallet, false, nil)
			if err != nil || c.State != atelier.ClaimWaiting || len(c.Reasons) != 1 || c.Reasons[0] != "1 of its 1 renders that were checked were not what two trusted workers have made." {
				t.Errorf("the claim is %q: %q, %v", c.State, c.Reasons, err)
			}
			f.Audit()
		})
	}
}

// Old checks are deleted.
func TestOldChecks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newMonth(t, o, 0)
		one := f.worker("one")
		f.ask()
		f.worker("sue")
		f.render(one, picture(1, 1))
		f.advance()
		f.want(atelier.SpotCheckUnclear, "", "cannot pay")
		for _, want := range []int{1, 0} {
			f.Advance(89 * 24 * time.Hour)
			if err := f.checks.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, decided := f.all(); len(decided) != want {
				t.Errorf("%d checks are left, want %d", len(decided), want)
			}
		}
	})
}
