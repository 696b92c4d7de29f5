package worker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/worker"
)

// delivered has the worker do a job with a secret in many places, and returns the picture.
func (st *fixture) delivered() []byte {
	st.t.Helper()
	j := st.submit(func(s *fleet.Submission) {
		s.Spec.Arguments = map[string]any{
			"prompt": "as in https://ann:secret@example.org/a.png?signature=secret, but red", "negativePrompt": "blur", "guidance": 3.5, "width": 8.0, "height": 8.0,
			"model": "z-turbo", "numberOfVariations": 2.0, "loras": []any{"rim-light", "personal-secret"}, "loraStrengths": []any{0.8, 1.0},
			"mask_image_url": "https://example.org/mask.png?signature=secret", "personaName": "secret", "manifest": map[string]any{"name": "secret"},
			"keyframes": []any{map[string]any{"url": "data:secret"}},
		}
		s.Spec.Loras = []atelier.JobLora{{ID: "rim-light", Strength: 0.8}, {ID: "personal-secret", Strength: 1, URL: "https://example.org/secret"}}
	})
	p := st.project(j.ProjectID)
	if p.Status != "completed" {
		st.t.Fatalf("project: %+v", p)
	}
	resp, err := http.Get(p.CompletedWorkerJobs[0].ResultURL)
	if err != nil {
		st.t.Fatal(err)
	}
	defer resp.Body.Close()
	file, err := io.ReadAll(resp.Body)
	if err != nil {
		st.t.Fatal(err)
	}
	return file
}

// paintWithSettings is a renderer that writes a text into its pictures, as ComfyUI does.
func paintWithSettings(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	out, err := paint(ctx, t)
	for i := range out {
		if err == nil {
			err = addText(out[i].Path, "prompt", `{"1": {"class_type": "KSampler", "inputs": {"steps": 9, "positive": ["2", 0]}}, "2": {"inputs": {"image": "secret.png"}}}`)
		}
	}
	return out, err
}

// A picture has in it what it was made with, and nothing that is private to its account.
func TestPicturesHaveTheirSettings(t *testing.T) {
	t.Parallel()
	file := open(t, paintWithSettings).delivered()
	got, err := mediameta.Read(bytes.NewReader(file), int64(len(file)))
	seed := int64(7)
	want := mediameta.Settings{
		Tool: "generate_image", Model: model, Seed: &seed, Width: 8, Height: 8, Loras: []mediameta.Lora{{ID: "rim-light", Strength: 0.8}},
		Arguments: map[string]any{"prompt": "as in https://example.org/a.png but red", "negativePrompt": "blur", "guidance": 3.5, "width": 8.0, "height": 8.0, "steps": 9.0},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if bytes.Contains(file, []byte("secret")) {
		t.Error("the file has a secret in it")
	}
	if text := "Negative prompt: blur\nSteps: 9, CFG scale: 3.5, Seed: 7, Size: 8x8, Model: " + model + ", Version: atelier"; !strings.Contains(string(file), text) {
		t.Error("the file has no parameters as other programs read them")
	}
}

// An operator can turn it off. Then the settings that a renderer wrote are left out too.
func TestPicturesWithoutSettings(t *testing.T) {
	t.Parallel()
	file := open(t, paintWithSettings, func(c *config.Config) { c.Workers.EmbedSettings = false }).delivered()
	if got, err := mediameta.Read(bytes.NewReader(file), int64(len(file))); !errors.Is(err, mediameta.ErrNone) || bytes.Contains(file, []byte("secret")) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// addText adds a text to a PNG.
func addText(path, key, text string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data := []byte("tEXt" + key + "\x00" + text)
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(data)-4)), data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(data))
	const header = 33 // the signature and the first chunk
	return os.WriteFile(path, slices.Concat(file[:header], chunk, file[header:]), 0o600)
}
