package h264

// Modes of intra prediction: 4x4 (table 8-2), 16x16 (table 8-4) and chroma
// (table 8-5), each with the numbers that the stream uses.
const (
	vertical4, horizontal4, dc4 = 0, 1, 2

	vertical16, horizontal16, dc16, plane16 = 0, 1, 2, 3

	dcChroma, horizontalChroma, verticalChroma, planeChroma = 0, 1, 2, 3
)

// edge4 holds the thirteen neighbours of a 4x4 block in a line: the left ones
// from the bottom up, the corner, then the top ones to the right.
type edge4 struct {
	q                 [13]byte
	left, top, corner bool
}

// gather reads the neighbours of the block at x, y. Where the samples to the
// top right are not available, the last one above replaces them (8.3.1.2).
func (e *edge4) gather(p *plane, x, y int, left, top, corner, topRight bool) {
	e.left, e.top, e.corner = left, top, corner
	o := p.at(x, y)
	if left {
		e.q[3] = p.pix[o-1]
		e.q[2] = p.pix[o+p.stride-1]
		e.q[1] = p.pix[o+2*p.stride-1]
		e.q[0] = p.pix[o+3*p.stride-1]
	}
	if top {
		t := o - p.stride
		copy(e.q[5:9], p.pix[t:t+4])
		if topRight {
			copy(e.q[9:13], p.pix[t+4:t+8])
		} else {
			v := e.q[8]
			e.q[9], e.q[10], e.q[11], e.q[12] = v, v, v, v
		}
	}
	if corner {
		e.q[4] = p.pix[o-p.stride-1]
	}
}

// gatherLuma gathers the neighbours of luma block i of the macroblock at a: which
// of them are there follows from the order of coding (6.4.11.4).
func (e *edge4) gatherLuma(p *plane, a *neighbours, i int) {
	x, y := blockX[i], blockY[i]
	left, top := x > 0 || a.left != nil, y > 0 || a.top != nil
	topRight := hasTopRight[i] && top
	if i == 5 {
		topRight = a.topRight != nil
	}
	corner := a.topLeft != nil
	switch {
	case x > 0:
		corner = top
	case y > 0:
		corner = left
	}
	e.gather(p, 16*a.x+4*x, 16*a.y+4*y, left, top, corner, topRight)
}

// allows reports whether the neighbours that the mode needs are there.
func (e *edge4) allows(mode int) bool {
	switch mode {
	case vertical4, 3, 7:
		return e.top
	case horizontal4, 8:
		return e.left
	case dc4:
		return true
	}
	return e.left && e.top && e.corner
}

// The diagonal predictions are all means of two or weighted means of three
// neighbours in the line, so they are computed once for a block and each mode
// is a table of which mean goes where.
const (
	meanOf2   = 0  // meanOf2+i: q[i] and q[i+1]
	meanOf3   = 12 // meanOf3+i: q[i-1], twice q[i], q[i+1]
	lastRight = 24 // q[11] and three times q[12]
	lastLeft  = 25 // q[1] and three times q[0]
	leftmost  = 26 // q[0]
	means     = 27
)

type mean4 [means]byte

func (m *mean4) compute(e *edge4) {
	q := &e.q
	for i := range 12 {
		m[meanOf2+i] = byte((uint(q[i]) + uint(q[i+1]) + 1) >> 1)
	}
	for i := 1; i < 12; i++ {
		m[meanOf3+i] = byte((uint(q[i-1]) + 2*uint(q[i]) + uint(q[i+1]) + 2) >> 2)
	}
	m[lastRight] = byte((uint(q[11]) + 3*uint(q[12]) + 2) >> 2)
	m[lastLeft] = byte((uint(q[1]) + 3*uint(q[0]) + 2) >> 2)
	m[leftmost] = q[0]
}

// diagonal is, for modes 3 to 8, the mean at each of the sixteen samples
// (8.3.1.2.4 to 8.3.1.2.9).
var diagonal = func() (t [9][16]uint8) {
	top := func(k int) int { return 5 + k }  // index in the line of p[k,-1]
	left := func(k int) int { return 3 - k } // and of p[-1,k]; the corner is 4 for both
	for y := range 4 {
		for x := range 4 {
			i := 4*y + x
			var v [9]int
			v[3] = meanOf3 + top(x+y+1)
			if x == 3 && y == 3 {
				v[3] = lastRight
			}
			v[4] = meanOf3 + 4 + x - y
			switch z := 2*x - y; {
			case z >= 0 && z%2 == 0:
				v[5] = meanOf2 + top(x-y>>1-1)
			case z >= -1:
				v[5] = meanOf3 + top(x-y>>1-1)
			default:
				v[5] = meanOf3 + left(y-2)
			}
			switch z := 2*y - x; {
			case z >= 0 && z%2 == 0:
				v[6] = meanOf2 + left(y-x>>1)
			case z >= -1:
				v[6] = meanOf3 + left(y-x>>1-1)
			default:
				v[6] = meanOf3 + top(x-2)
			}
			if y%2 == 0 {
				v[7] = meanOf2 + top(x+y>>1)
			} else {
				v[7] = meanOf3 + top(x+y>>1+1)
			}
			switch z := x + 2*y; {
			case z > 5:
				v[8] = leftmost
			case z == 5:
				v[8] = lastLeft
			case z%2 == 0:
				v[8] = meanOf2 + left(y+x>>1+1)
			default:
				v[8] = meanOf3 + left(y+x>>1+1)
			}
			for m := 3; m < 9; m++ {
				t[m][i] = uint8(v[m])
			}
		}
	}
	return t
}()

// predict writes the prediction of a mode that allows accepted. m holds the
// means of e and is needed for the diagonal modes only.
func (e *edge4) predict(out *[16]byte, mode int, m *mean4) {
	switch mode {
	case vertical4:
		for y := range 4 {
			copy(out[4*y:4*y+4], e.q[5:9])
		}
	case horizontal4:
		for y := range 4 {
			v := e.q[3-y]
			out[4*y], out[4*y+1], out[4*y+2], out[4*y+3] = v, v, v, v
		}
	case dc4:
		v := e.dc()
		for i := range out {
			out[i] = v
		}
	default:
		t := &diagonal[mode]
		for i := range out {
			out[i] = m[t[i]]
		}
	}
}

func (e *edge4) dc() byte {
	var left, top uint
	for i := range 4 {
		left += uint(e.q[i])
		top += uint(e.q[5+i])
	}
	switch {
	case e.left && e.top:
		return byte((left + top + 4) >> 3)
	case e.left:
		return byte((left + 2) >> 2)
	case e.top:
		return byte((top + 2) >> 2)
	}
	return 128
}
