// Package pixel works on existing pictures: it resizes, sharpens, grades, cuts
// out, fills, repairs, enlarges, measures and compares them. It is named for
// what it works on, since the standard library has the name image.
//
// Resize, Sharpen, Levels, AutoContrast, Denoise, Adjust, Grade, Recolour,
// Warp, Crop and their like take a picture and give another. Global analysis
// works on a Study, a small copy in a perceptual colour space:
//
//	Subject, Sky       what stands out, and what is above it
//	                   subject.go, salience.go, sky.go
//	cut, matte         a graph cut between colours, a border that follows the picture
//	                   cut.go, mincut.go, mixture.go, matte.go
//	Fill               what a hole may have held, from the rest of the picture
//	Restore, Enlarge   repairs; larger sizes, strip by strip
//	Measure, Compare   facts and likeness, without a claim to know what is shown
//
// A Raster is a picture with the nearness of each pixel, on which the painter
// works; RGB and Lab are the colours that are calculated with.
//
// # Invariants
//
//   - The same input is the same picture, byte for byte, on any number of
//     processors: bands of rows are worked on independently.
//   - Memory is a few images of the size asked for. The context is checked for
//     every band of rows.
//   - What cannot be found in a picture is an error.
//
// # Neighbours
//
// The standard library, chance and the names of colours in lexicon below;
// vector, selection, paint, edit and the renderer above. Nothing here knows of
// scenes.
//
//atelier:renderer
package pixel
