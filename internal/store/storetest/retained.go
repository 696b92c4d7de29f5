package storetest

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// HasRow reports whether a table has a row with a value.
func HasRow(t testing.TB, db *store.DB, table, column, value string) bool {
	t.Helper()
	return number(t, db, `SELECT COUNT(*) FROM `+table+` WHERE `+column+` = $1`, value) > 0
}

// Size is how many bytes the tables of a database take.
func Size(t testing.TB, db *store.DB) int64 {
	t.Helper()
	sql := `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`
	if err := db.Read(t.Context(), func(tx *store.Tx) error {
		if tx.Dialect.ForUpdate != "" { // PostgreSQL
			sql = `SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return number(t, db, sql)
}

// CheckStored checks that the sum of what an account stores is that of the rows.
func CheckStored(t testing.TB, db *store.DB, w atelier.Wallet) {
	t.Helper()
	rows := number(t, db, `SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM stored WHERE wallet = $1`, string(w))
	if sum := number(t, db, `SELECT bytes FROM stored_total WHERE wallet = $1`, string(w)); sum != rows {
		t.Errorf("the account stores %d bytes by its sum, and %d by its rows", sum, rows)
	}
}

func number(t testing.TB, db *store.DB, sql string, args ...any) (n int64) {
	t.Helper()
	if err := db.Read(t.Context(), func(tx *store.Tx) error { return tx.Row(sql, args...).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

// MoveDelivery gives a delivery a status, with the time of its end, or zero.
func MoveDelivery(t testing.TB, db *store.DB, id string, s atelier.DeliveryStatus, ended int64) {
	t.Helper()
	change(t, db, `UPDATE webhook_delivery SET status = $2, ended_at = $3 WHERE id = $1`, id, string(s), ended)
}

// CompleteJob gives a job the state of one that is completed, without what else that changes.
func CompleteJob(t testing.TB, db *store.DB, id atelier.JobID) {
	t.Helper()
	change(t, db, `UPDATE job SET state = 'completed' WHERE id = $1`, string(id))
}

// OpenHold adds a hold of nothing, and CloseHold removes it.
func OpenHold(t testing.TB, db *store.DB, w atelier.Wallet, cause string) {
	t.Helper()
	change(t, db, `INSERT INTO hold (cause, token, wallet, amount, at) VALUES ($1, 'spark', $2, 0, 1)`, cause, string(w))
}

// CloseHold removes what OpenHold has added.
func CloseHold(t testing.TB, db *store.DB, cause string) {
	t.Helper()
	change(t, db, `DELETE FROM hold WHERE cause = $1`, cause)
}

func change(t testing.TB, db *store.DB, sql string, args ...any) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx *store.Tx) error { return tx.Must(sql, args...) }); err != nil {
		t.Fatal(err)
	}
}
