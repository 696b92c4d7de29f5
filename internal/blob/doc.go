// Package blob keeps objects: the bytes of uploads, artifacts, assets and LoRA
// files. The database knows what an object means and whose it is; this package
// knows only keys, bytes and a content type.
//
// Store is the interface between the packages above and the storage of the bytes:
// Disk for a single machine, S3 for many. A SignedStore is a Store that clients can use
// directly, with a signed form or URL: S3 is one by itself, a DiskServer makes one of a Disk.
// blobtest.Run holds every Store and blobtest.RunSigned every SignedStore to the same
// contract. The terms serve "Media and image URLs" of the specification.
//
// # Keys
//
// A key is one or more segments joined by slashes, such as
// media/0xabc/job-1/image.png. Segments are letters, digits, dots, dashes and
// underscores and do not begin or end with a dot, so a key is safe as a path, in a
// URL and in a shell, and the same on disk and in S3. Anything else is
// ErrInvalidKey. Two keys must not differ in letter case alone: a file system that
// ignores case would confuse them.
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
// # Caches
//
// Results and saved assets are never written to again. FixedTerms make the same URL
// for them for minutes, on every node, and have browsers keep what they have
// loaded. What can change under its key, such as a preview, has URLs that end when
// asked, and browsers ask whether it has changed.
//
// # Signed access on disk
//
// A DiskServer signs terms with HMAC-SHA-256: for a form its whole policy, for a PUT or
// GET the key, the end and all that the client may choose. Uploads stream to
// disk and are inspected before they appear; a client that stalls is cut off.
// Downloads go from the file to the connection by the system itself where it
// can, and no upload can run as a page: it is sandboxed, and saved instead of
// shown when it is no media.
//
// # In S3
//
// The name of an object is its key behind the store's prefix, its digest the
// metadata x-amz-meta-sha256 or the checksum S3 has verified. What a client posted
// with a form has no digest, as on disk, and when the form pinned none no type: S3
// checks neither lists of types nor content. Packages above inspect the bytes
// before they use them. Terms last at most seven days.
//
// # Invariants
//
//   - An object appears whole or not at all, and after Put has returned it
//     survives a power cut. Until then the key shows what it showed before.
//   - Content is streamed; no object is ever held in memory.
//   - What a Put refuses or cannot finish never shows, on disk because it is
//     under a temporary name until the end, in S3 because it is in a file of
//     this machine until then.
//   - All file access goes through os.Root, so neither a key nor a symbolic
//     link leads outside the directory.
//   - A crash leaves at most files in tmp, or parts in S3 that were never put
//     together, which Sweep removes.
//
// Delete does not wait for the disk: after a power cut a deleted object may be
// back, unreferenced, for the sweepers above to find again.
package blob
