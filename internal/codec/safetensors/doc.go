// Package safetensors reads and writes the header of a .safetensors file: the table of
// its tensors and its metadata, never the tensors themselves.
//
// A file begins with the length of the header in eight bytes, little endian; then
// follow the header, which is JSON, and the bytes of the tensors:
//
//	{"__metadata__": {"format": "pt"}, "a.weight": {"dtype": "F16", "shape": [4, 8], "data_offsets": [0, 64]}}
//
// Files come from strangers, so Read checks all that a loader relies on before
// memory follows from it: the length of the header, the number of tensors, dtypes,
// sizes that overflow, and that the tensors cover the rest of the file without
// overlap or holes. What it refuses is an *Error, with a sentence for the owner of
// the file.
//
//atelier:sequential
package safetensors
