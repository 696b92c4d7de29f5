package audio

import (
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/worker"
)

// The prompt has precedence over a default of the catalog, and over nothing
// else.
func TestMusicHearsThePrompt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		prompt   string
		bpm      float64
		key      string
		timesig  float64
		wantBPM  float64 // 0 leaves it to the prompt
		wantKey  string
		wantTime int
	}{
		{"slow waltz in D minor", 120, "C major", 4, 0, "", 0},
		{"slow waltz in D minor", 100, "E major", 2, 100, "E major", 2},
		{"piano at 90 bpm", 120, "C major", 4, 0, "C major", 4},
		{"piano", 120, "C major", 4, 120, "C major", 4},
	} {
		args := map[string]any{"prompt": tc.prompt, "bpm": tc.bpm, "keyscale": tc.key, "timesig": tc.timesig, "lyrics": "la la"}
		r := musicRequest(task.Task{Task: worker.Task{Assignment: apitype.Assignment{Arguments: args}}})
		if r.BPM != tc.wantBPM || r.Key != tc.wantKey || r.TimeSig != tc.wantTime || r.Lyrics != "la la" {
			t.Errorf("%q with %g, %s, %g: %+v; want %g, %s, %d", tc.prompt, tc.bpm, tc.key, tc.timesig, r, tc.wantBPM, tc.wantKey, tc.wantTime)
		}
	}
}
