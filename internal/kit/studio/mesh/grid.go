package mesh

import (
	"image"
	"math"
)

// Geometry is a closed mesh: three numbers for each position and normal, two for each
// texture coordinate, three indices for each face.
type Geometry struct {
	Positions, Normals, Coords []float32
	Indices                    []uint32
}

// inflate lays a square grid over the subject, as fine as the faces allow, and
// joins its front and back along the rim.
func inflate(m *mask, img *image.NRGBA, faces int) *Geometry {
	f := heights(m, img)
	covered := max(m.count(), 1)
	// Each cell has two triangles in front and two behind.
	cell := max(math.Sqrt(4*float64(covered)/float64(faces)), 0.5)
	for {
		n := newGrid(m, cell)
		if n.cells > 0 && 4*n.cells <= faces {
			return n.mesh(f)
		}
		if n.cells == 0 {
			if cell <= 0.5 {
				return singleCell().mesh(f)
			}
			cell *= 0.7
			if 4*newGrid(m, cell).cells > faces {
				return singleCell().mesh(f)
			}
			continue
		}
		cell *= 1.04
	}
}

// grid is a grid over the mask; a cell is full when all its corners are inside.
type grid struct {
	cols, rows int // of corners
	step       float64
	x0, y0     float64 // the first corner
	dx, dy     float64 // from corner to corner, near step
	inside     []bool
	cells      int
	w, h       int
}

// singleCell returns a grid of one cell, for a subject too small for any other.
func singleCell() *grid {
	return &grid{cols: 2, rows: 2, step: 1, dx: 1, dy: 1, inside: []bool{true, true, true, true}, cells: 1, w: 2, h: 2}
}

func newGrid(m *mask, step float64) *grid {
	// The grid begins and ends with the subject, so that a narrow one is not
	// missed.
	b := m.box()
	n := &grid{step: step, x0: float64(b.Min.X), y0: float64(b.Min.Y), w: m.w, h: m.h}
	wide, high := float64(b.Dx()-1), float64(b.Dy()-1)
	n.cols, n.rows = max(int(math.Round(wide/step)), 1)+1, max(int(math.Round(high/step)), 1)+1
	n.dx, n.dy = wide/float64(n.cols-1), high/float64(n.rows-1)
	n.inside = make([]bool, n.cols*n.rows)
	for y := range n.rows {
		for x := range n.cols {
			n.inside[y*n.cols+x] = m.at(int(math.Round(n.x0+float64(x)*n.dx)), int(math.Round(n.y0+float64(y)*n.dy)))
		}
	}
	for y := range n.rows - 1 {
		for x := range n.cols - 1 {
			if n.full(x, y) {
				n.cells++
			}
		}
	}
	return n
}

func (n *grid) full(x, y int) bool {
	if x < 0 || y < 0 || x >= n.cols-1 || y >= n.rows-1 {
		return false
	}
	i := y*n.cols + x
	return n.inside[i] && n.inside[i+1] && n.inside[i+n.cols] && n.inside[i+n.cols+1]
}

// onRim reports whether a corner has both full and missing cells around it.
func (n *grid) onRim(x, y int) bool {
	return !(n.full(x, y) && n.full(x-1, y) && n.full(x, y-1) && n.full(x-1, y-1))
}

func (n *grid) used(x, y int) bool {
	return n.full(x, y) || n.full(x-1, y) || n.full(x, y-1) || n.full(x-1, y-1)
}

// mesh makes the mesh. Corners on the rim are one vertex for both sides, so the
// mesh is closed there; every other corner has a vertex in front and one
// behind.
func (n *grid) mesh(f *field) *Geometry {
	place := n.smoothRim()
	s := &Geometry{}
	longest := float64(max(n.w, n.h))
	front, back := make([]int32, len(n.inside)), make([]int32, len(n.inside))
	vertex := func(p [2]float64, z float64) int32 {
		s.Positions = append(s.Positions, float32((p[0]-float64(n.w)/2)/longest), float32((float64(n.h)/2-p[1])/longest), float32(z/longest))
		s.Coords = append(s.Coords, float32(min(max((p[0]+0.5)/float64(n.w), 0), 1)), float32(min(max((p[1]+0.5)/float64(n.h), 0), 1)))
		return int32(len(s.Positions)/3 - 1)
	}
	for y := range n.rows {
		for x := range n.cols {
			i := y*n.cols + x
			if !n.used(x, y) {
				continue
			}
			if n.onRim(x, y) {
				front[i] = vertex(place[i], 0)
				back[i] = front[i]
				continue
			}
			z := max(f.at(place[i][0], place[i][1]), 0.02*n.step)
			front[i] = vertex(place[i], z)
			back[i] = vertex(place[i], -z*0.8)
		}
	}
	face := func(a, b, c int32) { s.Indices = append(s.Indices, uint32(a), uint32(b), uint32(c)) }
	for y := range n.rows - 1 {
		for x := range n.cols - 1 {
			if !n.full(x, y) {
				continue
			}
			a, b := y*n.cols+x, y*n.cols+x+1
			c, d := a+n.cols, b+n.cols
			// The rows run down the picture, so this order makes the front face
			// the viewer.
			face(front[a], front[c], front[b])
			face(front[b], front[c], front[d])
			face(back[a], back[b], back[c])
			face(back[b], back[d], back[c])
		}
	}
	s.computeNormals()
	return s
}

// smoothRim moves the corners of the rim to the mean of their neighbours on it,
// which turns the steps of the grid into a curve.
func (n *grid) smoothRim() [][2]float64 {
	at := make([][2]float64, len(n.inside))
	for i := range at {
		at[i] = [2]float64{n.x0 + float64(i%n.cols)*n.dx, n.y0 + float64(i/n.cols)*n.dy}
	}
	for range 4 {
		next := make([][2]float64, len(at))
		copy(next, at)
		for y := range n.rows {
			for x := range n.cols {
				if !n.used(x, y) || !n.onRim(x, y) {
					continue
				}
				i := y*n.cols + x
				sum, k := [2]float64{}, 0.0
				for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
					nx, ny := x+d[0], y+d[1]
					if nx < 0 || ny < 0 || nx >= n.cols || ny >= n.rows || !n.used(nx, ny) || !n.onRim(nx, ny) {
						continue
					}
					sum[0] += at[ny*n.cols+nx][0]
					sum[1] += at[ny*n.cols+nx][1]
					k++
				}
				if k >= 2 {
					next[i] = [2]float64{(at[i][0] + sum[0]/k) / 2, (at[i][1] + sum[1]/k) / 2}
				}
			}
		}
		at = next
	}
	return at
}

// computeNormals gives each vertex the mean direction of its faces, weighted by
// area.
func (s *Geometry) computeNormals() {
	sums := make([]float64, len(s.Positions))
	at := func(i uint32) (x, y, z float64) {
		return float64(s.Positions[3*i]), float64(s.Positions[3*i+1]), float64(s.Positions[3*i+2])
	}
	for i := 0; i < len(s.Indices); i += 3 {
		ax, ay, az := at(s.Indices[i])
		bx, by, bz := at(s.Indices[i+1])
		cx, cy, cz := at(s.Indices[i+2])
		ux, uy, uz, vx, vy, vz := bx-ax, by-ay, bz-az, cx-ax, cy-ay, cz-az
		n := [3]float64{uy*vz - uz*vy, uz*vx - ux*vz, ux*vy - uy*vx}
		for _, k := range s.Indices[i : i+3] {
			for c := range 3 {
				sums[3*int(k)+c] += n[c]
			}
		}
	}
	s.Normals = make([]float32, len(s.Positions))
	for i := 0; i < len(sums); i += 3 {
		l := math.Sqrt(sums[i]*sums[i] + sums[i+1]*sums[i+1] + sums[i+2]*sums[i+2])
		if l < 1e-20 {
			s.Normals[i+2] = 1 // a flat rim has no side; any unit vector will do
			continue
		}
		for c := range 3 {
			s.Normals[i+c] = float32(sums[i+c] / l)
		}
	}
}
