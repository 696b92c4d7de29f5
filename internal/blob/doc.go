// Package blob keeps objects: the bytes of uploads, artifacts, assets and LoRA
// files. The database knows what an object means and whose it is; this package
// knows only keys, bytes and a content type.
//
// Store is the seam between the rooms above and the place where the bytes are.
// Disk is the one for a single machine. blobtest.Run holds every Store to the
// same contract.
//
// # Keys
//
// A key is one or more segments joined by slashes, such as
// media/0xabc/job-1/image.png. Segments are letters, digits, dots, dashes and
// underscores and do not begin or end with a dot, so a key is safe as a path,
// in a URL and in a shell, and the same on disk and in S3. Anything else is
// ErrInvalidKey. Keys differ in more than letter case, or a file system that
// folds case would mix them up.
//
// # On disk
//
// Under the directory given there are two folders: objects and tmp. An object
// is one file: its content followed by a trailer of fixed length that holds the
// size, the SHA-256 and the content type. Because all of it is one file, one
// rename publishes it and no crash can leave content with the wrong type or
// half an object; because the trailer comes last, content is written as it
// arrives, before its size and digest are known; because its length is fixed,
// listing needs no file to be opened. Viewers of common media formats ignore
// the trailer, so an operator can still look at a file in place.
//
// The folder of a segment is the segment with a plus sign behind it, which no
// key contains: a and a/b can then both be objects, as they can in S3.
//
// # Invariants
//
//   - An object appears whole or not at all, and after Put has returned it
//     survives a power cut. Until then the key shows what it showed before.
//   - Content is streamed; no object is ever held in memory.
//   - All file access goes through os.Root, so neither a key nor a symbolic
//     link leads outside the directory.
//   - A crash leaves at most files in tmp, which Sweep removes.
//
// Delete does not wait for the disk: after a power cut a deleted object may be
// back, unreferenced, for the sweepers above to find again.
package blob
