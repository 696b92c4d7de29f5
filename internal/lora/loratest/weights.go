package loratest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Weights prepares a directory for a service whose catalog has the file of the model pony-v7 at a site, as the
// repository ann/checkpoints, and a ComfyUI without it. It returns the directory of the ComfyUI and the
// file of configuration.
func Weights(t testing.TB, site string) (comfyUI, config string) {
	t.Helper()
	dir := t.TempDir()
	comfyUI, config = filepath.Join(dir, "ComfyUI"), filepath.Join(dir, "atelier.yaml")
	for path, text := range map[string]string{
		config: fmt.Sprintf("catalog_dir: %s\nlora:\n  sources:\n    - { kind: huggingface, host: huggingface.co, base_url: %q }\n", filepath.Join(dir, "catalog"), site),
		filepath.Join(dir, "catalog/weights.yaml"): "weightFiles:\n  - { file: checkpoints/pony-v7.safetensors, url: \"https://huggingface.co/ann/checkpoints/resolve/main/pony.safetensors\" }\n",
		filepath.Join(comfyUI, "models/put"):       "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return comfyUI, config
}
