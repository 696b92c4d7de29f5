package footage

import (
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// MeanIn returns the mean colour of a part of a picture.
func MeanIn(img *image.RGBA, b image.Rectangle) (sum [3]float64) {
	b = b.Intersect(img.Rect)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p := img.Pix[y*img.Stride+4*x:]
			for c := range 3 {
				sum[c] += float64(p[c])
			}
		}
	}
	n := float64(max(b.Dx()*b.Dy(), 1))
	return [3]float64{sum[0] / n, sum[1] / n, sum[2] / n}
}

// Inpainter fills a hole in frames from its surroundings. Each pixel takes the
// colours mirrored at the borders to the left, right, top and bottom, the
// nearest border most: rows continue, and motion around the hole continues in
// it.
type Inpainter struct {
	mask   *pixel.Mask
	alpha  []float32       // of the new, softened at the border
	Box    image.Rectangle // around the hole
	area   image.Rectangle // with its soft border
	donors [][4]donor      // for each pixel of the area that is replaced
	old    *image.RGBA
}

// donor is a pixel that another one takes its colour from, in part.
type donor struct {
	at     int32
	weight float32
}

// NewInpainter returns an Inpainter for what a mask selects.
func NewInpainter(m *pixel.Mask) *Inpainter {
	p := &Inpainter{mask: m, Box: m.Box(), alpha: make([]float32, m.W*m.H)}
	if p.Box.Empty() {
		p.Box = image.Rect(0, 0, m.W, m.H)
	}
	p.area = p.Box.Inset(-3).Intersect(image.Rect(0, 0, m.W, m.H))
	for y := p.area.Min.Y; y < p.area.Max.Y; y++ {
		for x := p.area.Min.X; x < p.area.Max.X; x++ {
			sum, n := 0, 0
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					if px, py := x+dx, y+dy; px >= 0 && py >= 0 && px < m.W && py < m.H {
						sum, n = sum+int(m.Pix[py*m.W+px]), n+255
					}
				}
			}
			p.alpha[y*m.W+x] = float32(sum) / float32(n)
		}
	}
	p.donors = make([][4]donor, p.area.Dx()*p.area.Dy())
	Rows(p.area.Dy(), func(j int) {
		for i := range p.area.Dx() {
			x, y := i+p.area.Min.X, j+p.area.Min.Y
			if p.alpha[y*m.W+x] > 0 {
				p.donors[j*p.area.Dx()+i] = p.sources(x, y)
			}
		}
	})
	return p
}

// sources finds the borders of the hole in four directions.
func (p *Inpainter) sources(x, y int) (out [4]donor) {
	w, h := p.mask.W, p.mask.H
	free := func(x, y int) bool { return x >= 0 && y >= 0 && x < w && y < h && p.alpha[y*w+x] == 0 }
	sum := float32(0)
	for k, d := range [4][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		n := 1
		for bx, by := x+d[0], y+d[1]; bx >= 0 && by >= 0 && bx < w && by < h && !free(bx, by); bx, by = bx+d[0], by+d[1] {
			n++
		}
		if !free(x+n*d[0], y+n*d[1]) {
			continue // the hole goes on to the edge
		}
		// At most as far behind the border as the pixel is before it.
		reach := n
		for reach > 0 && !free(x+(n+reach)*d[0], y+(n+reach)*d[1]) {
			reach--
		}
		near := 1 / float32(n*n*n)
		if d[1] == 0 {
			near *= 3 // most pictures have horizontal layers
		}
		out[k] = donor{int32((y+(n+reach)*d[1])*w + x + (n+reach)*d[0]), near}
		sum += near
	}
	for k := range out {
		if sum > 0 {
			out[k].weight /= sum
		}
	}
	return out
}

// Fill fills the hole of a frame.
func (p *Inpainter) Fill(img *image.RGBA) {
	p.old = CopyFrame(p.old, img)
	Rows(p.area.Dy(), func(j int) {
		for i := range p.area.Dx() {
			x, y := i+p.area.Min.X, j+p.area.Min.Y
			a := p.alpha[y*p.mask.W+x]
			if a == 0 {
				continue
			}
			var c [3]float32
			for _, s := range p.donors[j*p.area.Dx()+i] {
				q := p.old.Pix[4*s.at:]
				for k := range 3 {
					c[k] += float32(q[k]) * s.weight
				}
			}
			q := img.Pix[y*img.Stride+4*x:]
			for k := range 3 {
				q[k] = uint8(min(max(float32(q[k])*(1-a)+c[k]*a+0.5, 0), 255))
			}
		}
	})
}

// Paste lays a picture of the size of the box into the hole.
func (p *Inpainter) Paste(img, painted *image.RGBA) {
	Rows(p.area.Dy(), func(j int) {
		y := j + p.area.Min.Y
		for x := p.area.Min.X; x < p.area.Max.X; x++ {
			a := p.alpha[y*p.mask.W+x]
			if a == 0 {
				continue
			}
			sx, sy := Mirror(x-p.Box.Min.X, painted.Rect.Dx()), Mirror(y-p.Box.Min.Y, painted.Rect.Dy())
			q, c := img.Pix[y*img.Stride+4*x:], painted.Pix[sy*painted.Stride+4*sx:]
			for i := range 3 {
				q[i] = uint8(float32(q[i])*(1-a) + float32(c[i])*a + 0.5)
			}
		}
	})
}
