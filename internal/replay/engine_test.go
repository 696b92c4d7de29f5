package replay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/replay"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/wire"
)

// A write beyond the limit of an account removes the record that was updated longest ago,
// and nothing of other accounts.
func TestOldestRecordsAreRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
		e := replay.New(storetest.Open(t, o), func() time.Time { return now })
		write := func(w atelier.Wallet, run string) {
			t.Helper()
			now = now.Add(time.Second)
			if _, err := e.Write(t.Context(), w, replay.Fields{"run_id": wire.Raw(`"` + run + `"`)}); err != nil {
				t.Fatal(err)
			}
		}
		found := func(w atelier.Wallet, run string) bool {
			t.Helper()
			_, _, err := e.Record(t.Context(), w, run)
			if err != nil && !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Fatal(err)
			}
			return err == nil
		}
		write("0xbob", "run-0")
		for i := range 1000 {
			write("0xann", fmt.Sprintf("run-%d", i))
		}
		write("0xann", "run-0") // so that run-1 is the oldest
		if !found("0xann", "run-1") {
			t.Error("a record that was replaced removed another")
		}
		write("0xann", "run-1000")
		for run, want := range map[string]bool{"run-0": true, "run-1": false, "run-2": true, "run-1000": true} {
			if got := found("0xann", run); got != want {
				t.Errorf("%s: found %v, want %v", run, got, want)
			}
		}
		if !found("0xbob", "run-0") {
			t.Error("a record of another account was removed")
		}
	})
}

// A list shows the beginning of long texts; the record has all of them.
func TestSummariesAreShort(t *testing.T) {
	t.Parallel()
	e := replay.New(storetest.Open(t, storetest.SQLite(t)), time.Now)
	long := strings.Repeat("ä fox ", 10_000)
	fields := replay.Fields{"run_id": wire.Raw(`"r"`)}
	for _, name := range []string{"user_request", "final_response", "model_id"} {
		fields[name] = wire.Raw(`"` + long + `"`)
	}
	if _, err := e.Write(t.Context(), "0xann", fields); err != nil {
		t.Fatal(err)
	}
	page, err := e.List(t.Context(), "0xann", 0, 10)
	if err != nil || len(page.Records) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, text := range []string{page.Records[0].UserRequest, page.Records[0].FinalResponse, page.Records[0].ModelID} {
		if len(text) > 5000 || !strings.HasPrefix(long, strings.TrimSuffix(text, "…")) || !strings.HasSuffix(text, "…") {
			t.Errorf("a summary has %d bytes: …%q", len(text), text[max(0, len(text)-20):])
		}
	}
}
