package cpu

import (
	"image"
	"math"
)

// flow is how a picture moves into the next: for each block of a small copy, by
// how much, as shares of the width and the height.
type flow struct {
	cols, rows int
	dx, dy     []float64
	error      float64 // mean difference that is left, from 0 to 1
}

// Sizes of the search. Pictures are looked at small: motion is a matter of large
// shapes.
const (
	flowSide  = 160
	flowBlock = 8
	flowReach = 6
)

// greys is a picture as lightness, small.
type greys struct {
	w, h int
	pix  []uint8
}

// greysOf shrinks a picture so that its longer side is at most side.
func greysOf(img *image.RGBA, side int) *greys {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	k := max(1, (max(w, h)+side-1)/side)
	g := &greys{w: max(1, w/k), h: max(1, h/k)}
	g.pix = make([]uint8, g.w*g.h)
	rows(g.h, func(y int) {
		for x := range g.w {
			sum, n := 0, 0
			for j := y * k; j < min((y+1)*k, h); j++ {
				line := img.Pix[j*img.Stride:]
				for i := x * k; i < min((x+1)*k, w); i++ {
					sum += 54*int(line[4*i]) + 183*int(line[4*i+1]) + 19*int(line[4*i+2])
					n++
				}
			}
			g.pix[y*g.w+x] = uint8(sum / max(n, 1) >> 8)
		}
	})
	return g
}

// half is the picture at half the size.
func (g *greys) half() *greys {
	out := &greys{w: max(1, g.w/2), h: max(1, g.h/2)}
	out.pix = make([]uint8, out.w*out.h)
	for y := range out.h {
		for x := range out.w {
			a, b := g.pix[2*y*g.w:], g.pix[min(2*y+1, g.h-1)*g.w:]
			x1 := min(2*x+1, g.w-1)
			out.pix[y*out.w+x] = uint8((int(a[2*x]) + int(a[x1]) + int(b[2*x]) + int(b[x1]) + 2) / 4)
		}
	}
	return out
}

// flowOf finds how one picture moves into another of the same size: blocks are
// matched from coarse to fine, each beginning where its larger one ended.
func flowOf(a, b *greys) *flow {
	if min(a.w, a.h) > 40 {
		coarse := flowOf(a.half(), b.half())
		return refine(a, b, coarse, 2)
	}
	return refine(a, b, nil, flowReach)
}

func refine(a, b *greys, guess *flow, reach int) *flow {
	f := &flow{cols: max(1, (a.w+flowBlock-1)/flowBlock), rows: max(1, (a.h+flowBlock-1)/flowBlock)}
	f.dx, f.dy = make([]float64, f.cols*f.rows), make([]float64, f.cols*f.rows)
	lost := make([]float64, f.rows)
	rows(f.rows, func(j int) {
		for i := range f.cols {
			gx, gy := 0, 0
			if guess != nil {
				u, v := guess.at((float64(i)+0.5)/float64(f.cols), (float64(j)+0.5)/float64(f.rows))
				gx, gy = int(math.Round(u*float64(a.w))), int(math.Round(v*float64(a.h)))
			}
			best, bx, by := math.Inf(1), gx, gy
			for dy := gy - reach; dy <= gy+reach; dy++ {
				for dx := gx - reach; dx <= gx+reach; dx++ {
					// Standing still, and moving like the surroundings, need no reason.
					cost := a.differs(b, i*flowBlock, j*flowBlock, dx, dy) + 0.7*math.Hypot(float64(dx-gx), float64(dy-gy)) + 0.15*math.Hypot(float64(dx), float64(dy))
					if cost < best {
						best, bx, by = cost, dx, dy
					}
				}
			}
			f.dx[j*f.cols+i], f.dy[j*f.cols+i] = float64(bx)/float64(a.w), float64(by)/float64(a.h)
			lost[j] += best / 255
		}
	})
	for _, l := range lost {
		f.error += l / float64(f.cols*f.rows)
	}
	f.smooth()
	return f
}

// differs is the mean difference of a block and the one it would move to, with a
// margin around it.
func (g *greys) differs(b *greys, x0, y0, dx, dy int) float64 {
	sum, n := 0, 0
	for y := max(y0-2, 0); y < min(y0+flowBlock+2, g.h); y++ {
		ty := min(max(y+dy, 0), b.h-1)
		for x := max(x0-2, 0); x < min(x0+flowBlock+2, g.w); x++ {
			tx := min(max(x+dx, 0), b.w-1)
			sum += abs(int(g.pix[y*g.w+x]) - int(b.pix[ty*b.w+tx]))
			n++
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// smooth takes the median of neighbours against stray blocks, then their mean.
func (f *flow) smooth() {
	for round, plane := range []*[]float64{&f.dx, &f.dy, &f.dx, &f.dy} {
		next := make([]float64, len(*plane))
		for j := range f.rows {
			for i := range f.cols {
				var near [9]float64
				n, sum := 0, 0.0
				for y := max(j-1, 0); y <= min(j+1, f.rows-1); y++ {
					for x := max(i-1, 0); x <= min(i+1, f.cols-1); x++ {
						near[n] = (*plane)[y*f.cols+x]
						sum += near[n]
						n++
					}
				}
				next[j*f.cols+i] = sum / float64(n)
				if round < 2 {
					next[j*f.cols+i] = median(near[:n])
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

// at reads the flow at a place, both sides from 0 to 1.
func (f *flow) at(u, v float64) (float64, float64) {
	x, y := min(max(u*float64(f.cols)-0.5, 0), float64(f.cols-1)), min(max(v*float64(f.rows)-0.5, 0), float64(f.rows-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, f.cols-1), min(y0+1, f.rows-1)
	fx, fy := x-float64(x0), y-float64(y0)
	mix := func(p []float64) float64 {
		a := p[y0*f.cols+x0]*(1-fx) + p[y0*f.cols+x1]*fx
		b := p[y1*f.cols+x0]*(1-fx) + p[y1*f.cols+x1]*fx
		return a*(1-fy) + b*fy
	}
	return mix(f.dx), mix(f.dy)
}

// drift is the part of a flow that is the camera's: a shift, a zoom and a turn,
// fitted to all blocks and again to those that agree.
type drift struct{ x, y, zoom, turn float64 }

func (f *flow) drift() drift {
	weight := make([]float64, len(f.dx))
	for i := range weight {
		weight[i] = 1
	}
	var d drift
	for range 4 {
		var n, sx, sy, sdx, sdy, r2, zoom, turn float64
		each := func(do func(i int, x, y float64)) {
			for j := range f.rows {
				for i := range f.cols {
					do(j*f.cols+i, (float64(i)+0.5)/float64(f.cols)-0.5, (float64(j)+0.5)/float64(f.rows)-0.5)
				}
			}
		}
		each(func(i int, x, y float64) {
			w := weight[i]
			n, sx, sy, sdx, sdy = n+w, sx+w*x, sy+w*y, sdx+w*f.dx[i], sdy+w*f.dy[i]
		})
		if n == 0 {
			return d
		}
		mx, my, mdx, mdy := sx/n, sy/n, sdx/n, sdy/n
		each(func(i int, x, y float64) {
			w := weight[i]
			r2 += w * ((x-mx)*(x-mx) + (y-my)*(y-my))
			zoom += w * ((x-mx)*(f.dx[i]-mdx) + (y-my)*(f.dy[i]-mdy))
			turn += w * ((x-mx)*(f.dy[i]-mdy) - (y-my)*(f.dx[i]-mdx))
		})
		d = drift{zoom: zoom / max(r2, 1e-9), turn: turn / max(r2, 1e-9)}
		d.x, d.y = mdx-d.zoom*mx+d.turn*my, mdy-d.zoom*my-d.turn*mx
		each(func(i int, x, y float64) {
			px, py := d.at(x, y)
			off := math.Hypot(f.dx[i]-px, f.dy[i]-py)
			weight[i] = 1 / (1 + off*off/(0.004*0.004))
		})
	}
	return d
}

// at is how a place, from the middle, moves with the camera.
func (d drift) at(x, y float64) (float64, float64) {
	return d.x + d.zoom*x - d.turn*y, d.y + d.zoom*y + d.turn*x
}
