package comfyui_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// Concurrent jobs are distributed to the instances.
func TestInstancesShareTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		arrived, leave := make(chan struct{}, 4), make(chan struct{})
		hold := func(c *comfy) {
			c.step = func(p *prompt, _ string, n int) {
				if n == 1 {
					arrived <- struct{}{}
					<-leave
				}
			}
		}
		a, b := start(t, hold), start(t, hold)
		r := open(t, nil, a, b)
		if r.Capacity() != 2 {
			t.Errorf("capacity: %d, want 2", r.Capacity())
		}
		var wg sync.WaitGroup
		for range 2 {
			k, _ := paint(t)
			wg.Go(func() {
				if _, err := r.Render(t.Context(), k); err != nil {
					t.Errorf("render: %v", err)
				}
			})
		}
		<-arrived
		<-arrived
		close(leave)
		wg.Wait()
		if x, y := a.called("POST /prompt"), b.called("POST /prompt"); x != 1 || y != 1 {
			t.Errorf("prompts: %d and %d, want one each", x, y)
		}
	})
}

// A busy instance is not chosen, whichever client uses it.
func TestTheLeastLoadedIsPicked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := start(t), start(t)
		unlock := a.lock()
		a.running = &prompt{id: "another client's", raw: []byte("{}"), stop: make(chan struct{}), gone: make(chan struct{})}
		unlock()
		r := open(t, nil, a, b)
		k, _ := paint(t)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if x, y := a.called("POST /prompt"), b.called("POST /prompt"); x != 0 || y != 1 {
			t.Errorf("prompts: %d and %d, want the idle one to do it", x, y)
		}
	})
}

// An instance that cannot be reached is not chosen, and is used again when it is
// back.
func TestAnInstanceCannotBeReached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := start(t), start(t)
		r := open(t, nil, a, b)
		a.setDown(true)
		k, _ := paint(t)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		a.setDown(false)
		b.setDown(true)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if x, y := a.called("POST /prompt"), b.called("POST /prompt"); x != 1 || y != 1 {
			t.Errorf("prompts: %d and %d, want one each", x, y)
		}
	})
}

// No instance can be reached: the job waits for a while, and is then given back.
func TestNoInstanceCanBeReached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t)
		r := open(t, func(o *comfyui.Options) { o.Patience = 400 * time.Millisecond }, a)
		a.setDown(true)
		k, _ := paint(t)
		if _, err := r.Render(t.Context(), k); code(err) != "worker_unavailable" || err.Error() != "ComfyUI does not answer." {
			t.Errorf("got %v, want it back", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := r.Render(ctx, k); err == nil || code(err) != "" {
			t.Errorf("a job that is cancelled while waiting: %v", err)
		}
		patient := open(t, nil, start(t), a2(t, a))
		if _, err := patient.Render(t.Context(), k); err != nil {
			t.Errorf("with one that is there: %v", err)
		}
	})
}

// a2 is a after it came back.
func a2(t *testing.T, a *comfy) *comfy {
	t.Helper()
	a.setDown(false)
	return a
}

// A model is offered when an instance has its nodes and files.
func TestOffers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := start(t, func(c *comfy) {
			delete(c.nodes, "SAM3_Detect")
			c.folders["vae"] = slices.DeleteFunc(c.folders["vae"], func(s string) bool { return s == "ae.safetensors" })
			c.folders["checkpoints"] = slices.DeleteFunc(c.folders["checkpoints"], func(s string) bool { return s == "ltx-2.3-22b-dev-fp8.safetensors" })
			c.folders["checkpoints"] = append(c.folders["checkpoints"], `sdxl\community\DreamShaperXL_v21Turbo.safetensors`, "pony-v7.safetensors")
			c.nodes["KSampler"]["required"].(map[string]any)["brand_new"] = []any{"INT", map[string]any{"default": 3}}
		})
		b := start(t, func(c *comfy) {
			clear(c.folders)
			c.folders["diffusion_models"] = []string{"z/z_image_turbo_bf16.safetensors"}
			c.folders["text_encoders"] = []string{"qwen_3_4b.safetensors"}
			c.folders["vae"] = []string{"ae.safetensors"}
		})
		r := open(t, nil, a, b)
		got := r.Models()
		for model, want := range map[string]bool{
			turbo: true, "z_image_bf16": false, "dreamshaper-xl": true, "pony-v7": true, "albedo-xl": false, "sam3_image_segment_bf16": false,
			"birefnet_image_background_removal_fp16": true, "krea2_turbo_fp8_scaled": true, "chroma1-hd_fp8_scaled": false,
		} {
			if slices.Contains(got, model) != want {
				t.Errorf("%s: offered %v, want %v", model, !want, want)
			}
		}
		missing := r.Missing()
		for model, want := range map[string]string{
			"z_image_bf16": "the file z_image_bf16.safetensors in models/diffusion_models (https://huggingface.co/Comfy-Org/z_image_turbo and ",
			"albedo-xl":    "the file albedo-xl.safetensors or albedobase*xl*.safetensors in models/checkpoints", "sam3_image_segment_bf16": "the node SAM3_Detect",
			"ltx23-22b-fp8_t2v_distilled": "the file ltx-2.3-22b-dev-fp8.safetensors in models/checkpoints", // three nodes read it
		} {
			if list := missing[model]; len(list) != 1 || !strings.HasPrefix(list[0], want) {
				t.Errorf("%s: missing %q, want %q", model, list, want)
			}
		}
		if _, ok := missing[turbo]; ok {
			t.Error("a model that is offered is missing something")
		}
		if r.Device() == "" || r.Name() != "comfyui" {
			t.Errorf("device %q, name %q", r.Device(), r.Name())
		}
		// The job goes to the instance that has the model, with the file names of that
		// instance.
		k, _ := paint(t)
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if name := b.last()["model"].Inputs["unet_name"]; name != "z/z_image_turbo_bf16.safetensors" {
			t.Errorf("the model file: %v", name)
		}
		k.ModelID = "dreamshaper-xl"
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if g := a.last(); g["checkpoint"].Inputs["ckpt_name"] != `sdxl\community\DreamShaperXL_v21Turbo.safetensors` || g["sampler"].Inputs["brand_new"] != 3.0 {
			t.Errorf("the checkpoint: %v, the new input: %v", g["checkpoint"].Inputs, g["sampler"].Inputs["brand_new"])
		}
		k.ModelID = "albedo-xl"
		if _, err := r.Render(t.Context(), k); code(err) != "dropped" || !strings.Contains(err.Error(), "Missing: the file albedo-xl.safetensors") {
			t.Errorf("a model that is not there: %v", err)
		}
	})
}

// A model may have graphs that lack something beside those that can be rendered.
func TestOffersInPart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const model, sound = "minimax-h3-fl2va-fp8_t2v", "minimax_h3_audio_vae_fp32.safetensors"
		silent := start(t, func(c *comfy) {
			c.folders["vae"] = slices.DeleteFunc(c.folders["vae"], func(s string) bool { return s == sound })
		})
		r := open(t, nil, silent)
		if !slices.Contains(r.Models(), model) || len(r.Missing()[model]) > 0 {
			t.Fatalf("offered: %v, missing: %v", r.Models(), r.Missing()[model])
		}
		lacks := r.Partial()[model]
		if got := lacks["minimax_h3_t2v"]; len(lacks) != 1 || len(got) != 1 || !strings.HasPrefix(got[0], "the file "+sound+" in models/vae") {
			t.Errorf("its graphs lack %v", lacks)
		}
		if lacks, ok := r.Partial()[turbo]; ok {
			t.Errorf("a model that has everything lacks %v", lacks)
		}
		if lacks, ok := open(t, nil, silent, start(t)).Partial()[model]; ok {
			t.Errorf("beside an instance that has everything: %v", lacks)
		}
		if _, ok := open(t, nil, start(t, func(c *comfy) { clear(c.folders) })).Partial()[model]; ok {
			t.Error("a model that is not offered is offered in part")
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]comfyui.Options{
		"nothing":       {},
		"no address":    {URLs: []string{"localhost:8188"}},
		"LoRAs nowhere": {URLs: []string{"http://127.0.0.1:1"}, LoraDir: t.TempDir()},
	} {
		o.Library = library(t)
		if r, err := comfyui.Open(t.Context(), o); err == nil {
			r.Close()
			t.Errorf("%s: no error", name)
		}
	}
}
