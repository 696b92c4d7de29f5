package machine

import (
	"errors"
	"math"
)

// FreeSpace is how many bytes can still be written where a directory is; as many as there are numbers
// where the system does not tell.
func FreeSpace(dir string) (int64, error) {
	free, _, err := Space(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return math.MaxInt64, nil
	}
	return free, err
}
