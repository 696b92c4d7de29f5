package comfyui_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A render that takes less than three seconds gets no previews from the second time on: each of
// them takes time of the GPU, and the result comes at once.
func TestBriefRendersHaveNoPreviews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var each time.Duration
		c := start(t, func(c *comfy) {
			c.step = func(*prompt, string, int) { time.Sleep(each) } // in a bubble: no real time passes
		})
		r := open(t, nil, c)
		render := func(width float64, step time.Duration) {
			t.Helper()
			each = step
			k, _ := paint(t)
			k.Arguments["width"] = width
			k.Preview = func(string, string, []byte) {}
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		const slow, fast = time.Second, 10 * time.Millisecond // of eight steps
		for _, next := range []struct {
			width float64
			step  time.Duration
			want  string
		}{
			{256, fast, "auto"}, // nothing is known yet
			{256, fast, "none"},
			{1024, slow, "auto"}, // another size
			{1024, slow, "auto"},
			{256, slow, "none"}, // slower than it was
			{256, fast, "auto"},
			{256, fast, "none"},
		} {
			render(next.width, next.step)
			unlock := c.lock()
			got := slices.Clone(c.previews)
			unlock()
			if got[len(got)-1] != next.want {
				t.Errorf("width %v, step %s: preview method %q, want %q (all: %q)", next.width, next.step, got[len(got)-1], next.want, got)
			}
		}
	})
}
