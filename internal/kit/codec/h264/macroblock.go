package h264

// Kinds of macroblocks.
const (
	mbSkip = iota
	mbInter
	mbIntra4
	mbIntra16
)

// macroblock is what later macroblocks, the deblocking filter and the next
// picture need to know of one.
type macroblock struct {
	kind   uint8
	qp     uint8
	vector vector
	modes  [16]int8  // of 4x4 prediction, in raster order; dc4 for other kinds
	total  [24]uint8 // coefficients a block: luma in raster order, Cb, Cr
}

func (m *macroblock) intra() bool { return m.kind >= mbIntra4 }

// frame is the picture being made and what it is made from, common to the
// encoder and the decoder.
type frame struct {
	mbWidth, mbHeight int
	cur, ref          *picture
	mbs               []macroblock
}

func newFrame(mbWidth, mbHeight int) *frame {
	return &frame{mbWidth: mbWidth, mbHeight: mbHeight, mbs: make([]macroblock, mbWidth*mbHeight),
		cur: newPicture(mbWidth, mbHeight, true), ref: newPicture(mbWidth, mbHeight, true)}
}

// neighbours is a macroblock's place: its neighbours are nil when they lie
// outside of the picture or of the slice (6.4.9).
type neighbours struct {
	x, y                         int // in macroblocks
	left, top, topRight, topLeft *macroblock
}

// place finds the neighbours of macroblock i in the slice that begins at
// first. Slices run in raster order, so an earlier address in the slice is
// one that is not below first.
func (f *frame) place(i, first int) (a neighbours) {
	a.x, a.y = i%f.mbWidth, i/f.mbWidth
	if a.x > 0 && i-1 >= first {
		a.left = &f.mbs[i-1]
	}
	up := i - f.mbWidth
	if up >= first && up >= 0 {
		a.top = &f.mbs[up]
	}
	if up+1 >= first && up >= 0 && a.x+1 < f.mbWidth {
		a.topRight = &f.mbs[up+1]
	}
	if up-1 >= first && up > 0 && a.x > 0 {
		a.topLeft = &f.mbs[up-1]
	}
	return a
}

// lumaContext returns nC of 9.2.1 for the luma block at x, y of m.
func (a *neighbours) lumaContext(m *macroblock, x, y int) int {
	left, top := -1, -1
	if x > 0 {
		left = int(m.total[4*y+x-1])
	} else if a.left != nil {
		left = int(a.left.total[4*y+3])
	}
	if y > 0 {
		top = int(m.total[4*y+x-4])
	} else if a.top != nil {
		top = int(a.top.total[12+x])
	}
	return contextOf(left, top)
}

// chromaContext returns the same for a chroma block; base is 16 for Cb, 20 for Cr.
func (a *neighbours) chromaContext(m *macroblock, base, x, y int) int {
	left, top := -1, -1
	if x > 0 {
		left = int(m.total[base+2*y])
	} else if a.left != nil {
		left = int(a.left.total[base+2*y+1])
	}
	if y > 0 {
		top = int(m.total[base+x])
	} else if a.top != nil {
		top = int(a.top.total[base+2+x])
	}
	return contextOf(left, top)
}

// contextOf combines the counts of two neighbours; a count below zero means
// that there is none.
func contextOf(left, top int) int {
	switch {
	case left < 0 && top < 0:
		return 0
	case left < 0:
		return top
	case top < 0:
		return left
	}
	return (left + top + 1) >> 1
}

// predictMode returns the most probable 4x4 mode of 8.3.1.1.
func (a *neighbours) predictMode(m *macroblock, x, y int) int8 {
	var left, top int8
	switch {
	case x > 0:
		left = m.modes[4*y+x-1]
	case a.left != nil:
		left = a.left.modes[4*y+3]
	default:
		return dc4
	}
	switch {
	case y > 0:
		top = m.modes[4*y+x-4]
	case a.top != nil:
		top = a.top.modes[12+x]
	default:
		return dc4
	}
	return min(left, top)
}

// motion returns what a neighbour says about motion.
func motion(m *macroblock) (v vector, inter bool) {
	if m == nil || m.intra() {
		return vector{}, false
	}
	return m.vector, true
}

// predictVector returns 8.4.1.3 for a whole macroblock and one reference.
func (a *neighbours) predictVector() vector {
	c := a.topRight
	if c == nil {
		c = a.topLeft
	}
	if a.top == nil && c == nil {
		v, _ := motion(a.left)
		return v
	}
	va, ia := motion(a.left)
	vb, ib := motion(a.top)
	vc, ic := motion(c)
	switch {
	case ia && !ib && !ic:
		return va
	case ib && !ia && !ic:
		return vb
	case ic && !ia && !ib:
		return vc
	}
	return vector{median(va.x, vb.x, vc.x), median(va.y, vb.y, vc.y)}
}

// skipVector returns 8.4.1.1.
func (a *neighbours) skipVector() vector {
	if a.left == nil || a.top == nil {
		return vector{}
	}
	if v, inter := motion(a.left); inter && v == (vector{}) {
		return vector{}
	}
	if v, inter := motion(a.top); inter && v == (vector{}) {
		return vector{}
	}
	return a.predictVector()
}

func median(a, b, c int16) int16 {
	return max(min(a, b), min(max(a, b), c))
}
