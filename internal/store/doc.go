// Package store holds every SQL statement of the service and the tables that they
// need: package database runs them, on SQLite and PostgreSQL, in one text for both.
//
// A change is a function given to Write: all of it commits or none of it does,
// and it may run more than once, so it must do nothing but talk to its Tx. A method of
// Tx is an operation on an entity of the service, in the file named after it; only
// this package calls the methods that take SQL.
//
// Invariants: ownership is part of every WHERE; a change of state is an UPDATE that
// names the state it leaves, with its row count checked, and for jobs the root's table
// of moves decides (moveJob); JSON columns have structs of their own (job_document.go).
package store
