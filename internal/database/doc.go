// Package database runs SQL statements on the two databases of the service: SQLite in
// a file, PostgreSQL by URL. It knows the mechanism alone: transactions, migrations,
// backups, and which errors are outages. Of tables it knows only schema_migration; the
// statements of the service are in package store, in one text for both databases. What
// must differ in that text is in dialect.go.
//
// A change is a function given to Write: all of it commits or none of it does,
// and it may run more than once, so it must do nothing but talk to its Tx.
// What should happen after the commit, and only then, goes to Tx.OnCommit.
// Read runs statements that each see the latest commit; Snapshot runs statements
// that all see the same one.
//
// Invariants: a committed change survives the process and the machine
// (synchronous=FULL, fsync on); times are Unix milliseconds that come from Go; an
// outage is an *atelier.UnavailableError.
//
// On SQLite there is one writer: a goroutine that runs the waiting changes one
// after the other, and commits them together, so that one fsync serves many callers.
// Functions given to Write must therefore be short.
package database
