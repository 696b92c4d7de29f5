// Package paint paints pictures from words without a neural model: it reads a
// prompt with a lexicon into a Scene, and paints the scene with the drawings of
// package vector. A user without a GPU gets a picture that follows the prompt.
//
// # From words to pixels
//
//	Read       prompt → Scene           read.go, with the words of lexicon
//	Painted    Scene → what shows of it painted.go
//	stage      Scene → strokes          stage.go, heavens.go, land.go, cast.go, …
//	finish     raster → raster          finish.go and the pass_ files
//
// Some functions change existing pictures: Insert and InsertSky paint subjects
// into a photograph, Relight changes its time of day, weather and season,
// Stylise repaints it in a style, and Lettering writes on it.
//
// A style or a model's look is a line in a file under data, checked by the tests
// of this package.
//
// # Invariants
//
//   - The same request is the same picture, byte for byte, on any number of
//     processors: every choice is rolled from the seed and a name, and bands of
//     rows are painted independently.
//   - Memory is a few images of the size asked for. The context is looked at for
//     every band of rows; progress rises from 0 to 1.
//   - Nothing is claimed that is not painted. Painted tries every word of a prompt:
//     one that could be another without changing a pixel is not understood, nor is
//     one that the lexicon marks with ~ because something near to it is painted
//     instead. NotUnderstood lists them.
//
// # Neighbours
//
// chance, lexicon, pixel and vector below; edit, motion and the CPU renderer
// above.
package paint
