package catalog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// What is known of the files of a model is said, and what is not known too.
func TestWeightsOfModels(t *testing.T) {
	t.Parallel()
	m, _ := shared.Model("z_image_turbo_bf16")
	if w := m.Weights; w == nil || len(w.Files) != 3 || w.Bytes != 12309866400+8044982048+335304388 || w.SizesUnknown != 0 {
		t.Errorf("z_image_turbo_bf16 has the weights %+v", w)
	}
	m, _ = shared.Model("pony-v7")
	if w := m.Weights; w == nil || len(w.Files) != 1 || w.Files[0].URL != "" || w.Files[0].Unknown == "" || w.SizesUnknown != 1 {
		t.Errorf("pony-v7 has the weights %+v", w)
	}
	m, _ = shared.Model("gpt-image-2")
	if m != nil && m.Weights != nil {
		t.Errorf("a vendor's model has the weights %+v", m.Weights)
	}
	for _, m := range shared.Models() {
		for _, f := range shared.WeightFiles(m) {
			if f.URL != "" && !strings.HasPrefix(f.URL, "https://huggingface.co/") {
				t.Errorf("%s: %s comes from %s", m.ID, f.File, f.URL)
			}
			if f.Bytes > 0 && f.SHA256 == "" {
				t.Errorf("%s: %s has a size and no checksum", m.ID, f.File)
			}
		}
	}
}

// An operator may say where a file is, and nothing in a name leads out of the folder of models.
func TestWeightsOfAnOverlay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"weightFiles: [{ file: checkpoints/pony-v7.safetensors, url: 'https://example.com/pony.safetensors' }]": "",
		"weightFiles: [{ file: vae/ae.safetensors, removed: true }]":                                            "",
		"models: [{ id: z_image_bf16, weights: [vae/other.safetensors] }]":                                      "weights: model z_image_bf16: vae/other.safetensors is not among the weightFiles",
		"models: [{ id: z_image_bf16, gpuMemory: { bytes: 5 } }]":                                               "the source of this number",
		"weightFiles: [{ file: ../custom_nodes/a.safetensors, url: 'https://example.com/a' }]":                  "file: file of weights",
		"weightFiles: [{ file: vae/../../a.safetensors, url: 'https://example.com/a' }]":                        "a folder of ComfyUI's models",
		"weightFiles: [{ file: vae/.a.safetensors, url: 'https://example.com/a' }]":                             "a folder of ComfyUI's models",
		"weightFiles: [{ file: vae/a.py, url: 'https://example.com/a' }]":                                       "a folder of ComfyUI's models",
		"weightFiles: [{ file: a.safetensors, url: 'https://example.com/a' }]":                                  "a folder of ComfyUI's models",
		"weightFiles: [{ file: vae/a.safetensors }]":                                                            "must be the address of the file",
		"weightFiles: [{ file: vae/a.safetensors, url: 'file:///etc/passwd' }]":                                 "an http or https URL",
		"weightFiles: [{ file: vae/a.safetensors, url: 'https://me:secret@example.com/a' }]":                    "an http or https URL",
		"weightFiles: [{ file: vae/a.safetensors, url: 'https://example.com/a', sha256: abc }]":                 "64 hexadecimal digits",
		"weightFiles: [{ file: vae/a.safetensors, url: 'https://example.com/a', bytes: -1 }]":                   "a size in bytes",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "mine.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Load(dir)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if m, _ := c.Model("pony-v7"); strings.Contains(text, "pony") && m.Weights.Files[0].URL != "https://example.com/pony.safetensors" {
				t.Errorf("%s: got %+v", text, m.Weights)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
