package clip

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"time"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

const (
	previewInterval = time.Second // of one clip
	previewEdge     = 320         // pixels of the longer side
)

// withPreviews sends a preview of a frame from time to time. A failed preview
// does not fail the render.
func withPreviews(ctx context.Context, t task.Task, artifactID string, frame func(int) (image.Image, error)) func(int) (image.Image, error) {
	if t.Preview == nil {
		return frame
	}
	var last time.Time
	return func(i int) (image.Image, error) {
		img, err := frame(i)
		if err == nil && time.Since(last) >= previewInterval {
			last = time.Now()
			if small, err := encodePreview(ctx, img); err == nil {
				t.Preview(artifactID, "image/jpeg", small)
			}
		}
		return img, err
	}
}

// encodePreview returns a small JPEG of a frame.
func encodePreview(ctx context.Context, img image.Image) ([]byte, error) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	scale := min(1, previewEdge/float64(max(w, h, 1)))
	small, err := pixel.Resize(ctx, img, max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale)))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, small, &jpeg.Options{Quality: 80})
	return b.Bytes(), err
}
