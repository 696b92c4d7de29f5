//go:build !linux

package child

import (
	"os"
	"time"
)

// ownProgram is the running program.
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

// usage is unknown here.
func (*processTable) usage(int) usage { return usage{} }

// machineMemory is unknown here.
func machineMemory() int64 { return defaultMemory }
