package comfyui_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		class, kind, message string
		code, want           string
	}{
		"out of memory":    {"KSampler", "torch.OutOfMemoryError", "Allocation on device 0 would exceed allowed memory.", "out_of_memory", "Sampling (KSampler)"},
		"memory, in words": {"VAEDecode", "RuntimeError", "CUDA error: out of memory", "out_of_memory", "VAEDecode"},
		"memory, briefly":  {"KSampler", "comfy.model_management.OOM", "Allocation on device", "out_of_memory", "KSampler"},
		"a node":           {"VAEDecode", "ValueError", "shapes do not fit", "error", "node picture, VAEDecode: shapes do not fit"},
		"silence":          {"VAEDecode", "KeyError", "", "error", "KeyError"},
		"two lines": {
			"UNETLoader", "RuntimeError", "Error(s) in loading state_dict for NextDiT:\n\tsize mismatch for x.weight: [1, 2] and [1, 3].\n\tmore", "error",
			"loading state_dict for NextDiT: size mismatch for x.weight: [1, 2] and [1, 3].",
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			c := start(t, func(c *comfy) {
				c.fail = func(_ *prompt, class string) (string, string) {
					if class == tc.class {
						return tc.kind, tc.message
					}
					return "", ""
				}
			})
			r := open(t, nil, c)
			k, _ := paint(t)
			if _, err := r.Render(t.Context(), k); code(err) != tc.code || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %s, %v; want %s, %q", code(err), err, tc.code, tc.want)
			}
		})
	}
}

// Artifacts that were made before a failure are delivered.
func TestFewerThanOrdered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) {
			c.fail = func(p *prompt, class string) (string, string) {
				if p.number == 2 && class == "VAEDecode" {
					return "ValueError", "no"
				}
				return "", ""
			}
		})
		r := open(t, nil, c)
		k, _ := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, "image/png", "image/png", "image/png")
		if out, err := r.Render(t.Context(), k); err != nil || len(out) != 1 || out[0].ID != "a" {
			t.Errorf("got %+v, %v; want the first alone", out, err)
		}
	})
}

// ComfyUI has other files or nodes than in its survey, and refuses the graph: it is
// surveyed again, and the job continues with what there is.
func TestTheGraphIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := start(t), start(t)
		r := open(t, nil, a, b)
		vae := func(c *comfy, names ...string) {
			defer c.lock()()
			c.folders["vae"] = names
		}
		drawn(t, r, turbo)
		vae(a, "flux/ae.safetensors") // it was moved
		drawn(t, r, turbo)
		if name := a.last()["vae"].Inputs["vae_name"]; name != "flux/ae.safetensors" || a.called("POST /prompt") != 3 {
			t.Errorf("the file: %v after %d prompts", name, a.called("POST /prompt"))
		}
		vae(a, "other.safetensors") // the other ComfyUI still has it
		drawn(t, r, turbo)
		if n := b.called("POST /prompt"); n != 1 {
			t.Errorf("%d prompts of the other one, want 1", n)
		}
		vae(b)
		if err := draw(t, r, turbo); code(err) != "dropped" || !strings.Contains(err.Error(), "Missing: the file ae.safetensors in models/vae") {
			t.Errorf("without the file: %v", err)
		}
		if state, _ := r.State(); slices.Contains(state.Models, turbo) || state.Unavailable != "" {
			t.Errorf("without the file: %+v", state)
		}
		vae(a, "ae.safetensors")
		vae(b, "ae.safetensors")
		r.Resurvey()
		until(t, r, "the model is back", func(s worker.State) bool { return slices.Contains(s.Models, turbo) })
		drawn(t, r, turbo)
		for _, c := range []*comfy{a, b} {
			unlock := c.lock()
			delete(c.nodes, "KSampler")
			unlock()
		}
		if err := draw(t, r, turbo); code(err) != "dropped" || !strings.Contains(err.Error(), "the node KSampler") {
			t.Errorf("without a node: %v", err)
		}
	})
}

// A refusal that a survey does not explain is the job's, and names each reason once.
func TestRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) {
			c.nodes["TextEncodeAceStepAudio1.5"]["required"].(map[string]any)["timesignature"] = []any{"COMBO", map[string]any{"options": []any{"2", "4"}}}
		})
		r := open(t, nil, c)
		k, _ := task(t, "generate_music", "ace_step_1.5_turbo", map[string]any{"prompt": "piano", "timesig": 3.0}, "audio/wav")
		_, err := r.Render(t.Context(), k)
		if want := "node positive, Composing (TextEncodeAceStepAudio1.5): Value not in list: timesignature: '3' not in ['2', '4']"; code(err) != "error" || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		if n := c.called("POST /prompt"); n != 1 {
			t.Errorf("%d prompts, want 1", n)
		}
		missing := `{"type": "value_not_in_list", "message": "Value not in list", "details": "ckpt_name: 'a' not in []"}`
		err = comfyui.Refusal(`{"error": {"type": "prompt_outputs_failed_validation", "message": "Prompt outputs failed validation", "details": ""}, "node_errors": {
		"1": {"errors": [` + missing + `], "class_type": "A"}, "2": {"errors": [` + missing + `, {"message": "Other", "details": "x"}], "class_type": "B"}}}`)
		if want := "ComfyUI refused the graph: node 1, A and 2, B: Value not in list: ckpt_name: 'a' not in []; node 2, B: Other: x"; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	})
}

// A person stops the render in ComfyUI: the job has failed, and is not retried.
func TestTheRenderIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _, ended := begin(t, nil, nil)
		if resp := must(network.Client(t).Post(c.URL+"/interrupt", "application/json", strings.NewReader("{}")))(t); resp.Body.Close() != nil {
			t.Error("the answer cannot be closed")
		}
		if err := await(t, ended); code(err) != "dropped" {
			t.Errorf("the render ended with %v, want a drop", err)
		}
	})
}

// Results that are not what was ordered.
func TestOddResults(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script func(*comfy)
		more   func(*comfyui.Options)
		want   string
	}{
		"nothing": {script: func(c *comfy) {
			c.output = func(string) map[string]any { return map[string]any{"text": []string{"done"}} }
		}, want: "made no file"},
		"another type": {script: func(c *comfy) { c.extra = map[string][]byte{"SaveImage": []byte("GIF89a\x01\x00")} }, want: "image/gif instead of image/png"},
		"rubbish":      {script: func(c *comfy) { c.extra = map[string][]byte{"SaveImage": []byte("hello")} }, want: "unknown type"},
		"too much":     {more: func(o *comfyui.Options) { o.MaxBytes = 10 }, want: "larger than 10 bytes"},
		"lost": {script: func(c *comfy) {
			c.output = func(string) map[string]any {
				return map[string]any{"images": []any{map[string]any{"filename": "gone.png", "type": "output"}}}
			}
		}, want: "404"},
	} {
		inBubble(t, name, func(t *testing.T) {
			c := start(t, func(c *comfy) {
				if tc.script != nil {
					tc.script(c)
				}
			})
			r := open(t, tc.more, c)
			k, _ := paint(t)
			if _, err := r.Render(t.Context(), k); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// A repeated order is not answered with a file that has been deleted.
func TestTheSameOrderTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		k, _ := paint(t)
		var names []any
		for range 2 {
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Fatal(err)
			}
			names = append(names, c.last()["save"].Inputs["filename_prefix"])
		}
		if names[0] == names[1] || !strings.HasPrefix(names[0].(string), "atelier/") {
			t.Errorf("the files are called %v", names)
		}
	})
}
