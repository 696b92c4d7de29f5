// Package film makes clips from frames and reads frames back from clips.
//
// Write takes frames one by one and sound as samples and writes one MP4 or MOV
// file. When ffmpeg is on the PATH, it encodes (libx264 and AAC, smaller
// files); without it, packages h264, flac and mp4 do, and the sound is FLAC.
// The pictures of both play in every browser, and so does AAC. FLAC in MP4
// plays in Chrome (from 57), Edge and Firefox (from 51). Apple documents it for
// fragmented MP4 in live streaming alone, so that Safari may stay silent;
// Info.Audio says which it is. Open reads a clip's facts and its frames one by
// one: ffmpeg reads any clip, and without it those that this package wrote.
// ReadSound reads the sound.
//
// # Invariants
//
//   - The same frames, sound and options make the same bytes on the same
//     engine, whatever the number of processors.
//   - One frame is in memory at a time, and what the codec keeps of the last.
//   - A clip is never larger than MaxBytes: Write fails instead.
//   - A file is read as what its first bytes say, by a demuxer that is named:
//     nothing in a file makes ffmpeg open another.
//   - What a clip makes its reader do is bounded: by its length, by the pixels of
//     a frame, and by pixels of all frames in proportion to its file.
//   - When the context ends, so does everything that was started, and no
//     temporary file is left behind, on any way out.
//
// # Neighbours
//
// A renderer calls Write and knows nothing about codecs. Nothing here knows
// about jobs, blobs or the network.
//
//atelier:renderer
package film
