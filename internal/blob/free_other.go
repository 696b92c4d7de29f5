//go:build !linux && !darwin

package blob

import "math"

// FreeSpace is not known here.
func FreeSpace(string) (int64, error) { return math.MaxInt64, nil }
