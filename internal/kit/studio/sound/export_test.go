package sound

import (
	"maps"
	"slices"
)

// Ambiences are the names that Ambience knows, in alphabetical order.
func Ambiences() []string { return slices.Sorted(maps.Keys(ambiences)) }
