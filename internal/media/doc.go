// Package media knows what may be uploaded where, whose it is, and how long it is
// kept: the inputs of projects, and saved assets. Clients exchange bytes directly
// with the storage, with signed forms and URLs that this package makes. The slot
// table says which types of file a project takes.
//
// It serves the "Media and image URLs" part of the specification. It uses store
// and blob. What workers make belongs to the fleet package, which uses the slot
// table and the forms of this one.
//
// Invariants: a project id belongs to the first account that names it; the row of
// an upload is committed before its form is handed out, and a key is never used
// twice, so an object that no row names is garbage, as long as the database is the
// one that the storage belongs to (Tie). Bytes are counted before an object
// appears. Pictures that an account uploads are decoded one at a time, and accounts
// take turns; what workers send never waits for them.
package media
