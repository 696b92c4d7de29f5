// Package analysis holds the tools that report on a file: what its headers say
// (internal/probe), and what can be measured from its pixels and samples. The
// reports are JSON. They say that nothing is recognised, only measured.
//
//atelier:sequential
package analysis
