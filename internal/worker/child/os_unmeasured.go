//go:build !linux

package child

import (
	"os"
	"time"
)

// ownProgram is the program that runs.
func ownProgram() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// measured says that the processes of a group cannot be measured here.
const measured = false

type usage struct {
	memory int64
	cpu    time.Duration
}

type processTable struct{}

// usage knows nothing.
func (*processTable) usage(int) usage { return usage{} }

// machineMemory is not asked for here.
func machineMemory() int64 { return defaultMemory }
