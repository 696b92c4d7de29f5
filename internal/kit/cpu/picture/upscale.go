package picture

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxPNGEdge is the longest edge of a PNG; a larger file would be too large to
// store.
const maxPNGEdge = 7680

// maxWholePixels is the number of pixels up to which an enlarged picture is
// held in memory; larger ones are made while they are written.
const maxWholePixels = 40_000_000

// Upscale makes a picture larger and sharper.
func Upscale(ctx context.Context, t task.Task) ([]worker.Output, error) {
	img, err := t.Source(ctx, true)
	if err != nil {
		return nil, err
	}
	w, h := enlargedSize(t, img.Bounds().Dx(), img.Bounds().Dy())
	longest := max(w, h)
	lossless := slices.ContainsFunc(t.Artifacts, func(s apitype.AssignmentArtifact) bool { return filetype.Canonical(s.ContentType) != "image/jpeg" })
	switch {
	case w*h > atelier.MaxPixels:
		return nil, worker.Failf("The result would be %d by %d pixels; at most %d pixels are taken. Ask for a smaller scale or a targetLongestEdge.", w, h, atelier.MaxPixels)
	case longest > pixel.MaxEnlarged:
		return nil, worker.Failf("The result would be %d by %d pixels; the longest edge is at most %d. Ask for a smaller scale or a targetLongestEdge.", w, h, pixel.MaxEnlarged)
	case lossless && longest > maxPNGEdge:
		return nil, worker.Failf("The result would be %d by %d pixels, too large for a PNG. Ask for it by targetLongestEdge, which makes a JPG above %d.", w, h, maxPNGEdge)
	}
	if !lossless {
		img = onWhite(img)
	}
	return renderPictures(ctx, t, "enlarging", func(_ int64, progress func(float64)) (image.Image, map[string]any, error) {
		meta := map[string]any{"method": "Lanczos filter of three lobes, edges sharpened within their neighbours", "sourceSize": formatSize(img)}
		e, err := pixel.Enlarge(ctx, img, w, h, progress)
		if err != nil {
			return nil, nil, err
		}
		if w*h <= maxWholePixels {
			out, err := e.Whole()
			return out, meta, err
		}
		return e, meta, nil
	})
}

// enlargedSize returns the size of the result, by longest edge (at most the
// pixels that the service takes) or by scale; both edges are multiples of 8.
func enlargedSize(t task.Task, w, h int) (int, int) {
	k := t.Number("scale", 2)
	if target := t.Number("targetLongestEdge", 0); target > 0 {
		k = target / float64(max(w, h))
		if most := math.Sqrt(atelier.MaxPixels / (float64(w) * float64(h))); k > most {
			down := func(v int) int { return max(int(float64(v)*most)/8, 1) * 8 }
			return down(w), down(h)
		}
	}
	edge := func(v int) int {
		n := math.Round(float64(v) * k / 8)
		return int(min(max(n, 1), 1<<20)) * 8
	}
	return edge(w), edge(h)
}
