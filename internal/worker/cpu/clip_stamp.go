package cpu

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/studio/voice"
	"github.com/atelier-project/atelier/internal/worker"
)

// stamp is what puts a small mark into the corner of frames when a watermark is
// wanted.
func stamp(t worker.Task, w, h int) func(*image.RGBA) {
	nothing := func(*image.RGBA) {}
	if !flag(t, "watermark", false) {
		return nothing
	}
	mark, err := paint.Lettering{Size: max(8, float64(min(w, h))*0.035), Colour: color.NRGBA{255, 255, 255, 170}}.Write("atelier")
	if err != nil {
		return nothing // the frame is too small to be marked
	}
	b := mark.Rect.Add(image.Pt(w-mark.Rect.Dx()-h/40, h-mark.Rect.Dy()-h/40))
	return func(img *image.RGBA) { draw.Draw(img, b, mark, image.Point{}, draw.Over) }
}

// ours says that a voice is one of the studio's.
func ours(name string) bool {
	_, ok := voice.Named(name)
	return ok
}
