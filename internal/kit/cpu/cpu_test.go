package cpu_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/worktest"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/worker"
)

// task returns a job for one artifact of a type.
func task(t *testing.T, tool, model, contentType string, args map[string]any) worker.Task {
	t.Helper()
	return worker.Task{
		Assignment: apitype.Assignment{ToolName: tool, ModelID: model, Arguments: args, Seed: 7,
			Artifacts: []apitype.AssignmentArtifact{{ID: "a0", ContentType: contentType}}},
		Folder: t.TempDir(), Files: map[string]string{}, Report: func(float64, string) {},
	}
}

func render(t *testing.T, k worker.Task) (worker.Output, []byte) {
	t.Helper()
	out, err := cpu.Renderer{}.Render(t.Context(), k)
	if err != nil || len(out) != len(k.Artifacts) {
		t.Fatalf("%s: %d outputs, %v", k.ToolName, len(out), err)
	}
	data, err := os.ReadFile(out[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	return out[0], data
}

// Each tool makes a file of the type that was ordered, and the same one again
// for the same order.
func TestToolsMakeWhatWasOrdered(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, model, contentType string
		args                     map[string]any
	}{
		{"generate_image", "z_image_turbo_bf16", "image/png", map[string]any{"prompt": "a red fox in the snow", "width": 256.0, "height": 192.0}},
		{"generate_image", "krea2_turbo_fp8_scaled", "image/jpeg", map[string]any{"prompt": "a lighthouse", "aspectRatio": "16:9", "width": 0.0}},
		{"generate_video", "ltx25-22b-int8_t2v_distilled", "video/mp4", map[string]any{"prompt": "a boat on the sea", "duration": 2.0, "width": 192.0, "height": 128.0}},
		{"generate_music", "minimax_music3", "audio/wav", map[string]any{"prompt": "calm piano", "duration": 10.0}},
		{"generate_speech", "qwen3_tts_1.7b_voice_bf16", "audio/wav", map[string]any{"prompt": "Good morning."}},
	} {
		t.Run(tc.tool+" "+tc.contentType, func(t *testing.T) {
			t.Parallel()
			one, first := render(t, task(t, tc.tool, tc.model, tc.contentType, tc.args))
			if got := filetype.Detect(first[:min(len(first), filetype.HeadSize)]); !filetype.Fits(tc.contentType, got) {
				t.Errorf("made %q, want %s", got, tc.contentType)
			}
			if _, second := render(t, task(t, tc.tool, tc.model, tc.contentType, tc.args)); sha256.Sum256(first) != sha256.Sum256(second) {
				t.Error("the same order made another file")
			}
			if d, ok := tc.args["duration"].(float64); ok && (one.DurationSeconds < d-0.1 || one.DurationSeconds > d+0.1) {
				t.Errorf("it lasts %v s, want %v", one.DurationSeconds, d)
			}
			if w, ok := tc.args["width"].(float64); ok && w > 0 && one.Width != int(w) {
				t.Errorf("it is %d wide, want %v", one.Width, w)
			}
		})
	}
}

func photo(t *testing.T) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 96, 64))
	for y := range 64 {
		for x := range 96 {
			i := img.PixOffset(x, y)
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = uint8(2*x), uint8(4*y), 90, 255
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "photo.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestToolsThatReadAPicture(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for tool, contentType := range map[string]string{"animate_photo": "video/mp4", "image_to_3d": "model/gltf-binary"} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			k := task(t, tool, "", contentType, map[string]any{"prompt": "it moves", "duration": 1.0, "meshTargetFaces": 5000.0, "textureSize": 256.0})
			if _, err := (cpu.Renderer{}).Render(t.Context(), k); err == nil {
				t.Error("it made something of nothing")
			}
			k.Files["sourceImageIndex"] = photo(t)
			if _, data := render(t, k); filetype.Detect(data[:filetype.HeadSize]) != contentType {
				t.Errorf("made %q", filetype.Detect(data[:filetype.HeadSize]))
			}
			k.Files["sourceImageIndex"] = filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(k.Files["sourceImageIndex"], []byte("not a picture"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := (cpu.Renderer{}).Render(t.Context(), k); err == nil {
				t.Error("a text passed for a picture")
			}
		})
	}
}

func TestWhatItCannotDoItSays(t *testing.T) {
	t.Parallel()
	for tool, contentType := range map[string]string{"dance_montage": "video/mp4", "generate_image": "image/avif"} {
		_, err := cpu.Renderer{}.Render(t.Context(), task(t, tool, "", contentType, map[string]any{"prompt": "x", "width": 64.0, "height": 64.0}))
		if err == nil {
			t.Errorf("%s as %s was made", tool, contentType)
		}
	}
}

// Of several pictures, only the last is reported as done.
func TestDoneIsReportedOnce(t *testing.T) {
	t.Parallel()
	k := task(t, "generate_image", "", "image/png", map[string]any{"prompt": "a castle", "width": 256.0, "height": 256.0})
	second := k.Artifacts[0]
	second.ID += "2"
	k.Artifacts = append(k.Artifacts, second)
	k.Report = func(progress float64, message string) {
		if (message == "done") != (progress == 1) {
			t.Errorf("%q at %g", message, progress)
		}
	}
	if _, err := (cpu.Renderer{}).Render(t.Context(), k); err != nil {
		t.Fatal(err)
	}
}

func TestCancelStopsARender(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	k := task(t, "generate_video", "", "video/mp4", map[string]any{"prompt": "a castle", "duration": 30.0, "width": 640.0, "height": 360.0})
	var mu sync.Mutex
	var far float64
	k.Report = func(progress float64, _ string) {
		cancel() // at the first sign of life
		mu.Lock()
		defer mu.Unlock()
		far = max(far, progress)
	}
	if _, err := (cpu.Renderer{}).Render(ctx, k); err == nil {
		t.Error("it went on to the end")
	}
	if far > 0.2 {
		t.Errorf("it went on to %.0f %%", 100*far)
	}
}
