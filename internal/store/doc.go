// Package store holds every SQL statement of the service, and the two
// databases that run them: SQLite in a file, PostgreSQL by URL. There is one
// text for both; what must differ is in dialect.go.
//
// A change is a function given to Write: all of it commits or none of it does,
// and it may run more than once, so it must do nothing but talk to its Tx.
// What should happen after the commit, and only then, goes to Tx.OnCommit.
// Read runs statements that each see the latest commit; Snapshot runs several
// that see one and the same.
//
// Invariants: a committed change survives the process and the machine
// (synchronous=FULL, fsync on); ownership is part of every WHERE; a change of
// state is an UPDATE that names the states it may leave, with its row count
// checked; times are Unix milliseconds that come from Go.
//
// On SQLite there is one writer: a goroutine that runs the waiting changes one
// after the other, each in a savepoint, and commits them together, so that one
// fsync serves many callers. Functions given to Write must therefore be short.
package store
