package fleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// newPresenceFixture is a fleet of two nodes whose background tasks do not run, on a
// clock that only the test moves.
func newPresenceFixture(t *testing.T, o store.Options, at time.Time) (f *fixture, second *fleet.Engine) {
	t.Helper()
	f = &fixture{Env: enginetest.New(t, o)}
	f.FreezeAt(at)
	f.Fleet, f.Bus = f.NewFleet()
	second, _ = f.NewFleet()
	return f, second
}

// connectedTime reads the connected time of an account by day, and over its lifetime.
func (f *fixture) connectedTime(filter store.WorkerFilter) map[string]time.Duration {
	f.T.Helper()
	out := map[string]time.Duration{}
	for _, b := range []store.Between{{}, {From: "2026-01-01", To: "2027-01-01"}} {
		filter.Between = b
		f.Read(func(tx *store.Tx) error {
			counts, err := tx.WorkerCounts(filter)
			for k, s := range counts {
				out[k.Day] += s.Connected
			}
			return err
		})
	}
	return out
}

func wantTimes(t *testing.T, what string, got, want map[string]time.Duration) {
	t.Helper()
	for day := range got {
		if got[day] != want[day] {
			t.Errorf("%s on %q: connected for %v, want %v", what, day, got[day], want[day])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Connected time is exact whichever nodes a worker calls, is split at midnight, and
// survives the death of a node: the next node adds what the dead one had not written.
func TestConnectedTime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f, second := newPresenceFixture(t, o, time.Date(2026, 11, 14, 23, 59, 50, 0, time.UTC))
		wil := f.account("wil", 0)
		ctx := context.Background()
		beat := func(e *fleet.Engine, id atelier.WorkerID) {
			t.Helper()
			if err := e.Heartbeat(ctx, wil, id, apitype.Heartbeat{}); err != nil {
				t.Fatal(err)
			}
		}
		record := func(e *fleet.Engine) {
			t.Helper()
			if err := e.RecordPresence(ctx); err != nil {
				t.Fatal(err)
			}
		}
		one := f.connect(wil)
		other, err := second.Connect(ctx, wil, apitype.WorkerSpec{Name: "b", Network: atelier.NetworkRelaxed, Models: []string{model}, Capacity: 1, NFTTokenID: "7"})
		if err != nil {
			t.Fatal(err)
		}
		f.Advance(4 * time.Second) // 23:59:54: it calls both nodes within an interval
		beat(f.Fleet, one.ID)
		beat(second, one.ID)
		record(f.Fleet)
		record(second)
		f.Advance(8 * time.Second) // 00:00:02
		beat(second, one.ID)       // the first node is dead, with nothing written since
		record(second)
		beat(second, other.ID)
		record(second)
		f.Advance(3 * time.Second)
		if err := second.Disconnect(ctx, wil, one.ID); err != nil { // the last seconds count too
			t.Fatal(err)
		}
		fast := map[string]time.Duration{"2026-11-14": 10 * time.Second, "2026-11-15": 5 * time.Second, "": 15 * time.Second}
		relaxed := map[string]time.Duration{"2026-11-14": 10 * time.Second, "2026-11-15": 2 * time.Second, "": 12 * time.Second}
		both := map[string]time.Duration{"2026-11-14": 20 * time.Second, "2026-11-15": 7 * time.Second, "": 27 * time.Second}
		wantTimes(t, "the first", f.connectedTime(store.WorkerFilter{Wallet: wil, Network: atelier.NetworkFast}), fast)
		wantTimes(t, "the NFT", f.connectedTime(store.WorkerFilter{NFTs: []string{"7"}}), relaxed)
		wantTimes(t, "the account", f.connectedTime(store.WorkerFilter{Wallet: wil}), both)
		wantTimes(t, "the networks", f.connectedTime(store.WorkerFilter{}), both)

		f.Advance(time.Hour) // no node was there
		beat(second, other.ID)
		record(second)
		wantTimes(t, "after an outage", f.connectedTime(store.WorkerFilter{NFTs: []string{"7"}}), relaxed)
		f.Audit()
		week := store.Between{From: "2026-11-14", To: "2026-11-20"}
		f.Read(func(tx *store.Tx) error {
			for what, c := range map[string]struct {
				read func() (map[string]int64, error)
				want [2]int64
			}{
				"logins on fast":    {func() (map[string]int64, error) { return tx.Logins(atelier.NetworkFast, week) }, [2]int64{1, 1}},
				"logins on relaxed": {func() (map[string]int64, error) { return tx.Logins(atelier.NetworkRelaxed, week) }, [2]int64{1, 1}},
				"NFTs":              {func() (map[string]int64, error) { return tx.ActiveNFTs(week, "2026-11-15") }, [2]int64{1, 1}},
				"online on fast":    {func() (map[string]int64, error) { return tx.Online(atelier.NetworkFast, week) }, [2]int64{1, 1}},
				"online":            {func() (map[string]int64, error) { return tx.Online("", week) }, [2]int64{2, 2}},
			} {
				got, err := c.read()
				if err != nil || got["2026-11-14"] != c.want[0] || got["2026-11-15"] != c.want[1] || len(got) != 2 {
					t.Errorf("%s: got %v, %v, want %v", what, got, err, c.want)
				}
			}
			return nil
		})
	})
}
