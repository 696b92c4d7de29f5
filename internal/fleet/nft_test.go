package fleet_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

func withNFT(id string) apitype.WorkerSpec {
	return apitype.WorkerSpec{Name: "rig", Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1, NFTTokenID: id}
}

// owned counts the NFTs of accounts.
func (f *fixture) owned(accounts ...atelier.Wallet) (n int) {
	f.T.Helper()
	f.Read(func(tx *store.Tx) error {
		for _, w := range accounts {
			some, err := tx.CountNFTs(w)
			if err != nil {
				return err
			}
			n += some
		}
		return nil
	})
	return n
}

// newNFTFixture is a fleet of two nodes, on a frozen clock, with a limit of NFTs.
func newNFTFixture(t *testing.T, o store.Options, limit int) (f *fixture, second *fleet.Engine) {
	t.Helper()
	f = &fixture{Env: enginetest.New(t, o, func(o *enginetest.Options) { o.Fleet = fleet.Options{Lease: lease, NFTs: limit} })}
	f.FreezeAt(time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC))
	f.Fleet, f.Bus = f.NewFleet()
	second, _ = f.NewFleet()
	return f, second
}

// Connecting with one NFT after another leaves no counters behind, and no more owned NFTs
// than an account may have.
func TestConnectsLeaveNoCounters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		ctx := t.Context()
		f, _ := newNFTFixture(t, o, 20)
		wil := f.account("wil", 0)
		refused := 0
		var ids []string
		for i := range 200 {
			ids = append(ids, fmt.Sprint(i+1))
			w, err := f.Fleet.Connect(ctx, wil, withNFT(ids[i]))
			if atelier.HasCode(err, atelier.CodeForbidden) {
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			f.Advance(time.Second)
			if err := f.Fleet.Heartbeat(ctx, wil, w.ID, apitype.Heartbeat{}); err != nil {
				t.Fatal(err)
			}
			if err := f.Fleet.RecordPresence(ctx); err != nil {
				t.Fatal(err)
			}
			f.Advance(time.Second)
			if err := f.Fleet.Disconnect(ctx, wil, w.ID); err != nil {
				t.Fatal(err)
			}
		}
		if n := f.owned(wil); refused != 180 || n != 20 {
			t.Errorf("refused %d, and %d NFTs are owned; want 180 and 20", refused, n)
		}
		f.Read(func(tx *store.Tx) error {
			for _, between := range []store.Between{{}, {From: "2026-11-14", To: "2026-11-14"}} {
				counts, err := tx.WorkerCounts(store.WorkerFilter{NFTs: ids, Between: between})
				if err != nil || len(counts) != 0 {
					t.Errorf("%+v: %d counters, %v; want none", between, len(counts), err)
				}
			}
			active, err := tx.ActiveNFTs(store.Between{From: "2026-11-14", To: "2026-11-14"}, "2026-11-14")
			if len(active) != 0 {
				t.Errorf("active: %v, want none", active)
			}
			return err
		})
		f.Audit()
	})
}

// While it is connected an NFT is active, whatever is recorded of it; a job makes it active
// for the day, however short the session.
func TestActiveNFTs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.FreezeAt(time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC))
		wil, ann := f.account("wil", 0), f.account("ann", 100)
		active := func(today string, want map[string]int64) {
			t.Helper()
			f.Read(func(tx *store.Tx) error {
				got, err := tx.ActiveNFTs(store.Between{From: "2026-11-13", To: "2026-11-15"}, today)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("on %s: got %v, want %v", today, got, want)
				}
				return err
			})
		}
		one, err := f.Fleet.Connect(t.Context(), wil, withNFT("7"))
		if err != nil {
			t.Fatal(err)
		}
		two, err := f.Fleet.Connect(t.Context(), wil, withNFT("8"))
		if err != nil {
			t.Fatal(err)
		}
		active("2026-11-14", map[string]int64{"2026-11-14": 2})
		active("2026-11-20", map[string]int64{}) // a chart of the past
		if err := f.Fleet.Disconnect(t.Context(), wil, one.ID); err != nil {
			t.Fatal(err)
		}
		f.mustSubmit(ann, "a")
		j, err := f.Fleet.ClaimJob(t.Context(), wil, two.ID, time.Minute)
		if err != nil || j == nil {
			t.Fatalf("claim: %v, %v", j, err)
		}
		if err := f.Fleet.Fail(t.Context(), wil, two.ID, j.ID, atelier.JobError{Code: atelier.FailError}); err != nil {
			t.Fatal(err)
		}
		if err := f.Fleet.Disconnect(t.Context(), wil, two.ID); err != nil {
			t.Fatal(err)
		}
		active("2026-11-14", map[string]int64{"2026-11-14": 1})
	})
}

// Of many workers that name an NFT at the same time, on two nodes, those of one account get
// it. An account does not get more than it may have.
func TestOneAccountGetsAnNFT(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, second := newNFTFixture(t, o, 3)
		nodes := []*fleet.Engine{f.Fleet, second}
		accounts := []atelier.Wallet{f.account("wil", 0), f.account("wanda", 0), f.account("walt", 0)}
		var (
			wg  sync.WaitGroup
			mu  sync.Mutex
			got = map[string]map[atelier.Wallet]bool{} // by NFT
		)
		for i := range 48 {
			w, node, id := accounts[i%3], nodes[i/3%2], fmt.Sprint(1+i/6)
			wg.Go(func() {
				_, err := node.Connect(context.Background(), w, withNFT(id))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && got[id] == nil:
					got[id] = map[atelier.Wallet]bool{w: true}
				case err == nil:
					got[id][w] = true
				case !atelier.HasCode(err, atelier.CodeForbidden):
					t.Errorf("%s names %s: %v", w, id, err)
				}
			})
		}
		wg.Wait()
		owned := map[atelier.Wallet]int{}
		for id, by := range got {
			if len(by) != 1 {
				t.Errorf("%s: accounts %v have it, want one", id, by)
			}
			for w := range by {
				owned[w]++
			}
		}
		for w, n := range owned {
			if n > 3 {
				t.Errorf("%s has %d NFTs, want at most 3", w, n)
			}
		}
		if n := f.owned(accounts...); len(got) != n || n == 0 {
			t.Errorf("%d NFTs are in use and %d are owned", len(got), n)
		}
	})
}

// The time of a worker counts for its NFT until an operator moves that, whichever node has
// seen the worker, and not from then on.
func TestMovedNFTs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		ctx := t.Context()
		f, second := newNFTFixture(t, o, 0)
		wil, wanda := f.account("wil", 0), f.account("wanda", 0)
		w, err := f.Fleet.Connect(ctx, wil, withNFT("7"))
		if err != nil {
			t.Fatal(err)
		}
		beat := func(e *fleet.Engine) {
			t.Helper()
			if err := e.Heartbeat(ctx, wil, w.ID, apitype.Heartbeat{}); err != nil {
				t.Fatal(err)
			}
			if err := e.RecordPresence(ctx); err != nil {
				t.Fatal(err)
			}
		}
		f.Advance(3 * time.Second)
		beat(f.Fleet) // too short to count, so far
		f.Advance(4 * time.Second)
		beat(second)
		nft, own := store.WorkerFilter{NFTs: []string{"7"}}, store.WorkerFilter{Wallet: wil}
		seven := map[string]time.Duration{"2026-11-14": 7 * time.Second, "": 7 * time.Second}
		wantTimes(t, "the NFT", f.connectedTime(nft), seven)
		f.Write(func(tx *store.Tx) error {
			before, err := tx.GiveNFT("7", wanda, f.Now())
			if before != wil {
				t.Errorf("it was of %q, want %s", before, wil)
			}
			return err
		})
		f.Advance(5 * time.Second)
		beat(f.Fleet)
		wantTimes(t, "the NFT of another account", f.connectedTime(nft), seven)
		wantTimes(t, "the account", f.connectedTime(own), map[string]time.Duration{"2026-11-14": 12 * time.Second, "": 12 * time.Second})
		f.Audit()
	})
}
