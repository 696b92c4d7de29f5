package modeldir_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/modeldir"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Files are found where ComfyUI finds them, and written where it says.
func TestFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	comfy, shared := filepath.Join(root, "ComfyUI"), filepath.Join(root, "shared")
	write(t, filepath.Join(comfy, "models", "vae", "flux", "ae.safetensors"), "x")
	write(t, filepath.Join(comfy, "models", "unet", "old.safetensors"), "x")
	write(t, filepath.Join(comfy, "models", "vae", ".hidden", "a.safetensors"), "x")
	write(t, filepath.Join(shared, "vaes", "b.safetensors"), "x")
	write(t, filepath.Join(root, "more", "c.safetensors"), "x")
	write(t, filepath.Join(comfy, "extra_model_paths.yaml"), `
# the sections of ComfyUI's example
other:
    base_path: ../shared
    is_default: true
    vae: |
        vaes
        ../more
    clip: encoders
`)
	for _, dir := range []string{comfy, filepath.Join(comfy, "models")} {
		f, err := modeldir.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Sorted(maps.Keys(f.Files("vae")))
		if want := "b.safetensors c.safetensors flux/ae.safetensors"; strings.Join(got, " ") != want {
			t.Errorf("vae has %q, want %q", got, want)
		}
		if got := f.Files("diffusion_models"); len(got) != 1 || got["old.safetensors"] == "" {
			t.Errorf("diffusion_models has %v", got)
		}
		for folder, want := range map[string]string{
			"vae": filepath.Join(shared, "vaes"), "text_encoders": filepath.Join(shared, "encoders"), "loras": filepath.Join(comfy, "models", "loras"),
		} {
			if got := f.Target(folder); got != want {
				t.Errorf("%s is written to %s, want %s", folder, got, want)
			}
		}
	}
	for dir, want := range map[string]string{root: "is not the folder of a ComfyUI", filepath.Join(root, "no"): "there is no folder"} {
		if _, err := modeldir.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s): %v, want %q", dir, err, want)
		}
	}
	write(t, filepath.Join(comfy, "extra_model_paths.yaml"), "other: [")
	if _, err := modeldir.Open(comfy); err == nil || !strings.Contains(err.Error(), "extra_model_paths.yaml") {
		t.Errorf("a broken file: %v", err)
	}
}
