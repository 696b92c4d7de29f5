// Package picture holds the tools that make one picture, or a mesh, from a prompt
// or another picture. Each tool reads the arguments of a task, calls
// internal/kit/studio (paint, edit, pixel, selection, mesh) and writes the result in
// the content type of each artifact.
//
// The metadata of a result says by which method it was made, what of the prompt
// was understood and what was ignored.
//
//atelier:sequential
package picture
