package comfyui_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// What a node says decides whether the machine is in trouble, and no word of a customer does.
func TestTroubles(t *testing.T) {
	t.Parallel()
	const called, raised = "  File \"/x/ops.py\", line 3, in forward\n    return torch.nn.functional.linear(x)\n           ^^^^^^^^^^^^^", "  File \"/x/nodes.py\", line 3, in run\n    raise RuntimeError(text)\n"
	const hint = "\nCUDA kernel errors might be asynchronously reported at some other API call.\n"
	for name, tc := range map[string]struct {
		kind, message, frame string
		want                 int
	}{
		"a full disk":                {"OSError", "[Errno 28] No space left on device", called, comfyui.DiskTrouble},
		"of a file":                  {"OSError", "[Errno 28] No space left on device: '/x/y.png'", called, comfyui.DiskTrouble},
		"a quota":                    {"OSError", "[Errno 122] Disk quota exceeded", called, comfyui.DiskTrouble},
		"a read-only disk":           {"OSError", "[Errno 30] Read-only file system: '/x'", called, comfyui.DiskTrouble},
		"a file that ends too early": {"av.error.OSError", "[Errno 5] Input/output error: 'x.flac'", called, comfyui.NoTrouble},
		"a disk, of a clip":          {"av.error.OSError", "[Errno 28] No space left on device: 'x.mp4'", called, comfyui.DiskTrouble},
		"a missing file":             {"FileNotFoundError", "[Errno 2] No such file or directory: 'x'", called, comfyui.NoTrouble},
		"a name with a number":       {"OSError", "[Errno 2] No such file or directory: '[Errno 28] No space left on device'", called, comfyui.NoTrouble},
		"a prompt with a number":     {"ValueError", "[Errno 28] No space left on device", called, comfyui.NoTrouble},
		"memory access":              {"torch.AcceleratorError", "CUDA error: an illegal memory access was encountered" + hint, called, comfyui.CrashTrouble},
		"memory access, before":      {"RuntimeError", "CUDA error: an illegal memory access was encountered" + hint, called, comfyui.CrashTrouble},
		"an assertion":               {"RuntimeError", "CUDA error: device-side assert triggered" + hint, called, comfyui.CrashTrouble},
		"an assertion of AMD":        {"RuntimeError", "HIP error: device-side assert triggered" + hint, called, comfyui.CrashTrouble},
		"no GPU":                     {"RuntimeError", "No CUDA GPUs are available", called, comfyui.GPUTrouble},
		"the driver ends":            {"torch.AcceleratorError", "CUDA error: driver shutting down" + hint, called, comfyui.GPUTrouble},
		"a card that fell off":       {"torch.AcceleratorError", "CUDA error: unknown error" + hint, called, comfyui.GPUTrouble},
		"out of memory":              {"torch.OutOfMemoryError", "CUDA error: out of memory", called, comfyui.NoTrouble},
		"out of memory, native":      {"torch.AcceleratorError", "CUDA error: out of memory" + hint, called, comfyui.NoTrouble},
		"a wrong argument":           {"torch.AcceleratorError", "CUDA error: invalid argument" + hint, called, comfyui.NoTrouble},
		"a prompt":                   {"RuntimeError", "CUDA error: an illegal memory access was encountered" + hint, raised, comfyui.NoTrouble},
		"a prompt, no traceback":     {"RuntimeError", "CUDA error: an illegal memory access was encountered", "", comfyui.NoTrouble},
		"a LoRA":                     {"RuntimeError", "cannot load CUDA error: device-side assert triggered.safetensors", called, comfyui.NoTrouble},
		"more words":                 {"RuntimeError", "CUDA error: device-side assert triggered by a cat", called, comfyui.NoTrouble},
		"a prompt in a ValueError":   {"ValueError", "No CUDA GPUs are available", called, comfyui.NoTrouble},
	} {
		if got := comfyui.TroubleOf(tc.kind, tc.message, []string{"  File \"/x/execution.py\", line 1, in f\n    raise x", tc.frame}); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// A worker whose disk is full gives its job back and takes no others, until a small render has
// shown that it can save again. Customers read no path.
func TestTheDiskIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		var log bytes.Buffer
		c := start(t, func(c *comfy) {
			c.fail = func(_ *prompt, class string) (string, string) {
				if class == "SaveImage" && full.Load() {
					return "OSError", "[Errno 28] No space left on device: '/home/ann/ComfyUI/output'"
				}
				return "", ""
			}
		})
		r := open(t, func(o *comfyui.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) }, c)
		full.Store(true)
		err := draw(t, r, turbo)
		if code(err) != "worker_unavailable" || strings.Contains(worker.FailureOf(err).Message, "/home") || !strings.Contains(worker.FailureOf(err).Message, "disk") {
			t.Errorf("the job ended with %s, %v", code(err), worker.FailureOf(err))
		}
		if s, _ := r.State(); !strings.Contains(s.Unavailable, "No space left") || s.Cause != "the disk of the worker is full or cannot be written" {
			t.Errorf("the state: %+v", s)
		}
		if err := draw(t, r, turbo); code(err) != "worker_unavailable" {
			t.Errorf("another job: %v", err)
		}
		prompts := c.called("POST /prompt")
		time.Sleep(2 * time.Minute)
		if n := c.called("POST /prompt") - prompts; n < 1 || n > 8 {
			t.Errorf("it was tried %d times in 2 minutes", n)
		}
		full.Store(false)
		until(t, r, "it is in service", func(s worker.State) bool { return s.Unavailable == "" })
		drawn(t, r, turbo)
		r.Close()
		for _, want := range []string{"ComfyUI is out of service", "No space left on device: '/home/ann", "in service again"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("no %q in %s", want, log.String())
			}
		}
	})
}

// A GPU that is gone takes its instance out of service, and the others go on. A job that may
// have broken a GPU counts as tried.
func TestABrokenGPU(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"No CUDA GPUs are available": "worker_unavailable", "CUDA error: device-side assert triggered": "dropped"} {
		inBubble(t, want, func(t *testing.T) {
			broken := start(t, func(c *comfy) {
				c.fail = func(_ *prompt, class string) (string, string) {
					if class == "KSampler" || class == "ImageBlur" {
						return "RuntimeError", kind
					}
					return "", ""
				}
				c.nodes["ImageBlur"] = map[string]any{"required": map[string]any{}, "optional": map[string]any{}}
			})
			var again atomic.Int32
			r := open(t, func(o *comfyui.Options) { o.Restart = func(string) { again.Add(1) } }, broken, start(t))
			if err := draw(t, r, turbo); code(err) != want {
				t.Errorf("it ended with %v", err)
			}
			if again.Load() != 1 {
				t.Errorf("ComfyUI was started again %d times", again.Load())
			}
			for range 3 {
				drawn(t, r, turbo)
			}
			if s, _ := r.State(); s.Unavailable != "" {
				t.Errorf("with another GPU: %+v", s)
			}
		})
	}
}

// Words of a customer do not take a worker out of service.
func TestAPromptIsNoOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t, func(c *comfy) {
			c.fail = func(_ *prompt, class string) (string, string) {
				if class == "KSampler" {
					return "ValueError", "[Errno 28] No space left on device, CUDA error: unknown error"
				}
				return "", ""
			}
		})
		r := open(t, nil, c)
		if err := draw(t, r, turbo); code(err) != "error" {
			t.Errorf("it ended with %v", err)
		}
		if s, _ := r.State(); s.Unavailable != "" {
			t.Errorf("the state: %+v", s)
		}
	})
}

// Another ComfyUI of the same installation empties the folder in which the files of a job are:
// they are handed over again, before and during a render.
func TestInputsAreLost(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"at the second prompt", "in the second prompt", "always"} {
		inBubble(t, when, func(t *testing.T) {
			lost := 0
			c := start(t, func(c *comfy) {
				c.fail = func(p *prompt, class string) (string, string) {
					if class == "LoadImage" && when != "at the second prompt" && (when == "always" || p.number == 2) {
						lost++
						return "FileNotFoundError", "[Errno 2] No such file or directory: '/home/ann/ComfyUI/temp/atelier/x.png'"
					}
					return "", ""
				}
				c.begins = func(p *prompt) {
					if when == "at the second prompt" && p.number == 1 {
						defer c.lock()()
						for name := range c.files {
							if strings.HasPrefix(name, "temp/") {
								lost++
								delete(c.files, name)
							}
						}
					}
				}
			})
			r := open(t, nil, c)
			k, _ := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, "image/png", "image/png")
			k.Files["sourceImageIndex"] = photo(t)
			out, err := r.Render(t.Context(), k)
			if when == "always" {
				if code(err) != "dropped" || lost != 4 {
					t.Errorf("it ended with %v after %d losses", err, lost)
				}
				return
			}
			if err != nil || len(out) != 2 || lost != 1 || c.called("POST /upload") != 2 {
				t.Errorf("%d artifacts, %v, %d losses, %d uploads", len(out), err, lost, c.called("POST /upload"))
			}
		})
	}
}

// Results are removed from ComfyUI's output directory on this machine once the worker has them,
// and whatever ComfyUI says, nothing else is.
func TestResultsAreRemoved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"as it is", "another name", "a way out", "a link", "a linked folder"} {
		inBubble(t, name, func(t *testing.T) {
			dir, other := t.TempDir(), t.TempDir()
			place := func(path string) {
				if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
					t.Error(err)
				}
			}
			place(filepath.Join(other, "kept.png"))
			if name == "a linked folder" {
				if err := os.Symlink(other, filepath.Join(dir, "atelier")); err != nil {
					t.Skip(err)
				}
			} else if err := os.Mkdir(filepath.Join(dir, "atelier"), 0o700); err != nil {
				t.Fatal(err)
			}
			place(filepath.Join(dir, "atelier", "foreign_00001_.png"))
			token := ""
			c := start(t, func(c *comfy) {
				c.begins = func(p *prompt) {
					token = strings.TrimPrefix(p.graph["save"].Inputs["filename_prefix"].(string), "atelier/")
					made := filepath.Join(dir, "atelier", token+"_00001_.png")
					if name == "a link" {
						_ = os.Symlink(filepath.Join(other, "kept.png"), made)
						return
					}
					place(made)
				}
			})
			c.output = func(string) map[string]any {
				f := map[string]any{"filename": token + "_00001_.png", "subfolder": "atelier", "type": "output"}
				extra := map[string]any{"filename": "foreign_00001_.png", "subfolder": "atelier", "type": "output"}
				if name == "a way out" {
					extra = map[string]any{"filename": token + "_1_.png/../../../" + filepath.Base(other) + "/kept.png", "subfolder": "atelier", "type": "output"}
				}
				return map[string]any{"images": []any{f, extra}}
			}
			r := open(t, func(o *comfyui.Options) { o.Outputs = map[string]string{c.URL: dir} }, c)
			drawn(t, r, turbo)
			_, err := os.Lstat(filepath.Join(dir, "atelier", token+"_00001_.png"))
			if isKept := name == "a link" || name == "a linked folder"; (err == nil) != isKept {
				t.Errorf("the result: %v", err)
			}
			for _, path := range []string{filepath.Join(other, "kept.png"), filepath.Join(dir, "atelier", "foreign_00001_.png")} {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A ComfyUI that does not come back is not waited for when other workers can take the job.
func TestOthersCanTakeTheJob(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		others      int
		least, most time.Duration
	}{"some": {1, 5 * time.Second, 20 * time.Second}, "none": {0, 60 * time.Second, 80 * time.Second}} {
		inBubble(t, name, func(t *testing.T) {
			g := newStepBlock(2)
			c := start(t, func(c *comfy) { c.step = g.step })
			r := open(t, nil, c)
			k, _ := paint(t)
			k.Alternatives = func() int { return tc.others }
			ended := make(chan error, 1)
			go func() { _, err := r.Render(t.Context(), k); ended <- err }()
			<-g.reached
			began := time.Now()
			c.setDown(true)
			err := await(t, ended)
			if took := time.Since(began); code(err) != "dropped" || took < tc.least || took > tc.most {
				t.Errorf("it ended after %s with %v", took, err)
			}
		})
	}
}

// A render that runs out of memory because another program has it names that. The GPU has its plain
// name, and a job says what it does from the beginning.
func TestAnotherProgramHasTheMemory(t *testing.T) {
	t.Parallel()
	for want, free := range map[string]int{"(another program holds 70.0 of the 100.0 GiB of the GPU)": 28, "(also with nothing else in memory)": 97} {
		inBubble(t, want, func(t *testing.T) {
			c := start(t, func(c *comfy) { c.memoryLimit, c.free = 1, free })
			r := open(t, nil, c)
			k, d := paint(t)
			if _, err := r.Render(t.Context(), k); code(err) != "out_of_memory" || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("it ended with %v", err)
			}
			if r.Device() != "Stand-in 7" {
				t.Errorf("the GPU is called %q", r.Device())
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			for _, m := range d.messages {
				if m == "" || strings.HasSuffix(m, ": ") {
					t.Errorf("a report says %q", m)
				}
			}
		})
	}
}
