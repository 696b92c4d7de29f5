package pixel

import (
	"context"
	"image"
	"image/color"
)

// MaxEnlarged is the longest edge to which a picture is enlarged.
const MaxEnlarged = 15360

// stripRows is how many rows of an enlarged picture exist at a time.
const stripRows = 64

// Enlarged is a picture at another size, made strip by strip while it is read from
// top to bottom, as encoders read it: its memory is that of the source and a few
// rows, however large it is. It is read by one goroutine.
type Enlarged struct {
	ctx          context.Context
	src          *image.NRGBA
	w, h         int
	across, down []taps
	amount       float32 // of sharpening
	reach        int     // of the edges that are sharpened, in pixels
	opaque       bool
	progress     func(float64)

	top   int // of the strip that exists
	strip *image.NRGBA
	err   error
	pixel color.NRGBA
}

// Enlarge scales a picture with the Lanczos filter and sharpens its edges: where
// the picture changes anyway, and never beyond the lightest and the darkest
// neighbour, so that no halo and no noise is added.
func Enlarge(ctx context.Context, img image.Image, w, h int, progress func(float64)) (*Enlarged, error) {
	src := AsNRGBA(img)
	if w < 1 || h < 1 || w > MaxEnlarged || h > MaxEnlarged || src.Rect.Empty() {
		return nil, ErrSize
	}
	e := &Enlarged{
		ctx: ctx, src: src, w: w, h: h, progress: progress, top: -1, opaque: src.Opaque(),
		across: lanczos(src.Rect.Dx(), w), down: lanczos(src.Rect.Dy(), h),
	}
	if grown := float64(w) / float64(src.Rect.Dx()); grown > 1 {
		e.amount, e.reach = float32(min(0.45+0.18*grown, 1.1)), min(max(int(grown*0.6+0.5), 1), 3)
	}
	return e, nil
}

// interrupted is how At leaves an encoder: encoders continue to the last pixel
// even after a write failed.
type interrupted struct{ err error }

// Read calls a function that reads the picture, such as an encoder, and stops
// it when the context ends. At must not be used outside of it.
func (e *Enlarged) Read(reader func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			stopped, ours := p.(interrupted)
			if !ours {
				panic(p)
			}
			err = stopped.err
		}
	}()
	return reader()
}

// ColorModel implements image.Image.
func (e *Enlarged) ColorModel() color.Model { return color.NRGBAModel }

// Bounds implements image.Image.
func (e *Enlarged) Bounds() image.Rectangle { return image.Rect(0, 0, e.w, e.h) }

// Opaque reports whether the picture has no transparency, which encoders ask.
func (e *Enlarged) Opaque() bool { return e.opaque }

// At implements image.Image. The colour is valid until the next call.
func (e *Enlarged) At(x, y int) color.Color {
	if x < 0 || y < 0 || x >= e.w || y >= e.h {
		return color.NRGBA{}
	}
	if e.strip == nil || e.err != nil || y < e.top || y >= e.top+e.strip.Rect.Dy() {
		if e.advance(y / stripRows * stripRows); e.err != nil {
			panic(interrupted{e.err})
		}
	}
	i := (y-e.top)*e.strip.Stride + x*4
	p := e.strip.Pix[i : i+4 : i+4]
	e.pixel = color.NRGBA{p[0], p[1], p[2], p[3]}
	return &e.pixel
}

// Whole returns the whole picture at once, for sizes that fit into memory.
func (e *Enlarged) Whole() (*image.NRGBA, error) {
	out := image.NewNRGBA(e.Bounds())
	for y := 0; y < e.h; y += stripRows {
		e.advance(y)
		if e.err != nil {
			return nil, e.err
		}
		copy(out.Pix[y*out.Stride:], e.strip.Pix)
	}
	return out, nil
}

// advance makes the strip that begins at a row.
func (e *Enlarged) advance(top int) {
	rows := min(stripRows, e.h-top)
	e.top = top
	if e.err == nil {
		e.strip, e.err = e.make(top, top+rows)
	}
	if e.err != nil {
		return
	}
	if e.progress != nil {
		e.progress(float64(top+rows) / float64(e.h))
	}
}

// make scales and sharpens some rows.
func (e *Enlarged) make(y0, y1 int) (*image.NRGBA, error) {
	rim := 2 * e.reach // rows around the strip that sharpening reads
	from, to := max(y0-rim, 0), min(y1+rim, e.h)
	scaled, err := e.scale(from, to)
	if err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, e.w, y1-y0))
	err = Bands(e.ctx, y1-y0, 8, func(a, b int) {
		for y := a; y < b; y++ {
			e.sharpen(scaled, y+y0-from, out.Pix[y*out.Stride:(y+1)*out.Stride])
		}
	}, nil)
	return out, err
}

// scale applies the Lanczos filter for some rows: first across the source rows
// they need, then down.
func (e *Enlarged) scale(y0, y1 int) (*image.NRGBA, error) {
	first := e.down[y0].from
	last := e.down[y1-1].from + len(e.down[y1-1].weights)
	mid := make([]float32, e.w*(last-first)*4)
	if err := Bands(e.ctx, last-first, 4, func(a, b int) {
		for y := a; y < b; y++ {
			row, to := e.src.Pix[(first+y)*e.src.Stride:], mid[y*e.w*4:(y+1)*e.w*4]
			for x, t := range e.across {
				var r, g, u, v float32
				p := row[t.from*4:]
				for i, k := range t.weights {
					q := p[i*4 : i*4+4 : i*4+4]
					a := float32(q[3]) * k
					r, g, u, v = r+float32(q[0])*a, g+float32(q[1])*a, u+float32(q[2])*a, v+a
				}
				o := to[x*4 : x*4+4 : x*4+4]
				o[0], o[1], o[2], o[3] = r, g, u, v
			}
		}
	}, nil); err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, e.w, y1-y0))
	err := Bands(e.ctx, y1-y0, 8, func(a, b int) {
		sum := make([]float32, e.w*4)
		for y := a; y < b; y++ {
			t := e.down[y0+y]
			clear(sum)
			for i, k := range t.weights {
				from := mid[(t.from+i-first)*e.w*4:]
				for x := range sum {
					sum[x] += from[x] * k
				}
			}
			o := out.Pix[y*out.Stride:]
			for x := 0; x < len(sum); x += 4 {
				if v := sum[x+3]; v > 0 {
					o[x], o[x+1], o[x+2] = ClampByte(sum[x]/v), ClampByte(sum[x+1]/v), ClampByte(sum[x+2]/v)
				}
				o[x+3] = ClampByte(sum[x+3])
			}
		}
	}, nil)
	return out, err
}

// sharpen writes one sharpened row of a scaled strip.
func (e *Enlarged) sharpen(s *image.NRGBA, y int, to []uint8) {
	h := s.Rect.Dy()
	row := func(y int) []uint8 { return s.Pix[min(max(y, 0), h-1)*s.Stride:] }
	n := e.reach
	here, up, down := row(y), row(y-n), row(y+n)
	far, low := row(y-2*n), row(y+2*n)
	copy(to, here[:len(to)])
	if e.amount == 0 {
		return
	}
	for x := range e.w {
		l, r := max(x-n, 0)*4, min(x+n, e.w-1)*4
		ll, rr := max(x-2*n, 0)*4, min(x+2*n, e.w-1)*4
		i := x * 4
		for c := range 3 {
			v := int(here[i+c])
			a, b, u, d := int(here[l+c]), int(here[r+c]), int(up[i+c]), int(down[i+c])
			hi, lo := max(v, a, b, u, d), min(v, a, b, u, d)
			if hi-lo < 6 {
				continue // noise, not an edge
			}
			wide := int(here[ll+c]) + int(here[rr+c]) + int(far[i+c]) + int(low[i+c])
			mean := float32(2*(a+b+u+d)+wide+4*v) / 16
			steep := float32(v) + e.amount*(float32(v)-mean)
			to[i+c] = uint8(min(max(steep+0.5, float32(lo)), float32(hi)))
		}
	}
}
