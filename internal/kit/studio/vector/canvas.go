package vector

import (
	"context"
	"math"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// blend is the blend mode of a stroke.
type blend uint8

const (
	Over  blend = iota
	Glow        // adds light
	Stain       // multiplies, for shadows
)

// shading is how the colour of a stroke varies over its shape.
type shading uint8

const (
	Plain  shading = iota
	Linear         // from one point to another
	Round          // lit as a rounded body
	Custom         // by the stroke's own function
)

// Stroke is one shape with its paint. A stroke without loops covers its box.
type Stroke struct {
	Loops [][]Point
	Box   Box
	Depth uint8 // nearness: 0 is the sky, 255 the subject

	Shading  shading
	Lit, Dim pixel.RGB
	From, To Point
	Light    [3]float32
	Cel      bool // two tones with a sharp border instead of soft shading
	Alpha    float32
	Blend    blend
	Grain    Grain
	Shade    func(x, y float32) (pixel.RGB, float32)
	Line     lineShade // instead of shade, for large areas
}

// lineShade returns a function for the pixels of one row, called from left to
// right, so that what a row shares is computed once. The paint is opaque.
type lineShade func(y float32) func(x float32) (pixel.RGB, float32)

// Canvas collects the strokes of one picture, back to front, and paints them in
// horizontal bands in parallel. The memory is that of the result and of one
// band for each processor, however many strokes there are.
type Canvas struct {
	Width, Height int
	strokes       []Stroke
}

// Add adds a stroke. A stroke outside the canvas is dropped.
func (e *Canvas) Add(s Stroke) {
	if s.Loops != nil {
		s.Box = BoxOf(s.Loops)
	}
	if s.Alpha <= 0 || !(s.Box.X1 > 0 && s.Box.Y1 > 0 && s.Box.X0 < float64(e.Width) && s.Box.Y0 < float64(e.Height)) {
		return
	}
	e.strokes = append(e.strokes, s)
}

// Wash covers the whole canvas with a function of the pixel.
func (e *Canvas) Wash(depth uint8, shade func(x, y float32) (pixel.RGB, float32)) {
	e.WashBox(Box{0, 0, float64(e.Width), float64(e.Height)}, depth, shade)
}

// WashBox is Wash within a box.
func (e *Canvas) WashBox(b Box, depth uint8, shade func(x, y float32) (pixel.RGB, float32)) {
	e.Add(Stroke{Box: b, Depth: depth, Shading: Custom, Alpha: 1, Shade: shade})
}

// WashLines covers a box row by row.
func (e *Canvas) WashLines(b Box, depth uint8, line lineShade) {
	e.Add(Stroke{Box: b, Depth: depth, Shading: Custom, Alpha: 1, Line: line})
}

// Halo draws a soft round light (glow) or shadow (stain) around a point.
func (e *Canvas) Halo(c Point, rx, ry float64, tone pixel.RGB, alpha float32, mode blend) {
	cx, cy, kx, ky := float32(c.X), float32(c.Y), float32(1/rx), float32(1/ry)
	shade := func(x, y float32) (pixel.RGB, float32) {
		u, v := (x-cx)*kx, (y-cy)*ky
		t := 1 - u*u - v*v
		if t <= 0 {
			return tone, 0
		}
		return tone, t * t
	}
	e.Add(Stroke{Box: Box{c.X - rx, c.Y - ry, c.X + rx, c.Y + ry}, Shading: Custom, Alpha: alpha, Blend: mode, Shade: shade})
}

const bandRows = 32

// Paint paints all strokes, in their order.
func (e *Canvas) Paint(ctx context.Context, progress func(float64)) (*pixel.Raster, error) {
	out := pixel.NewRaster(e.Width, e.Height)
	scratch := sync.Pool{New: func() any {
		return &band{e: e, out: out, cover: newCoverage(e.Width, bandRows), pix: make([]pixel.RGB, e.Width*bandRows), top: make([]int32, e.Width*bandRows)}
	}}
	err := pixel.Bands(ctx, e.Height, bandRows, func(y0, y1 int) {
		b := scratch.Get().(*band)
		b.paint(y0, y1)
		scratch.Put(b)
	}, progress)
	return out, err
}

// band is the buffers of one goroutine.
type band struct {
	e     *Canvas
	out   *pixel.Raster
	cover *coverage
	pix   []pixel.RGB
	top   []int32 // for each pixel the stroke that hides all before it, counted from 1
}

// hides reports whether nothing shows through where a stroke covers a pixel whole.
func (s *Stroke) hides() bool {
	return s.Alpha == 1 && s.Blend == Over && s.Depth > 0 && (s.Shading != Custom || s.Line != nil)
}

// fullCoverage is the coverage that counts as all of a pixel.
const fullCoverage = 0.998

// minHidingArea is the area in pixels from which a stroke is tested for hiding
// others.
const minHidingArea = 100

// clip returns the part of a stroke's box that lies in the rows from y0 to y1.
func (b *band) clip(s *Stroke, y0, y1 int) (left, top, right, bottom int) {
	top, bottom = max(int(math.Floor(s.Box.Y0)), y0), min(int(math.Ceil(s.Box.Y1)), y1)
	left, right = max(int(math.Floor(s.Box.X0)), 0), min(int(math.Ceil(s.Box.X1)), b.e.Width)
	return left, top, right, bottom
}

// findHidden finds which strokes are hidden where, so that they need not be shaded.
func (b *band) findHidden(y0, y1 int) {
	w := b.e.Width
	clear(b.top)
	for i := range b.e.strokes {
		s := &b.e.strokes[i]
		left, top, right, bottom := b.clip(s, y0, y1)
		if !s.hides() || s.Loops == nil || (right-left)*(bottom-top) < minHidingArea {
			continue
		}
		for _, l := range s.Loops {
			b.cover.add(l, float64(y0))
		}
		for y := top; y < bottom; y++ {
			change, hidden := b.cover.row(y-y0), b.top[(y-y0)*w:]
			covered := float32(0)
			for x := left; x < right; x++ {
				covered += change[x]
				change[x] = 0
				if chance.Abs32(covered) > fullCoverage {
					hidden[x] = int32(i) + 1
				}
			}
			change[right], change[min(right+1, len(change)-1)] = 0, 0
		}
	}
}

func (b *band) paint(y0, y1 int) {
	w := b.e.Width
	b.cover.rows = y1 - y0 // the last band is shorter: rows below it would not be cleared
	b.findHidden(y0, y1)
	clear(b.pix)
	for i := range b.e.strokes {
		s := &b.e.strokes[i]
		left, top, right, bottom := b.clip(s, y0, y1)
		if top >= bottom || left >= right {
			continue
		}
		for _, l := range s.Loops {
			b.cover.add(l, float64(y0))
		}
		for y := top; y < bottom; y++ {
			b.row(i, y, y-y0, left, right)
		}
	}
	for y := y0; y < y1; y++ {
		line := b.out.Pix[y*b.out.Stride:]
		for x, c := range b.pix[(y-y0)*w : (y-y0+1)*w] {
			// A little noise hides the banding of slow gradients.
			d := (chance.CellUnit(int32(x), int32(y), 77) - 0.5) / 255
			line[4*x], line[4*x+1], line[4*x+2], line[4*x+3] = pixel.ByteOf(c.R+d), pixel.ByteOf(c.G+d), pixel.ByteOf(c.B+d), 255
		}
	}
}

func (b *band) row(i, y, inBand, left, right int) {
	s := &b.e.strokes[i]
	pix, top := b.pix[inBand*b.e.Width:], b.top[inBand*b.e.Width:]
	depth := b.out.Depth[y*b.e.Width:]
	var change []float32
	if s.Loops != nil {
		change = b.cover.row(inBand)
	}
	turn := s.rowShade(float32(y) + 0.5)
	colour := func(x float32) (pixel.RGB, float32) { return s.colour(x, float32(y)+0.5, turn) }
	if s.Line != nil {
		colour = s.Line(float32(y) + 0.5)
	}
	covered, amount := float32(0), float32(1)
	for x := left; x < right; x++ {
		if change != nil {
			covered += change[x]
			change[x] = 0
			if amount = chance.Abs32(covered); amount < 1.0/512 {
				continue
			}
			if amount > fullCoverage {
				amount = 1
			}
		}
		if int(top[x]) > i+1 {
			continue
		}
		c, a := colour(float32(x) + 0.5)
		if a *= amount * s.Alpha; a <= 0 {
			continue
		}
		switch s.Blend {
		case Over:
			pix[x] = pixel.Mix(pix[x], c, a)
			if a > 0.5 && s.Depth > 0 {
				depth[x] = s.Depth
			}
		case Glow:
			pix[x] = pix[x].Plus(c.Scaled(a))
		case Stain:
			pix[x] = pix[x].Times(pixel.Mix(pixel.RGB{R: 1, G: 1, B: 1}, c, a))
		}
	}
	if change != nil {
		change[right], change[min(right+1, len(change)-1)] = 0, 0
	}
}

// rowShade returns the part of the shading that a whole row shares.
func (s *Stroke) rowShade(y float32) float32 {
	if s.Shading == Round {
		return (y - float32(s.Box.Y0+s.Box.Y1)/2) / float32(max(s.Box.Height()/2, 0.5))
	}
	return 0
}

func (s *Stroke) colour(x, y, turn float32) (pixel.RGB, float32) {
	var c pixel.RGB
	alpha := float32(1)
	switch s.Shading {
	case Plain:
		c = s.Lit
	case Linear:
		dx, dy := float32(s.To.X-s.From.X), float32(s.To.Y-s.From.Y)
		t := pixel.Unit(((x-float32(s.From.X))*dx + (y-float32(s.From.Y))*dy) / (dx*dx + dy*dy + 1e-6))
		c = pixel.Mix(s.Lit, s.Dim, t)
	case Round:
		u := (x - float32(s.Box.X0+s.Box.X1)/2) / float32(max(s.Box.Width()/2, 0.5))
		out := min(u*u+turn*turn, 1.1)
		t := u*s.Light[0] + turn*s.Light[1] + (1-out*0.8)*s.Light[2]
		if s.Cel {
			t = pixel.Smooth(0.12, 0.2, t)
		} else {
			t = pixel.Smooth(-0.55, 0.75, t)
		}
		c = pixel.Mix(s.Dim, s.Lit, t)
	case Custom:
		c, alpha = s.Shade(x, y)
	}
	if s.Grain.Kind != smoothGrain {
		k := 1 + s.Grain.at(x, y)
		c = c.Scaled(k)
	}
	return c, alpha
}
