package graphimport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/graphimport"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func nodes(t testing.TB) *graphimport.Nodes {
	t.Helper()
	n, err := graphimport.ReadNodes(read(t, "object_info.json"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// workflows are the workflows in testdata, and what is found in them.
var workflows = []struct {
	file, tool, kind string
	inputs           []string
	mapping          []string // parts of the mapping
	graph            map[string]any
}{
	{
		file: "text_to_image", tool: "generate_image", kind: "image/png",
		inputs:  []string{"prompt=6.text", "negativePrompt=7.text", "seed=3.seed", "steps=3.steps", "guidance=3.cfg", "size=5.width,5.height"},
		mapping: []string{`ratio: "1152:896"`, `loras: [{ model: "4.0", clip: "4.1" }]`, `"4.ckpt_name": { folder: checkpoints }`, "type: image/webp"},
		graph:   map[string]any{"3.seed": "156680208700286", "6.text": "a lighthouse in a storm"},
	},
	{
		file: "subgraph", tool: "generate_image", kind: "image/png",
		inputs:  []string{"prompt=57:27.text", "seed=57:3.seed", "steps=57:3.steps", "size=57:13.width,57:13.height"},
		mapping: []string{`from: "https://huggingface.co/example/turbo/resolve/main/turbo.safetensors"`, `multiple: 16`},
		graph:   map[string]any{"57:27.text": "a glass fox", "57:13.width": "1280", "57:13.height": "832", "57:3.seed": "12", "57:3.steps": "8", "9.images": "57:8"},
	},
	{
		file: "image_to_image", tool: "edit_image", kind: "image/png",
		inputs:  []string{"prompt=6.text", "seed=3.seed", "steps=3.steps", "sourceImageIndex=10.image"},
		mapping: []string{"sourceImageIndex: { kind: image, to: \"10.image\", required: true }"},
	},
	{
		file: "control", tool: "edit_image", kind: "image/png",
		inputs: []string{"prompt=3.text", "seed=10.seed", "steps=10.steps", "sourceImageIndex=5.image", "size=9.width,9.height"},
		graph:  map[string]any{"3.clip": "1", "8.strength": "0.8", "8.end_percent": "0.9", "10.denoise": "1", "10.sampler_name": "euler"},
	},
	{
		file: "inpaint", tool: "edit_image", kind: "image/png",
		inputs:  []string{"prompt=3.text", "seed=10.seed", "steps=10.steps", "sourceImageIndex=5.image", "mask_image_url=atelier-mask.image"},
		mapping: []string{`links: { "6.mask": "atelier-mask" }`},
		graph:   map[string]any{"6.mask": "5", "atelier-mask.channel": "red"},
	},
	{
		file: "upscale", tool: "upscale_image", kind: "image/png",
		inputs:  []string{"sourceImageIndex=1.image", "scale=atelier-size.width,atelier-size.height"},
		mapping: []string{"exact: true", "targetLongestEdge: []", `"2.model_name": { folder: upscale_models }`},
		graph:   map[string]any{"atelier-size.image": "3", "atelier-save.images": "atelier-size"},
	},
	{
		file: "text_to_video", tool: "generate_video", kind: "video/mp4",
		inputs:  []string{"prompt=20.value", "negativePrompt=7.text", "seed=3.seed", "steps=3.steps", "size=40.width,40.height", "duration=40.length"},
		mapping: []string{"frames: { fps: 16, base: 1, step: 4", "short: 480"},
		graph:   map[string]any{"6.text": "20", "atelier-video.images": "8", "atelier-video.fps": "16", "atelier-save.video": "atelier-video"},
	},
	{
		file: "image_to_video", tool: "animate_photo", kind: "video/mp4",
		inputs:  []string{"prompt=6.text", "negativePrompt=7.text", "seed=3.seed", "steps=3.steps", "sourceImageIndex=52.image", "size=50.width,50.height", "duration=50.length"},
		mapping: []string{"each: sourceImageIndices", "frameRole: [start]", "follow: \"first\""},
	},
	{
		file: "audio", tool: "generate_music", kind: "audio/flac",
		inputs:  []string{"prompt=6.text", "seed=3.seed", "steps=3.steps", "duration=11.seconds"},
		mapping: []string{"duration: { to: \"11.seconds\", min: 1, max: 600 }"},
	},
	{
		file: "lora", tool: "generate_image", kind: "image/png",
		inputs:  []string{"prompt=3.text", "negativePrompt=4.text", "seed=10.seed", "steps=10.steps", "guidance=10.cfg", "size=9.width,9.height"},
		mapping: []string{`"2.lora_name": { folder: loras }`},
		graph:   map[string]any{"3.clip": "2", "10.model": "2", "9.width": "640", "9.height": "640", "10.steps": "20", "2.strength_clip": "0.7"},
	},
}

// value is an input of a graph as a text; of a link, the node.
func value(t *testing.T, graph, at string) string {
	t.Helper()
	var g map[string]struct {
		Inputs map[string]any `json:"inputs"`
	}
	d := json.NewDecoder(strings.NewReader(graph))
	d.UseNumber()
	if err := d.Decode(&g); err != nil {
		t.Fatal(err)
	}
	id, input, _ := strings.Cut(at, ".")
	switch v := g[id].Inputs[input].(type) {
	case []any:
		return fmt.Sprint(v[0])
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// found lists arguments and where they go.
func found(r *graphimport.Result) (out []string) {
	for _, in := range r.Inputs {
		out = append(out, in.Argument+"="+strings.Join(in.Targets, ","))
	}
	return out
}

// load reads what was made as a worker and a service do.
func load(t *testing.T, r *graphimport.Result) {
	t.Helper()
	graphs, entries := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		filepath.Join(graphs, r.Name+".json"): r.Graph, filepath.Join(graphs, r.Name+".yaml"): r.Mapping, filepath.Join(entries, r.Name+".yaml"): r.Catalog,
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	library, err := comfyui.LoadLibrary(graphs)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Mapping)
	}
	if got := library.Tools(r.Name); !slices.Equal(got, []string{r.Tool}) {
		t.Errorf("the mapping is for %v, want %s", got, r.Tool)
	}
	known, err := catalog.Load(entries)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Catalog)
	}
	if m, ok := known.Model(r.Name); !ok || !m.Serves(r.Tool) {
		t.Errorf("the catalog has no model for %s: %s", r.Tool, r.Catalog)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	for _, w := range workflows {
		t.Run(w.file, func(t *testing.T) {
			t.Parallel()
			r, err := graphimport.Import(read(t, w.file+".json"), nodes(t), graphimport.Answers{Name: w.file, SID: 9100})
			if err != nil {
				t.Fatal(err)
			}
			if r.Tool != w.tool || r.Type != w.kind {
				t.Errorf("got %s of %s, want %s of %s", r.Type, r.Tool, w.kind, w.tool)
			}
			if got := found(r); !slices.Equal(got, w.inputs) {
				t.Errorf("got\n%v, want\n%v", got, w.inputs)
			}
			for _, part := range w.mapping {
				if !strings.Contains(r.Mapping, part) {
					t.Errorf("the mapping lacks %s:\n%s", part, r.Mapping)
				}
			}
			for at, want := range w.graph {
				if got := value(t, r.Graph, at); got != want {
					t.Errorf("%s is %q, want %q", at, got, want)
				}
			}
			if len(r.Missing) > 0 {
				t.Errorf("missing: %v", r.Missing)
			}
			isGiven := slices.ContainsFunc(w.inputs, func(in string) bool { return strings.HasPrefix(in, "sourceImageIndex=") })
			if needs := slices.Contains(r.Needs, "sourceImageIndex"); needs != isGiven {
				t.Errorf("a job needs the files %v", r.Needs)
			}
			load(t, r)
		})
	}
}

// Every tool that an import can be for is one of the catalog, and takes the arguments that a mapping gives it.
func TestTools(t *testing.T) {
	t.Parallel()
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for name, arguments := range graphimport.Arguments() {
		tool, ok := known.Tool(name)
		if !ok {
			t.Errorf("there is no tool %s", name)
			continue
		}
		for _, argument := range arguments {
			if !slices.ContainsFunc(tool.Arguments, func(a *catalog.Argument) bool { return a.Name == argument }) {
				t.Errorf("%s has no argument %s", name, argument)
			}
		}
	}
}

// Custom nodes are named with their package, if the workflow says it in the form that a package has.
func TestMissingNodes(t *testing.T) {
	t.Parallel()
	r, err := graphimport.Import(read(t, "custom_nodes.json"), nodes(t), graphimport.Answers{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range r.Missing {
		got = append(got, m.Class+": "+m.Package+" "+m.URL)
	}
	want := []string{
		"FilmGrain: comfyui-film https://registry.comfy.org/nodes/comfyui-film", "Sharpen+: someone/comfyui-sharp https://github.com/someone/comfyui-sharp",
		"Mystery:  ", "NewCore: ComfyUI ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if hint := r.Missing[3].Hint; !strings.Contains(hint, "update ComfyUI") || !strings.Contains(hint, "0.9.9") {
		t.Errorf("the hint for a node of the core is %q", hint)
	}
	load(t, r)
}

// An operator's answers win over guesses, and are checked.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file    string
		answers graphimport.Answers
		want    string // an input
		refusal string
	}{
		"another tool":     {"image_to_image", graphimport.Answers{Tool: "generate_image"}, "starting_image_strength=3.denoise", ""},
		"another text":     {"text_to_image", graphimport.Answers{Set: map[string]string{"prompt": "7.text"}}, "prompt=7.text", ""},
		"two inputs":       {"text_to_image", graphimport.Answers{Set: map[string]string{"prompt": "6.text, 7.text"}}, "prompt=6.text,7.text", ""},
		"no such tool":     {"text_to_image", graphimport.Answers{Tool: "paint"}, "", "tool: must be one of generate_image"},
		"tool of a clip":   {"text_to_image", graphimport.Answers{Tool: "generate_video"}, "", "tool: generate_video makes videos, and the workflow saves none"},
		"no such node":     {"text_to_image", graphimport.Answers{Set: map[string]string{"prompt": "66.text"}}, "", `set.prompt: "66.text" is not the input of a node`},
		"no such input":    {"text_to_image", graphimport.Answers{Set: map[string]string{"prompt": "6.txt"}}, "", "set.prompt: node 6 (CLIPTextEncode) has no value txt to set; it has text"},
		"a link":           {"text_to_image", graphimport.Answers{Set: map[string]string{"prompt": "6.clip"}}, "", "has no value clip to set"},
		"no such argument": {"text_to_image", graphimport.Answers{Set: map[string]string{"mood": "6.text"}}, "", "set.mood: the tool generate_image has prompt, negativePrompt, guidance, starting_image_strength, seed, size, sourceImageIndex"},
		"another size":     {"text_to_image", graphimport.Answers{Set: map[string]string{"size": "5.height, 5.width"}}, "size=5.height,5.width", ""},
		"a small size":     {"text_to_image", graphimport.Answers{Set: map[string]string{"size": "5.batch_size,3.steps"}}, "", "set.size: the workflow has 1x"},
		"half a size":      {"text_to_image", graphimport.Answers{Set: map[string]string{"size": "5.width"}}, "", "set.size: \"5.width\" is not the inputs of width and height"},
		"a size of words":  {"text_to_image", graphimport.Answers{Set: map[string]string{"size": "6.text,7.text"}}, "", "is not two inputs with numbers"},
		"a size to scale":  {"upscale", graphimport.Answers{Set: map[string]string{"size": "1.width,1.height"}}, "", "set.size: the tool upscale_image has seed, sourceImageIndex"},
		"another argument": {"control", graphimport.Answers{Set: map[string]string{"sourceImageIndex#1": "5.image", "sourceImageIndex": "-"}}, "sourceImageIndex#1=5.image", ""},
		"no such picture":  {"control", graphimport.Answers{Set: map[string]string{"sourceImageIndex": "3.text"}}, "", `set.sourceImageIndex: "3.text" is not an input with a file of this kind (image); the workflow has 5.image`},
		"a picture twice":  {"control", graphimport.Answers{Set: map[string]string{"sourceImageIndex": "5.image", "sourceImageIndex#1": "5.image"}}, "", "set.sourceImageIndex#1: 5.image is where sourceImageIndex goes"},
		"a path":           {"text_to_image", graphimport.Answers{Name: "../x"}, "", "name: must be lower-case letters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := graphimport.Import(read(t, tc.file+".json"), nodes(t), tc.answers)
			switch {
			case tc.refusal != "" && (err == nil || !strings.Contains(err.Error(), tc.refusal)):
				t.Errorf("got %v, want %q", err, tc.refusal)
			case tc.refusal == "" && err != nil:
				t.Error(err)
			case tc.refusal == "" && !slices.Contains(found(r), tc.want):
				t.Errorf("got %v, want %s", found(r), tc.want)
			case tc.refusal == "":
				load(t, r)
			}
		})
	}
}

// A node that an answer sets aside is not set at all.
func TestNowhere(t *testing.T) {
	t.Parallel()
	r, err := graphimport.Import(read(t, "text_to_image.json"), nil, graphimport.Answers{Set: map[string]string{"negativePrompt": "-", "seed": "-", "size": "-"}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Mapping, "negativePrompt") || strings.Contains(r.Mapping, "seed") || strings.Contains(r.Mapping, "size") {
		t.Errorf("the mapping has arguments that go nowhere:\n%s", r.Mapping)
	}
	load(t, r)
}

// The API format needs no ComfyUI; the editor's format does.
func TestWithoutNodes(t *testing.T) {
	t.Parallel()
	for _, w := range workflows {
		r, err := graphimport.Import(read(t, w.file+".json"), nil, graphimport.Answers{})
		switch isEditor := slices.Contains([]string{"subgraph", "control", "inpaint", "text_to_video", "lora"}, w.file); {
		case isEditor && (err == nil || !strings.Contains(err.Error(), "a running ComfyUI is needed")):
			t.Errorf("%s: got %v", w.file, err)
		case !isEditor && err != nil:
			t.Errorf("%s: %v", w.file, err)
		case !isEditor && r.Tool != w.tool:
			t.Errorf("%s: got the tool %s, want %s", w.file, r.Tool, w.tool)
		}
	}
}
