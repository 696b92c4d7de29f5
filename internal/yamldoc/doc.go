// Package yamldoc reads one YAML document into Go values, strictly.
//
// It is the only package that imports the YAML library. The configuration and the
// catalog read their files through it, so that a mistake in either is reported in
// the same form: the file, the line, the dotted path of the key, and what is wrong
// with it, in one line of text.
//
//	models/video.yaml:42: models[3].duration.min: must be a number
//
// Strict means that an unknown key, a key written twice, a value of the wrong
// type, an alias, or a second document is an error. A key that is absent, or
// present without a value, leaves the destination as it was, so defaults are
// set before decoding and an overlay is decoded on top of what it changes.
package yamldoc
