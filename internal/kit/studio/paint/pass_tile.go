package paint

import (
	"context"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// pixelsPass paints on a coarse grid with few colours, as old screens did.
func pixelsPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	w, h := r.Size()
	cell := max(int(math.Round(s.u/112)), 2)
	cols, rows := (w+cell-1)/cell, (h+cell-1)/cell
	small := make([]pixel.RGB, cols*rows)
	if err := pixel.Bands(ctx, rows, 8, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range cols {
				small[y*cols+x] = mean(r, x*cell, y*cell, cell)
			}
		}
	}, nil); err != nil {
		return nil, err
	}
	tones := kMeans(small, 28)
	for i, c := range small {
		// An ordered dither joins neighbouring tones without banding.
		x, y := i%cols, i/cols
		d := (float32([]int{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}[y%4*4+x%4])/16 - 0.47) * 0.045
		small[i] = nearest(tones, c.Plus(pixel.RGB{R: d, G: d, B: d}))
	}
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB { return small[y/cell*cols+x/cell] })
}

// mean returns the colour of a square; the exact middle counts more, so that thin
// lines survive.
func mean(r *pixel.Raster, x0, y0, size int) pixel.RGB {
	var sum pixel.RGB
	n := 0
	step := max(size/4, 1)
	for y := y0; y < y0+size; y += step {
		for x := x0; x < x0+size; x += step {
			sum = sum.Plus(r.At(x, y))
			n++
		}
	}
	return pixel.Mix(sum.Scaled(1/float32(n)), r.At(x0+size/2, y0+size/2), 0.35)
}

// kMeans finds n colours for a picture by k-means.
func kMeans(from []pixel.RGB, n int) []pixel.RGB {
	tones := make([]pixel.RGB, n)
	for i := range tones {
		tones[i] = from[(2*i+1)*len(from)/(2*n)].Saturated(1.1)
	}
	for range 7 {
		sums, counts := make([]pixel.RGB, n), make([]float32, n)
		for i := 0; i < len(from); i += max(len(from)/6000, 1) {
			k := nearestIndex(tones, from[i])
			sums[k] = sums[k].Plus(from[i])
			counts[k]++
		}
		worst, error := 0, float32(-1)
		for i := 0; i < len(from); i += max(len(from)/500, 1) {
			if d := tones[nearestIndex(tones, from[i])].Distance(from[i]); d > error {
				worst, error = i, d
			}
		}
		for k := range tones {
			if counts[k] > 0 {
				tones[k] = sums[k].Scaled(1 / counts[k])
			} else {
				tones[k] = from[worst] // a centre without colours moves elsewhere
			}
		}
	}
	return tones
}

func nearestIndex(tones []pixel.RGB, c pixel.RGB) int {
	best, least := 0, float32(math.MaxFloat32)
	for i, t := range tones {
		dr, dg, db := c.R-t.R, c.G-t.G, c.B-t.B
		if d := 0.3*dr*dr + 0.5*dg*dg + 0.2*db*db; d < least {
			best, least = i, d
		}
	}
	return best
}

func nearest(tones []pixel.RGB, c pixel.RGB) pixel.RGB { return tones[nearestIndex(tones, c)] }

// facetsPass renders low poly: a mesh of triangles whose corners follow edges.
func facetsPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	e, err := edges(ctx, r, s.lineReach()*2)
	if err != nil {
		return nil, err
	}
	w, h := r.Size()
	step := max(s.u/24, 4)
	cols, rows := int(s.w/step)+2, int(s.h/step)+2
	d := s.dice("facets")
	net := make([]vector.Point, cols*rows)
	for i := range net {
		gx, gy := float64(i%cols)*step, float64(i/cols)*step
		best, least := vector.Point{X: gx + d.Around(0.36)*step, Y: gy + d.Around(0.36)*step}, float32(0.10)
		for range 40 {
			p := vector.Point{X: gx + d.Around(0.46)*step, Y: gy + d.Around(0.46)*step}
			if x, y := int(p.X), int(p.Y); x >= 0 && y >= 0 && x < w && y < h && e[y*w+x] > least {
				best, least = p, e[y*w+x]
			}
		}
		if i%cols == 0 || i%cols == cols-1 {
			best.X = gx - step*0.2*float64(1-2*min(i%cols, 1))
		}
		if i/cols == 0 {
			best.Y = -step * 0.2
		}
		net[i] = best
	}
	out := &vector.Canvas{Width: w, Height: h}
	soft, err := pixel.Soften(ctx, r, s.u*0.004)
	if err != nil {
		return nil, err
	}
	out.Wash(0, func(x, y float32) (pixel.RGB, float32) { return soft.At(int(x), int(y)), 1 })
	var triangle func(a, b, c vector.Point, whole bool)
	triangle = func(a, b, c vector.Point, whole bool) {
		m := vector.Point{X: (a.X + b.X + c.X) / 3, Y: (a.Y + b.Y + c.Y) / 3}
		if x, y := int(m.X), int(m.Y); whole && x >= 0 && y >= 0 && x < w && y < h && r.Depth[y*w+x] >= 180 {
			// The subject is cut finer than its surroundings.
			ab, bc, ca := vector.Between(a, b, 0.5), vector.Between(b, c, 0.5), vector.Between(c, a, 0.5)
			triangle(a, ab, ca, false)
			triangle(ab, b, bc, false)
			triangle(ca, bc, c, false)
			triangle(ab, bc, ca, false)
			return
		}
		tone := soft.At(int(m.X), int(m.Y)).Scaled(2)
		for _, p := range []vector.Point{a, b, c} {
			q := vector.Between(m, p, 0.5)
			tone = tone.Plus(soft.At(int(q.X), int(q.Y)))
		}
		tone = tone.Scaled(1.0 / 5)
		tilt := float32((b.X-a.X)*(c.Y-a.Y)-(c.X-a.X)*(b.Y-a.Y)) / float32(step*step)
		tone = tone.Scaled(1 + d.In32(-0.075, 0.075) + 0.02*tilt).Saturated(1.12)
		// A small overlap hides the background between triangles.
		grow := func(p vector.Point) vector.Point { return m.Add(p.Sub(m).Times(1.03)) }
		out.Add(vector.Stroke{Loops: [][]vector.Point{{grow(a), grow(b), grow(c)}}, Lit: tone, Alpha: 1})
	}
	for y := range rows - 1 {
		for x := range cols - 1 {
			a, b, c, g := net[y*cols+x], net[y*cols+x+1], net[(y+1)*cols+x], net[(y+1)*cols+x+1]
			if d.Chance(0.5) {
				triangle(a, b, c, true)
				triangle(b, g, c, true)
			} else {
				triangle(a, b, g, true)
				triangle(a, g, c, true)
			}
		}
	}
	return out.Paint(ctx, nil)
}

// voronoiCell returns the Voronoi cell of a pixel among jittered seeds, and the
// distance to its border.
func voronoiCell(x, y, size float32, seed uint32) (cx, cy int32, px, py, border float32) {
	ix, iy := chance.Floor32(x/size), chance.Floor32(y/size)
	first, second := float32(math.MaxFloat32), float32(math.MaxFloat32)
	for j := iy - 1; j <= iy+1; j++ {
		for i := ix - 1; i <= ix+1; i++ {
			sx := (float32(i) + 0.12 + 0.76*chance.CellUnit(i, j, seed)) * size
			sy := (float32(j) + 0.12 + 0.76*chance.CellUnit(i, j, seed+1)) * size
			d := (sx-x)*(sx-x) + (sy-y)*(sy-y)
			if d < first {
				second, first = first, d
				cx, cy, px, py = i, j, sx, sy
			} else if d < second {
				second = d
			}
		}
	}
	return cx, cy, px, py, float32(math.Sqrt(float64(second))) - float32(math.Sqrt(float64(first)))
}

// leadPass renders stained glass: pieces of glowing glass in lead, cut along the
// outline of the subject.
func leadPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	soft, err := pixel.Soften(ctx, r, s.u*0.006)
	if err != nil {
		return nil, err
	}
	seed := uint32(s.dice("lead").Next())
	size, u := float32(s.u/15), float32(s.u)
	w, h := r.Size()
	near := func(x, y int) uint8 { return r.Depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)] }
	reach := max(int(s.u*0.005), 1)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		k := size
		subject := near(x, y) >= 150
		if subject {
			k = size * 0.8
		}
		cx, cy, px, py, border := voronoiCell(float32(x), float32(y), k, seed)
		c := pixel.Mix(soft.At(x, y), soft.At(int(px), int(py)), 0.38)
		if subject {
			// The drawing has its own lines; the leads only cross it thinly.
			c, border = r.At(x, y), border*2.6
		}
		tone := 0.88 + 0.4*chance.CellUnit(cx, cy, seed+3)
		streak := chance.Noise(float32(x)/u*14+float32(cx)*3, float32(y)/u*46, seed+4)
		c = c.Saturated(1.7).Plus(pixel.RGB{R: 0.05, G: 0.05, B: 0.06}).Scaled(tone * (0.88 + 0.26*streak))
		lead := pixel.Smooth(u*0.0075, u*0.0045, border)
		me := near(x, y) / 50
		if near(x-reach, y)/50 != me || near(x+reach, y)/50 != me || near(x, y-reach)/50 != me || near(x, y+reach)/50 != me {
			lead = 1
		}
		metal := pixel.RGB{R: 0.07, G: 0.07, B: 0.08}.Plus(pixel.RGB{R: 0.12, G: 0.12, B: 0.13}.Scaled(pixel.Smooth(u*0.004, 0, border)))
		edge := min(min(x, w-1-x), min(y, h-1-y))
		if float32(edge) < u*0.014 {
			lead, metal = 1, pixel.RGB{R: 0.10, G: 0.10, B: 0.11}
		}
		return pixel.Mix(c, metal, lead)
	})
}

// cubesPass renders cubism: planes that each show the subject from another
// angle.
func cubesPass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	seed := uint32(s.dice("cubes").Next())
	size := float32(s.u / 7)
	u := float32(s.u)
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		fx, fy := float32(x), float32(y)
		// Slanted axes make the planes long and pointed.
		cx, cy, px, py, border := voronoiCell(fx*0.9+fy*0.42, fy*0.9-fx*0.30, size, seed)
		a := (chance.CellUnit(cx, cy, seed+5) - 0.5) * 0.55
		zoom := 0.86 + 0.3*chance.CellUnit(cx, cy, seed+6)
		// Back from the slanted axes to pixels.
		ox, oy := (px*0.9-py*0.42)/0.936, (py*0.9+px*0.30)/0.936
		sn, cs := float32(math.Sin(float64(a))), float32(math.Cos(float64(a)))
		dx, dy := (fx-ox)*zoom, (fy-oy)*zoom
		sx, sy := ox+dx*cs-dy*sn, oy+dx*sn+dy*cs
		sx += (chance.CellUnit(cx, cy, seed+7) - 0.5) * u * 0.05
		c := r.At(int(sx), int(sy))
		shade := 0.82 + 0.42*pixel.Unit(0.5+(dx*(chance.CellUnit(cx, cy, seed+8)-0.5)+dy*0.5)/size)
		c = pixel.Mix(c.Saturated(0.8), pixel.RGB{R: 0.62, G: 0.52, B: 0.38}, 0.20).Scaled(shade)
		return pixel.Mix(c, pixel.RGB{R: 0.12, G: 0.09, B: 0.08}, pixel.Smooth(u*0.005, u*0.002, border)*0.85)
	})
}

// tesseraePass renders a mosaic of small set stones.
func tesseraePass(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error) {
	seed := uint32(s.dice("tesserae").Next())
	size := float32(max(s.u/58, 4))
	return pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		fx := float32(x) + size*0.5*(chance.Noise(float32(y)/size*0.14, 3, seed)-0.5)*4
		fy := float32(y) + size*0.5*(chance.Noise(float32(x)/size*0.14, 7, seed)-0.5)*4
		ix, iy := chance.Floor32(fx/size), chance.Floor32(fy/size)
		u, v := fx/size-float32(ix)-0.5, fy/size-float32(iy)-0.5
		a := float64(chance.CellUnit(ix, iy, seed)-0.5) * 0.22
		sn, cs := float32(math.Sin(a)), float32(math.Cos(a))
		u, v = u*cs-v*sn, u*sn+v*cs
		half := 0.455 + 0.04*chance.CellUnit(ix, iy, seed+1)
		mx, my := x-int((fx/size-float32(ix)-0.5)*size), y-int((fy/size-float32(iy)-0.5)*size)
		c := mean(r, mx-int(size/4), my-int(size/4), int(size/2)+1)
		c = c.Saturated(1.25).Scaled(0.84 + 0.34*chance.CellUnit(ix, iy, seed+2) - 0.12*(u+v))
		in := pixel.Smooth(half, half-0.07, max(chance.Abs32(u), chance.Abs32(v)))
		grout := pixel.RGB{R: 0.34, G: 0.31, B: 0.29}.Scaled(0.85 + 0.3*chance.Noise(float32(x)*0.4, float32(y)*0.4, seed))
		return pixel.Mix(grout, c, in)
	})
}
