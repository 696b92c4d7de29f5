// Package edit changes a picture as a prompt says.
//
//	ReadEdits          a prompt → changes               read.go, clause.go, tone.go, form.go, data/edit.txt
//	Editor             changes → another picture        apply.go, backdrop.go
//	ReadView, Turn     another camera angle of the picture as a plane   view.go, data/view.txt
//
// # Invariants
//
//   - The same picture, prompt and seed are the same result, byte for byte.
//   - An edit that is limited by a mask changes nothing outside of it.
//   - What is not understood is listed and what is meant by it is not guessed; what
//     cannot be found in the picture is an error; an Editor notes what it had to
//     assume.
//
// # Neighbours
//
// selection finds what a change is about, paint paints what is added, and pixel
// does the rest.
package edit
