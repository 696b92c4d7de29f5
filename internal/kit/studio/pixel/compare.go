package pixel

import (
	"context"
	"image"
	"math"
)

// Comparison is how similar two pictures are, by several measures.
type Comparison struct {
	Similarity  float64 `json:"similarity"`  // all taken together, from 0 to 1
	Structure   float64 `json:"structure"`   // SSIM of their light, from -1 to 1
	PSNR        float64 `json:"psnr"`        // in decibels; 99 when they are the same
	Fingerprint int     `json:"fingerprint"` // bits of 64 in which their outlines differ
	Palette     float64 `json:"palette"`     // how much of their colours they share, from 0 to 1
	SameSize    bool    `json:"sameSize"`
	Identical   bool    `json:"identical"` // every pixel
	Brighter    float64 `json:"brighter"`  // how much lighter the second is
}

// compareSide is the size at which pictures are compared.
const compareSide = 256

// Compare measures how similar two pictures are. Pictures of different sizes
// and aspect ratios are scaled to one size.
func Compare(ctx context.Context, a, b image.Image) (Comparison, error) {
	l := Comparison{SameSize: a.Bounds().Size() == b.Bounds().Size()}
	one, err := Resize(ctx, a, compareSide, compareSide)
	if err != nil {
		return l, err
	}
	two, err := Resize(ctx, b, compareSide, compareSide)
	if err != nil {
		return l, err
	}
	if l.SameSize {
		x, y := AsNRGBA(a), AsNRGBA(b)
		l.Identical = true
		for i := range x.Pix {
			if x.Pix[i] != y.Pix[i] {
				l.Identical = false
				break
			}
		}
	}
	var sum, light float64
	for i := range one.Pix {
		d := float64(one.Pix[i]) - float64(two.Pix[i])
		if i%4 != 3 {
			sum += d * d
			light -= d / 255
		}
	}
	n := float64(len(one.Pix)) * 3 / 4
	l.PSNR = 99
	if sum > 0 {
		l.PSNR = math.Round(min(10*math.Log10(255*255*n/sum), 99)*100) / 100
	}
	l.Brighter = rounded3(max(light/n, 0)) - rounded3(max(-light/n, 0))
	p, q := LightPlane(one), LightPlane(two)
	s, err := ssim(ctx, p, q)
	if err != nil {
		return l, err
	}
	l.Structure = math.Round(s*1000) / 1000
	x, y := fingerprint(p), fingerprint(q)
	for i := range x {
		if x[i] != y[i] {
			l.Fingerprint++
		}
	}
	l.Palette = rounded3(paletteOverlap(one, two))
	l.Similarity = rounded3(min(max(0.45*max(s, 0)+0.25*(1-min(float64(l.Fingerprint)/32, 1))+0.30*l.Palette, 0), 1))
	return l, nil
}

// LightPlane returns the lightness of a picture.
func LightPlane(img *image.NRGBA) *Plane {
	p := newPlane(img.Rect.Dx(), img.Rect.Dy())
	for i := range p.V {
		q := img.Pix[i*4:]
		p.V[i] = (0.299*float32(q[0]) + 0.587*float32(q[1]) + 0.114*float32(q[2])) / 255
	}
	return p
}

// ssim returns the structural similarity of two planes (Wang et al. 2004), over boxes.
func ssim(ctx context.Context, a, b *Plane) (float64, error) {
	const reach, c1, c2 = 4, 0.01 * 0.01, 0.03 * 0.03
	made := [5]*Plane{}
	for k := range made {
		made[k] = newPlane(a.w, a.h)
		for i := range a.V {
			x, y := a.V[i], b.V[i]
			made[k].V[i] = [5]float32{x, y, x * x, y * y, x * y}[k]
		}
		if err := made[k].Soften(ctx, reach); err != nil {
			return 0, err
		}
	}
	var sum float64
	for i := range a.V {
		x, y := float64(made[0].V[i]), float64(made[1].V[i])
		xx, yy, xy := float64(made[2].V[i])-x*x, float64(made[3].V[i])-y*y, float64(made[4].V[i])-x*y
		sum += (2*x*y + c1) * (2*xy + c2) / ((x*x + y*y + c1) * (xx + yy + c2))
	}
	return sum / float64(len(a.V)), nil
}

// fingerprint returns a difference hash: 64 bits that stay the same when a
// picture is scaled, compressed or toned.
func fingerprint(p *Plane) (out [64]bool) {
	var cells [8][9]float32
	for y := range 8 {
		for x := range 9 {
			var n float32
			for j := y * p.h / 8; j < (y+1)*p.h/8; j++ {
				for i := x * p.w / 9; i < (x+1)*p.w/9; i++ {
					cells[y][x] += p.V[j*p.w+i]
					n++
				}
			}
			cells[y][x] /= max(n, 1)
		}
	}
	for i := range out {
		out[i] = cells[i/8][i%8] < cells[i/8][i%8+1]
	}
	return out
}

// paletteOverlap returns the part of two pictures' colours that they have in common.
func paletteOverlap(a, b *image.NRGBA) float64 {
	var count [2][512]float64
	for k, img := range [2]*image.NRGBA{a, b} {
		for i := 0; i+3 < len(img.Pix); i += 4 {
			p := img.Pix[i:]
			count[k][int(p[0]>>5)<<6|int(p[1]>>5)<<3|int(p[2]>>5)]++
		}
	}
	var sum float64
	for i := range count[0] {
		sum += min(count[0][i], count[1][i])
	}
	return sum / float64(len(a.Pix)/4)
}
