package comfyui_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// The program's graphs serve models and tools of the catalog, and each makes the
// ordered type.
func TestEveryGraphRenders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := must(catalog.Load(""))(t)
		c := start(t, func(c *comfy) {
			for _, id := range library(t).Models() {
				c.folders["checkpoints"] = append(c.folders["checkpoints"], id+".safetensors")
				c.folders["diffusion_models"] = append(c.folders["diffusion_models"], id+".safetensors")
			}
			c.folders["diffusion_models"] = append(c.folders["diffusion_models"], "z_image_bf16.safetensors", "acestep_v1.5_sft.safetensors")
		})
		r := open(t, nil, c)
		if missing := r.Missing(); len(missing) > 0 {
			t.Fatalf("missing: %v", missing)
		}
		image := photo(t)
		types := map[string]string{"image": "image/png", "video": "video/mp4", "audio": "audio/wav"}
		for _, id := range r.Models() {
			m, ok := known.Model(id)
			if !ok {
				t.Errorf("%s is not in the catalog", id)
				continue
			}
			for _, tool := range library(t).Tools(id) {
				if _, ok := m.Selectors[tool]; !ok {
					t.Errorf("%s is not a model of %s", id, tool)
				}
				args := map[string]any{"prompt": "x", "text": "x", "description": "x", "duration": 5.0, "width": 256.0, "height": 256.0}
				k, d := task(t, tool, id, args, types[string(m.MediaType)])
				if strings.Contains(id, "i2v") || strings.Contains(id, "edit") || strings.Contains(id, "flf2v") || strings.Contains(id, "birefnet") || strings.Contains(id, "sam3") {
					k.Files["sourceImageIndex"] = image
				}
				if strings.Contains(id, "flf2v") {
					k.Files["endImageIndex"] = image
				}
				out, err := r.Render(t.Context(), k)
				if err != nil || len(out) != 1 {
					t.Errorf("%s with %s: %v", tool, id, err)
					continue
				}
				data := must(os.ReadFile(out[0].Path))(t)
				if got := filetype.Detect(data); !filetype.Fits(k.Artifacts[0].ContentType, got) {
					t.Errorf("%s with %s made %s", tool, id, got)
				}
				d.check(t)
				if k.Artifacts[0].Kind == "video" && (out[0].DurationSeconds < 4.9 || out[0].DurationSeconds > 5.3 || out[0].Width != 256) {
					t.Errorf("%s with %s: %+v", tool, id, out[0])
				}
			}
		}
	})
}

// The inputs of a job decide which graph of a model is used.
func TestTheGraphFollowsTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		image := photo(t)
		for _, tc := range []struct {
			tool, model, contentType, graph string
			args                            map[string]any
			files                           []string
			check                           func(g map[string]graphNode) bool
		}{
			{"animate_photo", "wan_v2.2-14b-fp8_i2v_lightx2v", "video/mp4", "wan22_i2v", nil, []string{"sourceImageIndex"},
				func(g map[string]graphNode) bool {
					return g["clip_frames"].Class == "WanImageToVideo" && g["clip_frames"].Inputs["length"] == 81.0 && g["clip_frames"].Inputs["width"] == 1088.0
				}},
			{"animate_photo", "wan_v2.2-14b-fp8_i2v_lightx2v", "video/quicktime", "wan22_flf", map[string]any{"frameRole": "both"}, []string{"sourceImageIndex", "endImageIndex"},
				func(g map[string]graphNode) bool {
					return g["clip_frames"].Inputs["start_image"] != nil && g["clip_frames"].Inputs["end_image"] != nil
				}},
			{"animate_photo", "wan_v2.2-14b-fp8_i2v_lightx2v", "video/mp4", "wan22_last", map[string]any{"frameRole": "end"}, []string{"sourceImageIndex"},
				func(g map[string]graphNode) bool {
					return g["clip_frames"].Inputs["start_image"] == nil && g["clip_frames"].Inputs["end_image"] != nil
				}},
			{"generate_video", "wan_v2.2-14b-fp8_i2v_lightx2v", "video/mp4", "wan22_flf", nil, []string{"referenceImageIndices", "referenceImageIndices#1"}, nil},
			{"generate_video", "ltx25-22b-int8_t2v_distilled", "video/mp4", "ltx25_t2v_silent", map[string]any{"generateAudio": false}, nil,
				func(g map[string]graphNode) bool {
					return g["sound"].Class == "" && g["save_silent"].Class == "SaveVideo"
				}},
			{"generate_video", "ltx25-22b-int8_t2v_distilled", "video/mp4", "ltx25_t2v", map[string]any{"generateAudio": true, "targetResolution": 1080.0, "ratio": "9:16", "duration": 7.0}, nil,
				func(g map[string]graphNode) bool {
					in := g["canvas"].Inputs
					return in["width"] == 544.0 && in["height"] == 960.0 && in["length"] == 169.0 && g["quiet"].Inputs["frames_number"] == 169.0
				}},
			{"animate_photo", "minimax-h3-fl2va-fp8_i2v_turbo", "video/mp4", "minimax_h3_last", map[string]any{"frameRole": "end", "duration": 99.0}, []string{"sourceImageIndex"},
				func(g map[string]graphNode) bool {
					in := g["scene"].Inputs
					return in["first_frame"] == nil && in["last_frame"] != nil && in["length"] == 362.0 && g["sigmas"].Inputs["steps"] == 8.0 && g["turbo"].Class != ""
				}},
			{"generate_video", "minimax-h3-fl2va-fp8_t2v", "video/mp4", "minimax_h3_t2v", map[string]any{"targetResolution": 720.0}, nil,
				func(g map[string]graphNode) bool {
					return g["turbo"].Class == "" && g["scene"].Inputs["height"] == 768.0 && g["scene"].Inputs["width"] == 1376.0
				}},
			{"edit_image", "qwen_image_edit_2511_fp8", "image/jpeg", "qwen_edit", nil, []string{"sourceImageIndex", "sourceImageIndex#1"},
				func(g map[string]graphNode) bool {
					return g["instruction"].Inputs["image2"] != nil && g["instruction"].Inputs["image3"] == nil && g["third"].Class == "" && g["lightning"].Class == ""
				}},
			{"apply_style", "qwen_image_edit_2511_fp8_lightning", "image/png", "qwen_edit_lightning", map[string]any{"scale": 4.0}, []string{"sourceImageIndex"},
				func(g map[string]graphNode) bool {
					return g["latent"].Inputs["width"] == 384.0 && g["latent"].Inputs["height"] == 256.0 && g["lightning"].Class != ""
				}},
			{"remove_background", "birefnet_image_background_removal_fp16", "image/png", "birefnet_mask", map[string]any{"applyMask": false}, []string{"source_image_url"},
				func(g map[string]graphNode) bool { return g["save_mask"].Class != "" && g["cut"].Class == "" }},
			{"segment_image", "sam3_image_segment_bf16", "image/png", "sam3_selection", map[string]any{"applyMask": true, "text": "cat", "threshold": 0.3}, []string{"sourceImageIndex"},
				func(g map[string]graphNode) bool {
					return g["found"].Inputs["threshold"] == 0.3 && g["cut"].Class != ""
				}},
		} {
			args := map[string]any{"prompt": "x"}
			for k, v := range tc.args {
				args[k] = v
			}
			k, _ := task(t, tc.tool, tc.model, args, tc.contentType)
			for _, f := range tc.files {
				k.Files[f] = image
			}
			out, err := r.Render(t.Context(), k)
			if err != nil {
				t.Errorf("%s with %s: %v", tc.tool, tc.model, err)
				continue
			}
			if got := out[0].Metadata["graph"]; got != tc.graph {
				t.Errorf("%s with %s %v: graph %v, want %s", tc.tool, tc.model, tc.args, got, tc.graph)
			}
			if g := c.last(); tc.check != nil && !tc.check(g) {
				t.Errorf("%s: the prompt: %+v", tc.graph, g)
			}
		}
	})
}

// Several pictures and prompts make one clip each.
func TestFanOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(t)
		r := open(t, nil, c)
		k, _ := task(t, "animate_photo", "wan_v2.2-14b-fp8_i2v_lightx2v", map[string]any{"prompt": "all", "prompts": []any{"one", "two"}}, "video/mp4", "video/mp4")
		k.Files["sourceImageIndices"], k.Files["sourceImageIndices#1"] = photo(t), filepath.Join(t.TempDir(), "b")
		if err := os.WriteFile(k.Files["sourceImageIndices#1"], picture(10, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Render(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		g := c.last()
		unlock := c.lock()
		file := c.files[annotated(g["first"].Inputs["image"].(string))]
		unlock()
		if g["positive"].Inputs["text"] != "two" || string(file) != string(picture(10, 10)) {
			t.Errorf("the second clip: %v of %d bytes", g["positive"].Inputs, len(file))
		}
		k.Artifacts = append(k.Artifacts, k.Artifacts[0])
		if _, err := r.Render(t.Context(), k); code(err) != "error" || !strings.Contains(err.Error(), "fewer than the artifacts") {
			t.Errorf("three clips of two: %v", err)
		}
	})
}

const flat = `{
  "3": {"class_type": "KSampler", "inputs": {"seed": 1, "steps": 20, "cfg": 7, "sampler_name": "euler", "scheduler": "simple", "denoise": 1, "model": ["4", 0], "positive": ["6", 0], "negative": ["6", 0], "latent_image": ["5", 0]}},
  "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "mine.safetensors"}},
  "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 512, "height": 512, "batch_size": 1}},
  "6": {"class_type": "CLIPTextEncode", "inputs": {"clip": ["4", 1], "text": ""}, "_meta": {"title": "Prompt"}},
  "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}},
  "9": {"class_type": "SaveImage", "inputs": {"images": ["8", 0], "filename_prefix": "x"}}
}`

const mapped = `
tools: [generate_image]
models: [{ id: mine }]
slots:
  prompt: { to: 6.text, required: true }
seed: 3.seed
size: { to: [{ width: 5.width, height: 5.height }], edge: 512, multiple: 8 }
loras: [{ model: 4.0, clip: 4.1 }]
outputs: [{ node: 9, type: image/png }]
files:
  4.ckpt_name: { folder: checkpoints }
`

// writeGraphs writes files into a directory of graphs.
func writeGraphs(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A graph that is in no directory adds a model, unless a file serves the model too.
func TestStoredGraphs(t *testing.T) {
	t.Parallel()
	stored := comfyui.Source{Name: "mine", Graph: flat, Mapping: mapped}
	l := must(comfyui.LoadLibrary("", stored))(t)
	if got := l.Models(); !slices.Contains(got, "mine") || !slices.Contains(got, turbo) {
		t.Errorf("models: %v", got)
	}
	if got := must(comfyui.NewLibrary(stored))(t).Models(); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("models without the program's: %v", got)
	}
	dir := writeGraphs(t, map[string]string{"file.json": flat, "file.yaml": mapped})
	synctest.Test(t, func(t *testing.T) {
		r := open(t, func(o *comfyui.Options) { o.Library = must(comfyui.LoadLibrary(dir, stored))(t) }, start(t, func(c *comfy) {
			c.folders["checkpoints"] = append(c.folders["checkpoints"], "mine.safetensors")
		}))
		k, _ := task(t, "generate_image", "mine", map[string]any{"prompt": "x"}, "image/png")
		out, err := r.Render(t.Context(), k)
		if err != nil || out[0].Metadata["graph"] != "file" {
			t.Errorf("got %+v, %v; want that the file wins", out, err)
		}
	})
	for name, bad := range map[string]comfyui.Source{
		"other files": {Name: "mine", Graph: flat, Mapping: "base: sdxl\nmodels: [{ id: mine }]"}, "no graph": {Name: "mine", Graph: "{}", Mapping: mapped},
	} {
		if _, err := comfyui.LoadLibrary("", bad); err == nil || !strings.Contains(err.Error(), "mine") {
			t.Errorf("%s: got %v, want an error that names the graph", name, err)
		}
	}
}

// An operator's graph adds a model, without Go.
func TestAnOperatorAddsAModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := writeGraphs(t, map[string]string{
			"mine.json": flat, "mine.yaml": mapped,
			"other.yaml": "base: sdxl\nmodels: [{ id: other, set: { sampler.steps: 33 }, files: { checkpoint.ckpt_name: [o*.safetensors] } }]\n",
			// The program's graph, with another number of steps.
			"z_image.yaml": "base: z_image\nmodels: [{ id: z_image_turbo_bf16, set: { sampler.steps: 9, sampler.cfg: 1 } }]\n",
			// One tool of a model that the program's graph serves for several.
			"style.yaml": "base: qwen_edit_lightning\ntools: [apply_style]\n",
			"README.md":  "notes",
		})
		l := must(comfyui.LoadLibrary(dir))(t)
		if got := l.Models(); !slices.Contains(got, "mine") || !slices.Contains(got, "other") || !slices.Contains(got, "krea2_turbo_fp8_scaled") || slices.Contains(got, "z_image_bf16") {
			t.Errorf("models: %v", got)
		}
		c := start(t, func(c *comfy) {
			c.folders["checkpoints"] = append(c.folders["checkpoints"], "mine.safetensors", "Own.safetensors")
		})
		r := open(t, func(o *comfyui.Options) { o.Library = l }, c)
		for model, check := range map[string]func(g map[string]graphNode) bool{
			"mine": func(g map[string]graphNode) bool {
				return g["3"].Inputs["seed"] == 41.0 && g["6"].Inputs["text"] == "x" && g["5"].Inputs["width"] == 512.0
			},
			"other": func(g map[string]graphNode) bool {
				return g["checkpoint"].Inputs["ckpt_name"] == "Own.safetensors" && g["sampler"].Inputs["steps"] == 33.0
			},
			turbo: func(g map[string]graphNode) bool { return g["sampler"].Inputs["steps"] == 9.0 },
		} {
			k, _ := task(t, "generate_image", model, map[string]any{"prompt": "x"}, "image/png")
			if _, err := r.Render(t.Context(), k); err != nil {
				t.Errorf("%s: %v", model, err)
			} else if g := c.last(); !check(g) {
				t.Errorf("%s: %+v", model, g)
			}
		}
		for tool, want := range map[string]string{"apply_style": "style", "edit_image": "qwen_edit_lightning"} {
			k, _ := task(t, tool, "qwen_image_edit_2511_fp8_lightning", map[string]any{"prompt": "x"}, "image/png")
			k.Files["sourceImageIndex"] = photo(t)
			out, err := r.Render(t.Context(), k)
			if err != nil || out[0].Metadata["graph"] != want {
				t.Errorf("%s: %+v, %v; want graph %s", tool, out, err, want)
			}
		}
	})
}

// Errors name the file and the path of a mistake.
func TestMistakesInGraphs(t *testing.T) {
	t.Parallel()
	change := func(old, new string) map[string]string {
		return map[string]string{"mine.json": flat, "mine.yaml": strings.Replace(mapped, old, new, 1)}
	}
	changeGraph := func(old, new string) map[string]string {
		return map[string]string{"mine.json": strings.Replace(flat, old, new, 1), "mine.yaml": mapped}
	}
	for want, files := range map[string]map[string]string{
		`mine.yaml: slots.prompt.to: node "7" is not in mine.json`:                   change("6.text", "7.text"),
		`mine.yaml: slots.prompt.to: node 6 (CLIPTextEncode) has no input txt`:       change("6.text", "6.txt"),
		`mine.yaml: slots.prompt.to: input clip of node 6 is linked to node 4`:       change("6.text", "6.clip"),
		`slots.prompt.to: must be the id of a node and the name of an input`:         change("6.text", "text"),
		`mine.yaml: slots.prompt.to: must name an input`:                             change("to: 6.text, ", ""),
		`mine.yaml: seed: node "33" is not in mine.json`:                             change("3.seed", "33.seed"),
		`mine.yaml: size.to[0].width: node "55" is not in mine.json`:                 change("width: 5.width", "width: 55.width"),
		`mine.yaml: size: must have either edge or short`:                            change("edge: 512, ", ""),
		`mine.yaml: loras[0].clip: no node reads output 3 of node 4`:                 change("clip: 4.1", "clip: 4.3"),
		`mine.yaml: loras[0].model: node "44" is not in mine.json`:                   change("model: 4.0", "model: 44"),
		`mine.yaml: outputs[0].node: node "10" is not in mine.json`:                  change("node: 9", "node: 10"),
		`mine.yaml: outputs[0].type: "image/tiff" is not a media type`:               change("image/png", "image/tiff"),
		`mine.yaml: outputs: must name the node`:                                     change("outputs: [{ node: 9, type: image/png }]", ""),
		`mine.yaml: files.4.ckpt_name.folder: must name the folder`:                  change("{ folder: checkpoints }", "{}"),
		`mine.yaml: models: must name at least one model`:                            change("models: [{ id: mine }]", ""),
		`mine.yaml: models[0].id: must name the model`:                               change("id: mine", `id: ""`),
		`mine.yaml: models[0].set.3.stps: node 3 (KSampler) has no input stps`:       change("id: mine", "id: mine, set: { 3.stps: 4 }"),
		`mine.yaml: models[0].files.5.width: is not among the files`:                 change("id: mine", "id: mine, files: { 5.width: [a] }"),
		`mine.yaml: models[0].links.3.model: node "99" is not in mine.json`:          change("id: mine", "id: mine, links: { 3.model: 99 }"),
		`mine.yaml: models[1].id: mine is written twice`:                             change("{ id: mine }", "{ id: mine }, { id: mine }"),
		`mine.yaml: tools: must name at least one tool`:                              change("tools: [generate_image]", ""),
		`mine.yaml: slots.prompt.with: photo is not one of the inputs`:               change("required: true", "with: photo"),
		`mine.yaml: slots.prompt.frames: fps must be above 0`:                        change("required: true", "frames: { fps: 0 }"),
		`mine.yaml: slots.prompt.default: must be a number`:                          change("required: true", "default: x, times: 2"),
		`mine.yaml:5: slots.prompt.too: unknown key`:                                 change("\n  prompt: { to: 6.text,", "\n  prompt: { too: 6.text,"),
		`mine.yaml: inputs.photo.kind: must be image, video or audio`:                change("seed: 3.seed", "inputs: { photo: { to: 6.text } }"),
		`mine.yaml: inputs.photo.to: must name an input`:                             change("seed: 3.seed", "inputs: { photo: { kind: image } }"),
		`mine.yaml: inputs.photo.links.8.samples: node "77" is not in mine.json`:     change("seed: 3.seed", "inputs: { photo: { kind: image, to: 6.text, links: { 8.samples: 77 } } }"),
		`mine.yaml: graph: none.json: file does not exist`:                           change("tools:", "graph: none.json\ntools:"),
		`mine.yaml: graph: ../x.json: must be the name of a file`:                    change("tools:", "graph: ../x.json\ntools:"),
		`mine.yaml:1: base: other.yaml does not exist`:                               {"mine.yaml": "base: other"},
		`base: refers to itself`:                                                     {"a.yaml": "base: b", "b.yaml": "base: a"},
		`mine.json: node 8, input samples: is linked to node 33, which is not there`: changeGraph(`"samples": ["3", 0]`, `"samples": ["33", 0]`),
		`mine.json: node 3: depends on itself`:                                       changeGraph(`"latent_image": ["5", 0]`, `"latent_image": ["8", 0]`),
		`mine.json: node 4: has no class_type`:                                       changeGraph(`"class_type": "CheckpointLoaderSimple", `, ``),
		`mine.json: must be a JSON object of nodes`:                                  {"mine.json": `[1]`, "mine.yaml": mapped},
		`mine.json: is a saved workflow; in ComfyUI choose Workflow, Export (API)`:   {"mine.json": `{"nodes": [], "links": [], "version": 0.4}`, "mine.yaml": mapped},
		`mine.json: holds no nodes`:                                                  {"mine.json": `{}`, "mine.yaml": mapped},
		`lonely.json: no mapping uses it; write lonely.yaml beside it`:               {"lonely.json": flat},
		`notes.txt: a mapping ends in .yaml and a graph in .json`:                    {"notes.txt": "x"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := comfyui.LoadLibrary(writeGraphs(t, files))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	for _, dir := range []string{filepath.Join(t.TempDir(), "none"), must(filepath.Abs("doc.go"))(t)} {
		if _, err := comfyui.LoadLibrary(dir); err == nil || !strings.HasPrefix(err.Error(), "graphs directory:") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
