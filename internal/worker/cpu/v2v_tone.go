package cpu

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// tones maps lightness to the colours of a picture: what is dark there and what
// is light.
type tones [256][3]uint8

// tonesOf takes the tones of a picture: the mean colour of each step of
// lightness, and what lies between for the steps it does not have.
func tonesOf(img *image.RGBA) *tones {
	const steps = 16
	var sum [steps][3]float64
	var n [steps]float64
	for i := 0; i < len(img.Pix); i += 4 {
		k := int(lightness(img.Pix[i:])) * steps / 256
		for c := range 3 {
			sum[k][c] += float64(img.Pix[i+c])
		}
		n[k]++
	}
	var known []int
	for k := range steps {
		if n[k] > float64(len(img.Pix))/4*0.002 {
			known = append(known, k)
			for c := range 3 {
				sum[k][c] /= n[k]
			}
		}
	}
	out := &tones{}
	for v := range 256 {
		at := (float64(v)+0.5)*steps/256 - 0.5
		lo, hi := -1, -1
		for _, k := range known {
			if float64(k) <= at {
				lo = k
			} else if hi < 0 {
				hi = k
			}
		}
		for c := range 3 {
			var x float64
			switch {
			case lo >= 0 && hi >= 0:
				f := (at - float64(lo)) / float64(hi-lo)
				x = sum[lo][c]*(1-f) + sum[hi][c]*f
			case lo >= 0: // lighter than anything in it
				x = sum[lo][c] + (255-sum[lo][c])*(at-float64(lo))/(steps-float64(lo))
			case hi >= 0:
				x = sum[hi][c] * (at + 1) / float64(hi+1)
			default:
				x = float64(v)
			}
			out[v][c] = uint8(min(max(x, 0), 255))
		}
	}
	return out
}

func lightness(p []uint8) uint8 { return uint8((54*int(p[0]) + 183*int(p[1]) + 19*int(p[2])) >> 8) }

// tint pulls a picture towards the tones.
func (m *tones) tint(img *image.RGBA, amount float64) {
	k := int32(amount * 256)
	w := img.Rect.Dx()
	rows(img.Rect.Dy(), func(y int) {
		line := img.Pix[y*img.Stride:][:4*w]
		for i := 0; i+3 < len(line); i += 4 {
			to := m[lightness(line[i:])]
			for c := range 3 {
				line[i+c] = byteOf(int32(line[i+c]) + (int32(to[c])-int32(line[i+c]))*k>>8)
			}
		}
	})
}

// tones are those that a conversion is given: of the picture that was sent, or of
// the prompt as it would be painted. There may be none.
func (c *conversion) tones(ctx context.Context, t worker.Task) (*tones, error) {
	given, err := open(ctx, t, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if given != nil {
		small, err := moderate(ctx, given, 192)
		if err != nil {
			return nil, err
		}
		c.take.note("colours", "of the picture that was sent")
		return tonesOf(colours(small)), nil
	}
	if c.scene.Empty() {
		return nil, nil
	}
	painted, err := paint.PaintScene(ctx, c.scene, c.look, 192, 128, c.seed, 0, nil)
	if err != nil {
		return nil, err
	}
	c.take.note("colours", "of the prompt as it would be painted")
	return tonesOf(colours(painted)), nil
}

// moodOf is the light that a scene's time and season put a clip into.
func moodOf(scene paint.Scene) (light, bool) {
	switch scene.Time {
	case "night":
		return light{0.36, 0.46, 0.78, 0}, true
	case "sunset":
		return light{1.06, 0.82, 0.62, 4}, true
	case "dawn":
		return light{1.04, 0.92, 0.86, 8}, true
	case "day":
		return light{1.08, 1.07, 1.04, 4}, true
	}
	switch scene.Season {
	case "autumn":
		return light{1.06, 0.92, 0.72, 0}, true
	case "spring":
		return light{1.0, 1.05, 0.96, 6}, true
	case "summer":
		return light{1.08, 1.04, 0.92, 4}, true
	}
	return light{1, 1, 1, 0}, false
}
