package main

import (
	"image"
	"image/color"
	"math"
	"os"

	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
)

// solid is a textured mesh, read from a binary glTF file.
type solid struct {
	positions, normals [][3]float64
	coords             [][2]float64
	indices            []uint32
	texture            image.Image
}

// readSolid reads the mesh of a file that the renderer wrote.
func readSolid(path string) (*solid, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	g, texture, err := mesh.Decode(data)
	if err != nil {
		return nil, err
	}
	s := &solid{indices: g.Indices, texture: texture}
	vector := func(v []float32) [3]float64 { return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])} }
	for i := range len(g.Positions) / 3 {
		s.positions, s.normals = append(s.positions, vector(g.Positions[3*i:])), append(s.normals, vector(g.Normals[3*i:]))
		s.coords = append(s.coords, [2]float64{float64(g.Coords[2*i]), float64(g.Coords[2*i+1])})
	}
	return s, nil
}

// render returns a view of the mesh, turned and tilted by degrees, lit from the
// upper left. It is twice as large as it is shown; the caller shrinks it.
func (s *solid) render(side int, turn, tilt float64) image.Image {
	out := blank(side, side, color.NRGBA{226, 222, 214, 255})
	depth := make([]float64, side*side)
	for i := range depth {
		depth[i] = math.Inf(-1)
	}
	sy, cy := math.Sincos(turn * math.Pi / 180)
	sx, cx := math.Sincos(tilt * math.Pi / 180)
	rotate := func(p [3]float64) [3]float64 {
		x, z := p[0]*cy+p[2]*sy, p[2]*cy-p[0]*sy
		return [3]float64{x, p[1]*cx - z*sx, p[1]*sx + z*cx}
	}
	lo, hi := s.positions[0], s.positions[0]
	for _, p := range s.positions {
		for i := range p {
			lo[i], hi[i] = min(lo[i], p[i]), max(hi[i], p[i])
		}
	}
	reach := math.Sqrt((hi[0]-lo[0])*(hi[0]-lo[0])+(hi[1]-lo[1])*(hi[1]-lo[1])+(hi[2]-lo[2])*(hi[2]-lo[2])) / 2
	k := float64(side) * 0.48 / reach
	at := make([][3]float64, len(s.positions))
	light := make([]float64, len(s.positions))
	for i, p := range s.positions {
		q := rotate([3]float64{p[0] - (lo[0]+hi[0])/2, p[1] - (lo[1]+hi[1])/2, p[2] - (lo[2]+hi[2])/2})
		at[i] = [3]float64{float64(side)/2 + q[0]*k, float64(side)/2 - q[1]*k, q[2]}
		v := rotate(s.normals[i])
		light[i] = 0.55 + 0.5*max(0, -0.45*v[0]+0.55*v[1]+0.7*v[2])
	}
	for i := 0; i+2 < len(s.indices); i += 3 {
		s.triangle(out, depth, at, light, s.indices[i:i+3])
	}
	return out
}

func (s *solid) triangle(out *image.NRGBA, depth []float64, at [][3]float64, light []float64, corner []uint32) {
	a, b, c := at[corner[0]], at[corner[1]], at[corner[2]]
	area := (b[0]-a[0])*(c[1]-a[1]) - (c[0]-a[0])*(b[1]-a[1])
	if area == 0 {
		return
	}
	side := out.Rect.Dx()
	x0, x1 := max(0, int(min(a[0], b[0], c[0]))), min(side-1, int(max(a[0], b[0], c[0]))+1)
	y0, y1 := max(0, int(min(a[1], b[1], c[1]))), min(side-1, int(max(a[1], b[1], c[1]))+1)
	t := s.texture.Bounds()
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			u := ((px-a[0])*(c[1]-a[1]) - (c[0]-a[0])*(py-a[1])) / area
			v := ((b[0]-a[0])*(py-a[1]) - (px-a[0])*(b[1]-a[1])) / area
			w := 1 - u - v
			if u < -1e-9 || v < -1e-9 || w < -1e-9 {
				continue
			}
			z := a[2]*w + b[2]*u + c[2]*v
			if z <= depth[y*side+x] {
				continue
			}
			depth[y*side+x] = z
			p, q, r := s.coords[corner[0]], s.coords[corner[1]], s.coords[corner[2]]
			tx, ty := p[0]*w+q[0]*u+r[0]*v, p[1]*w+q[1]*u+r[1]*v
			cr, cg, cb, _ := s.texture.At(t.Min.X+min(max(int(tx*float64(t.Dx())), 0), t.Dx()-1), t.Min.Y+min(max(int(ty*float64(t.Dy())), 0), t.Dy()-1)).RGBA()
			l := light[corner[0]]*w + light[corner[1]]*u + light[corner[2]]*v
			shade := func(c uint32) uint8 { return uint8(min(255, float64(c>>8)*l)) }
			out.SetNRGBA(x, y, color.NRGBA{shade(cr), shade(cg), shade(cb), 255})
		}
	}
}
