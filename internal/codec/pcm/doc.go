// Package pcm is sound in memory as the codecs of sound take and give it: samples
// of 16 bits, interleaved, with their rate and the number of channels, and the
// bounds that hold for all of them.
//
// It knows no file format. Effects and measurements are in
// internal/kit/studio/sound.
//
//atelier:sequential
package pcm
