package cpu

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/worker"
)

// outpaint lays a clip into a wider or higher picture. Its surroundings are the
// clip itself, mirrored at its edge and ever softer away from it.
func (c *conversion) outpaint(_ context.Context, t worker.Task) error {
	k := c.take
	w, h := c.reel.size()
	shape := float64(w) / float64(h)
	ratio, ok := ratioOf(text(t, "outpaintAspectRatio"))
	if !ok {
		ratio = 16.0 / 9
		if shape >= ratio-0.01 {
			ratio = 21.0 / 9
		}
	}
	if math.Abs(ratio-shape) < 0.01*shape {
		return worker.Failf("The video already has the shape %s; there is nothing to add.", text(t, "outpaintAspectRatio"))
	}
	short := float64(min(w, h))
	if r := number(t, "targetResolution", 0); r > 0 {
		short = r
	}
	k.width, k.height = int(short*ratio)/2*2, int(short)/2*2
	if ratio < 1 {
		k.width, k.height = int(short)/2*2, int(short/ratio)/2*2
	}
	if k.width*k.height > maxMade {
		return worker.Failf("The wider video would be %d by %d pixels, more than the CPU renderer makes.", k.width, k.height)
	}
	iw, ih := k.width, int(float64(k.width)/shape)/2*2
	if ih > k.height {
		iw, ih = int(float64(k.height)*shape)/2*2, k.height
	}
	at := image.Pt((k.width-iw)/2, (k.height-ih)/2)
	switch position := other(text(t, "outpaintPosition"), "center"); position {
	case "center":
	case "top":
		at.Y = 0
	case "bottom":
		at.Y = k.height - ih
	case "left":
		at.X = 0
	case "right":
		at.X = k.width - iw
	default:
		return worker.Failf("There is no position %q.", position)
	}
	s := newSurround(image.Pt(w, h), image.Rect(0, 0, iw, ih).Add(at), image.Pt(k.width, k.height))
	k.frame = func(i int) (image.Image, error) {
		img, err := c.reel.look(i)
		if err != nil {
			return nil, err
		}
		return s.frame(img), nil
	}
	k.note("inside", map[string]int{"x": at.X, "y": at.Y, "width": iw, "height": ih})
	k.note("method", "surroundings mirrored from the clip and softened; nothing new is shown there")
	return nil
}

// surround draws frames into larger ones.
type surround struct {
	inside image.Rectangle
	fit    *scaler
	fitted *image.RGBA
	shrink *scaler
	small  *image.RGBA // the frame, small
	wide   *image.RGBA // the larger frame, small, mirrored
	blur   *image.RGBA
	grow   *scaler
	out    *image.RGBA
	sharp  []uint8 // how much of the sharp mirror is seen at a pixel
}

func newSurround(from image.Point, inside image.Rectangle, to image.Point) *surround {
	const less = 8
	few := func(p image.Point) image.Point { return image.Pt(max(2, p.X/less), max(2, p.Y/less)) }
	s := &surround{inside: inside, out: image.NewRGBA(image.Rectangle{Max: to}), fitted: image.NewRGBA(image.Rectangle{Max: inside.Size()})}
	s.fit = newScaler(from, inside.Size(), crisp)
	s.small, s.wide = image.NewRGBA(image.Rectangle{Max: few(inside.Size())}), image.NewRGBA(image.Rectangle{Max: few(to)})
	s.blur = image.NewRGBA(s.wide.Rect)
	s.shrink, s.grow = newScaler(inside.Size(), s.small.Rect.Max, soft), newScaler(s.wide.Rect.Max, to, misty)
	s.sharp = make([]uint8, to.X*to.Y)
	band := float64(min(to.X, to.Y)) * 0.13
	for y := range to.Y {
		for x := range to.X {
			d := max(inside.Min.X-x, x-inside.Max.X+1, inside.Min.Y-y, y-inside.Max.Y+1, 0)
			s.sharp[y*to.X+x] = uint8(255 * (1 - ease(float64(d)/band)))
		}
	}
	return s
}

// frame is used again for the next.
func (s *surround) frame(img *image.RGBA) *image.RGBA {
	s.fit.frame(s.fitted, img)
	s.shrink.frame(s.small, s.fitted)
	sw, sh := s.small.Rect.Dx(), s.small.Rect.Dy()
	ww, wh := s.wide.Rect.Dx(), s.wide.Rect.Dy()
	ox, oy := s.inside.Min.X*ww/s.out.Rect.Dx(), s.inside.Min.Y*wh/s.out.Rect.Dy()
	rows(wh, func(y int) {
		for x := range ww {
			copy(s.wide.Pix[y*s.wide.Stride+4*x:][:4], s.small.Pix[mirror(y-oy, sh)*s.small.Stride+4*mirror(x-ox, sw):])
		}
	})
	boxBlur(s.blur, s.wide, 3)
	boxBlur(s.wide, s.blur, 2)
	s.grow.frame(s.out, s.wide)
	w, h := s.out.Rect.Dx(), s.out.Rect.Dy()
	iw, ih := s.inside.Dx(), s.inside.Dy()
	rows(h, func(y int) {
		line := s.out.Pix[y*s.out.Stride:]
		from := s.fitted.Pix[mirror(y-s.inside.Min.Y, ih)*s.fitted.Stride:]
		for x := range w {
			k := int32(s.sharp[y*w+x])
			if k == 0 {
				continue
			}
			p, q := line[4*x:4*x+3:4*x+3], from[4*mirror(x-s.inside.Min.X, iw):]
			for c := range 3 {
				p[c] = uint8(int32(p[c]) + (int32(q[c])-int32(p[c]))*k/255)
			}
		}
	})
	return s.out
}

// boxBlur takes the mean of neighbours within a distance.
func boxBlur(dst, src *image.RGBA, r int) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	rows(h, func(y int) {
		for x := range w {
			var sum [3]int
			n := 0
			for j := max(y-r, 0); j <= min(y+r, h-1); j++ {
				for i := max(x-r, 0); i <= min(x+r, w-1); i++ {
					p := src.Pix[j*src.Stride+4*i:]
					sum[0], sum[1], sum[2] = sum[0]+int(p[0]), sum[1]+int(p[1]), sum[2]+int(p[2])
					n++
				}
			}
			o := dst.Pix[y*dst.Stride+4*x:]
			o[0], o[1], o[2], o[3] = uint8(sum[0]/n), uint8(sum[1]/n), uint8(sum[2]/n), 255
		}
	})
}
