// Package media knows what may be uploaded where, whose it is, and how long it
// is kept: the inputs of projects, and saved assets. Bytes go straight between
// clients and storage on signed terms; this room writes the terms.
//
// It serves the "Media and image URLs" part of the specification. It stands on
// store and blob; what workers make is another room's, which is asked through
// Options.Produced.
//
// Invariants: a project id belongs to the first account that names it; the row
// of an upload is committed before its form is handed out, and a key is never
// used twice, so an object that no row names is garbage, as long as the database
// is the one that the storage belongs to (Tie). Bytes are counted before an
// object appears. Of pictures that accounts upload, each account has one decoded
// at a time, in its turn; what workers send never waits for them.
package media
