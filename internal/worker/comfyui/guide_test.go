package comfyui_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// The graph in the guide renders, and the message in it is that of the program.
func TestTheGuide(t *testing.T) {
	t.Parallel()
	text := string(must(os.ReadFile("../../../docs/guides/own-gpu.md"))(t))
	blocks := regexp.MustCompile("(?s)```(json|yaml)\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) != 3 {
		t.Fatalf("the guide has %d examples, want a graph and two mappings", len(blocks))
	}
	files := map[string]string{"my_checkpoint.json": blocks[0][2], "my_checkpoint.yaml": blocks[1][2], "another.yaml": blocks[2][2]}
	l := must(comfyui.LoadLibrary(writeGraphs(t, files)))(t)
	c := start(t, func(c *comfy) {
		c.folders["checkpoints"] = append(c.folders["checkpoints"], "my_checkpoint_v2.safetensors", "another_v12.safetensors")
		for _, n := range []string{"sampler_name", "scheduler"} {
			spec := c.nodes["KSampler"]["required"].(map[string]any)[n].([]any)[1].(map[string]any)
			spec["options"] = append(spec["options"].([]any), "normal")
		}
	})
	r := open(t, func(o *comfyui.Options) { o.Library = l }, c)
	for _, model := range []string{"my_checkpoint", "another_checkpoint"} {
		k, _ := task(t, "generate_image", model, map[string]any{"prompt": "x", "width": 512.0, "height": 256.0}, "image/jpeg")
		if out, err := r.Render(t.Context(), k); err != nil || out[0].Width != 512 {
			t.Errorf("%s: %+v, %v", model, out, err)
		}
	}
	files["my_checkpoint.yaml"] = strings.Replace(blocks[1][2], "6.text", "6.txt", 1)
	_, err := comfyui.LoadLibrary(writeGraphs(t, files))
	if _, message, _ := strings.Cut(err.Error(), "my_checkpoint.yaml: "); err == nil || !strings.Contains(text, message) {
		t.Errorf("the guide does not show the message %q", message)
	}
}
