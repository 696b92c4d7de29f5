package clip

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxFramePixels limits the pixels of a frame. Larger ones would take hours and gigabytes.
const maxFramePixels = 2688 * 1536

// sizeGrid is the sizes of a model family: the short edge for each value of
// targetResolution, and the number that edges are multiples of.
type sizeGrid struct {
	short    map[int]int
	usual    int
	multiple int
}

// sizeGridOf follows the catalog: two-stage models deliver twice the size they
// render.
func sizeGridOf(model string) sizeGrid {
	switch {
	case strings.HasSuffix(model, "_2stage"):
		return sizeGrid{map[int]int{720: 768, 1080: 1088, 1440: 1536}, 1536, 64}
	case strings.HasPrefix(model, "minimax-h3"):
		return sizeGrid{map[int]int{720: 768}, 768, 32}
	}
	return sizeGrid{nil, 720, 16}
}

// isTwoStage reports whether a model renders at half the size it delivers.
func isTwoStage(t task.Task) bool { return strings.HasSuffix(t.ModelID, "_2stage") }

// frameSize returns the size of a new clip: as the arguments say, by default in
// the aspect ratio of a source of w by h.
func frameSize(t task.Task, w, h int) (int, int, error) {
	width, height := int(t.Number("width", 0)), int(t.Number("height", 0))
	g := sizeGridOf(t.ModelID)
	ratio := aspectRatio(t, w, h)
	short := int(t.Number("targetResolution", 0))
	switch s, ok := g.short[short]; {
	case ok:
		short = s
	case short == 0 && t.ModelID == "":
		short = 432
	case short == 0:
		short = g.usual
	}
	cut := func(edge float64) int { return max(g.multiple, int(edge)/g.multiple*g.multiple) }
	switch {
	case width > 0 && height > 0:
	case width > 0:
		height = cut(float64(width) / ratio)
	case height > 0:
		width = cut(float64(height) * ratio)
	case ratio >= 1:
		width, height = cut(float64(short)*ratio), short
	default:
		width, height = short, cut(float64(short)/ratio)
	}
	width, height = width/2*2, height/2*2
	if width < 16 || height < 16 || width*height > maxFramePixels {
		return 0, 0, worker.Failf("The CPU renderer makes clips from 16 by 16 up to %d pixels a frame, not %d by %d.", maxFramePixels, width, height)
	}
	return width, height, nil
}

// aspectRatio returns width over height of the arguments, or of a source.
func aspectRatio(t task.Task, w, h int) float64 {
	for _, name := range []string{"aspectRatio", "ratio"} {
		if r, ok := task.ParseRatio(t.Text(name)); ok {
			return r
		}
	}
	if w > 0 && h > 0 {
		return min(max(float64(w)/float64(h), 1.0/8), 8)
	}
	return 16.0 / 9
}

// frameCount returns the number of frames of the job. Clips of the H3 models
// have 124 frames, or 17, 34, … more.
func frameCount(t task.Task, other float64) (int, error) {
	seconds := t.Number("duration", other)
	if !(seconds > 0) || seconds > task.MaxSeconds {
		return 0, worker.Failf("The CPU renderer makes clips of up to %d seconds, not %g.", task.MaxSeconds, seconds)
	}
	if strings.HasPrefix(t.ModelID, "minimax-h3") {
		n := max(0, math.Floor((seconds*footage.FrameRate-124)/17+0.5))
		return min(124+17*int(n), 362), nil
	}
	return max(1, int(math.Round(seconds*footage.FrameRate))), nil
}
