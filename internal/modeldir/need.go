package modeldir

import (
	"maps"
	"path"
	"slices"
)

// Need is a file that a model needs.
type Need struct {
	File           // what is fetched; without a URL it cannot be
	Unknown string // why no address of it is known

	// Find finds it in a list of files, also under other names that the model accepts. Nil for one
	// that has only its own.
	Find func(names []string) (string, bool)
}

// Has looks for a file that is needed, and returns its path.
func (f *Folders) Has(n Need) (at string, ok bool) {
	have := f.Files(n.Folder)
	if n.Find == nil {
		for _, name := range slices.Sorted(maps.Keys(have)) {
			if path.Base(name) == n.Name {
				return have[name], true
			}
		}
		return "", false
	}
	name, ok := n.Find(slices.Sorted(maps.Keys(have)))
	return have[name], ok
}
