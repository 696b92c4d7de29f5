package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// put writes a record of a minute.
func put(t *testing.T, db *store.DB, owner atelier.Wallet, run string, minute int, record string) (created time.Time) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		created, err = tx.PutReplay(store.StoredReplay{
			Owner: owner, RunID: run, Summary: []byte(`{"a":"` + run + `"}`), Record: []byte(record), UpdatedAt: now.Add(time.Duration(minute) * time.Minute),
		})
		return err
	})
	return created
}

// runs lists the run ids of a page.
func runs(t *testing.T, db *store.DB, owner atelier.Wallet, offset, limit int, bytes int64) (ids string, more bool) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		page, m, err := tx.Replays(owner, offset, limit, bytes)
		ids, more = "", m
		for _, r := range page {
			ids += r.RunID
			if r.Record != nil || string(r.Summary) != `{"a":"`+r.RunID+`"}` {
				t.Errorf("listed %+v", r)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, more
}

func TestReplays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		for minute, run := range []string{"a", "b", "c"} {
			put(t, db, "0xann", run, minute, `{}`)
		}
		put(t, db, "0xbob", "a", 3, `{"of":"bob"}`)
		if created := put(t, db, "0xann", "a", 4, `{"v":2}`); !created.Equal(now) {
			t.Errorf("written again: created %v, want %v", created, now)
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			r, err := tx.Replay("0xann", "a")
			if err != nil || string(r.Record) != `{"v":2}` || !r.CreatedAt.Equal(now) || !r.UpdatedAt.Equal(now.Add(4*time.Minute)) {
				t.Errorf("read %+v, %v", r, err)
			}
			if _, err := tx.Replay("0xbob", "b"); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("another account's: got %v, want ErrNotFound", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []struct {
			offset, limit int
			bytes         int64
			want          string
			more          bool
		}{
			{0, 10, 1 << 20, "acb", false},
			{0, 2, 1 << 20, "ac", true},
			{2, 2, 1 << 20, "b", false},
			{0, 10, 9, "a", true}, // a summary has nine bytes
			{0, 10, 1, "a", true}, // the first is always listed
			{3, 10, 1 << 20, "", false},
		} {
			if got, more := runs(t, db, "0xann", page.offset, page.limit, page.bytes); got != page.want || more != page.more {
				t.Errorf("%+v: got %s, %v", page, got, more)
			}
		}
	})
}

// The records that were updated longest ago are removed first: beyond a number, and beyond
// a sum of bytes.
func TestTrimReplays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		for minute, run := range []string{"a", "b", "c", "d", "a"} { // 11 bytes each
			put(t, db, "0xann", run, minute, `{}`)
		}
		put(t, db, "0xbob", "a", 0, `{}`)
		for _, step := range []struct {
			records int
			bytes   int64
			want    string
		}{
			{4, 44, "adcb"}, {3, 44, "adc"}, {3, 32, "ad"}, {3, 22, "ad"}, {1, 22, "a"},
		} {
			write(t, db, func(tx *store.Tx) error { return tx.TrimReplays("0xann", step.records, step.bytes) })
			if got, _ := runs(t, db, "0xann", 0, 10, 1<<20); got != step.want {
				t.Errorf("trimmed to %d records and %d bytes: got %s, want %s", step.records, step.bytes, got, step.want)
			}
		}
		if got, _ := runs(t, db, "0xbob", 0, 10, 1<<20); got != "a" {
			t.Errorf("another account's: got %q", got)
		}
	})
}
