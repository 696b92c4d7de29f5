// Package mp4 writes and reads clips in the ISO base media file format: one
// H.264 track and, if there is sound, one audio track. MP4 and QuickTime's MOV
// are the same boxes in slightly different clothes.
//
// The writer follows ISO/IEC 14496-12 (boxes), 14496-14 (MP4, esds) and
// 14496-15 (avcC), and "Encapsulation of FLAC in ISO Base Media File Format"
// for sound. Sound is FLAC in MP4, because it is the one codec that most browsers
// play there and that is small enough to write down; package flac codes it. In
// MOV it is plain PCM, which QuickTime prefers. AAC from elsewhere passes
// through unchanged.
//
// # Invariants
//
//   - The index stands before the data, so a browser plays while it loads.
//   - The same samples make the same bytes: times of creation are zero.
//   - The writer keeps the index in memory and the data in a spool that the
//     caller provides; nothing grows with the size of the frames.
//   - Reading never panics and never allocates more than a small multiple of
//     the index that the file really contains.
//   - All samples of a track together are no more bytes than the file has, and
//     each is found in a time that does not depend on their number.
//
// # Neighbours
//
// h264 makes the samples and reads them; film drives both. This package knows
// nothing about pictures.
//
//atelier:sequential
package mp4
