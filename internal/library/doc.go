// Package library is what an account keeps of its results: it lists, shows, marks and deletes
// the artifacts that workflows made, and makes their thumbnails.
//
// The workflow engine adds an artifact to the library in the transaction that completes
// its step. Deleting takes it out, with its file, unless a workflow that is not over made
// it or was started with it. Saved assets and uploads belong to package media.
//
// Marks are what an account notes about artifacts and saved uploads: favourites, tags, and the boards that they are
// on. A mark is a row with the time of its item, so that a list of what has the mark is read in its order; it goes with
// the item. A board can be given what a workflow makes. Words of a search are compared in the database, a number of
// artifacts at a time.
//
// A thumbnail is made when it is first wanted: when a list shows the artifact, or when its
// link is opened. It is an object beside the file, whose key it extends, so the sweeper
// removes it with the file. Links are signed and stay the same for a week, so that browsers
// cache them.
//
// Invariants: a mark belongs to an item and a board that exist, and is counted; one thumbnail of an artifact is made at
// a time, on each node; an account has a share of the files that are read at once, and takes turns with the others in
// the background; pictures are decoded in the turn of their account, within the memory that package media allows
// (media.Engine.Decode), the largest in a child process; of a clip only the index and the first frame are read, into
// memory; a file from which nothing can be made is tried once.
package library
