// Package store holds every SQL statement of the service, and the two
// databases that run them: SQLite in a file, PostgreSQL by URL. There is one
// text for both; what must differ is in dialect.go.
//
// A change is a function given to Write: all of it commits or none of it does,
// and it may run more than once, so it must do nothing but talk to its Tx.
// What should happen after the commit, and only then, goes to Tx.OnCommit.
// Read runs statements that each see the latest commit; Snapshot runs statements
// that all see the same one.
//
// Invariants: a committed change survives the process and the machine
// (synchronous=FULL, fsync on); ownership is part of every WHERE; a change of
// state is an UPDATE that names the state it leaves, with its row count checked, and
// for jobs the root's table of moves decides (moveJob); times are Unix milliseconds
// that come from Go; JSON columns have structs of their own (job_document.go).
//
// On SQLite there is one writer: a goroutine that runs the waiting changes one
// after the other, each in a savepoint, and commits them together, so that one
// fsync serves many callers. Functions given to Write must therefore be short.
package store
