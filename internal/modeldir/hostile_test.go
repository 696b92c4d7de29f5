//go:build unix

package modeldir

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/lora/loratest"
)

// Who may write into the folder of a ComfyUI, as its extensions may, neither has the service write elsewhere, nor
// keeps a download from ending.
func TestHostileFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string // of the error; empty for a download that succeeds
		prepare    func(t *testing.T, path, elsewhere string)
	}{
		{"a link in the place of the part", "x.safetensors.part", func(t *testing.T, path, elsewhere string) { link(t, elsewhere, path+".part") }},
		{"a link in the place of the record", "", func(t *testing.T, path, elsewhere string) { link(t, elsewhere, path+".source.json.new") }},
		{"a link in the place of the record of the part", "", func(t *testing.T, path, elsewhere string) { link(t, elsewhere, path+".part.json.new") }},
		{"a pipe in the place of the record", "", func(t *testing.T, path, _ string) { pipe(t, path+".source.json") }},
		{"a pipe in the place of the record of the part", "", func(t *testing.T, path, _ string) { pipe(t, path+".part.json") }},
		{"a pipe in the place of the new record", "", func(t *testing.T, path, _ string) { pipe(t, path+".source.json.new") }},
		{"a pipe in the place of the part", "x.safetensors.part", func(t *testing.T, path, _ string) { pipe(t, path+".part") }},
		{"a record without end", "", func(t *testing.T, path, _ string) {
			sparse(t, path+".source.json")
			sparse(t, path+".part.json")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sites, dir := loratest.Serve(t), t.TempDir()
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			if err := os.WriteFile(elsewhere, []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "x.safetensors")
			file := File{Folder: "vae", Name: "x.safetensors", URL: sites.AddHubFile("ann/x", "x.safetensors", []byte("the weights of a model"))}
			f, err := New(Options{Mirrors: map[string]string{"huggingface.co": sites.URL}, Tries: 1}, []File{file})
			if err != nil {
				t.Fatal(err)
			}
			c.prepare(t, path, elsewhere)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := f.Download(ctx, dir, file, Facts{Bytes: -1}, nil)
				ended <- err
			}()
			select {
			case err = <-ended:
			case <-ctx.Done():
				t.Fatal("the download does not end")
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
			if got, err := os.ReadFile(elsewhere); err != nil || string(got) != "mine" {
				t.Errorf("the file elsewhere has %q, %v", got, err)
			}
			if got, err := os.ReadFile(path); c.want == "" && (err != nil || string(got) != "the weights of a model") {
				t.Errorf("the download has %q, %v", got, err)
			}
		})
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

func pipe(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
}

// sparse makes a file that is larger than memory, and takes no space.
func sparse(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		t.Fatal(err)
	}
}

// A configuration of more folders that is a pipe is refused: opening it would not end.
func TestPipeAsConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "models"), 0o777); err != nil {
		t.Fatal(err)
	}
	pipe(t, filepath.Join(dir, "extra_model_paths.yaml"))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "extra_model_paths.yaml is not a file") {
		t.Errorf("got %v, want it refused", err)
	}
}
