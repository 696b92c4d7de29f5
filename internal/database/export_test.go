package database

// Synced reports whether the commits of a SQLite database are synced now. It is
// asked inside a change.
func (tx *Tx) Synced() (bool, error) {
	stmt, _, err := tx.session.(*sqliteSession).conn.PrepareTransient("PRAGMA synchronous")
	if err != nil {
		return false, err
	}
	defer stmt.Finalize()
	if _, err := stmt.Step(); err != nil {
		return false, err
	}
	return stmt.ColumnInt64(0) == 2, nil // FULL
}
