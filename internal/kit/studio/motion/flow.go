package motion

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// Flow is the optical flow between two pictures: the motion of each block of a
// small copy, as shares of the width and the height.
type Flow struct {
	Cols, Rows int
	Dx, Dy     []float64
	Error      float64 // mean residual difference, from 0 to 1
}

// Sizes of the search, on small copies: large shapes are enough.
const (
	FlowSide  = 160
	flowBlock = 8
	flowReach = 6
)

// Grey is a small greyscale copy of a picture.
type Grey struct {
	W, H int
	Pix  []uint8
}

// GreyOf shrinks a picture so that its longer side is at most side.
func GreyOf(img *image.RGBA, side int) *Grey {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	k := max(1, (max(w, h)+side-1)/side)
	g := &Grey{W: max(1, w/k), H: max(1, h/k)}
	g.Pix = make([]uint8, g.W*g.H)
	footage.Rows(g.H, func(y int) {
		for x := range g.W {
			sum, n := 0, 0
			for j := y * k; j < min((y+1)*k, h); j++ {
				line := img.Pix[j*img.Stride:]
				for i := x * k; i < min((x+1)*k, w); i++ {
					sum += 54*int(line[4*i]) + 183*int(line[4*i+1]) + 19*int(line[4*i+2])
					n++
				}
			}
			g.Pix[y*g.W+x] = uint8(sum / max(n, 1) >> 8)
		}
	})
	return g
}

// half returns the picture at half the size.
func (g *Grey) half() *Grey {
	out := &Grey{W: max(1, g.W/2), H: max(1, g.H/2)}
	out.Pix = make([]uint8, out.W*out.H)
	for y := range out.H {
		for x := range out.W {
			a, b := g.Pix[2*y*g.W:], g.Pix[min(2*y+1, g.H-1)*g.W:]
			x1 := min(2*x+1, g.W-1)
			out.Pix[y*out.W+x] = uint8((int(a[2*x]) + int(a[x1]) + int(b[2*x]) + int(b[x1]) + 2) / 4)
		}
	}
	return out
}

// FlowOf finds the flow between two pictures of the same size by block
// matching, from coarse to fine.
func FlowOf(a, b *Grey) *Flow {
	if min(a.W, a.H) > 40 {
		coarse := FlowOf(a.half(), b.half())
		return refine(a, b, coarse, 2)
	}
	return refine(a, b, nil, flowReach)
}

func refine(a, b *Grey, guess *Flow, reach int) *Flow {
	f := &Flow{Cols: max(1, (a.W+flowBlock-1)/flowBlock), Rows: max(1, (a.H+flowBlock-1)/flowBlock)}
	f.Dx, f.Dy = make([]float64, f.Cols*f.Rows), make([]float64, f.Cols*f.Rows)
	lost := make([]float64, f.Rows)
	footage.Rows(f.Rows, func(j int) {
		for i := range f.Cols {
			gx, gy := 0, 0
			if guess != nil {
				u, v := guess.At((float64(i)+0.5)/float64(f.Cols), (float64(j)+0.5)/float64(f.Rows))
				gx, gy = int(math.Round(u*float64(a.W))), int(math.Round(v*float64(a.H)))
			}
			best, bx, by := math.Inf(1), gx, gy
			for dy := gy - reach; dy <= gy+reach; dy++ {
				for dx := gx - reach; dx <= gx+reach; dx++ {
					// No motion, and the motion of the neighbours, cost least.
					cost := a.differs(b, i*flowBlock, j*flowBlock, dx, dy) + 0.7*math.Hypot(float64(dx-gx), float64(dy-gy)) + 0.15*math.Hypot(float64(dx), float64(dy))
					if cost < best {
						best, bx, by = cost, dx, dy
					}
				}
			}
			f.Dx[j*f.Cols+i], f.Dy[j*f.Cols+i] = float64(bx)/float64(a.W), float64(by)/float64(a.H)
			lost[j] += best / 255
		}
	})
	for _, l := range lost {
		f.Error += l / float64(f.Cols*f.Rows)
	}
	f.smooth()
	return f
}

// differs returns the mean difference of a block and the one it would move to, with a
// margin around it.
func (g *Grey) differs(b *Grey, x0, y0, dx, dy int) float64 {
	sum, n := 0, 0
	for y := max(y0-2, 0); y < min(y0+flowBlock+2, g.H); y++ {
		ty := min(max(y+dy, 0), b.H-1)
		for x := max(x0-2, 0); x < min(x0+flowBlock+2, g.W); x++ {
			tx := min(max(x+dx, 0), b.W-1)
			sum += footage.Abs(int(g.Pix[y*g.W+x]) - int(b.Pix[ty*b.W+tx]))
			n++
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// smooth takes the median of neighbours against stray blocks, then their mean.
func (f *Flow) smooth() {
	for round, plane := range []*[]float64{&f.Dx, &f.Dy, &f.Dx, &f.Dy} {
		next := make([]float64, len(*plane))
		for j := range f.Rows {
			for i := range f.Cols {
				var near [9]float64
				n, sum := 0, 0.0
				for y := max(j-1, 0); y <= min(j+1, f.Rows-1); y++ {
					for x := max(i-1, 0); x <= min(i+1, f.Cols-1); x++ {
						near[n] = (*plane)[y*f.Cols+x]
						sum += near[n]
						n++
					}
				}
				next[j*f.Cols+i] = sum / float64(n)
				if round < 2 {
					next[j*f.Cols+i] = median(near[:n])
				}
			}
		}
		*plane = next
	}
}

func median(v []float64) float64 {
	for i := 1; i < len(v); i++ {
		for k := i; k > 0 && v[k] < v[k-1]; k-- {
			v[k], v[k-1] = v[k-1], v[k]
		}
	}
	return v[len(v)/2]
}

// At returns the flow at a place, both coordinates from 0 to 1.
func (f *Flow) At(u, v float64) (float64, float64) {
	x, y := min(max(u*float64(f.Cols)-0.5, 0), float64(f.Cols-1)), min(max(v*float64(f.Rows)-0.5, 0), float64(f.Rows-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, f.Cols-1), min(y0+1, f.Rows-1)
	fx, fy := x-float64(x0), y-float64(y0)
	mix := func(p []float64) float64 {
		a := p[y0*f.Cols+x0]*(1-fx) + p[y0*f.Cols+x1]*fx
		b := p[y1*f.Cols+x0]*(1-fx) + p[y1*f.Cols+x1]*fx
		return a*(1-fy) + b*fy
	}
	return mix(f.Dx), mix(f.Dy)
}

// Drift is the camera motion in a flow: shift, zoom and rotation, fitted to all
// blocks and again to the inliers.
type Drift struct{ X, Y, Zoom, Turn float64 }

// Drift estimates the camera motion.
func (f *Flow) Drift() Drift {
	weight := make([]float64, len(f.Dx))
	for i := range weight {
		weight[i] = 1
	}
	var d Drift
	for range 4 {
		var n, sx, sy, sdx, sdy, r2, zoom, turn float64
		each := func(do func(i int, x, y float64)) {
			for j := range f.Rows {
				for i := range f.Cols {
					do(j*f.Cols+i, (float64(i)+0.5)/float64(f.Cols)-0.5, (float64(j)+0.5)/float64(f.Rows)-0.5)
				}
			}
		}
		each(func(i int, x, y float64) {
			w := weight[i]
			n, sx, sy, sdx, sdy = n+w, sx+w*x, sy+w*y, sdx+w*f.Dx[i], sdy+w*f.Dy[i]
		})
		if n == 0 {
			return d
		}
		mx, my, mdx, mdy := sx/n, sy/n, sdx/n, sdy/n
		each(func(i int, x, y float64) {
			w := weight[i]
			r2 += w * ((x-mx)*(x-mx) + (y-my)*(y-my))
			zoom += w * ((x-mx)*(f.Dx[i]-mdx) + (y-my)*(f.Dy[i]-mdy))
			turn += w * ((x-mx)*(f.Dy[i]-mdy) - (y-my)*(f.Dx[i]-mdx))
		})
		d = Drift{Zoom: zoom / max(r2, 1e-9), Turn: turn / max(r2, 1e-9)}
		d.X, d.Y = mdx-d.Zoom*mx+d.Turn*my, mdy-d.Zoom*my-d.Turn*mx
		each(func(i int, x, y float64) {
			px, py := d.At(x, y)
			off := math.Hypot(f.Dx[i]-px, f.Dy[i]-py)
			weight[i] = 1 / (1 + off*off/(0.004*0.004))
		})
	}
	return d
}

// At returns how a place, from the middle, moves with the camera.
func (d Drift) At(x, y float64) (float64, float64) {
	return d.X + d.Zoom*x - d.Turn*y, d.Y + d.Zoom*y + d.Turn*x
}
