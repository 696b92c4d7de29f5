package footage

import "image"

// Outpainter extends frames to larger ones.
type Outpainter struct {
	inside image.Rectangle
	fit    *Scaler
	fitted *image.RGBA
	shrink *Scaler
	small  *image.RGBA // the frame, small
	wide   *image.RGBA // the larger frame, small, mirrored
	blur   *image.RGBA
	grow   *Scaler
	out    *image.RGBA
	sharp  []uint8 // the weight of the sharp mirror image at a pixel
}

// NewOutpainter returns an Outpainter that puts frames at a place of larger
// ones.
func NewOutpainter(from image.Point, inside image.Rectangle, to image.Point) *Outpainter {
	const less = 8
	few := func(p image.Point) image.Point { return image.Pt(max(2, p.X/less), max(2, p.Y/less)) }
	s := &Outpainter{inside: inside, out: image.NewRGBA(image.Rectangle{Max: to}), fitted: image.NewRGBA(image.Rectangle{Max: inside.Size()})}
	s.fit = NewScaler(from, inside.Size(), Lanczos3)
	s.small, s.wide = image.NewRGBA(image.Rectangle{Max: few(inside.Size())}), image.NewRGBA(image.Rectangle{Max: few(to)})
	s.blur = image.NewRGBA(s.wide.Rect)
	s.shrink, s.grow = NewScaler(inside.Size(), s.small.Rect.Max, Linear), NewScaler(s.wide.Rect.Max, to, BSpline)
	s.sharp = make([]uint8, to.X*to.Y)
	band := float64(min(to.X, to.Y)) * 0.13
	for y := range to.Y {
		for x := range to.X {
			d := max(inside.Min.X-x, x-inside.Max.X+1, inside.Min.Y-y, y-inside.Max.Y+1, 0)
			s.sharp[y*to.X+x] = uint8(255 * (1 - Ease(float64(d)/band)))
		}
	}
	return s
}

// Frame returns an extended frame. The next call overwrites it.
func (s *Outpainter) Frame(img *image.RGBA) *image.RGBA {
	s.fit.Frame(s.fitted, img)
	s.shrink.Frame(s.small, s.fitted)
	sw, sh := s.small.Rect.Dx(), s.small.Rect.Dy()
	ww, wh := s.wide.Rect.Dx(), s.wide.Rect.Dy()
	ox, oy := s.inside.Min.X*ww/s.out.Rect.Dx(), s.inside.Min.Y*wh/s.out.Rect.Dy()
	Rows(wh, func(y int) {
		for x := range ww {
			copy(s.wide.Pix[y*s.wide.Stride+4*x:][:4], s.small.Pix[Mirror(y-oy, sh)*s.small.Stride+4*Mirror(x-ox, sw):])
		}
	})
	boxBlur(s.blur, s.wide, 3)
	boxBlur(s.wide, s.blur, 2)
	s.grow.Frame(s.out, s.wide)
	w, h := s.out.Rect.Dx(), s.out.Rect.Dy()
	iw, ih := s.inside.Dx(), s.inside.Dy()
	Rows(h, func(y int) {
		line := s.out.Pix[y*s.out.Stride:]
		from := s.fitted.Pix[Mirror(y-s.inside.Min.Y, ih)*s.fitted.Stride:]
		for x := range w {
			k := int32(s.sharp[y*w+x])
			if k == 0 {
				continue
			}
			p, q := line[4*x:4*x+3:4*x+3], from[4*Mirror(x-s.inside.Min.X, iw):]
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
	Rows(h, func(y int) {
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
