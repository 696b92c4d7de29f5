package main

import (
	"bytes"
	"path/filepath"
	"regexp"
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
	command("account", "create", "--wallet", "0xPat", "--username", "pat", "--json")
	command("account", "create", "--wallet", "0xAnn", "--username", "ann", "--json")
	if got := command("earnings", "close"); got != "no month to close\n" {
		t.Errorf("got %q", got)
	}
	if got := command("earnings", "claim", "wil"); got != "wil has nothing to claim\n" {
		t.Errorf("got %q", got)
	}
	db, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "atelier.db"), Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	pat := atelier.Wallet("0xPat")
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := tx.PutSubscription(pat, atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, began), began); err != nil {
			return err
		}
		for i, w := range []store.Work{{Wallet: pat, PayUSD: 8_250_000, USD: 16_500_000, ByPlan: true}, {Wallet: "0xAnn", PaySvc: 1_500_000}} {
			w.Cause, w.Worker, w.Network, w.ModelID = []string{"job/a/1", "job/b/1"}[i], "0xWil", atelier.NetworkFast, "m"
			w.At, w.Spark, w.Held = time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC), 10*atelier.MoneyUnit, time.Second
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
	want := func(pattern string, args ...string) string {
		t.Helper()
		got := command(args...)
		if !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: got %q, want %s", strings.Join(args, " "), got, pattern)
		}
		return got
	}
	want(`^no month to close\n$`, "earnings", "close") // it waits for a day
	want(`^closed 2026-01: 1 accounts earned\n$`, "earnings", "close", "--force")
	want(`^\[\]\n$`, "earnings", "close", "--force", "--json")
	waiting := want(`^claim (\S+) of wil waits for an operator: 1.500000 svc \(into its balance\) and 8.250000 USD \(outside the service\) for 2026-01
  One account, 0xPat, asked for 100 % of it.
  ASKED BY +JOBS +SHARE +USD AT MOST +SVC
  pat +1 +99.9 % +8.250000 +0.000000
  ann +1 +0.1 % +0.000000 +1.500000
  MODEL +JOBS +SECONDS/SPARK +USUAL +SPARK
  m +2 +0.10 +- +20.000000
$`, "earnings", "claim", "0xwil")
	want(`^wil has nothing to claim\n$`, "earnings", "claim", "wil")
	want(`^claim \S+ of wil waits`, "earnings", "claims")
	want(`"status":"waiting"`, "earnings", "claims", "--json")
	id := strings.Fields(waiting)[1]
	want(`^claim \S+ of wil was paid 1.500000 svc`, "earnings", "pay", id, "--reason", "known")
	want(`^no claim waits\n$`, "earnings", "claims")
	want(`^\{"claim":null\}\n$`, "earnings", "claim", "wil", "--json")
	if got := command("account", "show", "wil", "--json"); !strings.Contains(got, `1.500000`) {
		t.Errorf("the balance is not paid: %s", got)
	}
	if got := command("ledger", "verify"); !strings.Contains(got, "counters agree with 2 records of work") {
		t.Errorf("got %q", got)
	}
}
