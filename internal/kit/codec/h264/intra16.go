package h264

// edge16 holds the neighbours of a macroblock's luma, or in the first eight
// places those of one of its chroma planes.
type edge16 struct {
	above, beside [16]byte
	corner        byte
	left, top     bool
	both          bool // the corner too
}

func (e *edge16) gather(p *plane, x, y, size int, left, top, corner bool) {
	e.left, e.top, e.both = left, top, left && top && corner
	o := p.at(x, y)
	if top {
		copy(e.above[:size], p.pix[o-p.stride:])
	}
	if left {
		for i := range size {
			e.beside[i] = p.pix[o+i*p.stride-1]
		}
	}
	if e.both {
		e.corner = p.pix[o-p.stride-1]
	}
}

// allows16 is for luma; chroma has the same rules under other numbers.
func (e *edge16) allows16(mode int) bool {
	switch mode {
	case vertical16:
		return e.top
	case horizontal16:
		return e.left
	case plane16:
		return e.both
	}
	return true
}

func (e *edge16) allowsChroma(mode int) bool {
	switch mode {
	case verticalChroma:
		return e.top
	case horizontalChroma:
		return e.left
	case planeChroma:
		return e.both
	}
	return true
}

// predict16 is 8.3.3.
func (e *edge16) predict16(out []byte, stride, mode int) {
	switch mode {
	case vertical16:
		for y := range 16 {
			copy(out[y*stride:y*stride+16], e.above[:])
		}
	case horizontal16:
		for y := range 16 {
			fill(out[y*stride:y*stride+16], e.beside[y])
		}
	case dc16:
		v := byte(128)
		switch {
		case e.left && e.top:
			v = byte((sum(e.above[:]) + sum(e.beside[:]) + 16) >> 5)
		case e.left:
			v = byte((sum(e.beside[:]) + 8) >> 4)
		case e.top:
			v = byte((sum(e.above[:]) + 8) >> 4)
		}
		for y := range 16 {
			fill(out[y*stride:y*stride+16], v)
		}
	case plane16:
		e.slope(out, stride, 16, 5)
	}
}

// predictChroma is 8.3.4 for one plane.
func (e *edge16) predictChroma(out []byte, stride, mode int) {
	switch mode {
	case dcChroma:
		for y := 0; y < 8; y += 4 {
			for x := 0; x < 8; x += 4 {
				v := e.chromaDC(x, y)
				for i := range 4 {
					fill(out[(y+i)*stride+x:(y+i)*stride+x+4], v)
				}
			}
		}
	case horizontalChroma:
		for y := range 8 {
			fill(out[y*stride:y*stride+8], e.beside[y])
		}
	case verticalChroma:
		for y := range 8 {
			copy(out[y*stride:y*stride+8], e.above[:8])
		}
	case planeChroma:
		e.slope(out, stride, 8, 34)
	}
}

// chromaDC returns the mean for one of the four blocks: the two off the diagonal
// prefer the edge that they touch.
func (e *edge16) chromaDC(x, y int) byte {
	top, left := sum(e.above[x:x+4]), sum(e.beside[y:y+4])
	switch {
	case x == y && e.top && e.left:
		return byte((top + left + 4) >> 3)
	case e.top && (x > y || !e.left || x == y):
		return byte((top + 2) >> 2)
	case e.left:
		return byte((left + 2) >> 2)
	}
	return 128
}

// slope is plane prediction for both sizes; scale is 5 or 34.
func (e *edge16) slope(out []byte, stride, size int, scale int32) {
	half := size / 2
	above := func(i int) int32 {
		if i < 0 {
			return int32(e.corner)
		}
		return int32(e.above[i])
	}
	beside := func(i int) int32 {
		if i < 0 {
			return int32(e.corner)
		}
		return int32(e.beside[i])
	}
	var h, v int32
	for i := range half {
		h += int32(i+1) * (above(half+i) - above(half-2-i))
		v += int32(i+1) * (beside(half+i) - beside(half-2-i))
	}
	b, c := (scale*h+32)>>6, (scale*v+32)>>6
	a := 16 * (beside(size-1) + above(size-1))
	for y := range size {
		line := a + c*int32(y-half+1) - b*int32(half-1) + 16
		row := out[y*stride : y*stride+size]
		for x := range row {
			row[x] = clip(line >> 5)
			line += b
		}
	}
}

func sum(s []byte) (n int) {
	for _, v := range s {
		n += int(v)
	}
	return n
}

func fill(s []byte, v byte) {
	for i := range s {
		s[i] = v
	}
}
