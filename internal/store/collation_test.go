package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database/databasetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// No statement depends on how the database sorts text: by bytes, as SQLite and our
// PostgreSQL databases do, or by letters alone, as other collations do.
func TestAnyCollation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, anyCollation)
	t.Run("collated", func(t *testing.T) {
		t.Parallel()
		anyCollation(t, databasetest.Collated(t, "en-u-ka-shifted")) // ignores slashes and dashes
	})
}

func anyCollation(t *testing.T, o store.Options) {
	db := storetest.Open(t, o)
	const ann = atelier.Wallet("0xann")
	causes := []string{"llm/a/1", "llm/0", "llm//x", "llm/~", "llm0", "llm", "llmx/1", "tool/llm/1", "job/llm/1", "LLM/a"}
	keys := []string{"inputs/b/2", "inputs/B/1", "inputs/a-1", "inputs/a1", "inputs/ab/0", "inputs/é"}
	ids := []string{"b", "B", "a-b", "ab", "a_c", "A.b", "10", "9"}
	write(t, db, func(tx *store.Tx) error {
		if err := tx.InsertAccount(atelier.Account{Wallet: ann, Username: "ann", CreatedAt: now}); err != nil {
			return err
		}
		if err := tx.Grant(store.LedgerEntry{Wallet: ann, Token: atelier.TokenSpark, Kind: "grant", Amount: 1000, Cause: "grant/1", At: now}); err != nil {
			return err
		}
		for _, cause := range causes {
			tx.Hold(cause, ann, atelier.ChargePart{Token: atelier.TokenSpark, Amount: 1}, now)
		}
		for _, key := range keys {
			if err := tx.InsertUpload(store.Upload{Key: key, ProjectID: "p", Slot: "s", Wallet: ann, CreatedAt: now, OpenUntil: now}); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if err := tx.InsertTemplate(store.StoredTemplate{Owner: ann, ID: id, Exposed: true, Priority: 1, Document: []byte(`{}`), CreatedAt: now, UpdatedAt: now}); err != nil {
				return err
			}
		}
		return nil
	})
	later := now.Add(time.Hour)
	err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
		stale, err := tx.StaleHolds("llm", later, 100)
		if err != nil {
			return err
		}
		var got []string
		for _, h := range stale {
			got = append(got, h.Cause)
		}
		slices.Sort(got)
		if want := []string{"llm//x", "llm/0", "llm/a/1", "llm/~"}; !slices.Equal(got, want) {
			t.Errorf("stale holds: got %q, want %q", got, want)
		}
		if early, err := tx.StaleHolds("llm", now, 100); err != nil || len(early) > 0 {
			t.Errorf("holds that are not stale: got %q, %v", early, err)
		}

		// The engine sorts as Go does, so it must get those that come first then.
		got = got[:0]
		exposed, err := tx.ExposedTemplates(ann, store.Operator, 4, 1<<20)
		for _, e := range exposed {
			got = append(got, e.ID)
		}
		if want := slices.Sorted(slices.Values(ids))[:4]; err != nil || !slices.Equal(got, want) {
			t.Errorf("exposed templates: got %q, %v, want %q", got, err, want)
		}

		// A caller that reads page by page reads everything once.
		got = got[:0]
		for after := ""; ; {
			page, err := tx.ClosedUploads(later, after, 2)
			if err != nil {
				return err
			}
			for _, u := range page {
				got = append(got, u.Key)
				after = u.Key
			}
			if len(page) < 2 {
				break
			}
		}
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(keys))) {
			t.Errorf("closed uploads: got %s, want each of %s once", strings.Join(got, " "), strings.Join(keys, " "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
