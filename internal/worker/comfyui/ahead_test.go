package comfyui_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/filetype"
)

var fourPictures = []string{"image/png", "image/png", "image/png", "image/png"}

// While ComfyUI renders an artifact, the next one waits in its queue, and no more than that.
func TestTheNextArtifactIsQueuedAhead(t *testing.T) {
	t.Parallel()
	inBubble(t, "several", func(t *testing.T) {
		most, waited := 0, 0 // prompts in the queue when one ended, and how often one was there
		c := start(t, func(c *comfy) {
			c.step = func(_ *prompt, class string, n int) {
				if class != "KSampler" || n < c.steps {
					return
				}
				synctest.Wait() // the frames of this step have been read
				unlock := c.lock()
				defer unlock()
				most = max(most, len(c.queue))
				waited += min(1, len(c.queue))
			}
		})
		r := open(t, nil, c)
		k, d := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, fourPictures...)
		out, err := r.Render(t.Context(), k)
		if err != nil || len(out) != 4 {
			t.Fatalf("render: %+v, %v", out, err)
		}
		d.check(t)
		for i, o := range out {
			if data, err := os.ReadFile(o.Path); err != nil || filetype.Detect(data) != "image/png" || o.Seed != int64(41+i) || o.ID != k.Artifacts[i].ID {
				t.Errorf("artifact %d: %+v, %v", i, o, err)
			}
		}
		if waited != 3 || most != 1 {
			t.Errorf("%d of 3 artifacts were queued while the one before them was rendered, %d at once", waited, most)
		}
		if n := c.called("POST /prompt"); n != 4 {
			t.Errorf("%d prompts, want 4", n)
		}
	})
}

// A job that is cancelled leaves nothing in the queue, and one that fails neither.
func TestArtifactsAheadAreWithdrawn(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]bool{"cancelled": false, "failed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				isQueued := false
				c := start(t, func(c *comfy) {
					c.step = func(p *prompt, class string, n int) {
						if class != "KSampler" || n < c.steps || p.number != 2 {
							return
						}
						synctest.Wait()
						unlock := c.lock()
						isQueued = len(c.queue) == 1
						unlock()
						if !fails {
							cancel(errors.New("cancelled"))
						}
					}
					c.fail = func(p *prompt, class string) (string, string) {
						if fails && p.number == 2 && class == "VAEDecode" {
							return "ValueError", "no"
						}
						return "", ""
					}
				})
				r := open(t, nil, c)
				k, _ := task(t, "generate_image", turbo, map[string]any{"prompt": "x", "width": 256.0, "height": 256.0}, fourPictures...)
				out, err := r.Render(ctx, k)
				if fails && (err != nil || len(out) != 1) {
					t.Errorf("got %d artifacts, %v; want the first alone", len(out), err)
				}
				if !fails && !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want that it was cancelled", err)
				}
				if !isQueued || !c.idle() {
					t.Errorf("queued ahead: %t; nothing left in ComfyUI: %t", isQueued, c.idle())
				}
				if n := c.called("POST /prompt"); n != 3 {
					t.Errorf("%d prompts, want 3", n)
				}
			})
		})
	}
}
