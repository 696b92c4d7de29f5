// Package paint paints pictures from words without a neural model: it reads a
// prompt with a lexicon into a Scene, and paints the scene with the drawings of
// package vector. A user without a GPU gets a picture that follows the prompt.
//
// # From words to pixels
//
//	Read       prompt → Scene           read.go, with the words of lexicon
//	Painted    Scene → visible part     painted.go
//	renderer   Scene → strokes          renderer.go, sky.go, land.go, figure.go, …
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
//     processors: every random choice depends on the seed and a name, and bands
//     of rows are painted independently.
//   - Memory is a few images of the requested size. The context is checked for
//     every band of rows; progress rises from 0 to 1.
//   - No word counts as understood unless it is visible. Painted tries every word
//     of a prompt: one that can be replaced without changing a pixel is not
//     understood, nor is one that the lexicon marks with ~ because something
//     similar is painted instead. NotUnderstood lists them.
//
// # Neighbours
//
// chance, lexicon, pixel and vector below; edit, motion and the CPU renderer
// above.
//
//atelier:renderer
package paint
