package lexicon

import (
	"cmp"
	"maps"
	"slices"
)

// SortedKeys makes the order of a map's keys part of the picture's determinism.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
