// Package enginetest starts the engines of the service for tests, on real parts:
// a database, files on disk, a bus and a clock that tests move.
//
// The tests of an engine embed Env in a fixture of their own, which adds the
// engine under test and what only its tests do.
package enginetest
