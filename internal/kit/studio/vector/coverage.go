package vector

// coverage measures how much of each pixel of a band a shape covers. Every edge
// adds to a row the change of coverage from one pixel to the next, so the
// running sum is the exact covered area.
type coverage struct {
	width, rows int
	change      []float32
}

func newCoverage(width, rows int) *coverage {
	return &coverage{width, rows, make([]float32, (width+3)*rows)}
}

func (c *coverage) row(y int) []float32 { return c.change[y*(c.width+3) : (y+1)*(c.width+3)] }

// add adds the edges of a loop, relative to a top row.
func (c *coverage) add(loop []Point, top float64) {
	if len(loop) < 3 {
		return
	}
	p := loop[len(loop)-1]
	for _, q := range loop {
		c.edge(p.X, p.Y-top, q.X, q.Y-top)
		p = q
	}
}

func (c *coverage) edge(x0, y0, x1, y1 float64) {
	direction := 1.0
	if y0 > y1 {
		x0, y0, x1, y1, direction = x1, y1, x0, y0, -1
	}
	if y1 <= 0 || y0 >= float64(c.rows) || y0 == y1 {
		return
	}
	slope := (x1 - x0) / (y1 - y0)
	if y0 < 0 {
		x0 -= y0 * slope
		y0 = 0
	}
	y1 = min(y1, float64(c.rows))
	limit := float64(c.width)
	for y := int(y0); y < c.rows && float64(y) < y1; y++ {
		bottom := min(float64(y+1), y1)
		x2 := x0 + slope*(bottom-y0)
		part := float32((bottom - y0) * direction)
		a, b := min(max(min(x0, x2), 0), limit), min(max(x0, x2, 0), limit)
		c.addRow(c.row(y), a, b, part)
		x0, y0 = x2, bottom
	}
}

// addRow adds an edge that crosses one row between a and b.
func (c *coverage) addRow(row []float32, a, b float64, part float32) {
	i := int(a)
	if b <= float64(i+1) {
		out := float32((a+b)/2 - float64(i))
		row[i] += part * (1 - out)
		row[i+1] += part * out
		return
	}
	// area is the integral of what lies right of the edge up to t.
	area := func(t float64) float64 {
		if t >= b {
			return t - (a+b)/2
		}
		return (t - a) * (t - a) / (2 * (b - a))
	}
	var before, last float64
	for ; ; i++ {
		upTo := area(float64(i + 1))
		here := upTo - last
		row[i] += part * float32(here-before)
		if float64(i+1) >= b {
			row[i+1] += part * float32(1-here)
			return
		}
		before, last = here, upTo
	}
}
