package picture

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
)

// A longest edge with more pixels than the service takes is shortened.
func TestUpscaleWithinThePixelsThatAreTaken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ w, h, target, wantW, wantH int }{
		{1024, 1024, 7680, 5760, 5760}, {1920, 1080, 15360, 7680, 4320}, {2048, 288, 15360, 15360, 2160}, {64, 64, 15360, 5760, 5760},
	} {
		job := task.Task{}
		job.Arguments = map[string]any{"targetLongestEdge": float64(c.target)}
		w, h := enlargedSize(job, c.w, c.h)
		if w != c.wantW || h != c.wantH || w*h > atelier.MaxPixels {
			t.Errorf("%d by %d to %d: %d by %d, want %d by %d", c.w, c.h, c.target, w, h, c.wantW, c.wantH)
		}
	}
}
