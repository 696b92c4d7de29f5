package footage

import "image"

// EdgeDetector finds the edges in a picture (Canny): the gradient of lightness,
// thinned to its ridges, kept where it is strong or next to a strong one.
type EdgeDetector struct {
	w, h  int
	grey  []uint8
	soft  []int32
	slope []int32
	way   []uint8
	line  []uint8 // 1 for a weak edge, 2 for a strong one
	kept  []bool
}

// NewEdgeDetector returns an EdgeDetector for frames of w by h.
func NewEdgeDetector(w, h int) *EdgeDetector {
	n := w * h
	return &EdgeDetector{w: w, h: h, grey: make([]uint8, n), soft: make([]int32, n), slope: make([]int32, n), way: make([]uint8, n), line: make([]uint8, n), kept: make([]bool, n)}
}

// Gradients above strong are edges, and those above weak next to one.
const (
	strongEdge = 150
	weakEdge   = 62
)

// Find finds the edges of a picture.
func (e *EdgeDetector) Find(img *image.RGBA) {
	w, h := e.w, e.h
	Rows(h, func(y int) {
		line := img.Pix[y*img.Stride:]
		for x := range w {
			e.grey[y*w+x] = Lightness(line[4*x:])
		}
	})
	at := func(x, y int) int32 { return int32(e.grey[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]) }
	Rows(h, func(y int) {
		for x := range w { // weights 1 2 1 in both directions, twice as wide
			e.soft[y*w+x] = at(x-1, y-1) + 2*at(x, y-1) + at(x+1, y-1) + 2*at(x-1, y) + 4*at(x, y) + 2*at(x+1, y) + at(x-1, y+1) + 2*at(x, y+1) + at(x+1, y+1)
		}
	})
	Rows(h, func(y int) {
		for x := range w {
			s := func(dx, dy int) int32 { return e.soft[min(max(y+dy, 0), h-1)*w+min(max(x+dx, 0), w-1)] }
			gx := (s(1, -1) + 2*s(1, 0) + s(1, 1) - s(-1, -1) - 2*s(-1, 0) - s(-1, 1)) / 16
			gy := (s(-1, 1) + 2*s(0, 1) + s(1, 1) - s(-1, -1) - 2*s(0, -1) - s(1, -1)) / 16
			ax, ay := Abs(int(gx)), Abs(int(gy))
			e.slope[y*w+x] = int32(ax + ay)
			switch {
			case 5*ay < 2*ax:
				e.way[y*w+x] = 0
			case 5*ax < 2*ay:
				e.way[y*w+x] = 1
			case (gx > 0) == (gy > 0):
				e.way[y*w+x] = 2
			default:
				e.way[y*w+x] = 3
			}
		}
	})
	steps := [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}
	Rows(h, func(y int) {
		for x := range w {
			i := y*w + x
			e.line[i] = 0
			v := e.slope[i]
			if v < weakEdge || x == 0 || y == 0 || x == w-1 || y == h-1 {
				continue
			}
			d := steps[e.way[i]]
			if v < e.slope[i+d[1]*w+d[0]] || v < e.slope[i-d[1]*w-d[0]] {
				continue
			}
			e.line[i] = 1
			if v >= strongEdge {
				e.line[i] = 2
			}
		}
	})
	// Weak ones stay when a strong one is within two pixels.
	Rows(h, func(y int) {
		for x := range w {
			i := y*w + x
			e.kept[i] = e.line[i] == 2 || e.line[i] == 1 && e.strongNear(x, y)
		}
	})
}

func (e *EdgeDetector) strongNear(x, y int) bool {
	for py := max(y-2, 0); py <= min(y+2, e.h-1); py++ {
		for px := max(x-2, 0); px <= min(x+2, e.w-1); px++ {
			if e.line[py*e.w+px] == 2 {
				return true
			}
		}
	}
	return false
}

// Draw draws the edges as dark lines, a little soft.
func (e *EdgeDetector) Draw(img *image.RGBA, alpha float64) {
	w, h := e.w, e.h
	Rows(h, func(y int) {
		line := img.Pix[y*img.Stride:]
		for x := range w {
			cover := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					px, py := min(max(x+dx, 0), w-1), min(max(y+dy, 0), h-1)
					if e.kept[py*w+px] {
						if dx == 0 && dy == 0 {
							cover += 200
						} else {
							cover += 30
						}
					}
				}
			}
			if cover == 0 {
				continue
			}
			k := int32(float64(min(cover, 255)) * alpha)
			p := line[4*x:]
			for c, ink := range [3]int32{24, 20, 30} {
				p[c] = uint8(int32(p[c]) + (ink-int32(p[c]))*k/256)
			}
		}
	})
}
