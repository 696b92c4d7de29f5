package picture

import (
	"context"
	"math"
)

// pixelsPass paints on a coarse grid with few colours, as old screens did.
func pixelsPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	w, h := r.size()
	cell := max(int(math.Round(s.u/112)), 2)
	cols, rows := (w+cell-1)/cell, (h+cell-1)/cell
	small := make([]rgb, cols*rows)
	if err := bands(ctx, rows, 8, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range cols {
				small[y*cols+x] = r.mean(x*cell, y*cell, cell)
			}
		}
	}, nil); err != nil {
		return nil, err
	}
	tones := reduce(small, 28)
	for i, c := range small {
		// An ordered dither joins neighbouring tones without banding.
		x, y := i%cols, i/cols
		d := (float32([]int{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}[y%4*4+x%4])/16 - 0.47) * 0.045
		small[i] = nearest(tones, c.plus(rgb{d, d, d}))
	}
	return redraw(ctx, r, func(x, y int) rgb { return small[y/cell*cols+x/cell] })
}

// mean is the colour of a square; the exact middle counts more, so that thin
// lines survive.
func (r *raster) mean(x0, y0, size int) rgb {
	var sum rgb
	n := 0
	step := max(size/4, 1)
	for y := y0; y < y0+size; y += step {
		for x := x0; x < x0+size; x += step {
			sum = sum.plus(r.at(x, y))
			n++
		}
	}
	return mix(sum.scaled(1/float32(n)), r.at(x0+size/2, y0+size/2), 0.35)
}

// reduce finds n colours for a picture by moving guesses to the middle of what
// they stand for.
func reduce(from []rgb, n int) []rgb {
	tones := make([]rgb, n)
	for i := range tones {
		tones[i] = from[(2*i+1)*len(from)/(2*n)].saturated(1.1)
	}
	for range 7 {
		sums, counts := make([]rgb, n), make([]float32, n)
		for i := 0; i < len(from); i += max(len(from)/6000, 1) {
			k := nearestIndex(tones, from[i])
			sums[k] = sums[k].plus(from[i])
			counts[k]++
		}
		worst, error := 0, float32(-1)
		for i := 0; i < len(from); i += max(len(from)/500, 1) {
			if d := tones[nearestIndex(tones, from[i])].distance(from[i]); d > error {
				worst, error = i, d
			}
		}
		for k := range tones {
			if counts[k] > 0 {
				tones[k] = sums[k].scaled(1 / counts[k])
			} else {
				tones[k] = from[worst] // a guess that stands for nothing helps elsewhere
			}
		}
	}
	return tones
}

func nearestIndex(tones []rgb, c rgb) int {
	best, least := 0, float32(math.MaxFloat32)
	for i, t := range tones {
		dr, dg, db := c.r-t.r, c.g-t.g, c.b-t.b
		if d := 0.3*dr*dr + 0.5*dg*dg + 0.2*db*db; d < least {
			best, least = i, d
		}
	}
	return best
}

func nearest(tones []rgb, c rgb) rgb { return tones[nearestIndex(tones, c)] }

// facetsPass is low poly: a net of triangles whose corners cling to edges.
func facetsPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	e, err := edges(ctx, r, s.lineReach()*2)
	if err != nil {
		return nil, err
	}
	w, h := r.size()
	step := max(s.u/24, 4)
	cols, rows := int(s.w/step)+2, int(s.h/step)+2
	d := s.dice("facets")
	net := make([]point, cols*rows)
	for i := range net {
		gx, gy := float64(i%cols)*step, float64(i/cols)*step
		best, least := point{gx + d.around(0.36)*step, gy + d.around(0.36)*step}, float32(0.10)
		for range 40 {
			p := point{gx + d.around(0.46)*step, gy + d.around(0.46)*step}
			if x, y := int(p.x), int(p.y); x >= 0 && y >= 0 && x < w && y < h && e[y*w+x] > least {
				best, least = p, e[y*w+x]
			}
		}
		if i%cols == 0 || i%cols == cols-1 {
			best.x = gx - step*0.2*float64(1-2*min(i%cols, 1))
		}
		if i/cols == 0 {
			best.y = -step * 0.2
		}
		net[i] = best
	}
	out := &easel{width: w, height: h}
	soft, err := blur(ctx, r, s.u*0.004)
	if err != nil {
		return nil, err
	}
	out.wash(0, func(x, y float32) (rgb, float32) { return soft.at(int(x), int(y)), 1 })
	var triangle func(a, b, c point, whole bool)
	triangle = func(a, b, c point, whole bool) {
		m := point{(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3}
		if x, y := int(m.x), int(m.y); whole && x >= 0 && y >= 0 && x < w && y < h && r.depth[y*w+x] >= 180 {
			// The subject is cut finer than its surroundings.
			ab, bc, ca := between(a, b, 0.5), between(b, c, 0.5), between(c, a, 0.5)
			triangle(a, ab, ca, false)
			triangle(ab, b, bc, false)
			triangle(ca, bc, c, false)
			triangle(ab, bc, ca, false)
			return
		}
		tone := soft.at(int(m.x), int(m.y)).scaled(2)
		for _, p := range []point{a, b, c} {
			q := between(m, p, 0.5)
			tone = tone.plus(soft.at(int(q.x), int(q.y)))
		}
		tone = tone.scaled(1.0 / 5)
		tilt := float32((b.x-a.x)*(c.y-a.y)-(c.x-a.x)*(b.y-a.y)) / float32(step*step)
		tone = tone.scaled(1 + d.in32(-0.075, 0.075) + 0.02*tilt).saturated(1.12)
		// A hair of overlap keeps the ground from showing between triangles.
		grow := func(p point) point { return m.add(p.sub(m).times(1.03)) }
		out.put(stroke{loops: [][]point{{grow(a), grow(b), grow(c)}}, lit: tone, alpha: 1})
	}
	for y := range rows - 1 {
		for x := range cols - 1 {
			a, b, c, g := net[y*cols+x], net[y*cols+x+1], net[(y+1)*cols+x], net[(y+1)*cols+x+1]
			if d.chance(0.5) {
				triangle(a, b, c, true)
				triangle(b, g, c, true)
			} else {
				triangle(a, b, g, true)
				triangle(a, g, c, true)
			}
		}
	}
	return out.paint(ctx, nil)
}

// shard answers, for a pixel, the nearest of scattered seeds, and how near the
// border to the next one is.
func shard(x, y, size float32, seed uint32) (cx, cy int32, px, py, border float32) {
	ix, iy := floor32(x/size), floor32(y/size)
	first, second := float32(math.MaxFloat32), float32(math.MaxFloat32)
	for j := iy - 1; j <= iy+1; j++ {
		for i := ix - 1; i <= ix+1; i++ {
			sx := (float32(i) + 0.12 + 0.76*cellUnit(i, j, seed)) * size
			sy := (float32(j) + 0.12 + 0.76*cellUnit(i, j, seed+1)) * size
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

// leadPass is stained glass: pieces of glowing glass in lead, cut along the
// outline of the subject.
func leadPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	soft, err := blur(ctx, r, s.u*0.006)
	if err != nil {
		return nil, err
	}
	seed := uint32(s.dice("lead").next())
	size, u := float32(s.u/15), float32(s.u)
	w, h := r.size()
	near := func(x, y int) uint8 { return r.depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)] }
	reach := max(int(s.u*0.005), 1)
	return redraw(ctx, r, func(x, y int) rgb {
		k := size
		subject := near(x, y) >= 150
		if subject {
			k = size * 0.8
		}
		cx, cy, px, py, border := shard(float32(x), float32(y), k, seed)
		c := mix(soft.at(x, y), soft.at(int(px), int(py)), 0.38)
		if subject {
			// The drawing has its own lines; the leads only cross it thinly.
			c, border = r.at(x, y), border*2.6
		}
		tone := 0.88 + 0.4*cellUnit(cx, cy, seed+3)
		streak := noise(float32(x)/u*14+float32(cx)*3, float32(y)/u*46, seed+4)
		c = c.saturated(1.7).plus(rgb{0.05, 0.05, 0.06}).scaled(tone * (0.88 + 0.26*streak))
		lead := smooth(u*0.0075, u*0.0045, border)
		me := near(x, y) / 50
		if near(x-reach, y)/50 != me || near(x+reach, y)/50 != me || near(x, y-reach)/50 != me || near(x, y+reach)/50 != me {
			lead = 1
		}
		metal := rgb{0.07, 0.07, 0.08}.plus(rgb{0.12, 0.12, 0.13}.scaled(smooth(u*0.004, 0, border)))
		edge := min(min(x, w-1-x), min(y, h-1-y))
		if float32(edge) < u*0.014 {
			lead, metal = 1, rgb{0.10, 0.10, 0.11}
		}
		return mix(c, metal, lead)
	})
}

// cubesPass is cubist: planes that each see the subject from another angle.
func cubesPass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	seed := uint32(s.dice("cubes").next())
	size := float32(s.u / 7)
	u := float32(s.u)
	return redraw(ctx, r, func(x, y int) rgb {
		fx, fy := float32(x), float32(y)
		// Slanted axes make the planes long and pointed.
		cx, cy, px, py, border := shard(fx*0.9+fy*0.42, fy*0.9-fx*0.30, size, seed)
		a := (cellUnit(cx, cy, seed+5) - 0.5) * 0.55
		zoom := 0.86 + 0.3*cellUnit(cx, cy, seed+6)
		// Back from the slanted axes to the canvas.
		ox, oy := (px*0.9-py*0.42)/0.936, (py*0.9+px*0.30)/0.936
		sn, cs := float32(math.Sin(float64(a))), float32(math.Cos(float64(a)))
		dx, dy := (fx-ox)*zoom, (fy-oy)*zoom
		sx, sy := ox+dx*cs-dy*sn, oy+dx*sn+dy*cs
		sx += (cellUnit(cx, cy, seed+7) - 0.5) * u * 0.05
		c := r.at(int(sx), int(sy))
		shade := 0.82 + 0.42*unit(0.5+(dx*(cellUnit(cx, cy, seed+8)-0.5)+dy*0.5)/size)
		c = mix(c.saturated(0.8), rgb{0.62, 0.52, 0.38}, 0.20).scaled(shade)
		return mix(c, rgb{0.12, 0.09, 0.08}, smooth(u*0.005, u*0.002, border)*0.85)
	})
}

// tesseraePass is a mosaic of small set stones.
func tesseraePass(ctx context.Context, s *stage, r *raster) (*raster, error) {
	seed := uint32(s.dice("tesserae").next())
	size := float32(max(s.u/58, 4))
	return redraw(ctx, r, func(x, y int) rgb {
		fx := float32(x) + size*0.5*(noise(float32(y)/size*0.14, 3, seed)-0.5)*4
		fy := float32(y) + size*0.5*(noise(float32(x)/size*0.14, 7, seed)-0.5)*4
		ix, iy := floor32(fx/size), floor32(fy/size)
		u, v := fx/size-float32(ix)-0.5, fy/size-float32(iy)-0.5
		a := float64(cellUnit(ix, iy, seed)-0.5) * 0.22
		sn, cs := float32(math.Sin(a)), float32(math.Cos(a))
		u, v = u*cs-v*sn, u*sn+v*cs
		half := 0.455 + 0.04*cellUnit(ix, iy, seed+1)
		mx, my := x-int((fx/size-float32(ix)-0.5)*size), y-int((fy/size-float32(iy)-0.5)*size)
		c := r.mean(mx-int(size/4), my-int(size/4), int(size/2)+1)
		c = c.saturated(1.25).scaled(0.84 + 0.34*cellUnit(ix, iy, seed+2) - 0.12*(u+v))
		in := smooth(half, half-0.07, max(abs32(u), abs32(v)))
		grout := rgb{0.34, 0.31, 0.29}.scaled(0.85 + 0.3*noise(float32(x)*0.4, float32(y)*0.4, seed))
		return mix(grout, c, in)
	})
}
