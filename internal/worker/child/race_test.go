//go:build race

package child_test

func init() { underRace = true }
