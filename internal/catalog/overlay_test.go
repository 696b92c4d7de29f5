package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// overlay writes files into a new directory and returns it.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	dir := overlay(t, map[string]string{
		"models/image.yaml": `
models:
  - id: z_image_turbo_bf16          # changes the price, keeps the rest
    price: { usd: "0.0160" }
  - id: my_sdxl                      # new, on a base of the program
    sid: 9001
    base: sdxl
    name: My SDXL
    selectors: { generate_image: [my-sdxl] }
    attribution: { creator: Me, creatorUrl: "https://me.example", source: me, sourceUrl: "https://me.example/x" }
  - { id: pony-v7, removed: true }
`,
		"tools/image.yaml": `
tools:
  - name: generate_image
    models: { defaults: [{ selector: my-sdxl, reason: the house likes it }] }
`,
		"catalog.yaml":     "updatedAt: 2027-01-01T00:00:00.000Z\ncapacityWeights: { image.standard: 2 }\n",
		"gallery.yaml":     "samples:\n  - { file: mine.png, modelId: my_sdxl, positivePrompt: a cat, seed: 1 }\n",
		"gallery/mine.png": "not really a picture",
		"README.md":        "Our changes.",
		".hidden":          "ignored",
	})
	c, err := catalog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.Version() == shared.Version() {
		t.Error("the overlay did not change the version")
	}
	if c.UpdatedAt() != "2027-01-01T00:00:00.000Z" {
		t.Errorf("UpdatedAt() = %s", c.UpdatedAt())
	}
	s, err := c.Step("generate_image", map[string]any{"prompt": "a"}, none())
	if err != nil || s.ModelID() != "my_sdxl" || s.CapacityUnits != 2 || s.Cost.Spark.String() != "1.000000" {
		t.Errorf("default step = %+v, %v; want my_sdxl at 2 units and 1 Spark", s, err)
	}
	s, err = c.Step("generate_image", map[string]any{"prompt": "a", "model": "z-turbo"}, none())
	if err != nil || s.Cost.Spark.String() != "3.200000" || s.Model.Name != "Z-Image Turbo" {
		t.Errorf("z-turbo step = %+v, %v; want the new price under the old name", s, err)
	}
	if _, err = c.Step("generate_image", map[string]any{"prompt": "a", "model": "pony-v7"}, none()); err == nil {
		t.Error("the removed model can still be chosen")
	}
	tool, _ := c.Tool("generate_image")
	if f := string(tool.Function().Parameters); !strings.Contains(f, `"my-sdxl"`) || strings.Contains(f, `"pony-v7"`) {
		t.Errorf("the published schema does not follow the models: %s", f)
	}
	if m, _ := c.Model("my_sdxl"); m.Attribution == nil || m.Attribution.Creator != "Me" {
		t.Errorf("attribution = %+v", m.Attribution)
	}
	if len(c.Samples()) != len(shared.Samples())+1 || c.SamplesOf("my_sdxl")[0].File != "mine.png" {
		t.Errorf("samples = %v, want the operator's among them", c.Samples())
	}
	if f, err := c.Gallery().Open("mine.png"); err != nil {
		t.Errorf("the operator's sample cannot be opened: %v", err)
	} else {
		_ = f.Close()
	}
	if shared.UpdatedAt() == c.UpdatedAt() {
		t.Error("the overlay reached another catalog")
	}
}

func TestOverlayRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 65)
	tests := []struct{ name, file, text, want string }{
		{"syntax", "x.yaml", "models: [", "x.yaml:1: did not find expected node content"},
		{"unknown section", "x.yaml", "modles: []", "x.yaml:1: modles: unknown key"},
		{"unknown field", "models/video.yaml", "models:\n  - id: seedance-2-5\n    pirce: free", "models/video.yaml:3: models[0].pirce: unknown key"},
		{"wrong type", "models/video.yaml", "models:\n  - id: seedance-2-5\n    duration: { max: long }", "models/video.yaml:3: models[0].duration.max: must be a number"},
		{"name of a tool", "tools/mine.yaml", "tools:\n  - name: my__tool", "tools/mine.yaml:2: tools[0].name: tool my__tool: must be words of small letters and digits, joined by _, of at most 64 characters in all, not \"my__tool\""},
		{"long name of a tool", "tools/mine.yaml", "tools:\n  - name: " + long, "tools/mine.yaml:2: tools[0].name: tool " + long + ": must be words of small letters and digits, joined by _, of at most 64 characters in all, not \"" + long + "\""},
		{"no id", "x.yaml", "models:\n  - name: X", "x.yaml:2: models[0].id: must name the entry"},
		{"twice", "x.yaml", "models:\n  - { id: pony-v7 }\n  - { id: pony-v7 }", "x.yaml:3: models[1].id: pony-v7 is written twice in this file"},
		{"sid taken", "x.yaml", "models:\n  - { id: new, sid: 101, base: sdxl, name: New, selectors: { generate_image: [new] } }", "x.yaml:2: models[0].sid: model new: must be a unique positive number, not 101, which is z_image_turbo_bf16's"},
		{"no tool", "x.yaml", "models:\n  - { id: pony-v7, selectors: { generate_imgae: [x] } }", "x.yaml:2: models[0].selectors: model pony-v7: generate_imgae is not a tool"},
		{"no base", "x.yaml", "models:\n  - { id: new, base: nowhere }", "x.yaml:2: models[0].base: nowhere is not among the bases"},
		{"circle", "x.yaml", "bases: { a: { base: b }, b: { base: a } }\nmodels:\n  - { id: new, base: a }", "x.yaml:1: bases.a.base: bases refer to each other in a circle"},
		{"no price", "x.yaml", "models:\n  - { id: new, sid: 9, name: New, mediaType: image, selectors: { generate_image: [new] } }", "x.yaml:2: models[0].price: model new: must have a positive usd, or be the word free"},
		{"price word", "x.yaml", "models:\n  - { id: pony-v7, price: cheap }", "x.yaml:2: models[0].price: must be the word free, or a mapping with usd and per"},
		{"price unit", "x.yaml", "models:\n  - { id: pony-v7, price: { per: pixel } }", `x.yaml:2: models[0].price: model pony-v7: must have per as one of output, second, megapixel, operation, not "pixel"`},
		{"media type", "x.yaml", "models:\n  - { id: pony-v7, mediaType: picture }", `x.yaml:2: models[0].mediaType: model pony-v7: must be one of image, video, audio, text, model, not "picture"`},
		{"durations", "x.yaml", "models:\n  - { id: seedance-2-0, duration: { min: 20 } }", "x.yaml:2: models[0].duration: model seedance-2-0: must have a positive min and a max of at least min"},
		{"sizes", "x.yaml", "models:\n  - { id: pony-v7, size: { default: 9999 } }", "x.yaml:2: models[0].size.default: model pony-v7: must lie between min and max"},
		{"count", "x.yaml", "models:\n  - { id: pony-v7, takes: { images: 3..1 } }", "x.yaml:2: models[0].takes.images: must be a count such as 1 or a range such as 1..9"},
		{"capacity class", "x.yaml", "models:\n  - { id: pony-v7, capacityClass: huge }", "x.yaml:2: models[0].capacityClass: model pony-v7: huge is not a capacity class"},
		{"family", "x.yaml", "models:\n  - { id: pony-v7, loraFamily: pony }", "x.yaml:2: models[0].loraFamily: model pony-v7: pony is not a LoRA family"},
		{"default gone", "x.yaml", "models:\n  - { id: z_image_turbo_bf16, removed: true }", `tools/image.yaml:4: tools[0].models.defaults[0]: tool generate_image: "z-turbo" is not a selector of any model for this tool`},
		{"removed stranger", "x.yaml", "models:\n  - { id: missing, removed: true }", "x.yaml:2: models[0].removed: missing is not in the catalog"},
		{"tool argument", "x.yaml", "tools:\n  - name: stitch_video\n    needs: [{ kind: video, argument: film }]", "x.yaml:3: tools[0].needs: tool stitch_video: film is not one of its arguments"},
		{"tool type", "x.yaml", "tools:\n  - name: label_asset\n    arguments: [{ name: asset_id, type: text }]", `x.yaml:2: tools[0].arguments[0].type: tool label_asset: must be a JSON type, not "text"`},
		{"tool question", "x.yaml", "tools:\n  - { name: finalize_response, asks: question }", `x.yaml:2: tools[0].asks: tool finalize_response: must name a string argument of a session tool that produces nothing, not "question"`},
		{"tool default", "x.yaml", "tools:\n  - name: label_asset\n    arguments: [{ name: n, type: number, min: 1, default: 0 }]", "x.yaml:2: tools[0].arguments[0].default: tool label_asset: of n must lie between min and max"},
		{"tool pattern", "x.yaml", "tools:\n  - name: label_asset\n    arguments: [{ name: n, type: string, pattern: \"(\", hint: x }]", "x.yaml:2: tools[0].arguments[0].pattern: tool label_asset: of n: error parsing regexp: missing closing ): `(`"},
		{"tool hint", "x.yaml", "tools:\n  - name: label_asset\n    arguments: [{ name: n, type: string, pattern: a }]", "x.yaml:2: tools[0].arguments[0].hint: tool label_asset: of n must say what the pattern wants"},
		{"lora model", "x.yaml", "loras:\n  - { loraId: rim-light, modelIds: [pony-v7] }", "x.yaml:2: loras[0].modelIds: LoRA rim-light: pony-v7 loads no LoRAs"},
		{"lora range", "x.yaml", "loras:\n  - { loraId: rim-light, ui: { default: 9 } }", "x.yaml:2: loras[0].ui: LoRA rim-light: must have min, recommendedMin, recommendedMax and max in order, and default among them"},
		{"worker pay", "x.yaml", "workerPay: { fast: { planBps: 10001 } }", "catalog: workerPay.fast.planBps must be from 0 to 10000, not 10001"},
		{"worker pay in no network", "x.yaml", "workerPay: { node: { planBps: 1 } }", "catalog: workerPay.node is not a network: use fast or relaxed"},
		{"language model", "x.yaml", "llms:\n  - { id: mine }", "x.yaml:2: llms[0].contextLength: language model mine: must be a positive number of tokens"},
		{"sample file", "gallery.yaml", "samples:\n  - { file: none.png, modelId: pony-v7 }", "gallery.yaml:2: samples[0].file: sample none.png: is not a file below gallery/"},
		{"sample path", "gallery.yaml", "samples:\n  - { file: ../../etc/passwd.png, modelId: pony-v7 }", "gallery.yaml:2: samples[0].file: sample ../../etc/passwd.png: is not a file below gallery/"},
		{"sample model", "gallery.yaml", "samples:\n  - { file: a.png, modelId: missing }", `gallery.yaml:2: samples[0].modelId: sample a.png: "missing" is not a model`},
		{"file name", "models.yam", "", "models.yam: a catalog file ends in .yaml, and media belongs below gallery/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := catalog.Load(overlay(t, map[string]string{tt.file: tt.text}))
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error\n got %v\nwant …/%s", err, tt.want)
			}
		})
	}
}

// Entries that name a removed model lose it; an entry without any model is removed
// too.
func TestOverlayRemovesWhatDependsOnIt(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load(overlay(t, map[string]string{"x.yaml": `
models:
  - { id: qwen_image_2512_fp8, removed: true }
  - { id: qwen_image_2512_fp8_lightning, removed: true }
  - { id: z_image_bf16, removed: true }
`}))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Lora("isometric-rooms"); ok {
		t.Error("isometric-rooms is still there, though no model loads it")
	}
	if row, ok := c.Lora("paper-cut"); !ok || len(row.ModelIDs) != 1 {
		t.Errorf("paper-cut = %+v, want one model left", row)
	}
}

func TestOverlayMissing(t *testing.T) {
	t.Parallel()
	if _, err := catalog.Load(filepath.Join(t.TempDir(), "nowhere")); err == nil || !strings.HasPrefix(err.Error(), "catalog directory: ") {
		t.Errorf("error = %v, want one about the directory", err)
	}
	file := filepath.Join(overlay(t, map[string]string{"x.yaml": ""}), "x.yaml")
	if _, err := catalog.Load(file); err == nil || !strings.HasSuffix(err.Error(), "is not a directory") {
		t.Errorf("error = %v, want one about the directory", err)
	}
}
