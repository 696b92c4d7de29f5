package store_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// releases are the versions that were released, and how many migrations each has. The file
// testdata/VERSION.sql has rows that it has written.
var releases = []struct {
	version    string
	migrations int
}{
	{"0.1.0", 1},
}

// What every released version has written is there for this one: accounts, keys, money that is
// held and spent, jobs, workflows, logs. The tables are those of a new database.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		t.Run(r.version, func(t *testing.T) {
			t.Parallel()
			rows, err := os.ReadFile("testdata/" + r.version + ".sql")
			if err != nil {
				t.Fatal(err)
			}
			storetest.Each(t, func(t *testing.T, o store.Options) {
				fresh := tables(t, storetest.Open(t, o))
				db := upgraded(t, o, r.migrations, strings.Split(string(rows), ";\n")...)
				if got := tables(t, db); !slices.Equal(got, fresh) {
					t.Errorf("the tables have the columns\n%q\nand those of a new database\n%q", got, fresh)
				}
				if got := audited(t, db); len(got) > 0 {
					t.Errorf("the books do not agree: %q", got)
				}
				checkRows(t, db)
				checkCounts(t, db)
			})
		})
	}
}

// upgraded opens a database in which a program of an earlier version has written something.
func upgraded(t *testing.T, o store.Options, migrations int, statements ...string) *store.DB {
	t.Helper()
	before, err := store.OpenAt(t.Context(), o, migrations)
	if err != nil {
		t.Fatal(err)
	}
	write(t, before, func(tx *store.Tx) error {
		for _, sql := range statements {
			if strings.TrimSpace(sql) == "" {
				continue
			}
			if err := store.Exec(tx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	return storetest.Open(t, o)
}

// checkCounts checks that the workflows that are not over were counted.
func checkCounts(t *testing.T, db *store.DB) {
	t.Helper()
	var rows, counted struct{ active, paused int }
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		return errors.Join(
			tx.Row(`SELECT (SELECT COUNT(*) FROM workflow WHERE status IN ('queued', 'running')), (SELECT COUNT(*) FROM workflow WHERE status = 'waiting_for_user')`).Scan(&rows.active, &rows.paused),
			tx.Row(`SELECT CAST(COALESCE(SUM(active), 0) AS BIGINT), CAST(COALESCE(SUM(paused), 0) AS BIGINT) FROM stored_total`).Scan(&counted.active, &counted.paused))
	})
	if err != nil || counted != rows || rows.active+rows.paused == 0 {
		t.Errorf("%+v workflows are counted, there are %+v, and should be some; %v", counted, rows, err)
	}
}

// tables lists the columns of a database.
func tables(t *testing.T, db *store.DB) (list []string) {
	t.Helper()
	list, err := store.Columns(t.Context(), db)
	if err != nil || len(list) < 100 {
		t.Fatalf("%d columns, %v", len(list), err)
	}
	return list
}

// checkRows checks that the rows of testdata are read as they were written.
func checkRows(t *testing.T, db *store.DB) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *store.Tx) error {
		who, err := tx.Account("0xann")
		if err != nil || who.Username != "ann" || !who.Operator {
			t.Errorf("the account is %+v, %v", who, err)
		}
		if owner, _, err := tx.KeyOwner("hash-of-a-key"); err != nil || owner.Wallet != "0xann" {
			t.Errorf("the key is of %+v, %v", owner, err)
		}
		purses, err := tx.Purses("0xann")
		if want := (atelier.Purse{Granted: 100, Spent: 30, Held: 20}); err != nil || purses[atelier.TokenSpark] != want {
			t.Errorf("the purse is %+v, %v", purses, err)
		}
		done, err := tx.Job("job-done")
		if err != nil || done.State != atelier.JobCompleted || done.Spec.ModelID != "m" || done.Owner.ID != "wf_1" {
			t.Errorf("the completed job is %+v, %v", done.Job, err)
		}
		made, err := tx.Artifacts("job-done")
		if err != nil || len(made) != 1 || made[0].Key != "results/a" || made[0].Width != 64 {
			t.Errorf("it has made %+v, %v", made, err)
		}
		if queued, err := tx.Job("job-queued"); err != nil || queued.State != atelier.JobQueued {
			t.Errorf("the queued job is %+v, %v", queued.Job, err)
		}
		w, err := tx.Workflow("0xann", "wf_1")
		if err != nil || w.Status != atelier.StatusCompleted {
			t.Errorf("the workflow is %+v, %v", w, err)
		}
		events, err := tx.Events("wf_1", -1, 10, 1<<20)
		if err != nil || len(events) != 1 || events[0].Message != "hello" || events[0].Payload != (apitype.WorkflowStarted{WorkflowID: "wf_1", StepCount: 1, Title: "A fox"}) {
			t.Errorf("the log is %+v, %v", events, err)
		}
		record, err := tx.FindIdempotencyRecord("0xann", "workflow", "k")
		if err != nil || record.Resource != "wf_1" {
			t.Errorf("the key has made %+v, %v", record, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
