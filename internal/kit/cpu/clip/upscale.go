package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxUpscale is the greatest short edge of a clip that is enlarged.
const maxUpscale = 768

// Upscale makes a clip larger and sharper: the same frames at the same rate,
// with the same sound. Frames stay in the codec's colour space.
func Upscale(ctx context.Context, t task.Task) ([]worker.Output, error) {
	return renderClips(ctx, t, "upscaling", func(int, int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "sourceVideoIndex")
		if err != nil {
			return nil, err
		}
		w, h := r.Size()
		short := min(w, h)
		if short > maxUpscale {
			return k, worker.Failf("The short edge of the video must be at most %d pixels, not %d.", maxUpscale, short)
		}
		target := int(t.Number("targetResolution", 0))
		switch {
		case target == 0 && short < 720:
			target = 1080
		case target == 0:
			target = 1440
		case target != 1080 && target != 1440:
			return k, worker.Failf("A video is enlarged to 1080 or 1440, not to %d.", target)
		}
		long := int(float64(max(w, h))*float64(target)/float64(short)) / 8 * 8
		k.width, k.height = long, target
		if w < h {
			k.width, k.height = target, long
		}
		if k.width*k.height > task.MaxVideoPixels {
			return k, worker.Failf("At %d the video would be %d by %d, more than the CPU renderer makes.", target, k.width, k.height)
		}
		how := footage.Lanczos3
		if t.Text("processingSpeed") == "faster" {
			how = footage.CatmullRom
		}
		scale := footage.NewPlaneScaler(image.Pt(w, h), image.Pt(k.width, k.height), how)
		edge := footage.NewSharpener(k.width, k.height, float64(target)/float64(short), t.Text("detailPreference") == "sharper")
		out := film.NewSamples(k.width, k.height)
		k.frame = func(i int) (image.Image, error) {
			s, err := r.Samples(i)
			if err != nil {
				return nil, err
			}
			scale.Frame(out, s)
			edge.Sharpen(out)
			return out, nil
		}
		k.note("source", map[string]int{"width": w, "height": h})
		k.note("method", "Lanczos with sharpening held within its neighbours")
		k.sound, err = r.Sound(ctx)
		return k, err
	})
}
