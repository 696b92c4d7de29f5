package footage

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// Scaler scales planes of bytes from one size to another. The weights are
// computed once, as integers.
type Scaler struct {
	across, down []tap
	from, To     image.Point
	middle       []int16
}

// tap is the source pixels of a pixel, with weights that sum to one<<14.
type tap struct {
	first   int
	weights []int32
}

const one = 1 << 14

// A kernel weights neighbours by their distance, up to reach.
type kernel struct {
	reach  float64
	weight func(x float64) float64
}

var (
	// Linear is linear; for a smaller picture each pixel is the mean of those it
	// covers.
	Linear = kernel{1, func(x float64) float64 { return 1 - x }}
	// BSpline is the cubic B-spline, the smoothest.
	BSpline = kernel{2, func(x float64) float64 {
		if x < 1 {
			return (4 - 6*x*x + 3*x*x*x) / 6
		}
		return (2 - x) * (2 - x) * (2 - x) / 6
	}}
	// Lanczos3 is the Lanczos kernel with three lobes.
	Lanczos3 = kernel{3, func(x float64) float64 {
		if x < 1e-9 {
			return 1
		}
		p := math.Pi * x
		return 3 * math.Sin(p) * math.Sin(p/3) / (p * p)
	}}
)

// NewScaler returns a Scaler for frames of a size.
func NewScaler(from, to image.Point, k kernel) *Scaler {
	return &Scaler{across: taps(from.X, to.X, k), down: taps(from.Y, to.Y, k), from: from, To: to}
}

func taps(from, to int, k kernel) []tap {
	out := make([]tap, to)
	ratio := float64(from) / float64(to)
	wide := max(ratio, 1)
	for i := range out {
		c := (float64(i)+0.5)*ratio - 0.5
		lo, hi := int(math.Ceil(c-k.reach*wide+1e-9)), int(math.Floor(c+k.reach*wide-1e-9))
		lo, hi = min(max(lo, 0), from-1), min(max(hi, 0), from-1)
		weights := make([]float64, hi-lo+1)
		sum := 0.0
		for j := range weights {
			weights[j] = k.weight(min(math.Abs(float64(lo+j)-c)/wide, k.reach))
			sum += weights[j]
		}
		t := tap{first: lo, weights: make([]int32, len(weights))}
		left, most := int32(one), 0
		for j, w := range weights {
			if sum == 0 {
				w, sum = 1, float64(len(weights))
			}
			t.weights[j] = int32(math.Round(w / sum * one))
			left -= t.weights[j]
			if t.weights[j] > t.weights[most] {
				most = j
			}
		}
		t.weights[most] += left
		out[i] = t
	}
	return out
}

// Plane scales a plane of one byte a pixel, or of four: an opaque picture.
func (s *Scaler) Plane(dst []byte, dstStride int, src []byte, srcStride, n int) {
	w := s.To.X * n
	if len(s.middle) < w*s.from.Y {
		s.middle = make([]int16, w*s.from.Y)
	}
	Rows(s.from.Y, func(y int) {
		in, out := src[y*srcStride:], s.middle[y*w:(y+1)*w]
		for x, t := range s.across {
			if n == 4 {
				var r, g, b int32 = 1 << 7, 1 << 7, 1 << 7
				near := in[4*t.first:]
				if k := t.weights; len(k) == 4 {
					p := near[:16:16]
					r += int32(p[0])*k[0] + int32(p[4])*k[1] + int32(p[8])*k[2] + int32(p[12])*k[3]
					g += int32(p[1])*k[0] + int32(p[5])*k[1] + int32(p[9])*k[2] + int32(p[13])*k[3]
					b += int32(p[2])*k[0] + int32(p[6])*k[1] + int32(p[10])*k[2] + int32(p[14])*k[3]
					o := out[4*x : 4*x+4 : 4*x+4]
					o[0], o[1], o[2], o[3] = int16(r>>8), int16(g>>8), int16(b>>8), 255<<6
					continue
				}
				for i, k := range t.weights {
					p := near[4*i : 4*i+4 : 4*i+4]
					r, g, b = r+int32(p[0])*k, g+int32(p[1])*k, b+int32(p[2])*k
				}
				o := out[4*x : 4*x+4 : 4*x+4]
				o[0], o[1], o[2], o[3] = int16(r>>8), int16(g>>8), int16(b>>8), 255<<6 // frames are opaque
				continue
			}
			sum := int32(1 << 7)
			near := in[t.first : t.first+len(t.weights)]
			for i, k := range t.weights {
				sum += int32(near[i]) * k
			}
			out[x] = int16(sum >> 8) // 6 bits of fraction, and room for overshoot
		}
	})
	Rows(s.To.Y, func(y int) {
		t, out := s.down[y], dst[y*dstStride:y*dstStride+w]
		line := func(i int) []int16 { return s.middle[(t.first+i)*w:][:len(out)] }
		k := t.weights
		switch len(k) {
		case 1:
			a := line(0)
			for x := range out {
				out[x] = ByteOf((int32(a[x]) + 32) >> 6)
			}
		case 2:
			a, b := line(0), line(1)
			for x := range out {
				out[x] = ByteOf((int32(a[x])*k[0] + int32(b[x])*k[1] + 1<<19) >> 20)
			}
		case 4:
			a, b, c, d := line(0), line(1), line(2), line(3)
			k0, k1, k2, k3 := k[0], k[1], k[2], k[3]
			at := func(x int) byte {
				return ByteOf((int32(a[x])*k0 + int32(b[x])*k1 + int32(c[x])*k2 + int32(d[x])*k3 + 1<<19) >> 20)
			}
			if n == 4 {
				for x := 0; x+3 < len(out); x += 4 {
					out[x], out[x+1], out[x+2], out[x+3] = at(x), at(x+1), at(x+2), 255
				}
				return
			}
			for x := range out {
				out[x] = at(x)
			}
		case 6:
			a, b, c, d, e, f := line(0), line(1), line(2), line(3), line(4), line(5)
			k0, k1, k2, k3, k4, k5 := k[0], k[1], k[2], k[3], k[4], k[5]
			for x := range out {
				out[x] = ByteOf((int32(a[x])*k0 + int32(b[x])*k1 + int32(c[x])*k2 + int32(d[x])*k3 + int32(e[x])*k4 + int32(f[x])*k5 + 1<<19) >> 20)
			}
		default:
			sums := make([]int32, len(out))
			for i, k := range k {
				for x, v := range line(i) {
					sums[x] += int32(v) * k
				}
			}
			for x, v := range sums {
				out[x] = ByteOf((v + 1<<19) >> 20)
			}
		}
	})
}

// Frame scales a picture. The destination has the size of the scaler.
func (s *Scaler) Frame(dst, src *image.RGBA) {
	s.Plane(dst.Pix, dst.Stride, src.Pix[src.PixOffset(src.Rect.Min.X, src.Rect.Min.Y):], src.Stride, 4)
}

// PlaneScaler scales frames in the codec's colour space.
type PlaneScaler struct{ luma, chroma *Scaler }

// NewPlaneScaler returns a PlaneScaler for frames of a size.
func NewPlaneScaler(from, to image.Point, k kernel) *PlaneScaler {
	half := func(p image.Point) image.Point { return image.Pt((p.X+1)/2, (p.Y+1)/2) }
	return &PlaneScaler{NewScaler(from, to, k), NewScaler(half(from), half(to), k)}
}

// Frame scales a frame into another.
func (s *PlaneScaler) Frame(dst, src *film.Samples) {
	s.luma.Plane(dst.Y, dst.YStride, src.Y, src.YStride, 1)
	s.chroma.Plane(dst.Cb, dst.CStride, src.Cb, src.CStride, 1)
	s.chroma.Plane(dst.Cr, dst.CStride, src.Cr, src.CStride, 1)
}

// CatmullRom is the Catmull-Rom kernel: nearly as sharp as Lanczos, at two thirds of
// the cost.
var CatmullRom = kernel{2, func(x float64) float64 {
	if x < 1 {
		return 1.5*x*x*x - 2.5*x*x + 1
	}
	return -0.5*x*x*x + 2.5*x*x - 4*x + 2
}}
