// Package mesh makes a solid model from one picture: it cuts the subject out,
// inflates it to a closed relief, and writes it as a binary glTF 2.0 file with
// the picture as its texture. The method is classical and does not guess what
// the camera did not see: the back shows the front.
//
// # From picture to file
//
//	cut      picture → mask           cutout.go, from alpha or from the border's colours
//	inflate  mask → heights           distance.go, relief.go
//	grid     heights → closed mesh    grid.go
//	encode   mesh and textures → GLB  texture.go, glb.go
//
// # Invariants
//
//   - The same picture and options are the same file, byte for byte.
//   - The mesh is closed: every edge is run through as often forwards as
//     backwards. Its normals have length one and its indices are in range.
//   - The number of faces never exceeds Options.Faces, and memory is bounded by
//     the options, not by the picture.
//
// # Neighbours
//
// pixel below; motion and the CPU renderer above, for the tools image_to_3d,
// orbit_video and dance_montage.
//
//atelier:sequential
package mesh
