package song

// Genres returns the names of the genres that are known, in the order of the file.
func Genres() []string {
	var out []string
	for _, g := range genres {
		out = append(out, g.Name)
	}
	return out
}
