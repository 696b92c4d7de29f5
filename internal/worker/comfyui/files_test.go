package comfyui_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// The files of every model of the program's graphs are known by name and folder.
func TestFilesOfModels(t *testing.T) {
	t.Parallel()
	l, err := comfyui.LoadLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	files := l.Files()
	var got []string
	for _, f := range files["z_image_turbo_bf16"] {
		got = append(got, f.Folder+"/"+f.Name)
		if len(f.From) == 0 || len(f.Graphs) > 0 {
			t.Errorf("%s comes from %q, for the graphs %q", f.Name, f.From, f.Graphs)
		}
	}
	if want := []string{"text_encoders/qwen_3_4b.safetensors", "diffusion_models/z_image_turbo_bf16.safetensors", "vae/ae.safetensors"}; !slices.Equal(got, want) {
		t.Errorf("z_image_turbo_bf16 needs %q, want %q", got, want)
	}
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for id, list := range files {
		if !slices.Contains(known.NativeModels(), id) && !slices.Contains(known.WorkerTools(), id) {
			t.Errorf("%s is no model of the catalog", id)
		}
		for i, f := range list {
			if f.Folder == "" || f.Name == "" || strings.Contains(f.Name, "{") {
				t.Errorf("%s needs a file without a name: %+v", id, f)
			}
			some = some || len(f.Graphs) > 0
			if i > 0 && len(f.Graphs) == 0 && len(list[i-1].Graphs) > 0 {
				t.Errorf("%s: %s comes after what only some graphs need", id, f.Name)
			}
		}
	}
	if !some {
		t.Error("no file is needed for sound only")
	}
}

// The catalog says of each file of the program's graphs where it is published, or why that is not
// known, and names no others.
func TestFilesHaveSources(t *testing.T) {
	t.Parallel()
	l, err := comfyui.LoadLibrary("")
	if err != nil {
		t.Fatal(err)
	}
	known, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	files := l.Files()
	for _, m := range known.Models() {
		sources := known.WeightFiles(m)
		for _, f := range files[m.ID] {
			n := 0
			for _, s := range sources {
				if _, ok := f.Find([]string{s.Name()}); ok && s.Folder() == f.Folder {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s: the catalog has %d files for %s/%s, want one", m.ID, n, f.Folder, f.Name)
			}
		}
		if len(sources) != len(files[m.ID]) {
			t.Errorf("%s: the catalog has %d files, its graphs read %d", m.ID, len(sources), len(files[m.ID]))
		}
	}
}
