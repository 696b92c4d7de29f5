package footage

import (
	"context"
	"image"
	"image/color"
	"image/draw"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// ToRGBA converts a picture to RGBA. A transparent one gets its own mean
// colour, darkened, as background.
func ToRGBA(img image.Image) *image.RGBA {
	b := img.Bounds()
	if m, ok := img.(*image.RGBA); ok && b.Min == (image.Point{}) && m.Opaque() {
		return m
	}
	if m, ok := img.(*image.NRGBA); ok && b.Min == (image.Point{}) && m.Opaque() {
		return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	}
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	if out.Opaque() {
		return out
	}
	ground := meanOf(out)
	draw.Draw(out, out.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, b.Min, draw.Over)
	return out
}

// meanOf returns the mean colour of the opaque pixels, at half its lightness.
func meanOf(img *image.RGBA) color.RGBA {
	var sum [4]int
	for i := 0; i < len(img.Pix); i += 4 {
		for c := range 4 {
			sum[c] += int(img.Pix[i+c])
		}
	}
	n := max(sum[3], 1)
	return color.RGBA{uint8(sum[0] * 127 / n), uint8(sum[1] * 127 / n), uint8(sum[2] * 127 / n), 255}
}

// Cover makes a picture cover a frame; what is too wide or too high is cut off
// on both sides alike.
func Cover(ctx context.Context, img image.Image, w, h int) (*image.RGBA, error) {
	src := ToRGBA(img)
	b := src.Rect
	if b.Dx()*h > b.Dy()*w {
		wide := max(1, b.Dy()*w/h)
		b.Min.X += (b.Dx() - wide) / 2
		b.Max.X = b.Min.X + wide
	} else {
		high := max(1, b.Dx()*h/w)
		b.Min.Y += (b.Dy() - high) / 2
		b.Max.Y = b.Min.Y + high
	}
	out, err := pixel.Resize(ctx, src.SubImage(b), w, h)
	if err != nil {
		return nil, err
	}
	return ToRGBA(out), nil
}

// Letterbox fits frames of one size whole into frames of another. What they leave
// free is filled with a blurred copy of them.
type Letterbox struct {
	to          image.Point
	inside      image.Rectangle
	scale       *Scaler
	shrink      *Scaler
	grow        *Scaler
	small, back *image.RGBA
	cut         image.Rectangle
	out         *image.RGBA
}

// NewLetterbox returns a Letterbox for frames of a size in frames of another.
func NewLetterbox(from, to image.Point) *Letterbox {
	m := &Letterbox{to: to, inside: image.Rectangle{Max: to}, out: image.NewRGBA(image.Rectangle{Max: to})}
	w, h := to.X, from.Y*to.X/from.X
	if h > to.Y {
		w, h = from.X*to.Y/from.Y, to.Y
	}
	// A small stretch is invisible; a thin bar beside the picture is not.
	if Abs(w-to.X) > to.X/25 || Abs(h-to.Y) > to.Y/25 {
		w, h = max(2, w/2*2), max(2, h/2*2)
		m.inside = image.Rect(0, 0, w, h).Add(image.Pt((to.X-w)/2, (to.Y-h)/2))
		m.behind(from)
	}
	if m.inside.Size() != from {
		m.scale = NewScaler(from, m.inside.Size(), Linear)
	}
	return m
}

// behind prepares the blur: a few pixels of the middle, enlarged softly.
func (m *Letterbox) behind(from image.Point) {
	b := image.Rectangle{Max: from}
	if from.X*m.to.Y > from.Y*m.to.X {
		wide := max(1, from.Y*m.to.X/m.to.Y)
		b.Min.X = (from.X - wide) / 2
		b.Max.X = b.Min.X + wide
	} else {
		high := max(1, from.X*m.to.Y/m.to.X)
		b.Min.Y = (from.Y - high) / 2
		b.Max.Y = b.Min.Y + high
	}
	m.cut = b
	few := image.Pt(min(16, b.Dx()), min(16, b.Dy()))
	m.small, m.back = image.NewRGBA(image.Rectangle{Max: few}), image.NewRGBA(image.Rectangle{Max: m.to})
	m.shrink, m.grow = NewScaler(b.Size(), few, Linear), NewScaler(few, m.to, BSpline)
}

// Frame fits a frame. The next call overwrites the result.
func (m *Letterbox) Frame(src *image.RGBA) *image.RGBA {
	if m.back == nil && m.scale == nil {
		return src
	}
	if m.back != nil {
		m.shrink.Frame(m.small, src.SubImage(m.cut).(*image.RGBA))
		for i := range m.small.Pix {
			if i%4 != 3 {
				m.small.Pix[i] = uint8(int(m.small.Pix[i]) * 3 / 5)
			}
		}
		m.grow.Frame(m.out, m.small)
	}
	part := m.out.SubImage(m.inside).(*image.RGBA)
	if m.scale == nil {
		draw.Draw(part, part.Rect, src, src.Rect.Min, draw.Src)
		return m.out
	}
	m.scale.Plane(part.Pix, part.Stride, src.Pix, src.Stride, 4)
	return m.out
}

// Abs returns the absolute value.
func Abs[T int | float64](v T) T { return max(v, -v) }
