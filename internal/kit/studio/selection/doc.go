// Package selection finds what words, points and boxes select in a picture.
//
// NewFinder takes a picture; ByWords, ByPoints and ByBox give what was found,
// each with its frame, its share and how well it can be distinguished from its
// surroundings, and Mask gives its exact area. The words are those of
// data/select.txt and the names of colours; what is meant by them is areas,
// colours, places and the things that stand out, since no model here knows what
// is shown.
//
// # Invariants
//
//   - The same picture and the same query select the same pixels.
//   - What cannot be distinguished is ErrNothingThere, never an empty or a full mask.
//
//atelier:sequential
package selection
