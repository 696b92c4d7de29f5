package mesh

import (
	"image"
	"image/color"
	"image/draw"
)

// analysisSide is the longest side at which a picture is cut out: enough for a
// silhouette, and independent of the picture's own size.
const analysisSide = 384

// mask selects the pixels of the subject.
type mask struct {
	w, h int
	in   []bool
}

func (m *mask) at(x, y int) bool { return x >= 0 && y >= 0 && x < m.w && y < m.h && m.in[y*m.w+x] }

func (m *mask) count() (n int) {
	for _, v := range m.in {
		if v {
			n++
		}
	}
	return n
}

// box returns the smallest rectangle around the subject.
func (m *mask) box() image.Rectangle {
	b := image.Rectangle{Min: image.Pt(m.w, m.h)}
	for i, in := range m.in {
		if x, y := i%m.w, i/m.w; in {
			b = image.Rect(min(b.Min.X, x), min(b.Min.Y, y), max(b.Max.X, x+1), max(b.Max.Y, y+1))
		}
	}
	return b
}

// shrink returns the picture with its longest side at most side, each pixel the
// mean of those it covers.
func shrink(img image.Image, side int) *image.NRGBA {
	b := img.Bounds()
	src, ok := img.(*image.NRGBA)
	if !ok || b.Min != (image.Point{}) {
		src = image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(src, src.Rect, img, b.Min, draw.Src)
	}
	longest := max(b.Dx(), b.Dy())
	if longest <= side {
		return src
	}
	w, h := max(b.Dx()*side/longest, 1), max(b.Dy()*side/longest, 1)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		y0, y1 := y*b.Dy()/h, max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			x0, x1 := x*b.Dx()/w, max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			var sum [4]int
			for j := y0; j < y1; j++ {
				for i := x0; i < x1; i++ {
					p := src.Pix[j*src.Stride+i*4:]
					a := int(p[3])
					sum[0], sum[1], sum[2], sum[3] = sum[0]+int(p[0])*a, sum[1]+int(p[1])*a, sum[2]+int(p[2])*a, sum[3]+a
				}
			}
			if sum[3] > 0 {
				out.SetNRGBA(x, y, color.NRGBA{uint8(sum[0] / sum[3]), uint8(sum[1] / sum[3]), uint8(sum[2] / sum[3]), uint8(sum[3] / ((x1 - x0) * (y1 - y0)))})
			}
		}
	}
	return out
}

// cut finds the subject. A picture with transparency has been cut out already;
// else the colours of the border and of the middle are separated. When that
// selects nothing or everything, the whole picture becomes a rounded rectangle.
func cut(img *image.NRGBA) *mask {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	m := &mask{w, h, make([]bool, w*h)}
	clear := 0
	for i := range m.in {
		if m.in[i] = img.Pix[i*4+3] >= 128; !m.in[i] {
			clear++
		}
	}
	if clear*50 < len(m.in) {
		m.in = newSegmentation(img).subject()
	}
	m.close()
	m.largest()
	m.fill()
	if n := m.count(); n*40 < len(m.in) || n*100 > len(m.in)*97 {
		m.roundedRectangle()
	}
	return m
}

// largest keeps one connected piece, the largest when the middle of the picture
// counts more than its sides.
func (m *mask) largest() {
	label := make([]int32, len(m.in))
	best, most, next := int32(0), 0.0, int32(0)
	weight := func(x, y int) float64 {
		u, v := float64(x)/float64(m.w)-0.5, float64(y)/float64(m.h)-0.5
		return 0.02 + max(0, 1-6*(u*u+v*v))
	}
	var queue []int
	for s := range m.in {
		if !m.in[s] || label[s] != 0 {
			continue
		}
		next++
		label[s] = next
		queue = append(queue[:0], s)
		size := 0.0
		for len(queue) > 0 {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			x, y := i%m.w, i/m.w
			size += weight(x, y)
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				if m.at(x+d[0], y+d[1]) {
					if n := (y+d[1])*m.w + x + d[0]; label[n] == 0 {
						label[n] = next
						queue = append(queue, n)
					}
				}
			}
		}
		if size > most {
			best, most = next, size
		}
	}
	for i := range m.in {
		m.in[i] = m.in[i] && label[i] == best
	}
}

// fill closes holes smaller than a hundredth of the picture; a larger one, as
// in the handle of a cup, stays.
func (m *mask) fill() {
	seen := make([]bool, len(m.in))
	for s := range m.in {
		if m.in[s] || seen[s] {
			continue
		}
		seen[s] = true
		hole, border := []int{s}, false
		for k := 0; k < len(hole); k++ {
			x, y := hole[k]%m.w, hole[k]/m.w
			for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				nx, ny := x+d[0], y+d[1]
				if nx < 0 || ny < 0 || nx >= m.w || ny >= m.h {
					border = true
					continue
				}
				if n := ny*m.w + nx; !m.in[n] && !seen[n] {
					seen[n] = true
					hole = append(hole, n)
				}
			}
		}
		if !border && len(hole)*100 < len(m.in) {
			for _, i := range hole {
				m.in[i] = true
			}
		}
	}
}

// close smooths the silhouette by a vote of neighbours.
func (m *mask) close() {
	for range 3 {
		next := make([]bool, len(m.in))
		for y := range m.h {
			for x := range m.w {
				votes := 0
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						if m.at(x+dx, y+dy) {
							votes++
						}
					}
				}
				next[y*m.w+x] = votes >= 5
			}
		}
		m.in = next
	}
}

// roundedRectangle selects the whole picture with round corners.
func (m *mask) roundedRectangle() {
	r := float64(min(m.w, m.h)) * 0.12
	for y := range m.h {
		for x := range m.w {
			dx := max(r-float64(x), float64(x)-(float64(m.w-1)-r), 0)
			dy := max(r-float64(y), float64(y)-(float64(m.h-1)-r), 0)
			m.in[y*m.w+x] = dx*dx+dy*dy <= r*r
		}
	}
}
