// Package config is what an operator can set: a YAML file, overlaid by
// environment variables, over defaults that work on a laptop.
//
// The struct is the reference: its tags are the keys, its doc tags are the
// sentences of docs/configuration.md. An unknown key, in the file or as an
// ATELIER_ variable, and an invalid value stop the start with one line that
// names the key.
//
//atelier:sequential
package config
