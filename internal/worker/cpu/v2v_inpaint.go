package cpu

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// inpaint replaces what a mask selects: by what the prompt paints, or, when it
// names nothing that could be painted, by what lies around it.
func (c *conversion) inpaint(ctx context.Context, t worker.Task) error {
	given, err := open(ctx, t, "maskImageIndex")
	if err != nil {
		return err
	}
	if given == nil {
		return worker.Failf("Inpainting needs a mask: a picture that is white where the video is to be replaced.")
	}
	m, err := pixel.MaskOf(ctx, given, c.w, c.h)
	if err != nil {
		return plainly(err)
	}
	if m.Share() < 0.0005 {
		return worker.Failf("The mask selects nothing: white is replaced.")
	}
	if m.Share() > 0.995 {
		return worker.Failf("The mask selects everything; make a new video instead.")
	}
	patch := newHealer(m)
	var p *painter
	words := phrase(c.prompt)
	if remove := said(words, "remove", "erase", "delete", "clean", "without", "nothing", "empty"); !remove && !c.scene.Empty() {
		p = newPainter(ctx, t, c.prompt, max(16, patch.box.Dx()/2*2), max(16, patch.box.Dy()/2*2), c.seed)
		if err := p.account(c.take, c.prompt); err != nil {
			return err
		}
		c.take.note("method", "the mask shows the painted prompt, in the light of its surroundings")
	} else {
		c.take.note("method", "the mask is filled from what lies mirrored behind its borders")
	}
	c.each(func(img *image.RGBA, i int) (*image.RGBA, error) {
		if p == nil {
			patch.heal(img)
			return img, nil
		}
		// The paint takes on some of the light around it.
		around := meanIn(img, patch.box)
		painted, err := p.at(c.seconds(i), 0)
		if err != nil {
			return nil, err
		}
		own := meanIn(painted, painted.Rect)
		var l light
		for k, to := range []*float64{&l.r, &l.g, &l.b} {
			*to = 1 + 0.3*(min(max(around[k]/max(own[k], 8), 0.5), 2)-1)
		}
		l.shine(painted)
		patch.show(img, painted)
		return img, nil
	})
	return nil
}

// meanIn is the mean colour of a part of a picture.
func meanIn(img *image.RGBA, b image.Rectangle) (sum [3]float64) {
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

// healer fills a hole in frames from what lies around it. Each place of the hole
// takes the colours that lie mirrored behind its borders to the left, right, top
// and bottom, the nearer border the more: rows go on as rows, and what moves
// around the hole moves in it.
type healer struct {
	mask  *pixel.Mask
	alpha []float32       // of the new, softened at the border
	box   image.Rectangle // around the hole
	area  image.Rectangle // with its soft border
	wants [][4]donor      // for each pixel of the area that is replaced
	old   *image.RGBA
}

// donor is a pixel that another one takes its colour from, in part.
type donor struct {
	at     int32
	weight float32
}

func newHealer(m *pixel.Mask) *healer {
	p := &healer{mask: m, box: m.Box(), alpha: make([]float32, m.W*m.H)}
	if p.box.Empty() {
		p.box = image.Rect(0, 0, m.W, m.H)
	}
	p.area = p.box.Inset(-3).Intersect(image.Rect(0, 0, m.W, m.H))
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
	p.wants = make([][4]donor, p.area.Dx()*p.area.Dy())
	rows(p.area.Dy(), func(j int) {
		for i := range p.area.Dx() {
			x, y := i+p.area.Min.X, j+p.area.Min.Y
			if p.alpha[y*m.W+x] > 0 {
				p.wants[j*p.area.Dx()+i] = p.sources(x, y)
			}
		}
	})
	return p
}

// sources looks for the borders of the hole in four directions.
func (p *healer) sources(x, y int) (out [4]donor) {
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
		// As far behind the border as the place is before it, or less.
		reach := n
		for reach > 0 && !free(x+(n+reach)*d[0], y+(n+reach)*d[1]) {
			reach--
		}
		near := 1 / float32(n*n*n)
		if d[1] == 0 {
			near *= 3 // the world lies in layers
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

// heal fills the hole of a frame.
func (p *healer) heal(img *image.RGBA) {
	p.old = keep(p.old, img)
	rows(p.area.Dy(), func(j int) {
		for i := range p.area.Dx() {
			x, y := i+p.area.Min.X, j+p.area.Min.Y
			a := p.alpha[y*p.mask.W+x]
			if a == 0 {
				continue
			}
			var c [3]float32
			for _, s := range p.wants[j*p.area.Dx()+i] {
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

// show lays a picture of the size of the box into the hole.
func (p *healer) show(img, painted *image.RGBA) {
	rows(p.area.Dy(), func(j int) {
		y := j + p.area.Min.Y
		for x := p.area.Min.X; x < p.area.Max.X; x++ {
			a := p.alpha[y*p.mask.W+x]
			if a == 0 {
				continue
			}
			sx, sy := mirror(x-p.box.Min.X, painted.Rect.Dx()), mirror(y-p.box.Min.Y, painted.Rect.Dy())
			q, c := img.Pix[y*img.Stride+4*x:], painted.Pix[sy*painted.Stride+4*sx:]
			for i := range 3 {
				q[i] = uint8(float32(q[i])*(1-a) + float32(c[i])*a + 0.5)
			}
		}
	})
}
