//go:build race

package node_test

func init() { underRace = true }
