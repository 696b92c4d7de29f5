// Package vector draws vector graphics: outlines, strokes with light and grain,
// and the drawings that are made of them.
//
// A Canvas takes strokes in the order in which they are painted, and Paint
// rasterizes them. A Stroke is closed outlines with a shading; Spline, Ribbon,
// Oval and their like make outlines. Drawings are those of the files under
// data/drawing, and Draw draws one on a canvas in a Pose.
//
//	geometry.go        points, boxes, transforms and outlines
//	coverage.go        how much of each pixel an outline covers
//	canvas.go          strokes → raster, in bands of rows
//	grain.go           what a surface is made of
//	drawing.go         data/drawing → drawings; pose.go draws them, extent.go measures
//
// # Drawings
//
// A drawing is lines of
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
//   - The same strokes are the same raster, byte for byte, on any number of
//     processors: bands of rows are painted independently.
//   - The context is checked for every band of rows; progress rises from 0 to 1.
//
//atelier:renderer
package vector
