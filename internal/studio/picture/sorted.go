package picture

import (
	"cmp"
	"maps"
	"slices"
)

// sortedKeys makes the order of a map's keys part of the picture's determinism.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
