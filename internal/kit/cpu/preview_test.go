package cpu_test

import (
	"bytes"
	"image/jpeg"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/cpu"
)

// A clip is shown while it is made, small and as JPEG.
func TestClipsAreShownOnTheirWay(t *testing.T) {
	t.Parallel()
	k := task(t, "generate_video", "", "video/mp4", map[string]any{"prompt": "a boat on the sea", "duration": 0.2, "width": 384.0, "height": 256.0})
	var seen [][]byte
	k.Preview = func(id, contentType string, data []byte) {
		if id != "a0" || contentType != "image/jpeg" {
			t.Errorf("a preview of %s as %s", id, contentType)
		}
		seen = append(seen, data)
	}
	if _, err := (cpu.Renderer{}).Render(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 {
		t.Fatal("nothing was shown")
	}
	img, err := jpeg.Decode(bytes.NewReader(seen[0]))
	if err != nil || img.Bounds().Dx() != 320 || img.Bounds().Dy() < 200 {
		t.Errorf("the preview: %v, %v", img.Bounds(), err)
	}
}
