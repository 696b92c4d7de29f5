// Package transfer copies whole installations: a database and the media storage that
// belongs to it. It moves one between SQLite and PostgreSQL and between disk and S3, saves
// it into a directory and restores it from there. All three are the same two steps: objects
// are copied one by one, and those that are there already are skipped; then all rows are
// copied in one transaction, as they are at one moment.
//
// A backup is a directory with a SQLite file, a disk storage, and the file backup.json, which
// says what is in them.
//
// Invariants: a target has all rows or none, and rows come after the objects that they name.
// The target of a move or a restore is empty, or was prepared for the same installation. A
// backup that was interrupted leaves the one before it as it was. Every table is read again
// and compared by its sum, every object by its size and SHA-256.
package transfer
