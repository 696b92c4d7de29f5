//go:build !linux && !darwin

package machine

import "errors"

// Space is not known here.
func Space(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }

// DiskID is not known here: all directories count as on one disk.
func DiskID(string) string { return "" }
