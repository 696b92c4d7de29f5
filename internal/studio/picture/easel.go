package picture

import (
	"context"
	"image"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// blend says how paint meets what is under it.
type blend uint8

const (
	over  blend = iota
	glow        // adds light
	stain       // multiplies, as a glaze or a shadow does
)

// shading says how the colour of a stroke runs over its shape.
type shading uint8

const (
	plain  shading = iota
	linear         // from one point to another
	round          // lit as a rounded body
	custom         // by the stroke's own function
)

// stroke is one shape with its paint. A stroke without loops covers its box.
type stroke struct {
	loops [][]point
	box   box
	depth uint8 // nearness: 0 is the sky, 255 the subject

	shading  shading
	lit, dim rgb
	from, to point
	light    [3]float32
	cel      bool // two tones with a clear border instead of a soft turn
	alpha    float32
	blend    blend
	grain    grain
	shade    func(x, y float32) (rgb, float32)
	line     lineShade // instead of shade, for large areas
}

// lineShade answers the function of one row's pixels, which are asked for from
// left to right: what a row shares is worked out once. The paint is opaque.
type lineShade func(y float32) func(x float32) (rgb, float32)

// easel collects the strokes of one picture, back to front, and paints them in
// horizontal bands side by side. The memory is that of the result and of one
// band for each processor, however many strokes there are.
type easel struct {
	width, height int
	strokes       []stroke
}

// raster is a painted picture: opaque colours, and for each pixel how near it is.
type raster struct {
	*image.NRGBA
	depth []uint8
}

func newRaster(w, h int) *raster {
	return &raster{image.NewNRGBA(image.Rect(0, 0, w, h)), make([]uint8, w*h)}
}

func (r *raster) size() (w, h int) { return r.Rect.Dx(), r.Rect.Dy() }

func (r *raster) at(x, y int) rgb {
	w, h := r.size()
	x, y = min(max(x, 0), w-1), min(max(y, 0), h-1)
	p := r.Pix[y*r.Stride+x*4:]
	return rgb{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
}

func (r *raster) set(x, y int, c rgb) {
	p := r.Pix[y*r.Stride+x*4:]
	p[0], p[1], p[2], p[3] = byteOf(c.r), byteOf(c.g), byteOf(c.b), 255
}

func byteOf(v float32) uint8 { return uint8(min(max(int32(v*255+0.5), 0), 255)) }

// put adds a stroke; shapes wholly outside the canvas cost nothing later.
func (e *easel) put(s stroke) {
	if s.loops != nil {
		s.box = boxOf(s.loops)
	}
	if s.alpha <= 0 || !(s.box.x1 > 0 && s.box.y1 > 0 && s.box.x0 < float64(e.width) && s.box.y0 < float64(e.height)) {
		return
	}
	e.strokes = append(e.strokes, s)
}

// wash covers the whole canvas with a function of the pixel.
func (e *easel) wash(depth uint8, shade func(x, y float32) (rgb, float32)) {
	e.washBox(box{0, 0, float64(e.width), float64(e.height)}, depth, shade)
}

func (e *easel) washBox(b box, depth uint8, shade func(x, y float32) (rgb, float32)) {
	e.put(stroke{box: b, depth: depth, shading: custom, alpha: 1, shade: shade})
}

// washLines covers a box row by row.
func (e *easel) washLines(b box, depth uint8, line lineShade) {
	e.put(stroke{box: b, depth: depth, shading: custom, alpha: 1, line: line})
}

// halo is a soft round light (glow) or shadow (stain) around a point.
func (e *easel) halo(c point, rx, ry float64, tone rgb, alpha float32, mode blend) {
	cx, cy, kx, ky := float32(c.x), float32(c.y), float32(1/rx), float32(1/ry)
	shade := func(x, y float32) (rgb, float32) {
		u, v := (x-cx)*kx, (y-cy)*ky
		t := 1 - u*u - v*v
		if t <= 0 {
			return tone, 0
		}
		return tone, t * t
	}
	e.put(stroke{box: box{c.x - rx, c.y - ry, c.x + rx, c.y + ry}, shading: custom, alpha: alpha, blend: mode, shade: shade})
}

// bands runs work over the rows of a picture on all processors, a few rows at a
// time, until it is done or the context ends.
func bands(ctx context.Context, height, rows int, work func(y0, y1 int), progress func(float64)) error {
	var next, done atomic.Int64
	var report sync.Mutex
	total := (height + rows - 1) / rows
	var g sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), total) {
		g.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= total {
					return
				}
				work(i*rows, min((i+1)*rows, height))
				if progress != nil {
					report.Lock()
					progress(float64(done.Add(1)) / float64(total))
					report.Unlock()
				}
			}
		})
	}
	g.Wait()
	return ctx.Err()
}

const bandRows = 32

func (e *easel) paint(ctx context.Context, progress func(float64)) (*raster, error) {
	out := newRaster(e.width, e.height)
	scratch := sync.Pool{New: func() any {
		return &band{e: e, out: out, cover: newCoverage(e.width, bandRows), pix: make([]rgb, e.width*bandRows), top: make([]int32, e.width*bandRows)}
	}}
	err := bands(ctx, e.height, bandRows, func(y0, y1 int) {
		b := scratch.Get().(*band)
		b.paint(y0, y1)
		scratch.Put(b)
	}, progress)
	return out, err
}

// band is the workplace of one processor.
type band struct {
	e     *easel
	out   *raster
	cover *coverage
	pix   []rgb
	top   []int32 // for each pixel the stroke that hides all before it, counted from 1
}

// hides says that nothing shows through where a stroke covers a pixel whole.
func (s *stroke) hides() bool {
	return s.alpha == 1 && s.blend == over && s.depth > 0 && (s.shading != custom || s.line != nil)
}

// whole is the coverage that counts as all of a pixel.
const whole = 0.998

// smallest is the area in pixels below which a stroke is not worth hiding others.
const smallest = 100

// clip is the part of a stroke's box that lies in the rows from y0 to y1.
func (b *band) clip(s *stroke, y0, y1 int) (left, top, right, bottom int) {
	top, bottom = max(int(math.Floor(s.box.y0)), y0), min(int(math.Ceil(s.box.y1)), y1)
	left, right = max(int(math.Floor(s.box.x0)), 0), min(int(math.Ceil(s.box.x1)), b.e.width)
	return left, top, right, bottom
}

// conceal finds which strokes are hidden where, so that they need not be shaded.
func (b *band) conceal(y0, y1 int) {
	w := b.e.width
	clear(b.top)
	for i := range b.e.strokes {
		s := &b.e.strokes[i]
		left, top, right, bottom := b.clip(s, y0, y1)
		if !s.hides() || s.loops == nil || (right-left)*(bottom-top) < smallest {
			continue
		}
		for _, l := range s.loops {
			b.cover.add(l, float64(y0))
		}
		for y := top; y < bottom; y++ {
			change, hidden := b.cover.row(y-y0), b.top[(y-y0)*w:]
			covered := float32(0)
			for x := left; x < right; x++ {
				covered += change[x]
				change[x] = 0
				if abs32(covered) > whole {
					hidden[x] = int32(i) + 1
				}
			}
			change[right], change[min(right+1, len(change)-1)] = 0, 0
		}
	}
}

func (b *band) paint(y0, y1 int) {
	w := b.e.width
	b.conceal(y0, y1)
	clear(b.pix)
	for i := range b.e.strokes {
		s := &b.e.strokes[i]
		left, top, right, bottom := b.clip(s, y0, y1)
		if top >= bottom || left >= right {
			continue
		}
		for _, l := range s.loops {
			b.cover.add(l, float64(y0))
		}
		for y := top; y < bottom; y++ {
			b.row(i, y, y-y0, left, right)
		}
	}
	for y := y0; y < y1; y++ {
		line := b.out.Pix[y*b.out.Stride:]
		for x, c := range b.pix[(y-y0)*w : (y-y0+1)*w] {
			// A trace of noise hides the steps of slow gradients.
			d := (cellUnit(int32(x), int32(y), 77) - 0.5) / 255
			line[4*x], line[4*x+1], line[4*x+2], line[4*x+3] = byteOf(c.r+d), byteOf(c.g+d), byteOf(c.b+d), 255
		}
	}
}

func (b *band) row(i, y, inBand, left, right int) {
	s := &b.e.strokes[i]
	pix, top := b.pix[inBand*b.e.width:], b.top[inBand*b.e.width:]
	depth := b.out.depth[y*b.e.width:]
	var change []float32
	if s.loops != nil {
		change = b.cover.row(inBand)
	}
	turn := s.turn(float32(y) + 0.5)
	colour := func(x float32) (rgb, float32) { return s.colour(x, float32(y)+0.5, turn) }
	if s.line != nil {
		colour = s.line(float32(y) + 0.5)
	}
	covered, amount := float32(0), float32(1)
	for x := left; x < right; x++ {
		if change != nil {
			covered += change[x]
			change[x] = 0
			if amount = abs32(covered); amount < 1.0/512 {
				continue
			}
			if amount > whole {
				amount = 1
			}
		}
		if int(top[x]) > i+1 {
			continue
		}
		c, a := colour(float32(x) + 0.5)
		if a *= amount * s.alpha; a <= 0 {
			continue
		}
		switch s.blend {
		case over:
			pix[x] = mix(pix[x], c, a)
			if a > 0.5 && s.depth > 0 {
				depth[x] = s.depth
			}
		case glow:
			pix[x] = pix[x].plus(c.scaled(a))
		case stain:
			pix[x] = pix[x].times(mix(rgb{1, 1, 1}, c, a))
		}
	}
	if change != nil {
		change[right], change[min(right+1, len(change)-1)] = 0, 0
	}
}

// turn is the part of the shading that a whole row shares.
func (s *stroke) turn(y float32) float32 {
	if s.shading == round {
		return (y - float32(s.box.y0+s.box.y1)/2) / float32(max(s.box.height()/2, 0.5))
	}
	return 0
}

func (s *stroke) colour(x, y, turn float32) (rgb, float32) {
	var c rgb
	alpha := float32(1)
	switch s.shading {
	case plain:
		c = s.lit
	case linear:
		dx, dy := float32(s.to.x-s.from.x), float32(s.to.y-s.from.y)
		t := unit(((x-float32(s.from.x))*dx + (y-float32(s.from.y))*dy) / (dx*dx + dy*dy + 1e-6))
		c = mix(s.lit, s.dim, t)
	case round:
		u := (x - float32(s.box.x0+s.box.x1)/2) / float32(max(s.box.width()/2, 0.5))
		out := min(u*u+turn*turn, 1.1)
		t := u*s.light[0] + turn*s.light[1] + (1-out*0.8)*s.light[2]
		if s.cel {
			t = smooth(0.12, 0.2, t)
		} else {
			t = smooth(-0.55, 0.75, t)
		}
		c = mix(s.dim, s.lit, t)
	case custom:
		c, alpha = s.shade(x, y)
	}
	if s.grain.kind != smoothGrain {
		k := 1 + s.grain.at(x, y)
		c = c.scaled(k)
	}
	return c, alpha
}
