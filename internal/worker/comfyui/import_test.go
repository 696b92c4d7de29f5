package comfyui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// imports is where the workflows of package graphimport are.
const imports = "../../graphimport/testdata"

// Workflows of ten kinds, in both formats, are imported and rendered as they are.
func TestImportedGraphs(t *testing.T) {
	t.Parallel()
	nodes := must(os.ReadFile(filepath.Join(imports, "object_info.json")))(t)
	for name, files := range map[string]map[string]bool{
		"text_to_image": nil, "subgraph": nil, "lora": nil, "text_to_video": nil, "audio": nil,
		"image_to_image": {"sourceImageIndex": true}, "control": {"sourceImageIndex": true}, "upscale": {"sourceImageIndex": true},
		"inpaint": {"sourceImageIndex": true, "mask_image_url": true}, "image_to_video": {"sourceImageIndex": true},
	} {
		inBubble(t, name, func(t *testing.T) {
			workflow := must(os.ReadFile(filepath.Join(imports, name+".json")))(t)
			made := must(graphimport.Import(workflow, must(graphimport.ReadNodes(nodes))(t), graphimport.Answers{Name: "mine_" + name}))(t)
			dir := t.TempDir()
			for ext, text := range map[string]string{".json": made.Graph, ".yaml": made.Mapping} {
				if err := os.WriteFile(filepath.Join(dir, made.Name+ext), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			library := must(comfyui.LoadLibrary(dir))(t)
			c := start(t, func(c *comfy) {
				var g map[string]graphNode
				if err := json.Unmarshal([]byte(made.Graph), &g); err != nil {
					t.Fatal(err)
				}
				for _, n := range g {
					c.learn(n)
				}
				for _, f := range made.Files { // the names of some inputs mean different folders
					c.folders[f.Folder] = append(c.folders[f.Folder], f.Name)
				}
			})
			r := open(t, func(o *comfyui.Options) { o.Library, o.Models = library, []string{made.Name} }, c)
			if lacks := r.Missing()[made.Name]; len(lacks) > 0 {
				t.Fatalf("it lacks %v", lacks)
			}
			k, log := task(t, made.Tool, made.Name, map[string]any{"prompt": "a new prompt", "scale": 2.0}, made.Type)
			for argument := range files {
				k.Files[argument] = filepath.Join(k.Folder, argument+".png")
				if err := os.WriteFile(k.Files[argument], picture(64, 48), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out := must(r.Render(t.Context(), k))(t); len(out) != 1 {
				t.Errorf("made %d files", len(out))
			}
			log.check(t)
			sent := must(json.Marshal(c.last()))(t)
			if strings.Contains(made.Mapping, "  prompt:") && !strings.Contains(string(sent), "a new prompt") {
				t.Errorf("the prompt is not in the graph: %s", sent)
			}
			if _, masked := files["mask_image_url"]; masked && c.last()["6"].Inputs["mask"].([]any)[0] != "atelier-mask" {
				t.Errorf("the mask of the job is not used: %s", sent)
			}
		})
	}
}
