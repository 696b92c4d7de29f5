// Package clip holds the tools that make videos. A tool prepares an output: size,
// length, sound and a function that returns each frame in order. renderClips
// encodes one output for each artifact, and its last frame where the job asks for
// that too. The frames come from internal/kit/studio (paint, footage, motion).
//
// Frames are made one at a time and are valid until the next one, so that a clip
// of any length takes the memory of a few frames.
//
//atelier:sequential
package clip
