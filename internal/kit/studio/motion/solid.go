package motion

import (
	"context"
	"image"
	"math"
	"runtime"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Solid is the subject of a picture as a textured mesh that can be rotated and
// deformed. Positions lie between -1 and 1, with y upwards and the front at
// positive z.
type Solid struct {
	points  []Vector
	normals []Vector
	coords  [][2]float32
	faces   [][3]uint32
	skin    *image.RGBA
	back    *image.RGBA // the unseen side: the colours of the front without its features
	screen  []vertex
}

// Vector is a point in space.
type Vector [3]float64

// vertex is a projected vertex: position, depth, brightness, and how much it
// faces the front.
type vertex struct{ x, y, depth, light, front float32 }

// NewSolid reads a model that package mesh made.
func NewSolid(ctx context.Context, data []byte) (*Solid, error) {
	s, err := readSolid(data)
	if err != nil {
		return nil, err
	}
	soft, err := pixel.Blur(ctx, s.skin, 0.045*float64(max(s.skin.Rect.Dx(), s.skin.Rect.Dy())))
	if err != nil {
		return nil, err
	}
	s.back = footage.ToRGBA(soft)
	return s, nil
}

// readSolid reads the mesh of a file that package mesh made.
func readSolid(data []byte) (*Solid, error) {
	g, texture, err := mesh.Decode(data)
	if err != nil {
		return nil, err
	}
	s := &Solid{skin: footage.ToRGBA(texture)}
	vector := func(v []float32) Vector { return Vector{float64(v[0]), float64(v[1]), float64(v[2])} }
	for i := range len(g.Positions) / 3 {
		s.points, s.normals = append(s.points, vector(g.Positions[3*i:])), append(s.normals, vector(g.Normals[3*i:]))
		s.coords = append(s.coords, [2]float32(g.Coords[2*i:]))
	}
	for i := 0; i+2 < len(g.Indices); i += 3 {
		s.faces = append(s.faces, [3]uint32(g.Indices[i:]))
	}
	s.centre()
	s.screen = make([]vertex, len(s.points))
	return s, nil
}

// centre moves the body to the middle and makes it two high or two wide.
func (s *Solid) centre() {
	lo, hi := s.points[0], s.points[0]
	for _, p := range s.points {
		for c := range 3 {
			lo[c], hi[c] = min(lo[c], p[c]), max(hi[c], p[c])
		}
	}
	size := max(hi[0]-lo[0], hi[1]-lo[1], 1e-9) / 2
	for i := range s.points {
		for c := range 3 {
			s.points[i][c] = (s.points[i][c] - (lo[c]+hi[c])/2) / size
		}
	}
}

// Extent returns the part of the box that the body fills sideways and upwards, each at
// most 1.
func (s *Solid) Extent() (wide, tall float64) {
	for _, p := range s.points {
		wide, tall = max(wide, p[0]), max(tall, p[1])
	}
	return wide, tall
}

// Projection is the view of a body.
type Projection struct {
	Yaw, Pitch float64
	X, Y       float64 // the centre, in pixels
	Size       float64 // pixels per unit
	Mirror     bool
}

// Draw deforms the body, rotates it and draws it into a frame. bend may be nil.
func (s *Solid) Draw(dst *image.RGBA, l Projection, bend func(p Vector) Vector) {
	sy, cy := math.Sincos(l.Yaw)
	sp, cp := math.Sincos(l.Pitch)
	turn := func(p Vector) Vector {
		x, z := p[0]*cy+p[2]*sy, p[2]*cy-p[0]*sy
		y := p[1]*cp - z*sp
		return Vector{x, y, z*cp + p[1]*sp}
	}
	flip := 1.0
	if l.Mirror {
		flip = -1
	}
	const far = 5 // of the eye, in units
	sun := Vector{-0.35, 0.55, 0.76}
	for i, p := range s.points {
		if bend != nil {
			p = bend(p)
		}
		p = turn(p)
		n := turn(s.normals[i])
		k := far / (far - p[2]) * l.Size
		light := 0.72 + 0.36*max(0, n[0]*sun[0]+n[1]*sun[1]+n[2]*sun[2])
		s.screen[i] = vertex{float32(l.X + flip*p[0]*k), float32(l.Y - p[1]*k), float32(p[2]), float32(light), float32(footage.Ease(s.normals[i][2]/0.5 + 0.5))}
	}
	s.raster(dst)
}

// raster draws the faces, four samples to a pixel, in parallel bands.
func (s *Solid) raster(dst *image.RGBA) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	x0, y0, x1, y1 := float32(w), float32(h), float32(0), float32(0)
	for _, p := range s.screen {
		x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
	}
	left, right := max(int(x0)-1, 0), min(int(x1)+2, w)
	top, bottom := max(int(y0)-1, 0), min(int(y1)+2, h)
	if left >= right || top >= bottom {
		return
	}
	workers := min(runtime.GOMAXPROCS(0), bottom-top)
	var g sync.WaitGroup
	for k := range workers {
		g.Go(func() {
			from, to := top+k*(bottom-top)/workers, top+(k+1)*(bottom-top)/workers
			if from < to {
				s.band(dst, left, right, from, to)
			}
		})
	}
	g.Wait()
}

// band draws the rows from y0 to y1.
func (s *Solid) band(dst *image.RGBA, x0, x1, y0, y1 int) {
	w, h := 2*(x1-x0), 2*(y1-y0)
	depth := make([]float32, w*h)
	colour := make([][3]uint8, w*h)
	for i := range depth {
		depth[i] = float32(math.Inf(-1))
	}
	ox, oy := float32(x0), float32(y0)
	sw, sh := float32(s.skin.Rect.Dx()), float32(s.skin.Rect.Dy())
	var px, dim [4]uint8
	for _, f := range s.faces {
		a, b, c := s.screen[f[0]], s.screen[f[1]], s.screen[f[2]]
		ax, ay, bx, by, cx, cy := 2*(a.x-ox), 2*(a.y-oy), 2*(b.x-ox), 2*(b.y-oy), 2*(c.x-ox), 2*(c.y-oy)
		area := (bx-ax)*(cy-ay) - (by-ay)*(cx-ax)
		if area == 0 {
			continue
		}
		lo, hi := max(int(min(ay, by, cy)), 0), min(int(max(ay, by, cy))+1, h-1)
		le, ri := max(int(min(ax, bx, cx)), 0), min(int(max(ax, bx, cx))+1, w-1)
		ta, tb, tc := s.coords[f[0]], s.coords[f[1]], s.coords[f[2]]
		for y := lo; y <= hi; y++ {
			fy := float32(y) + 0.5
			for x := le; x <= ri; x++ {
				fx := float32(x) + 0.5
				u := ((bx-fx)*(cy-fy) - (by-fy)*(cx-fx)) / area
				v := ((cx-fx)*(ay-fy) - (cy-fy)*(ax-fx)) / area
				t := 1 - u - v
				if u < 0 || v < 0 || t < 0 {
					continue
				}
				z := u*a.depth + v*b.depth + t*c.depth
				if i := y*w + x; z > depth[i] {
					depth[i] = z
					tx, ty := (u*ta[0]+v*tb[0]+t*tc[0])*sw-0.5, (u*ta[1]+v*tb[1]+t*tc[1])*sh-0.5
					light, front := u*a.light+v*b.light+t*c.light, u*a.front+v*b.front+t*c.front
					sampleRGBA(px[:], s.skin, tx, ty)
					if front < 0.99 {
						sampleRGBA(dim[:], s.back, tx, ty)
						for k := range 3 {
							px[k] = uint8(float32(px[k])*front + float32(dim[k])*(1-front))
						}
					}
					for k := range 3 {
						colour[i][k] = uint8(min(float32(px[k])*light, 255))
					}
				}
			}
		}
	}
	for y := y0; y < y1; y++ {
		line := dst.Pix[y*dst.Stride:]
		for x := x0; x < x1; x++ {
			var sum [3]int
			n := 0
			for k := range 4 {
				i := (2*(y-y0)+k/2)*w + 2*(x-x0) + k%2
				if !math.IsInf(float64(depth[i]), -1) {
					n++
					for c := range 3 {
						sum[c] += int(colour[i][c])
					}
				}
			}
			if n == 0 {
				continue
			}
			for c := range 3 {
				line[4*x+c] = uint8((sum[c] + (4-n)*int(line[4*x+c])) / 4)
			}
		}
	}
}
