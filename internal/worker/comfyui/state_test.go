package comfyui_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// until waits for a state of a renderer.
func until(t *testing.T, r *comfyui.Renderer, what string, holds func(worker.State) bool) worker.State {
	t.Helper()
	late := time.After(patience)
	for {
		state, changed := r.State()
		if holds(state) {
			return state
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("timeout: %s: %+v", what, state)
		}
	}
}

// A renderer is unavailable while no ComfyUI answers, and keeps its models.
func TestNoComfyUIAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := start(t), start(t, func(c *comfy) {
			c.folders["checkpoints"] = append(c.folders["checkpoints"], "pony-v7.safetensors")
		})
		r := open(t, func(o *comfyui.Options) { o.Sweep = 20 * time.Millisecond }, a, b)
		before, _ := r.State()
		if before.Loaded == nil {
			t.Error("a heartbeat cannot say that nothing is loaded")
		}
		if before.Unavailable != "" || !slices.Contains(before.Models, turbo) || !slices.Contains(before.Models, "pony-v7") {
			t.Fatalf("at first: %+v", before)
		}
		b.setDown(true)
		one := until(t, r, "a model went with its ComfyUI", func(s worker.State) bool { return !slices.Contains(s.Models, "pony-v7") })
		if one.Unavailable != "" || !slices.Contains(one.Models, turbo) {
			t.Errorf("with one of two: %+v", one)
		}
		a.setDown(true)
		none := until(t, r, "none answers", func(s worker.State) bool { return s.Unavailable != "" })
		if !strings.Contains(none.Unavailable, "None of 2 ComfyUI servers answers: ComfyUI at ") || none.Cause != "ComfyUI does not answer" || !slices.Equal(none.Models, one.Models) {
			t.Errorf("with none: %+v", none)
		}
		k, _ := paint(t)
		a.setDown(false)
		b.setDown(false)
		until(t, r, "both are back", func(s worker.State) bool { return s.Unavailable == "" && slices.Contains(s.Models, "pony-v7") })
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Error(err)
		}
	})
}
