// Package song composes and plays music from a prompt, without a model and
// without a GPU.
//
// The prompt is read with a lexicon of genres, moods and instruments and
// becomes a style; the style and the request fix tempo, key, metre and length;
// the bars are divided into sections; chords, melody, bass, drums and, where
// there are lyrics, a sung line are written as notes; and synthesised
// instruments play the notes into a mix.
//
// # What is promised
//
//   - The clip has exactly the frames asked for, at Rate and in stereo.
//   - The beat is exactly the tempo asked for. In six-eight time a beat is three
//     eighths, as it is counted.
//   - Every pitched note is in the scale of the key, and the song ends on its
//     first chord and dies away before the last sample.
//   - The same request gives the same samples on the same machine.
//   - Memory is bounded by the clip (16-bit) and one block per track; a song is
//     played block by block, with the tracks of a block side by side.
//
// # Neighbours
//
// Package sound has the oscillators, filters and effects; package voice sings.
// The meaning of words is in the files under data: a new genre needs no Go.
//
//atelier:renderer
package song
