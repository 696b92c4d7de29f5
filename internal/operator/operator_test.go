package operator_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/operator"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// installation is an engine on its own database, with a clock.
type installation struct {
	operator.Operator
	engine *operator.Engine
	bill   *billing.Engine
	fleet  *fleet.Engine
	db     *store.DB
	now    time.Time
}

func open(t *testing.T, o store.Options) *installation {
	t.Helper()
	in := &installation{db: storetest.Open(t, o), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	now := func() time.Time { return in.now }
	nudges, err := bus.Open(t.Context(), bus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bill := billing.New(in.db, now, func(atelier.PlanTier) int { return 0 })
	in.bill, in.fleet = bill, fleet.New(in.db, nudges, nil, bill, fleet.Options{Now: now, Lease: 2 * time.Minute})
	in.engine = operator.New(in.db, account.New(in.db, []string{"0123456789abcdef"}, now), bill, in.fleet, operator.Options{
		CancelWork: func(context.Context, atelier.Account) (int, error) { return 0, nil }, Searched: 3, Now: now,
	})
	in.Operator = in.engine.As(operator.CommandLine)
	return in
}

// What operators do with claims is recorded with its reason, and the list of those that wait has
// pages.
func TestClaims(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		in.bill.SetWorkerPay(func(atelier.Network) billing.Pay { return billing.Pay{TokenBps: 5000} })
		in.bill.SetReview(billing.Review{Above: 1, SvcUSD: atelier.MoneyUnit})
		asks, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "asks"})
		if err != nil {
			t.Fatal(err)
		}
		wallet := asks.Account.WalletAddress
		if err := in.bill.Credit(t.Context(), wallet, billing.Credits{Spark: 1000}); err != nil {
			t.Fatal(err)
		}
		names := []string{"wil", "sue", "bob", "tim"}
		for _, name := range names {
			w, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: name, Worker: true})
			if err != nil {
				t.Fatal(err)
			}
			cost, cause := atelier.Cost{Spark: 100, Render: true}, "job/"+name+"/1"
			err = in.db.Write(t.Context(), func(tx *store.Tx) error {
				c, err := in.bill.Hold(tx, wallet, cause, atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens}, cost)
				if err != nil {
					return err
				}
				return in.bill.Settle(tx, wallet, cause, c, cost, billing.Render{Network: atelier.NetworkFast, ModelID: "m", Worker: w.Account.WalletAddress, Held: time.Second})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		in.now = in.now.AddDate(0, 1, 1)
		if _, err := in.bill.CloseMonths(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			c, err := in.Claim(t.Context(), name, i == 3, "asked by mail")
			if err != nil || c == nil || c.Status != []string{"waiting", "paid"}[i/3] {
				t.Fatalf("the claim of %s: %+v, %v", name, c, err)
			}
		}
		if c, err := in.Claim(t.Context(), "asks", true, ""); err != nil || c != nil {
			t.Errorf("an account without earnings claimed %+v, %v", c, err)
		}
		var got []string
		for page := (apitype.Page{Limit: 2}); ; {
			part, err := in.Claims(t.Context(), page)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range part.Claims {
				got = append(got, c.Username)
			}
			if part.NextCursor == nil {
				break
			}
			page.Cursor = *part.NextCursor
		}
		if slices.Sort(got); !slices.Equal(got, []string{"bob", "sue", "wil"}) {
			t.Errorf("%q wait", got)
		}
		actions, err := in.Actions(t.Context(), apitype.ActionQuery{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, a := range actions.Actions {
			if a.Reason == "asked by mail" {
				said = append(said, a.Action+" "+a.Detail)
			}
		}
		slices.Sort(said)
		const detail = " earnings 0.000000 USD, 0.000050 svc"
		if want := []string{"claim and approve" + detail, "claim" + detail, "claim" + detail, "claim" + detail}; !slices.Equal(said, want) {
			t.Errorf("recorded %q, want %q", said, want)
		}
	})
}

// A list has every row once, in its order, also when many rows are of one moment.
func TestPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		var want []string
		for i := range 7 {
			if i%3 == 0 {
				in.now = in.now.Add(time.Second)
			}
			a, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: fmt.Sprintf("user-%d", i)})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprintf("%d %s", in.now.Unix(), a.Account.WalletAddress))
		}
		slices.Sort(want)
		slices.Reverse(want)
		var got []string
		for page := (apitype.Page{Limit: 2}); ; {
			part, err := in.Accounts(t.Context(), apitype.AccountQuery{Q: "USER-", Page: page})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range part.Accounts {
				got = append(got, fmt.Sprintf("%d %s", a.CreatedAt.Unix(), a.WalletAddress))
			}
			if part.NextCursor == nil {
				break
			}
			page.Cursor = *part.NextCursor
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// Work is found by the beginning of its id, with or without what all of its kind begin with, the newest first.
func TestSearchByBeginningOfID(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		a, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{"0195abcd-0000-7000-8000-000000000000", "0195abcd-ffff-7fff-bfff-ffffffffffff", "0195abce-0000-7000-8000-000000000000"}
		for i, id := range ids {
			err := in.db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.InsertJob(store.StoredJob{Job: atelier.Job{
					ID: atelier.JobID(id), ProjectID: atelier.ProjectID(fmt.Sprint("project-", i)), Wallet: a.Account.WalletAddress, Owner: atelier.JobOwner{Kind: "workflow", ID: "w", Part: fmt.Sprint(i)},
					Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "z"}, Network: atelier.NetworkFast, CreatedAt: in.now,
				}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for q, want := range map[string][]string{
			"0195abcd": {ids[1], ids[0]}, " 0195ABCD ": {ids[1], ids[0]}, "0195abcd-": {ids[1], ids[0]}, "0195abcd-f": {ids[1]}, "0195abcd…": {ids[1], ids[0]}, "0195abce-0000": {ids[2]}, ids[0]: {ids[0]},
			"0195abc": nil, "0195abcg": nil, "0195abcd_": nil, "0195abcdf": nil, "abcd-0000-7000": nil, ids[0] + "0": nil,
		} {
			var got []string
			found, err := in.Search(t.Context(), q)
			for _, r := range found.Results {
				got = append(got, r.ID)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: got %q, %v, want %q", q, got, err, want)
			}
		}
	})
}

// Failures of the service's own tasks are told from those of renders.
func TestFailures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		a, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		bob, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: "bob"})
		if err != nil {
			t.Fatal(err)
		}
		wallets := []atelier.Wallet{a.Account.WalletAddress, bob.Account.WalletAddress, a.Account.WalletAddress}
		for i, network := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed, atelier.NetworkNode} {
			id := atelier.JobID(fmt.Sprint("job-", i))
			err := in.db.Write(t.Context(), func(tx *store.Tx) error {
				_, err := tx.InsertJob(store.StoredJob{Job: atelier.Job{
					ID: id, ProjectID: atelier.ProjectID(fmt.Sprint("project-", i)), Wallet: wallets[i], Owner: atelier.JobOwner{Kind: "workflow", ID: "w", Part: fmt.Sprint(i)},
					Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "z"}, Network: network, CreatedAt: in.now,
				}})
				if err != nil {
					return err
				}
				if _, err := tx.LeaseJob(id, "worker", in.now, in.now.Add(time.Minute)); err != nil {
					return err
				}
				return tx.EndJob(id, "worker", atelier.JobFailed, atelier.JobError{Code: atelier.FailOutOfMemory, Message: "It broke."}, in.now)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := in.Failures(t.Context(), 24)
		if err != nil || len(got.Failures) != 2 || got.Failures[0].Count != 2 || got.Failures[0].IsTask || got.Failures[1].Count != 1 || !got.Failures[1].IsTask {
			t.Errorf("got %+v, %v, want two renders and a task", got.Failures, err)
		}
		if len(got.Failures) == 2 && (got.Failures[0].Accounts != 2 || got.Failures[1].Accounts != 1) {
			t.Errorf("%d and %d accounts are hit, want 2 and 1", got.Failures[0].Accounts, got.Failures[1].Accounts)
		}
		// A part of the time has what failed in it, its begin included.
		for after, part := range map[time.Duration]int{0: 11, 4*time.Minute + 59*time.Second: 11, 5 * time.Minute: 11, 6 * time.Minute: 10, 57 * time.Minute: 0, time.Hour: 0} {
			now := in.now
			in.now = now.Add(after)
			hour, err := in.Failures(t.Context(), 1)
			in.now = now
			want := make([]int64, store.FailureParts)
			want[part] = 2
			if err != nil || len(hour.Failures) != 2 || !slices.Equal(hour.Failures[0].Trend, want) {
				t.Errorf("%s later: got %+v, %v, want the trend %d", after, hour.Failures, err, want)
			}
		}
		// The jobs of a group are as many as it counts, and none ended in the hour after the next.
		for _, group := range got.Failures {
			jobs, err := in.Jobs(t.Context(), apitype.JobQuery{FailedLike: group.SampleJobID, Hours: 24})
			if err != nil || int64(len(jobs.Jobs)) != group.Count {
				t.Errorf("like %s: got %d jobs, %v, want %d", group.SampleJobID, len(jobs.Jobs), err, group.Count)
			}
		}
		in.now = in.now.Add(2 * time.Hour)
		if jobs, err := in.Jobs(t.Context(), apitype.JobQuery{FailedLike: "job-0", Hours: 1}); err != nil || len(jobs.Jobs) != 0 {
			t.Errorf("in the last hour: got %d jobs, %v, want none", len(jobs.Jobs), err)
		}
		if _, err := in.Jobs(t.Context(), apitype.JobQuery{FailedLike: "another"}); !atelier.HasCode(err, atelier.Missing("failedLike", "another", "job").Code) {
			t.Errorf("like no job: got %v, want that it is missing", err)
		}
	})
}

// A search looks at a few rows at a time and finds all of them in the end. The account that it
// names is found at once, however old it is.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		wallets := map[string]atelier.Wallet{}
		for i, name := range []string{"fox", "hen-1", "foxtrot", "hen-2", "hen-3", "hen-4", "hen-5", "foxy", "hen-6"} {
			in.now = in.now.Add(time.Second)
			a, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: name})
			if err != nil {
				t.Fatal(err)
			}
			wallets[name] = a.Account.WalletAddress
			j := store.StoredJob{Job: atelier.Job{
				ID: atelier.JobID(fmt.Sprint("job-", i)), ProjectID: atelier.ProjectID(fmt.Sprint("project-", i)), Wallet: wallets["fox"], Owner: atelier.JobOwner{Kind: "workflow", ID: "w", Part: fmt.Sprint(i)},
				Spec: atelier.JobSpec{Tool: "generate_image", ModelID: name}, Network: atelier.NetworkFast, CreatedAt: in.now,
			}}
			if i%4 > 0 {
				j.Wallet = a.Account.WalletAddress
			}
			err = in.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.InsertJob(j); return err })
			if err != nil {
				t.Fatal(err)
			}
		}
		found := func(q string, limit int) (names []string, pages int) {
			for page := (apitype.Page{Limit: limit}); ; pages++ {
				part, err := in.Accounts(t.Context(), apitype.AccountQuery{Q: q, Page: page})
				if err != nil {
					t.Fatal(err)
				}
				if len(part.Accounts) > limit {
					t.Errorf("%q: a page of %d has %d accounts", q, limit, len(part.Accounts))
				}
				for _, a := range part.Accounts {
					names = append(names, a.Username)
				}
				if part.NextCursor == nil {
					return names, pages + 1
				}
				page.Cursor = *part.NextCursor
			}
		}
		for _, limit := range []int{1, 2, 3, 50} {
			if got, pages := found("FOX", limit); !slices.Equal(got, []string{"fox", "foxy", "foxtrot"}) || pages < 3 {
				t.Errorf("fox, %d at a time: got %q in %d pages", limit, got, pages)
			}
			if got, _ := found("whale", limit); len(got) > 0 {
				t.Errorf("whale, %d at a time: got %q", limit, got)
			}
		}
		if got, err := in.Search(t.Context(), string(wallets["fox"])); err != nil || len(got.Results) != 1 || got.Results[0].Label != "fox" {
			t.Errorf("the oldest account by its wallet: got %+v, %v", got, err)
		}
		if got, err := in.Search(t.Context(), "fox"); err != nil || len(got.Results) != 2 || got.Results[0].Label != "fox" || got.Results[1].Label != "foxy" {
			t.Errorf("fox, and those of the newest three that begin with it: got %+v, %v", got, err)
		}
		for _, limit := range []int{1, 2, 50} {
			var got []string
			pages := 1
			for page := (apitype.Page{Limit: limit}); ; pages++ {
				part, err := in.Jobs(t.Context(), apitype.JobQuery{Wallet: "fox", Page: page})
				if err != nil {
					t.Fatal(err)
				}
				for _, j := range part.Jobs {
					got = append(got, string(j.JobID))
				}
				if part.NextCursor == nil {
					break
				}
				page.Cursor = *part.NextCursor
			}
			if !slices.Equal(got, []string{"job-8", "job-4", "job-0"}) || pages < 3 {
				t.Errorf("jobs, %d at a time: got %q in %d pages", limit, got, pages)
			}
		}
	})
}

// One account cannot displace the refusals of others, and old ones go.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		wallets := []atelier.Wallet{"0xann", "0xbob"}
		for _, w := range wallets {
			if _, err := in.CreateAccount(t.Context(), apitype.NewAccount{WalletAddress: string(w)}); err != nil {
				t.Fatal(err)
			}
		}
		refuse := func(w atelier.Wallet, source string) {
			err := in.db.Write(t.Context(), func(tx *store.Tx) error {
				return tx.InsertRefusal(store.FilterRefusal{At: in.now, Wallet: w, Place: "workflow", Source: source, Tool: "generate_image", Categories: []string{"sexual"}, Excerpt: source})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		refuse("0xbob", "the first")
		for i := range 103 {
			refuse("0xann", fmt.Sprint(i))
		}
		refuse("0xann", "102") // again
		counts, oldest := map[atelier.Wallet]int{}, map[atelier.Wallet]string{}
		for page := (apitype.Page{Limit: 30}); ; {
			part, err := in.FilterReviews(t.Context(), page)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range part.FilterReviews {
				counts[r.WalletAddress]++
				oldest[r.WalletAddress] = r.SourceID
			}
			if part.NextCursor == nil {
				break
			}
			page.Cursor = *part.NextCursor
		}
		if counts["0xann"] != 100 || oldest["0xann"] != "3" || counts["0xbob"] != 1 {
			t.Errorf("got %v, oldest %v; want 100 of 0xann from 3 on, and 1 of 0xbob", counts, oldest)
		}
		in.now = in.now.Add(31 * 24 * time.Hour)
		if n, err := in.engine.Sweep(t.Context(), 30*24*time.Hour); n != 101 || err != nil {
			t.Errorf("Sweep = %d, %v; want 101", n, err)
		}
	})
}

// A credit and its record are one: a repeated key books neither again.
func TestCreditOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		if _, err := in.CreateAccount(t.Context(), apitype.NewAccount{WalletAddress: "0xolga", Operator: true}); err != nil {
			t.Fatal(err)
		}
		olga := in.engine.As("0xolga")
		for range 3 {
			a, err := olga.Credit(t.Context(), "0xolga", apitype.Credit{Spark: 5 * atelier.MoneyUnit}, "key")
			if err != nil || a.Spark != 5*atelier.MoneyUnit {
				t.Errorf("got %s, %v", a.Spark, err)
			}
		}
		if _, err := olga.Credit(t.Context(), "0xolga", apitype.Credit{Spark: 6 * atelier.MoneyUnit}, "key"); !atelier.HasCode(err, atelier.CodeKeyReused) {
			t.Errorf("another credit with the key: got %v", err)
		}
		list, err := in.Actions(t.Context(), apitype.ActionQuery{Operator: "0xolga"})
		if err != nil || len(list.Actions) != 1 || list.Actions[0].Action != "credit" {
			t.Errorf("the actions are %+v, %v", list.Actions, err)
		}
	})
}

// Two operators that act against each other do not leave the installation without one. The
// command line may.
func TestAnOperatorRemains(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		in := open(t, o)
		operators := in.addOperators(t, "ann", "bob")
		ann, bob := in.engine.As(operators[0]), in.engine.As(operators[1])
		if _, err := ann.SetOperator(t.Context(), "bob", false, ""); err != nil {
			t.Fatal(err)
		}
		// Bob's request was let in before.
		if _, err := bob.SetOperator(t.Context(), "ann", false, ""); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("the role of the last operator: got %v", err)
		}
		if _, err := bob.Suspend(t.Context(), "ann", ""); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("suspending the last operator: got %v", err)
		}
		if _, err := bob.SetOperator(t.Context(), "bob", true, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Suspend(t.Context(), "bob", ""); err != nil {
			t.Fatal(err)
		}
		// A suspended one does not count.
		if _, err := bob.SetOperator(t.Context(), "ann", false, ""); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("the role of the last operator, beside a suspended one: got %v", err)
		}
		if _, err := ann.SetOperator(t.Context(), "bob", false, ""); err != nil {
			t.Errorf("the role of a suspended operator: %v", err)
		}
		if a, err := in.SetOperator(t.Context(), "ann", false, ""); err != nil || a.Operator {
			t.Errorf("on the command line: got %+v, %v", a, err)
		}
	})
}

// The second of two requests that take the role from each other at the same time waits for the
// first.
func TestOperatorsRace(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	in := open(t, o)
	operators := in.addOperators(t, "ann", "bob")
	second := make(chan error, 1)
	err := in.db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.LockOperators(); err != nil {
			return err
		}
		go func() {
			_, err := in.engine.As(operators[1]).SetOperator(t.Context(), "ann", false, "")
			second <- err
		}()
		for !databasetest.IsWaiting(t, o) {
		}
		_, err := tx.SetOperator(atelier.Wallet(operators[1]), false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-second; !atelier.HasCode(err, atelier.CodeWrongState) {
		t.Errorf("got %v, want that ann is the last operator", err)
	}
}

// addOperators adds accounts with the operator role, and returns their wallets.
func (in *installation) addOperators(t *testing.T, names ...string) (wallets []string) {
	t.Helper()
	for _, name := range names {
		a, err := in.CreateAccount(t.Context(), apitype.NewAccount{Username: name, Operator: true})
		if err != nil {
			t.Fatal(err)
		}
		wallets = append(wallets, string(a.Account.WalletAddress))
	}
	return wallets
}
