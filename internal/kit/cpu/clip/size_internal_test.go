package clip

import (
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/worker"
)

func jobOf(model string, args map[string]any) task.Task {
	return task.Task{Task: worker.Task{Assignment: apitype.Assignment{ModelID: model, Arguments: args}}}
}

// H3 models cut their clips at 124 and every 17 frames more, up to 362.
func TestLengthOfH3(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]int{2: 124, 5: 124, 5.167: 124, 5.875: 141, 7.3: 175, 15: 362, 30: 362} {
		if got, err := frameCount(jobOf("minimax-h3-fl2va-fp8_t2v", map[string]any{"duration": seconds}), 5); got != want || err != nil {
			t.Errorf("%g s are %d frames, %v; want %d", seconds, got, err, want)
		}
	}
}

// The values of targetResolution mean what the catalog means, two-stage models at
// twice their canvas.
func TestCanvas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		model, ratio string
		target       float64
		w, h         int
	}{
		{"ltx25-22b-int8_t2v_distilled", "", 480, 848, 480},
		{"ltx25-22b-int8_t2v_distilled", "9:16", 720, 720, 1280},
		{"minimax-h3-fl2va-fp8_t2v", "", 720, 1344, 768},
		{"minimax-h3-fastvideo-int8_t2v_turbo_2stage", "", 720, 1344, 768},
		{"minimax-h3-fastvideo-int8_t2v_turbo_2stage", "", 1080, 1920, 1088},
		{"minimax-h3-fastvideo-int8_t2v_turbo_2stage", "", 1440, 2688, 1536},
	} {
		w, h, err := frameSize(jobOf(tc.model, map[string]any{"targetResolution": tc.target, "aspectRatio": tc.ratio}), 0, 0)
		if err != nil || w != tc.w || h != tc.h {
			t.Errorf("%s at %g %s: %dx%d, %v; want %dx%d", tc.model, tc.target, tc.ratio, w, h, err, tc.w, tc.h)
		}
	}
}
