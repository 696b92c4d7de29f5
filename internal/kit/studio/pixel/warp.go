package pixel

import (
	"context"
	"errors"
	"image"
)

// Projection maps a point (x, y) to
// ((a x + b y + c) / (g x + h y + 1), (d x + e y + f) / (g x + h y + 1)):
// every affine map, and every view of a plane.
type Projection struct{ A, B, C, D, E, F, G, H float64 }

// ErrCorners is returned for four corners that do not span a plane.
var ErrCorners = errors.New("picture: the corners do not span a plane")

// ProjectionTo finds the projection that takes a w by h picture's corners, in the
// order top left, top right, bottom right, bottom left, to the given points.
func ProjectionTo(w, h float64, corners [4][2]float64) (Projection, error) {
	from := [4][2]float64{{0, 0}, {w, 0}, {w, h}, {0, h}}
	var m [8][9]float64
	for i := range 4 {
		x, y, u, v := from[i][0], from[i][1], corners[i][0], corners[i][1]
		m[2*i] = [9]float64{x, y, 1, 0, 0, 0, -u * x, -u * y, u}
		m[2*i+1] = [9]float64{0, 0, 0, x, y, 1, -v * x, -v * y, v}
	}
	for c := range 8 {
		pivot := c
		for r := c + 1; r < 8; r++ {
			if abs(m[r][c]) > abs(m[pivot][c]) {
				pivot = r
			}
		}
		if abs(m[pivot][c]) < 1e-12 {
			return Projection{}, ErrCorners
		}
		m[c], m[pivot] = m[pivot], m[c]
		for r := range 8 {
			if r == c {
				continue
			}
			k := m[r][c] / m[c][c]
			for j := c; j < 9; j++ {
				m[r][j] -= k * m[c][j]
			}
		}
	}
	s := func(i int) float64 { return m[i][8] / m[i][i] }
	return Projection{s(0), s(1), s(2), s(3), s(4), s(5), s(6), s(7)}, nil
}

func abs(v float64) float64 { return max(v, -v) }

// Inverse is the inverse of a projection, as a 3 by 3 matrix up to scale.
type Inverse [9]float64

// Inverse returns the inverse projection.
func (p Projection) Inverse() Inverse {
	a, b, c, d, e, f, g, h := p.A, p.B, p.C, p.D, p.E, p.F, p.G, p.H
	return Inverse{
		e - f*h, c*h - b, b*f - c*e,
		f*g - d, a - c*g, c*d - a*f,
		d*h - e*g, b*g - a*h, a*e - b*d,
	}
}

// SourceAt returns the point that the projection takes to the middle of a pixel;
// ok is false when it lies at infinity.
func (m Inverse) SourceAt(x, y int) (sx, sy float64, ok bool) {
	fx, fy := float64(x)+0.5, float64(y)+0.5
	k := m[6]*fx + m[7]*fy + m[8]
	return (m[0]*fx + m[1]*fy + m[2]) / k, (m[3]*fx + m[4]*fy + m[5]) / k, k != 0
}

// Warp draws a picture through a projection onto a canvas of w by h. What the
// picture does not cover is transparent.
func Warp(ctx context.Context, img image.Image, p Projection, w, h int) (*image.NRGBA, error) {
	if w < 1 || h < 1 || w > 4*MaxSide || h > 4*MaxSide {
		return nil, ErrSize
	}
	src := Flatten(img)
	m := p.Inverse()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := Bands(ctx, h, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				if sx, sy, ok := m.SourceAt(x, y); ok {
					Sample(src, sx-0.5, sy-0.5, out.Pix[y*out.Stride+x*4:])
				}
			}
		}
	}, nil)
	return out, err
}

// Sample mixes the four pixels around a place; outside is transparent.
func Sample(src *image.NRGBA, x, y float64, to []uint8) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if !(x > -1 && y > -1 && x < float64(w) && y < float64(h)) {
		return
	}
	x0, y0 := int(x+1)-1, int(y+1)-1
	fx, fy := x-float64(x0), y-float64(y0)
	var sum [4]float64
	for i, k := range [4]float64{(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy} {
		px, py := x0+i%2, y0+i/2
		if px < 0 || py < 0 || px >= w || py >= h {
			continue
		}
		p := src.Pix[py*src.Stride+px*4:]
		a := float64(p[3]) * k
		sum[0], sum[1], sum[2], sum[3] = sum[0]+float64(p[0])*a, sum[1]+float64(p[1])*a, sum[2]+float64(p[2])*a, sum[3]+a
	}
	if sum[3] > 0 {
		to[0], to[1], to[2] = ClampByte(float32(sum[0]/sum[3])), ClampByte(float32(sum[1]/sum[3])), ClampByte(float32(sum[2]/sum[3]))
	}
	to[3] = ClampByte(float32(sum[3]))
}
