package comfyui_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

const krea = "krea2_turbo_fp8_scaled"

// draw renders a picture with a model.
func draw(t *testing.T, r *comfyui.Renderer, model string) error {
	t.Helper()
	k, _ := task(t, "generate_image", model, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, "image/png")
	_, err := r.Render(t.Context(), k)
	return err
}

// drawn renders a picture with a model that can.
func drawn(t *testing.T, r *comfyui.Renderer, models ...string) {
	t.Helper()
	for _, m := range models {
		if err := draw(t, r, m); err != nil {
			t.Fatalf("%s: %v", m, err)
		}
	}
}

// base adds the file of a model that shares its others with turbo.
func base(c *comfy) {
	c.folders["diffusion_models"] = append(c.folders["diffusion_models"], "z_image_bf16.safetensors")
}

// read is how many model files were read from disk.
func (c *comfy) read() (n int) {
	defer c.lock()()
	for x := range maps.Values(c.loads) {
		n += x
	}
	return n
}

// withLRU is a ComfyUI with --cache-lru, which keeps the models of some prompts.
func withLRU(c *comfy) { c.lru = 200 }

// By default ComfyUI keeps the models of the last prompt: what is reported as loaded are they,
// and what it reads is a switch, however often it has read it before. Files that two models
// share stay.
func TestOnlyTheLastModelStaysLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, base)
		r := open(t, nil, c)
		switches := 0
		render := func(model string) {
			k, _ := paint(t)
			k.ModelID, k.Switched = model, func(time.Duration) { switches++ }
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		files := 0
		for _, step := range []struct {
			model          string
			switches, more int
		}{{turbo, 1, 3}, {krea, 2, 3}, {turbo, 3, 3}, {turbo, 3, 0}, {"z_image_bf16", 4, 1}, {turbo, 5, 1}, {krea, 6, 3}} {
			render(step.model)
			files += step.more
			if got := r.Loaded(); !slices.Equal(got, []string{step.model}) || switches != step.switches || c.read() != files {
				t.Errorf("after %s: %v loaded, %d switches, want %d, %d files read, want %d", step.model, got, switches, step.switches, c.read(), files)
			}
		}
		if c.loading != switches {
			t.Errorf("%d switches, but %d prompts read files", switches, c.loading)
		}
	})
}

// A prompt that did not begin, or failed, does not count as loaded.
func TestWhatDidNotRenderIsNotLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := false
		c := start(t, func(c *comfy) {
			c.fail = func(_ *prompt, class string) (string, string) {
				if broken && class == "UNETLoader" {
					return "RuntimeError", "no such file"
				}
				return "", ""
			}
		})
		r := open(t, nil, c)
		drawn(t, r, turbo)
		c.pause(true)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		k, _ := paint(t)
		k.ModelID = krea
		go func() { _, err := r.Render(ctx, k); ended <- err }()
		c.until("it waits", func() bool { return len(c.queue) == 1 })
		synctest.Wait()
		if got := r.Loaded(); !slices.Equal(got, []string{krea}) {
			t.Errorf("loaded: %v, want what will be", got)
		}
		cancel()
		<-ended
		if got := r.Loaded(); !slices.Equal(got, []string{turbo}) {
			t.Errorf("after a cancelled job: %v loaded", got)
		}
		broken = true
		c.pause(false)
		if err := draw(t, r, krea); err == nil || slices.Contains(r.Loaded(), krea) {
			t.Errorf("after a failure, %v: %v loaded", err, r.Loaded())
		}
	})
}

// An owner whose ComfyUI drops models although its machine has memory is told once what to do.
func TestAdviceToKeepModels(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script  []func(*comfy)
		isGiven bool
	}{
		"much memory":   {[]func(*comfy){func(c *comfy) { c.ram = [2]int64{40 << 30, 64 << 30} }}, true},
		"little memory": {[]func(*comfy){func(c *comfy) { c.ram = [2]int64{20 << 30, 64 << 30} }}, false},
		"it keeps them": {[]func(*comfy){withLRU, func(c *comfy) { c.ram = [2]int64{40 << 30, 64 << 30} }}, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			var log bytes.Buffer
			c := start(t, tc.script...)
			r := open(t, func(o *comfyui.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }, c)
			drawn(t, r, turbo, krea, turbo, krea, turbo, krea, turbo, krea)
			r.Close()
			if got := strings.Count(log.String(), "--cache-lru 60"); got > 1 || got == 1 != tc.isGiven {
				t.Errorf("advised %d times:\n%s", got, log.String())
			}
		})
	}
}

// With --cache-lru models stay in memory while it lasts: nothing is unloaded for another
// model, and one that shares files with it does not read them again.
func TestModelsStayLoaded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, base, withLRU)
		r := open(t, nil, c)
		drawn(t, r, turbo)
		if n := c.read(); n != 3 {
			t.Errorf("%d files were read, want 3", n)
		}
		drawn(t, r, "z_image_bf16") // has the same text encoder and decoder
		if n := c.read(); n != 4 {
			t.Errorf("%d files were read, want one more", n)
		}
		drawn(t, r, krea, turbo, turbo, krea)
		if n := c.read(); n != 7 || c.called("POST /free") != 0 {
			t.Errorf("%d files were read, want 7; %d times unloaded", n, c.called("POST /free"))
		}
		if got, want := r.Loaded(), []string{krea, "z_image_bf16", turbo}; !slices.Equal(got, want) {
			t.Errorf("loaded: %v, want %v", got, want)
		}
		state, _ := r.State()
		if !slices.Equal(state.Loaded, r.Loaded()) {
			t.Errorf("reported: %v", state.Loaded)
		}
	})
}

// An idle instance that has the model is preferred, then one with files of it, then an
// empty one.
func TestTheInstanceThatLoadsLeast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b, d := start(t, base), start(t, base), start(t, base)
		r := open(t, nil, a, b, d)
		counts := func() [3]int {
			return [3]int{a.called("POST /prompt"), b.called("POST /prompt"), d.called("POST /prompt")}
		}
		for _, step := range []struct {
			model string
			want  [3]int
		}{
			{turbo, [3]int{1, 0, 0}}, {turbo, [3]int{2, 0, 0}}, {krea, [3]int{2, 1, 0}}, {"z_image_bf16", [3]int{3, 1, 0}},
			{"birefnet_image_background_removal_fp16", [3]int{3, 1, 1}}, {krea, [3]int{3, 2, 1}}, {turbo, [3]int{4, 2, 1}},
		} {
			if strings.HasPrefix(step.model, "birefnet") {
				k, _ := task(t, "remove_background", step.model, map[string]any{}, "image/png")
				k.Files["sourceImageIndex"] = photo(t)
				if _, err := r.Render(t.Context(), k); err != nil {
					t.Fatal(err)
				}
			} else {
				drawn(t, r, step.model)
			}
			if got := counts(); got != step.want {
				t.Errorf("after %s: %v, want %v", step.model, got, step.want)
			}
		}
	})
}

// Out of memory beside another model, the memory is freed and the render retried, once.
// The next time it is freed before.
func TestOutOfMemoryBesideAnotherModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, base, withLRU, func(c *comfy) { c.memoryLimit = 3 })
		r := open(t, nil, c)
		drawn(t, r, turbo, krea)
		if free, prompts := c.called("POST /free"), c.called("POST /prompt"); free != 2 || prompts != 3 {
			t.Errorf("%d times freed with %d prompts, want two and a third for the retry", free, prompts)
		}
		if got := r.Loaded(); !slices.Equal(got, []string{krea}) {
			t.Errorf("loaded: %v", got)
		}
		drawn(t, r, turbo) // the other way round is not known yet
		drawn(t, r, krea)  // known
		if free, prompts := c.called("POST /free"), c.called("POST /prompt"); free != 5 || prompts != 6 {
			t.Errorf("%d times freed with %d prompts, want 5 and 6: the last without a failure", free, prompts)
		}
		// Models that share files never have them unloaded in advance.
		drawn(t, r, turbo)
		before := c.called("POST /free")
		drawn(t, r, "z_image_bf16", turbo, "z_image_bf16")
		if got, prompts := c.called("POST /free"), c.called("POST /prompt"); got != before+6 || prompts != 13 {
			t.Errorf("freed %d times more with %d prompts, want 6 after three failures", got-before, prompts)
		}
	})
}

// A ComfyUI with --gpu-only does not release unloaded models before it forgets its
// results. It does so before the retry.
func TestOutOfMemoryOnTheGPUOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, base, withLRU, func(c *comfy) { c.memoryLimit, c.gpuOnly = 3, true })
		r := open(t, nil, c)
		drawn(t, r, turbo, krea, turbo, "z_image_bf16", krea)
	})
}

// A render that is too large also alone fails after one retry.
func TestOutOfMemoryAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) { c.memoryLimit = 1 })
		r := open(t, nil, c)
		if err := draw(t, r, turbo); code(err) != "out_of_memory" || !strings.HasSuffix(err.Error(), "(also with nothing else in memory)") {
			t.Errorf("got %v", err)
		}
		if free, prompts := c.called("POST /free"), c.called("POST /prompt"); free != 2 || prompts != 2 {
			t.Errorf("%d times freed with %d prompts, want one retry", free, prompts)
		}
		if got := r.Loaded(); len(got) != 0 {
			t.Errorf("loaded: %v", got)
		}
	})
}

// A job that had to load its model reports it, and another with the same model does not.
func TestSwitchesAreMeasured(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, withLRU)
		r := open(t, nil, c)
		for _, step := range []struct {
			model string
			want  int
		}{{turbo, 1}, {turbo, 0}, {krea, 1}, {turbo, 0}} {
			k, _ := paint(t)
			k.ModelID = step.model
			switches := 0
			k.Switched = func(time.Duration) { switches++ }
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			if switches != step.want {
				t.Errorf("%s: %d switches, want %d", step.model, switches, step.want)
			}
		}
		c.restart()
		k, _ := paint(t)
		switches := 0
		k.Switched = func(time.Duration) { switches++ }
		c.setDown(true)
		until(t, r, "it is away", func(s worker.State) bool { return s.Unavailable != "" })
		c.setDown(false)
		if _, err := r.Render(t.Context(), k); err != nil || switches != 1 {
			t.Errorf("after a restart: %d switches, %v", switches, err)
		}
	})
}

// Loading is the time of the nodes that read files, of the text encoder, and before the
// first step of a sampler.
func TestLoadTime(t *testing.T) {
	t.Parallel()
	classes := map[string]string{"m": "UNETLoader", "p": "CLIPTextEncode", "s": "KSampler", "d": "VAEDecode", "c": "TextEncodeAceStepAudio1.5"}
	executing := func(node string) string { return `{"type":"executing","data":{"node":"` + node + `","prompt_id":"x"}}` }
	step := func(node, value string) string {
		return `{"type":"progress","data":{"value":` + value + `,"max":8,"node":"` + node + `","prompt_id":"x"}}`
	}
	state := func(node, value string) string {
		return `{"type":"progress_state","data":{"prompt_id":"x","nodes":{"` + node + `":{"value":` + value + `,"max":8,"state":"running"}}}}`
	}
	for name, tc := range map[string]struct {
		messages []string
		at       []float64
		want     float64
	}{
		"a switch": {
			[]string{executing("m"), executing("p"), executing("s"), step("s", "1"), step("s", "2"), step("s", "5"), executing("d"), executing("")},
			[]float64{0, 3, 5, 9.5, 10, 11.5, 12, 20}, 3 + 2 + 4,
		},
		"states, and frames twice": {
			[]string{executing("m"), executing("s"), state("s", "1"), step("s", "1"), state("s", "2"), step("s", "2"), executing("d")},
			[]float64{0, 1, 3, 3.1, 4, 4.1, 5}, 1 + 1,
		},
		"composing is work":  {[]string{executing("c"), step("c", "1"), step("c", "7"), executing("d")}, []float64{0, 1, 7, 8}, 0},
		"no frames":          {nil, nil, 0},
		"nothing was loaded": {[]string{executing("s"), step("s", "1"), step("s", "2"), executing("")}, []float64{0, 1, 2, 3}, 0},
	} {
		var at []time.Duration
		for _, s := range tc.at {
			at = append(at, time.Duration(s*float64(time.Second)))
		}
		if got := comfyui.LoadTime(classes, []string{"m"}, tc.messages, at); got.Seconds() != tc.want {
			t.Errorf("%s: %v, want %v s", name, got, tc.want)
		}
	}
}
