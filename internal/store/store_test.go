package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func account(name string) atelier.Account {
	return atelier.Account{Wallet: atelier.Wallet("0x" + name), Username: name, CreatedAt: now}
}

// write makes a change that must succeed.
func write(t *testing.T, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		broken := errors.New("broken")
		called := false
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			tx.OnCommit(func() { called = true })
			if err := tx.InsertAccount(account("ann")); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want the function's own error", err)
		}
		if called {
			t.Error("OnCommit was called for a change that failed")
		}
		if err := db.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Account("0xann"); return err }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after a failed change: got %v, want ErrNotFound", err)
		}
		write(t, db, func(tx *store.Tx) error {
			tx.OnCommit(func() { called = true })
			return tx.InsertAccount(account("ann"))
		})
		if !called {
			t.Error("OnCommit was not called for a change that committed")
		}
	})
}

func TestPanicInAChangeIsAnError(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		err := db.Write(t.Context(), func(tx *store.Tx) error { panic("oops") })
		if err == nil || !strings.Contains(err.Error(), "oops") {
			t.Errorf("got %v, want the panic as an error", err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
	})
}

func TestAccountsAreUniqueInAnyCase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("Ann")) })
		for _, a := range []atelier.Account{
			{Wallet: "0XANN", Username: "other", CreatedAt: now},
			{Wallet: "0xother", Username: "ANN", CreatedAt: now},
		} {
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.InsertAccount(a) }); !errors.Is(err, store.ErrExists) {
				t.Errorf("%v: got %v, want ErrExists", a, err)
			}
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			a, err := tx.Account("0xaNN")
			if err == nil && a != account("Ann") {
				t.Errorf("got %+v, want %+v", a, account("Ann"))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(account("ann")),
				tx.InsertKey("h1", "0xann", atelier.APIKey{Hint: "one", CreatedAt: now}),
				tx.InsertKey("h2", "0xann", atelier.APIKey{Hint: "two", CreatedAt: now.Add(time.Second)}))
		})
		owner := func(hash string) (a atelier.Account, err error) {
			err = db.Read(t.Context(), func(tx *store.Tx) error { a, err = tx.KeyOwner(hash); return err })
			return a, err
		}
		if a, err := owner("h1"); err != nil || a.Username != "ann" {
			t.Errorf("owner of a valid key: got %+v, %v", a, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.RevokeKey("h1", now.Add(time.Minute)) })
		for _, hash := range []string{"h1", "unknown"} {
			if _, err := owner(hash); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("owner of %s: got %v, want ErrNotFound", hash, err)
			}
			if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.RevokeKey(hash, now) }); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("revoke %s: got %v, want ErrNotFound", hash, err)
			}
		}
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			keys, err := tx.Keys("0xann")
			if len(keys) != 2 || keys[0].Hint != "one" || keys[0].RevokedAt.IsZero() || !keys[1].RevokedAt.IsZero() {
				t.Errorf("keys: got %+v", keys)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestSubscriptionRoundTrip(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		read := func() (s atelier.Subscription) {
			if err := db.Read(t.Context(), func(tx *store.Tx) (err error) { s, err = tx.Subscription("0xann"); return err }); err != nil {
				t.Error(err)
			}
			return s
		}
		if got := read(); got.Status != atelier.SubscriptionNone {
			t.Errorf("before anything was set: got %+v", got)
		}
		for _, want := range []atelier.Subscription{
			atelier.Subscribe(atelier.TierUnlimited, atelier.SubscriptionActive, time.Time{}, now),
			atelier.Subscribe(atelier.TierUnlimitedPro, atelier.SubscriptionTrialing, now.Add(time.Hour), now),
		} {
			write(t, db, func(tx *store.Tx) error { return tx.PutSubscription("0xann", want) })
			if got := read(); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

func TestGrantsAddUpAndAreBookedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		grant := func(cause string) error {
			return db.Write(context.Background(), func(tx *store.Tx) error {
				return tx.Grant(store.LedgerEntry{Wallet: "0xann", Token: atelier.TokenSpark, Kind: "grant", Amount: atelier.MoneyUnit, Cause: cause, At: now})
			})
		}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				if err := grant(fmt.Sprint("cause", i)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := grant("cause7"); !errors.Is(err, store.ErrExists) {
			t.Errorf("the same cause again: got %v, want ErrExists", err)
		}
		err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
			purses, err := tx.Purses("0xann")
			if got := purses[atelier.TokenSpark].Available(); got != 50*atelier.MoneyUnit {
				t.Errorf("got %s, want 50", got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// A reader that is in the middle of a snapshot sees none of what is written
// beside it.
func TestSnapshotIsOneState(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		exists := func(tx *store.Tx) bool {
			yes, err := tx.AccountExists("0xann", "ann")
			if err != nil {
				t.Error(err)
			}
			return yes
		}
		err := db.Snapshot(t.Context(), func(tx *store.Tx) error {
			before := exists(tx)
			write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
			if before || exists(tx) {
				t.Error("the snapshot moved")
			}
			return db.Read(t.Context(), func(tx *store.Tx) error {
				if !exists(tx) {
					t.Error("a plain read does not see the latest commit")
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestOpenAgainKeepsTheData(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db, err := store.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return nil }); err == nil {
			t.Error("a closed database took a change")
		}
		again := storetest.Open(t, o)
		if err := again.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Account("0xann"); return err }); err != nil {
			t.Error(err)
		}
	})
}

// Two programs open an empty database at the same moment: both start.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := store.Open(context.Background(), o)
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				db.Close()
			})
		}
		wg.Wait()
	})
}

// A change that fails does not undo the other changes of its group.
func TestGroupedChangesAreIndependent(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.SQLite(t))
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			err := db.Write(context.Background(), func(tx *store.Tx) error {
				if err := tx.InsertAccount(account(fmt.Sprint("a", i))); err != nil {
					return err
				}
				if i%2 == 1 {
					return errors.New("changed my mind")
				}
				return nil
			})
			if (err != nil) != (i%2 == 1) {
				t.Errorf("change %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for i := range 200 {
		err := db.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Account(account(fmt.Sprint("a", i)).Wallet); return err })
		if (err == nil) != (i%2 == 0) {
			t.Errorf("account %d: %v", i, err)
		}
	}
}

// A change for which Write has returned survives kill -9. The test runs itself as a
// child that prints a line after each change, and kills the child while it writes.
func TestCommittedChangesSurviveKill(t *testing.T) {
	t.Parallel()
	if os.Getenv("ATELIER_STORE_CHILD") != "" {
		writeForever(t)
		return
	}
	path := filepath.Join(t.TempDir(), "atelier.db")
	child := exec.Command(os.Args[0], "-test.run=^TestCommittedChangesSurviveKill$", "-test.timeout=60s")
	child.Env = append(os.Environ(), "ATELIER_STORE_CHILD="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	written := names(lines, 300)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	written = append(written, names(lines, 1<<30)...) // printed before it was killed
	_ = child.Wait()

	db := storetest.Open(t, store.Options{Path: path})
	if len(written) < 300 {
		t.Fatalf("the child wrote only %d changes", len(written))
	}
	for _, name := range written {
		if err := db.Read(t.Context(), func(tx *store.Tx) error { _, err := tx.Account(account(name).Wallet); return err }); err != nil {
			t.Errorf("%s was committed and is gone: %v", name, err)
		}
	}
}

// names reads up to n of the child's "wrote NAME" lines.
func names(lines *bufio.Scanner, n int) (out []string) {
	for len(out) < n && lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "wrote "); ok && strings.HasSuffix(name, ".") {
			out = append(out, strings.TrimSuffix(name, "."))
		}
	}
	return out
}

func writeForever(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{Path: os.Getenv("ATELIER_STORE_CHILD")})
	if err != nil {
		t.Fatal(err)
	}
	for worker := range 8 {
		go func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("w%d-%d", worker, i)
				write := db.Write
				if i%2 == 1 { // a relaxed change survives the process too
					write = db.WriteRelaxed
				}
				if err := write(context.Background(), func(tx *store.Tx) error { return tx.InsertAccount(account(name)) }); err != nil {
					panic(err)
				}
				os.Stdout.WriteString("wrote " + name + ".\n")
			}
		}()
	}
	select {} // until killed
}

// A relaxed change is not synced when it is alone in its group. Every other change
// is synced, also directly after a relaxed one.
func TestWriteRelaxed(t *testing.T) {
	t.Parallel()
	o := storetest.SQLite(t)
	o.NoSync = false
	db := storetest.Open(t, o)
	ask := func(write func(context.Context, func(*store.Tx) error) error) (synced bool) {
		t.Helper()
		err := write(t.Context(), func(tx *store.Tx) (err error) {
			synced, err = tx.Synced()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return synced
	}
	for range 3 {
		if ask(db.WriteRelaxed) {
			t.Error("a relaxed change was synced")
		}
		for range 2 {
			if !ask(db.Write) {
				t.Error("a change was not synced")
			}
		}
	}
}

// Many programs may open and close a new file at the same time: one of them
// migrates it, and the others wait.
func TestManyOpenANewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "atelier.db")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				db, err := store.Open(t.Context(), store.Options{Path: path})
				if err != nil {
					t.Errorf("open: %v", err)
					return
				}
				if err := db.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
