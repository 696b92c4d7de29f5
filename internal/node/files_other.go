//go:build !unix

package node

import "math"

// mostFiles is how many files this process may have open at once: the system sets
// no limit.
func mostFiles() uint64 { return math.MaxInt64 }
