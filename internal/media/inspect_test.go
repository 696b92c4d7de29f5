package media_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Each scan of a JPEG passes over the whole picture, in a few bytes.
func TestInspectRefusesManyScans(t *testing.T) {
	t.Parallel()
	for scans, refused := range map[int]bool{10: false, 1000: true} {
		file := worktest.JPEG(640, 640, scans)
		err := media.Inspect("image/jpeg", bytes.NewReader(file), int64(len(file)))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "scans") {
			t.Errorf("%d scans: %v", scans, err)
		}
	}
}
