//go:build race

package film_test

func init() { underRace = true }
