package database_test

import (
	"errors"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/database"
	"github.com/atelier-project/atelier/internal/database/databasetest"
)

// A call that fails at a moment is an outage, and the database continues: what was not committed is not
// there, and what was committed is, although its caller was not told so.
func TestFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at            database.Moment
		want          int // notes, of two
		writes, reads bool
	}{
		"before a read":   {at: database.BeforeRead, want: 2, reads: true},
		"before a change": {at: database.BeforeWrite, want: 1, writes: true},
		"before a commit": {at: database.BeforeCommit, want: 1, writes: true},
		"after a commit":  {at: database.AfterCommit, want: 2, writes: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fails := false
			o := databasetest.SQLite(t)
			o.Fail = func(at database.Moment) error {
				if fails && at == c.at {
					return errors.New("away")
				}
				return nil
			}
			db := openNotes(t, o)
			write(t, db, insert("first"))
			fails = true
			isTold := false
			err := db.Write(t.Context(), func(tx *database.Tx) error {
				tx.OnCommit(func() { isTold = true })
				return insert("second")(tx)
			})
			if atelier.IsOutage(err) != c.writes || isTold == c.writes {
				t.Errorf("the change: %v, want an outage: %v; it was told to be made: %v", err, c.writes, isTold)
			}
			got := 0
			count := func() error {
				return db.Read(t.Context(), func(tx *database.Tx) error { return tx.Row("SELECT COUNT(*) FROM note").Scan(&got) })
			}
			if err := count(); atelier.IsOutage(err) != c.reads {
				t.Errorf("the read: %v, want an outage: %v", err, c.reads)
			}
			fails = false
			if err := count(); err != nil || got != c.want {
				t.Errorf("%d notes, %v, want %d", got, err, c.want)
			}
		})
	}
}
