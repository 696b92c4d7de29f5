package cpu

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxUpscale is the greatest short edge of a clip that is enlarged.
const maxUpscale = 768

// upscaleVideo makes a clip larger and sharper: the same frames at the same rate, with
// the same sound. Frames stay as the codec has them all the way.
func upscaleVideo(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	return shoot(ctx, t, "upscaling", func(int, int64) (*take, error) {
		r, err := unreel(ctx, t, "sourceVideoIndex")
		if err != nil {
			return nil, err
		}
		k := r.like()
		k.reads(r)
		w, h := r.size()
		short := min(w, h)
		if short > maxUpscale {
			return k, worker.Failf("The short edge of the video must be at most %d pixels, not %d.", maxUpscale, short)
		}
		target := int(number(t, "targetResolution", 0))
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
		if k.width*k.height > maxSource {
			return k, worker.Failf("At %d the video would be %d by %d, more than the CPU renderer makes.", target, k.width, k.height)
		}
		how := crisp
		if text(t, "processingSpeed") == "faster" {
			how = keen
		}
		scale := newPlaneScaler(image.Pt(w, h), image.Pt(k.width, k.height), how)
		edge := newEdger(k.width, k.height, float64(target)/float64(short), text(t, "detailPreference") == "sharper")
		out := film.NewSamples(k.width, k.height)
		k.frame = func(i int) (image.Image, error) {
			s, err := r.samples(i)
			if err != nil {
				return nil, err
			}
			scale.frame(out, s)
			edge.sharpen(out)
			return out, nil
		}
		k.note("source", map[string]int{"width": w, "height": h})
		k.note("method", "Lanczos with sharpening held within its neighbours")
		k.sound, err = r.hear(ctx)
		return k, err
	})
}

// keen is the kernel of Catmull and Rom: nearly as crisp, and two thirds the work.
var keen = kernel{2, func(x float64) float64 {
	if x < 1 {
		return 1.5*x*x*x - 2.5*x*x + 1
	}
	return -0.5*x*x*x + 2.5*x*x - 4*x + 2
}}

// edger sharpens lightness. What it adds stays between the darkest and lightest
// of the neighbours, and a little beyond, so that edges get no halo; what is
// nearly even is left alone, so that noise is not raised.
type edger struct {
	w, h   int
	reach  int
	amount int32 // in 256ths
	over   int32
	calm   int32
	blur   []uint8
	next   []uint8
}

func newEdger(w, h int, scale float64, sharper bool) *edger {
	e := &edger{w: w, h: h, reach: max(1, int(math.Round(scale/1.6))), amount: 190, over: 3, calm: 2, blur: make([]uint8, w*h), next: make([]uint8, w*h)}
	if sharper {
		e.amount, e.over, e.calm = 330, 8, 1
	}
	return e
}

// sharpen works on a frame in place.
func (e *edger) sharpen(s *film.Samples) {
	w, h, r := e.w, e.h, e.reach
	n := int32(2*r + 1)
	// A running mean across, then one down.
	rows(h, func(y int) {
		in, out := s.Y[y*s.YStride:][:w], e.next[y*w:][:w]
		sum := int32(0)
		for x := -r; x <= r; x++ {
			sum += int32(in[min(max(x, 0), w-1)])
		}
		for x := range w {
			out[x] = uint8((sum + n/2) / n)
			sum += int32(in[min(x+r+1, w-1)]) - int32(in[max(x-r, 0)])
		}
	})
	rows(h, func(y int) {
		out := e.blur[y*w:][:w]
		var sum [4096]int32
		wide := sum[:min(w, len(sum))]
		for x0 := 0; x0 < w; x0 += len(wide) {
			part := wide[:min(len(wide), w-x0)]
			clear(part)
			for d := -r; d <= r; d++ {
				for x, v := range e.next[min(max(y+d, 0), h-1)*w+x0:][:len(part)] {
					part[x] += int32(v)
				}
			}
			for x, v := range part {
				out[x0+x] = uint8((v + n/2) / n)
			}
		}
	})
	rows(h, func(y int) {
		line, soft, out := s.Y[y*s.YStride:][:w], e.blur[y*w:][:w], e.next[y*w:][:w]
		up, down := s.Y[max(y-r, 0)*s.YStride:][:w], s.Y[min(y+r, h-1)*s.YStride:][:w]
		for x := range w {
			v := int32(line[x])
			d := v - int32(soft[x])
			if d <= e.calm && d >= -e.calm {
				out[x] = line[x]
				continue
			}
			a, b, c, f := int32(up[x]), int32(down[x]), int32(line[max(x-r, 0)]), int32(line[min(x+r, w-1)])
			low, high := min(v, a, b, c, f)-e.over, max(v, a, b, c, f)+e.over
			out[x] = byteOf(min(max(v+d*e.amount>>8, low), high))
		}
	})
	rows(h, func(y int) { copy(s.Y[y*s.YStride:][:w], e.next[y*w:][:w]) })
}
