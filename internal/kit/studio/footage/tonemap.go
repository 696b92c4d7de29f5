package footage

import (
	"image"
	"math"
)

// Posterise brings lightness to a few soft steps and keeps the colours.
func Posterise(img *image.RGBA, steps int) {
	var table [256]float32
	for v := range 256 {
		at := float64(v) / 255 * float64(steps)
		whole := math.Floor(at)
		f := at - whole
		to := (whole + Ease((f-0.35)/0.3)) / float64(steps) * 255
		table[v] = float32((to + 6) / (float64(v) + 6))
	}
	w := img.Rect.Dx()
	Rows(img.Rect.Dy(), func(y int) {
		line := img.Pix[y*img.Stride:][:4*w]
		for i := 0; i+3 < len(line); i += 4 {
			l := Lightness(line[i:])
			k := table[l]
			for c := range 3 {
				// A little more saturation.
				v := float32(l) + (float32(line[i+c])-float32(l))*1.25
				line[i+c] = uint8(min(max(v*k, 0), 255))
			}
		}
	})
}

// ToneMap maps lightness to the colours of a picture: what is dark there and what
// is light.
type ToneMap [256][3]uint8

// ToneMapOf returns the mean colour of each lightness in a picture,
// interpolated where it has none.
func ToneMapOf(img *image.RGBA) *ToneMap {
	const steps = 16
	var sum [steps][3]float64
	var n [steps]float64
	for i := 0; i < len(img.Pix); i += 4 {
		k := int(Lightness(img.Pix[i:])) * steps / 256
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
	out := &ToneMap{}
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

// Lightness returns the lightness of a pixel.
func Lightness(p []uint8) uint8 { return uint8((54*int(p[0]) + 183*int(p[1]) + 19*int(p[2])) >> 8) }

// Tint moves the colours of a picture towards the tones.
func (m *ToneMap) Tint(img *image.RGBA, amount float64) {
	k := int32(amount * 256)
	w := img.Rect.Dx()
	Rows(img.Rect.Dy(), func(y int) {
		line := img.Pix[y*img.Stride:][:4*w]
		for i := 0; i+3 < len(line); i += 4 {
			to := m[Lightness(line[i:])]
			for c := range 3 {
				line[i+c] = ByteOf(int32(line[i+c]) + (int32(to[c])-int32(line[i+c]))*k>>8)
			}
		}
	})
}
