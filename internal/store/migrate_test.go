package store_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// upgraded opens a database in which a program of an earlier version has
// written something.
func upgraded(t *testing.T, o store.Options, version int, statements ...string) *store.DB {
	t.Helper()
	before, err := store.OpenAt(t.Context(), o, version)
	if err != nil {
		t.Fatal(err)
	}
	write(t, before, func(tx *store.Tx) error {
		for _, sql := range statements {
			if err := store.Exec(tx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	return storetest.Open(t, o)
}

// What an earlier program has written is still there for this one: money, held
// and spent, logs and keys.
func TestFewerIndexesKeepTheData(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := upgraded(t, o, 5,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			`INSERT INTO purse VALUES ('0xann', 'spark', 100, 30, 20)`,
			`INSERT INTO ledger VALUES ('1', '0xann', 'spark', 'grant', 100, 'credit/1', 1)`,
			`INSERT INTO ledger VALUES ('2', '0xann', 'spark', 'hold', 40, 'job/a/1', 2)`,
			`INSERT INTO ledger VALUES ('3', '0xann', 'spark', 'release', 40, 'job/a/1', 3)`,
			`INSERT INTO ledger VALUES ('4', '0xann', 'spark', 'spend', 30, 'job/a/1', 3)`,
			`INSERT INTO ledger VALUES ('5', '0xann', 'spark', 'hold', 20, 'job/b/1', 4)`,
			`INSERT INTO hold VALUES ('job/a/1', 'spark', '0xann', 40, FALSE, 2)`,
			`INSERT INTO hold VALUES ('job/b/1', 'spark', '0xann', 20, TRUE, 4)`,
			`INSERT INTO event VALUES ('wf_1', 0, 'workflow_started', 5, 'hello', '{"n":1}', 'queued', '')`,
			`INSERT INTO idempotency VALUES ('0xann', 'workflow', 'k', 'wf_1', 'd', '', 6)`,
		)
		var purses []store.PurseSums
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			events, err := tx.Events("wf_1", -1, 10, 1<<20)
			if err != nil || len(events) != 1 || events[0].Message != "hello" || events[0].Payload["n"] != 1.0 {
				t.Errorf("the log is %+v, %v", events, err)
			}
			record, err := tx.FindIdempotencyRecord("0xann", "workflow", "k")
			if err != nil || record.Resource != "wf_1" {
				t.Errorf("the key made %+v, %v", record, err)
			}
			return tx.Audit(func(s store.PurseSums) error { purses = append(purses, s); return nil })
		})
		want := atelier.Purse{Granted: 100, Spent: 30, Held: 20}
		if err != nil || len(purses) != 1 || purses[0].Row != want || purses[0].Ledger != want {
			t.Errorf("the purses are %+v, %v; want %+v, twice", purses, err, want)
		}
		write(t, db, func(tx *store.Tx) error { return tx.ReleaseHolds("job/a/1", "0xann") }) // it is over: nothing is held for it
		write(t, db, func(tx *store.Tx) error {
			spent, err := tx.SpendHold(store.LedgerEntry{Wallet: "0xann", Token: atelier.TokenSpark, Amount: 15, Cause: "job/b/1", At: now})
			if spent != 15 {
				t.Errorf("spent %d of 20 held, want 15", spent)
			}
			return err
		})
	})
}

// Ledger entries of versions without applications have none, and later ones name
// theirs.
func TestAppsKeepTheLedger(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := upgraded(t, o, 8,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			`INSERT INTO purse VALUES ('0xann', 'spark', 100, 30, 20)`,
			`INSERT INTO ledger VALUES ('credit/1', 'grant', 'spark', '0xann', 100, 1)`,
			`INSERT INTO ledger VALUES ('job/a/1', 'spend', 'spark', '0xann', 30, 3)`,
			`INSERT INTO hold VALUES ('job/b/1', 'spark', '0xann', 20, 4)`,
		)
		write(t, db, func(tx *store.Tx) error {
			_, err := tx.SpendHold(store.LedgerEntry{Wallet: "0xann", Token: atelier.TokenSpark, Amount: 15, Cause: "job/b/1", App: "studio", At: now})
			return err
		})
		var purses []store.PurseSums
		var sums []store.SpendSum
		err := db.Read(t.Context(), func(tx *store.Tx) (err error) {
			if sums, err = tx.SpendSums("0xann", time.Time{}); err != nil {
				return err
			}
			return tx.Audit(func(s store.PurseSums) error { purses = append(purses, s); return nil })
		})
		if want := (atelier.Purse{Granted: 100, Spent: 45}); err != nil || len(purses) != 1 || purses[0].Row != want || purses[0].Ledger != want {
			t.Errorf("the purses are %+v, %v; want %+v, twice", purses, err, want)
		}
		for _, want := range []store.SpendSum{
			{Wallet: "0xann", Kind: "job", Token: atelier.TokenSpark, Charges: 1, Amount: 30},
			{Wallet: "0xann", App: "studio", Kind: "job", Token: atelier.TokenSpark, Charges: 1, Amount: 15},
		} {
			if len(sums) != 2 || !slices.Contains(sums, want) {
				t.Errorf("the sums are %+v, want two with %+v", sums, want)
			}
		}
	})
}

// What jobs have made is still theirs, jobs that are leased are still found by
// their worker and the end of their lease, and workflows under way are counted.
func TestLighterRowsKeepTheData(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const job = `INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit, state, turn,
			attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at) VALUES `
		const made = `INSERT INTO artifact (id, project_id, job_id, position, kind, content_type, blob_key, bytes, width, height, duration, seed, metadata) VALUES `
		db := upgraded(t, o, 9,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			job+`('j1', 'p1', '0xann', 'workflow', 'wf_1', 'step/0', '{}', 'fast', 'm', '', 0, 'completed', 1, 1, FALSE, 'w', 5, 1, '', '{}', '{}', 1, 2, 3)`,
			job+`('j2', 'p2', '0xann', 'workflow', 'wf_2', 'step/0', '{}', 'fast', 'm', '', 0, 'leased', 2, 1, FALSE, 'w', 9, 0, '', '{}', '{}', 1, 2, 0)`,
			made+`('b', 'p1', 'j1', 1, 'image', 'image/png', 'results/b', 20, 3, 4, 0, 8, '{}')`,
			made+`('a', 'p1', 'j1', 0, 'image', 'image/png', 'results/a', 10, 1, 2, 0.5, 7, '{"n":1}')`,
			`INSERT INTO workflow (id, wallet, status, waiting, plan, state, events, created_at, updated_at) VALUES ('wf_1', '0xann', 'completed', '', '{}', '{}', 0, 1, 1)`,
			`INSERT INTO workflow (id, wallet, status, waiting, plan, state, events, created_at, updated_at) VALUES ('wf_2', '0xann', 'running', '', '{}', '{}', 0, 1, 1)`,
		)
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			artifacts, err := tx.Artifacts("j1")
			if err != nil {
				return err
			}
			first := atelier.Artifact{
				ID: "a", ProjectID: "p1", JobID: "j1", Kind: "image", ContentType: "image/png", Key: "results/a", Bytes: 10, Width: 1, Height: 2,
				DurationSeconds: 0.5, Seed: 7, Metadata: map[string]any{"n": 1.0},
			}
			if len(artifacts) != 2 || !reflect.DeepEqual(artifacts[0], first) || artifacts[1].ID != "b" {
				t.Errorf("the artifacts are %+v, want %+v and b", artifacts, first)
			}
			due, err := tx.DueJobs(time.UnixMilli(9), 10)
			if err != nil || len(due) != 1 || due[0].ID != "j2" {
				t.Errorf("due are %+v, %v, want j2", due, err)
			}
			next, err := tx.NextLease()
			if err != nil || next.UnixMilli() != 9 {
				t.Errorf("the next lease ends at %v, %v, want 9 ms", next, err)
			}
			if n, err := tx.CountLeasedBy("w"); err != nil || n != 1 {
				t.Errorf("the worker holds %d, %v, want 1", n, err)
			}
			n, _, err := tx.CountUnfinished("0xann")
			if n != 1 {
				t.Errorf("%d workflows are under way, want 1", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.InsertArtifact(atelier.Artifact{ID: "c", ProjectID: "p1", JobID: "j1", Position: 2, Kind: "image", Key: "results/a"})
		})
		if !errors.Is(err, store.ErrExists) {
			t.Errorf("a key was given twice: %v", err)
		}
	})
}

// Accounts and keys of an earlier version stay, except for the keys of the workers
// inside its processes, which could not be revoked.
func TestKeysOfKilledProcessesAreGone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := upgraded(t, o, 10,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, TRUE, 1)`,
			`INSERT INTO account VALUES ('atelier-embedded', 'embedded-worker', '', FALSE, TRUE, FALSE, 1)`,
			`INSERT INTO api_key VALUES ('h1', '0xann', 'one', 5, 0)`,
			`INSERT INTO api_key VALUES ('h2', 'atelier-embedded', 'two', 5, 0)`,
			`INSERT INTO api_key VALUES ('h3', 'atelier-embedded', 'three', 6, 0)`,
		)
		err := db.Read(t.Context(), func(tx *store.Tx) error {
			a, err := tx.KeyOwner("h1")
			if err != nil || a.Username != "ann" || !a.Unfiltered || a.Operator || a.Suspended() || a.TokenEpoch != 0 {
				t.Errorf("got %+v, %v", a, err)
			}
			keys, err := tx.Keys("0xann")
			if err != nil || len(keys) != 1 || keys[0].Hint != "one" || keys[0].Name != "" || !keys[0].LastUsedAt.IsZero() {
				t.Errorf("got %+v, %v", keys, err)
			}
			for _, hash := range []string{"h2", "h3"} {
				if _, err := tx.KeyOwner(hash); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s: got %v, want ErrNotFound", hash, err)
				}
			}
			_, err = tx.Account("atelier-embedded")
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Earlier versions did not record which uploads were used, so all of them stay. A
// claim without an upload is removed.
func TestUploadsFromBeforeCountAsUsed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := upgraded(t, o, 10,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			`INSERT INTO account VALUES ('0xbob', 'bob', '', FALSE, FALSE, FALSE, 1)`,
			`INSERT INTO project_claim VALUES ('p1', '0xann', 5)`,
			`INSERT INTO project_claim VALUES ('p2', '0xann', 6)`,
			`INSERT INTO upload VALUES ('inputs/a', 'p1', 'startingImage', '0xann', 'image/png', 5, 6)`,
		)
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			uploads, err := tx.Uploads("p1", "startingImage", "0xann")
			if err != nil || len(uploads) != 1 || uploads[0].UsedAt.UnixMilli() != 5 || uploads[0].Reserved != 0 {
				t.Errorf("the uploads are %+v, %v, want one that was used", uploads, err)
			}
			if gone, err := tx.DeleteUpload(store.Upload{Key: "inputs/a", ProjectID: "p1"}); gone || err != nil {
				t.Errorf("a used upload was deleted: %v, %v", gone, err)
			}
			for project, want := range map[atelier.ProjectID]atelier.Wallet{"p1": "0xann", "p2": "0xbob"} {
				if owner, err := tx.ClaimProject(project, "0xbob", time.UnixMilli(7)); err != nil || owner != want {
					t.Errorf("%s is claimed by %s, %v, want %s", project, owner, err, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A job that is under way keeps the keys that its worker uploads to, and no
// later lease of it gets them.
func TestLeasesCountOnFromTheAttempt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const job = `INSERT INTO job (id, project_id, wallet, owner_kind, owner_id, owner_part, spec, network, model_id, class, class_limit, state, turn,
			attempt, cancel, worker_id, lease_until, progress, message, charge, error, created_at, started_at, ended_at) VALUES `
		db := upgraded(t, o, 10,
			`INSERT INTO account VALUES ('0xann', 'ann', '', FALSE, FALSE, FALSE, 1)`,
			job+`('j1', 'p1', '0xann', 'workflow', 'wf_1', 'step/0', '{}', 'fast', 'm', '', 0, 'leased', 1, 2, FALSE, 'w', 9, 0, '', '{}', '{}', 1, 2, 0)`,
			job+`('j2', 'p2', '0xann', 'workflow', 'wf_2', 'step/0', '{}', 'fast', 'm', '', 0, 'queued', 2, 1, FALSE, '', 0, 0, '', '{}', '{}', 1, 0, 0)`,
		)
		write(t, db, func(tx *store.Tx) error {
			under, err := tx.Job("j1")
			if err != nil || under.Leases != 2 {
				t.Errorf("the job under way has %d leases, %v, want 2", under.Leases, err)
			}
			next, err := tx.LeaseJob("j2", "w", time.UnixMilli(20), time.UnixMilli(30))
			if next.Leases != 2 {
				t.Errorf("the next one has %d leases, want 2", next.Leases)
			}
			return err
		})
	})
}

// Sessions of workers that connected before offers were recorded are found, so that
// their offers can be recorded.
func TestSessionsWithoutOffersAreFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := upgraded(t, o, 14,
			`INSERT INTO account (wallet, username, email, email_verified, worker, unfiltered, created_at) VALUES ('0xwil', 'wil', '', FALSE, TRUE, FALSE, 1)`,
			`INSERT INTO worker (id, wallet, name, network, models, loaded, capacity, nft_token_id, version, gpu, draining, created_at, seen_at)
				VALUES ('w1', '0xwil', 'hand', 'fast', '["a","b"]', '[]', 1, '', '', '', FALSE, 1, 1)`)
		write(t, db, func(tx *store.Tx) error {
			found, err := tx.WorkersWithoutOffers()
			if err != nil || len(found) != 1 || found[0].ID != "w1" || found[0].Fallback {
				t.Fatalf("found %+v, %v", found, err)
			}
			if others, err := tx.ModelsOfOthers(atelier.NetworkFast, []string{"a", "b", "c"}); err != nil || len(others) != 0 {
				t.Errorf("before: %q, %v", others, err)
			}
			return tx.InsertOffers(found[0])
		})
		write(t, db, func(tx *store.Tx) error {
			if others, err := tx.ModelsOfOthers(atelier.NetworkFast, []string{"a", "b", "c"}); err != nil || len(others) != 2 {
				t.Errorf("afterwards: %q, %v, want a and b", others, err)
			}
			found, err := tx.WorkersWithoutOffers()
			if len(found) != 0 {
				t.Errorf("found %+v again", found)
			}
			return err
		})
	})
}
