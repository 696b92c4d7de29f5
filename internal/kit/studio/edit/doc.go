// Package edit changes a picture as a prompt says.
//
//	ReadEdits             prompt → edits               read.go, clause.go, tone.go, form.go, data/edit.txt
//	Editor                edits → another picture      apply.go, backdrop.go
//	ReadView, RenderView  the picture as a plane, from another camera angle   view.go, data/view.txt
//
// # Invariants
//
//   - The same picture, prompt and seed are the same result, byte for byte.
//   - An edit that is limited by a mask changes nothing outside of it.
//   - Clauses that are not understood are listed, not guessed; a target that cannot
//     be found in the picture is an error; an Editor notes what it assumed.
//
// # Neighbours
//
// selection finds what a change is about, paint paints what is added, and pixel
// does the rest.
//
//atelier:sequential
package edit
