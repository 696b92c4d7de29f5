package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Months are closed and claimed on the command line, and doing so again pays nothing.
func TestEarnings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(append(args, "--data", dir), &out, &errs); code != 0 {
			t.Fatalf("%s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return out.String()
	}
	command("account", "create", "--wallet", "0xWil", "--username", "wil", "--worker", "--json")
	if got := command("earnings", "close"); got != "no month to close\n" {
		t.Errorf("got %q", got)
	}
	if got := command("earnings", "claim", "wil"); got != "0xWil has nothing to claim\n" {
		t.Errorf("got %q", got)
	}
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "atelier.db"), Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		for i, w := range []store.Work{{PayUSD: 250_000, USD: 500_000, ByPlan: true}, {PaySvc: 1_500_000}} {
			w.Cause, w.Wallet, w.Worker, w.Network, w.ModelID = []string{"job/a/1", "job/b/1"}[i], "0xWil", "0xWil", atelier.NetworkFast, "m"
			w.At = time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)
			if err := tx.RecordWork(w); err != nil {
				return err
			}
		}
		_, err := tx.CountWork(10)
		return err
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := command("earnings", "close"); got != "closed 2026-01: 1 accounts earned\n" {
		t.Errorf("got %q", got)
	}
	if got := command("earnings", "close", "--json"); got != "[]\n" {
		t.Errorf("got %q", got)
	}
	if got := command("earnings", "claim", "0xwil"); !strings.HasPrefix(got, "0xWil claimed 1.500000 svc, which is in its balance, and 0.250000 USD, for 2026-01 (claim ") {
		t.Errorf("got %q", got)
	}
	if got := command("earnings", "claim", "wil", "--json"); got != `{"walletAddress":"0xWil","months":[],"usd":"0.000000","svc":"0.000000"}`+"\n" {
		t.Errorf("got %q", got)
	}
	if got := command("account", "show", "wil", "--json"); !strings.Contains(got, `1.500000`) {
		t.Errorf("the balance is not paid: %s", got)
	}
	if got := command("ledger", "verify"); !strings.Contains(got, "counters agree with 2 records of work") {
		t.Errorf("got %q", got)
	}
}
