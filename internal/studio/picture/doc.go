// Package picture paints pictures from words without a neural model: it reads a
// prompt with a lexicon, sets the scene it understood on a stage, and paints it
// with a small vector toolkit of its own. It is how a newcomer without a GPU gets
// a real picture that follows the prompt.
//
// # From words to pixels
//
//	Read       prompt → Scene           read.go, lexicon.go, data/word
//	Painted    Scene → what shows of it painted.go
//	stage      Scene → strokes          stage.go, heavens.go, land.go, cast.go, …
//	easel      strokes → raster         easel.go, coverage.go, grain.go
//	finish     raster → raster          finish.go and the pass_ files
//
// # Pictures that exist
//
// Any picture can be looked at and worked on. What is asked of a whole picture is
// asked of a study, a small copy in the colours of the eye:
//
//	Subject, Finder    what stands out; what words, points and boxes select
//	                   subject.go, salience.go, finder.go, wish.go, data/select.txt
//	cut, matte         a graph cut between colours, a border that follows the picture
//	                   cut.go, mincut.go, mixture.go, matte.go
//	ReadEdits, Editor  a prompt → changes → another picture
//	                   edit.go, edit_read.go, edit_clause.go, edit_apply.go, data/edit.txt
//	Relight, Insert    hours, weathers and seasons; painted subjects in a photograph
//	Fill               what a hole may have held, from the rest of the picture
//	Restore, Enlarge   repairs; larger sizes, strip by strip
//	ReadView, Turn     another camera angle of the picture as a plane, data/view.txt
//	Measure, Compare   facts and likeness, without a claim to know what is shown
//
// Resize, Sharpen, Levels, AutoContrast, Denoise, Adjust, Grade, Recolour, Stylise
// and Warp know nothing of scenes.
//
// # Data
//
// A word, a colour, a drawing, a style or a model's look is a line in a file
// under data, checked by the tests of this room. A drawing is lines of
//
//	drawing name [from other]         begins a drawing, or one like another
//	colour name #rrggbb | other±n     the first colour is the one a prompt changes
//	grain kind                        what it is made of, see grain.go
//	anchor name x,y                   head, hand, top, seat, back, deck, text
//	joint name x,y pose swing         degrees by chance, and with time in a clip
//	pick name n                       a choice by chance, used as ?name=i
//	blob|poly colour points           closed outlines, smooth or straight; ! is a corner
//	limb|line|curve colour w0,w1 …    strokes, tapered, straight or smooth
//	oval colour x,y rx,ry [degrees]   also box x,y w,h [r], ring x,y r w,
//	                                  petals x,y n in out w, eye x,y r, light x,y r
//
// with the options @joint ~grain %alpha mirror flat xN:dx,dy, in a box of 100 by
// 100 whose y runs down, feet at the bottom, facing right.
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
//     instead. NotUnderstood lists them. What cannot be found in a picture is an
//     error; an Editor notes what it had to assume.
//
// # Neighbours
//
// The standard library below; the worker's cpu renderer, the clips and the chat
// above.
package picture
