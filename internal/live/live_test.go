package live_test

import (
	"fmt"
	"slices"
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
			if typeOf(n) == "" && len(got) > 1 { // a beat after the last news
				break
			}
			if typeOf(n) == "" { // a beat that passed while the changes were made
				continue
			}
			if got = append(got, typeOf(n)); typeOf(n) == "ready" {
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

// The first credit of an account is news, although it had no purse before.
func TestFirstCredit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := enginetest.New(t, o)
		ann := env.AddAccount(atelier.Account{Wallet: "0xann", Username: "ann"}, billing.Credits{})
		beats := 0
		for n, err := range live.New(env.DB, env.Bus).Follow(t.Context(), ann.Wallet, []live.Topic{store.TopicBalance}, 300*time.Millisecond) {
			if err != nil {
				t.Fatal(err)
			}
			if typeOf(n) == "balance" {
				return
			}
			if typeOf(n) == "" { // a beat; some may pass before the news
				if beats++; beats > 50 {
					t.Fatal("the credit is not told")
				}
				continue
			}
			err := env.DB.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Grant(store.LedgerEntry{Wallet: ann.Wallet, Token: atelier.TokenSpark, Kind: "grant", Amount: 1, Cause: "a", At: env.Now()})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Deletions are told, also of artifacts that a stream no longer remembers, and next to ones
// that are made.
func TestDeletedArtifacts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		env := enginetest.New(t, o)
		ann := env.AddAccount(atelier.Account{Wallet: "0xann", Username: "ann"}, billing.Credits{})
		engine := live.New(env.DB, env.Bus)
		write := func(change func(tx *store.Tx) error) {
			t.Helper()
			if err := env.DB.Write(t.Context(), change); err != nil {
				t.Fatal(err)
			}
		}
		add := func(tx *store.Tx, n int) error {
			id := fmt.Sprintf("a%03d", n)
			j := store.StoredJob{Job: atelier.Job{
				ID: atelier.JobID("job-" + id), ProjectID: atelier.ProjectID("project-" + id), Wallet: ann.Wallet, Owner: atelier.JobOwner{Kind: "workflow", ID: "w-" + id, Part: "step/0"},
				Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "m"}, Network: atelier.NetworkFast, Attempt: 1, CreatedAt: env.Now(),
			}}
			a := atelier.Artifact{ID: id, JobID: j.ID, ProjectID: j.ProjectID, Kind: "image", ContentType: "image/png", Key: "results/" + id}
			if _, err := tx.InsertJob(j); err != nil {
				return err
			}
			if err := tx.InsertArtifact(a); err != nil {
				return err
			}
			return tx.InsertLibraryItem(store.NewLibraryItem(j.Job, a, "a", env.Now().Add(time.Duration(n)*time.Second)))
		}
		remove := func(tx *store.Tx, n int) error {
			item, keys, err := tx.LockLibraryItem(ann.Wallet, fmt.Sprintf("a%03d", n))
			if err != nil {
				return err
			}
			return tx.DeleteLibraryItem(item, keys)
		}
		const made = 140
		write(func(tx *store.Tx) error {
			for n := range made {
				if err := add(tx, n); err != nil {
					return err
				}
			}
			return nil
		})
		steps := []struct {
			change func(tx *store.Tx) error
			want   []string
		}{
			{func(tx *store.Tx) error { return remove(tx, 0) }, []string{"artifacts_deleted"}},
			{func(tx *store.Tx) error { return remove(tx, made-1) }, []string{"artifacts_deleted"}},
			{func(tx *store.Tx) error { return add(tx, made) }, []string{"artifact"}},
			{func(tx *store.Tx) error {
				if err := add(tx, made+1); err != nil {
					return err
				}
				return remove(tx, made-2)
			}, []string{"artifact", "artifacts_deleted"}},
		}
		var got, want []string
		for n, err := range engine.Follow(t.Context(), ann.Wallet, []live.Topic{store.TopicArtifacts}, time.Minute) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, typeOf(n)); typeOf(n) != "ready" && len(got) < len(want) {
				continue
			}
			if typeOf(n) != "ready" && !slices.Equal(got, want) {
				break
			}
			if len(steps) == 0 {
				break
			}
			got, want = nil, steps[0].want
			write(steps[0].change)
			steps = steps[1:]
		}
		if !slices.Equal(got, want) || len(steps) > 0 {
			t.Errorf("got %q, want %q; %d steps are left", got, want, len(steps))
		}
	})
}

// typeOf is the type of an event; empty for a beat.
func typeOf(p atelier.Payload) string {
	if p == nil {
		return ""
	}
	return string(p.EventType())
}
