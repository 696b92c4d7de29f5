package live_test

import (
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A slow reader gets the last state, once, and a change that was made before it
// subscribed is not news.
func TestSlowReaderGetsOneUpdate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := enginetest.New(t, o)
		ann := env.AddAccount(atelier.Account{Wallet: "0xann", Username: "ann"}, billing.Credits{Spark: atelier.MoneyUnit})
		engine := live.New(env.DB, env.Bus)
		grant := func(cause string) {
			t.Helper()
			err := env.DB.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Grant(store.LedgerEntry{Wallet: ann.Wallet, Token: atelier.TokenSpark, Kind: "grant", Amount: 1, Cause: cause, At: env.Now()})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for n, err := range engine.Follow(t.Context(), ann.Wallet, live.Topics[:5], 300*time.Millisecond) {
			if err != nil {
				t.Fatal(err)
			}
			if n.Event == "" && len(got) > 1 { // a beat after the last news
				break
			}
			if n.Event == "" { // a beat that passed while the changes were made
				continue
			}
			if got = append(got, n.Event); n.Event == "ready" {
				for _, cause := range []string{"a", "b", "c"} {
					grant(cause)
				}
			}
		}
		if len(got) != 2 || got[0] != "ready" || got[1] != "balance" {
			t.Errorf("got %q, want ready and balance", got)
		}
	})
}
