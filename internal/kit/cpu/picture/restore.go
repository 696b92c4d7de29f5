package picture

import (
	"context"
	"image"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// Restore repairs a photograph: all damage that is found, and more strongly
// what the prompt names.
func Restore(ctx context.Context, t task.Task) ([]worker.Output, error) {
	img, err := croppedSource(ctx, t)
	if err != nil {
		return nil, err
	}
	prompt := strings.ToLower(t.Text("prompt"))
	said := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(prompt, w) {
				return true
			}
		}
		return false
	}
	r := pixel.Repair{Dust: 1, Noise: 1, Fade: 1, Cast: 1, Sharpen: 1, Thorough: t.Text("quality") == "hq"}
	bolder := func(to *float64, words ...string) {
		if said(words...) {
			*to = 1.5
		}
	}
	bolder(&r.Dust, "scratch", "dust", "spot", "speck", "crease", "tear", "torn", "damage", "dirt", "stain", "crack")
	bolder(&r.Noise, "noise", "noisy", "grain")
	bolder(&r.Sharpen, "blur", "sharp", "focus", "soft", "detail", "clear")
	faded := said("fade", "fading", "washed", "pale", "yellow", "colour", "color")
	bolder(&r.Fade, "fade", "fading", "washed", "pale", "contrast")
	bolder(&r.Cast, "fade", "fading", "yellow", "cast", "tint", "colour", "color")
	colour := said("colorize", "colourize", "colorise", "colourise", "add color", "add colour", "in color", "in colour", "missing color", "missing colour")
	grey := said("black and white", "black-and-white", "grayscale", "greyscale", "monochrome") && !colour
	return renderPictures(ctx, t, "restoring", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		own := r.Varied(seed)
		out, found, err := pixel.Restore(ctx, img, own, func(f float64) { progress(0.8 * f) })
		if err != nil {
			return nil, nil, err
		}
		meta := map[string]any{"method": "specks by the median around them, noise by likeness, tones by their histogram", "damage": found}
		switch {
		case colour:
			if out, err = pixel.Tint(ctx, out); err != nil {
				return nil, nil, err
			}
			meta["colour"] = "a tint by lightness and place, not the colours of the scene: those are not in the photograph"
		case grey:
			if out, err = pixel.Adjust(ctx, out, pixel.Tone{Saturation: -1}, seed); err != nil {
				return nil, nil, err
			}
		case faded && found.Fade > 0.1:
			// Colours fade with the contrast; the saturation is raised as much.
			if out, err = pixel.Adjust(ctx, out, pixel.Tone{Saturation: min(0.9*found.Fade, 0.45)}, seed); err != nil {
				return nil, nil, err
			}
		}
		out, err = scaleUp(ctx, t, out)
		return out, meta, err
	})
}
