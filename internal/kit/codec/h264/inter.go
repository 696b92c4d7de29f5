package h264

import "encoding/binary"

// vector is a motion vector in quarter samples of luma.
type vector struct{ x, y int16 }

// reach is how far outside of the picture a block may stand without reading
// past the border: beyond it all samples repeat, so clamping changes nothing.
const reach = 26

// interpolate computes the planes between the samples (8.4.2.2.1) for rows
// y0 to y1 and, at the edge of the picture, for the border. The luma border
// must be filled.
func (p *picture) interpolate(y0, y1 int) {
	if y0 == 0 {
		y0 = 3 - lumaBorder
	}
	if y1 == p.y.height {
		y1 += lumaBorder - 3
	}
	const edge = lumaBorder - 3
	n := p.y.width + 2*edge
	mid := make([]int32, n+5) // unrounded h, from two samples before the row
	for y := y0; y < y1; y++ {
		o := p.y.at(-edge, y)
		stride := p.y.stride
		src := p.y.pix[o-2 : o+n+3]
		b := p.b.pix[o : o+n]
		for i := range b {
			s := src[i : i+6 : i+6]
			b[i] = clip((int32(s[0]) + int32(s[5]) - 5*(int32(s[1])+int32(s[4])) + 20*(int32(s[2])+int32(s[3])) + 16) >> 5)
		}
		m := len(mid)
		r0, r1, r2 := p.y.pix[o-2*stride-2:][:m], p.y.pix[o-stride-2:][:m], p.y.pix[o-2:][:m]
		r3, r4, r5 := p.y.pix[o+stride-2:][:m], p.y.pix[o+2*stride-2:][:m], p.y.pix[o+3*stride-2:][:m]
		for i := range mid {
			mid[i] = int32(r0[i]) + int32(r5[i]) - 5*(int32(r1[i])+int32(r4[i])) + 20*(int32(r2[i])+int32(r3[i]))
		}
		h := p.h.pix[o : o+n]
		j := p.j.pix[o : o+n]
		j = j[:len(h)]
		for i := range h {
			s := mid[i : i+6 : i+6]
			h[i] = clip((s[2] + 16) >> 5)
			j[i] = clip((s[0] + s[5] - 5*(s[1]+s[4]) + 20*(s[2]+s[3]) + 512) >> 10)
		}
	}
}

// The two planes whose mean is the sample at a fraction, and by how much each
// is displaced; one plane when both are the same (figure 8-4).
type fraction struct {
	first, second  uint8 // 0 is the samples themselves, 1 b, 2 h, 3 j
	x1, y1, x2, y2 uint8
	mean           bool
}

var fractions = [16]fraction{ // 4*yFrac+xFrac
	{}, {first: 0, second: 1, mean: true}, {first: 1}, {first: 1, second: 0, x2: 1, mean: true},
	{first: 0, second: 2, mean: true}, {first: 1, second: 2, mean: true}, {first: 1, second: 3, mean: true}, {first: 1, second: 2, x2: 1, mean: true},
	{first: 2}, {first: 2, second: 3, mean: true}, {first: 3}, {first: 3, second: 2, x2: 1, mean: true},
	{first: 2, second: 0, y2: 1, mean: true}, {first: 2, second: 1, y2: 1, mean: true}, {first: 3, second: 1, y2: 1, mean: true}, {first: 2, x1: 1, second: 1, y2: 1, mean: true},
}

func (p *picture) plane(k uint8) *plane {
	switch k {
	case 0:
		return &p.y
	case 1:
		return &p.b
	case 2:
		return &p.h
	}
	return &p.j
}

// luma returns the prediction of the 16x16 block at x, y moved by v. It lies in
// the reference itself when it can and else in buf.
func (p *picture) luma(buf *[256]byte, x, y int, v vector) (pix []byte, stride int) {
	f := &fractions[v.y&3<<2|v.x&3]
	x = min(max(x+int(v.x>>2), -reach), p.y.width+reach-18)
	y = min(max(y+int(v.y>>2), -reach), p.y.height+reach-18)
	a := p.plane(f.first)
	o := a.at(x+int(f.x1), y+int(f.y1))
	stride = a.stride
	if !f.mean {
		return a.pix[o:], stride
	}
	s1, s2 := a.pix[o:], p.plane(f.second).pix[a.at(x+int(f.x2), y+int(f.y2)):]
	for r := range 16 {
		m, n := s1[r*stride:r*stride+16:r*stride+16], s2[r*stride:r*stride+16:r*stride+16]
		d := buf[16*r : 16*r+16 : 16*r+16]
		binary.LittleEndian.PutUint64(d, mean8(binary.LittleEndian.Uint64(m), binary.LittleEndian.Uint64(n)))
		binary.LittleEndian.PutUint64(d[8:], mean8(binary.LittleEndian.Uint64(m[8:]), binary.LittleEndian.Uint64(n[8:])))
	}
	return buf[:], 16
}

// mean8 returns (a+b+1)>>1 in each of eight bytes.
func mean8(a, b uint64) uint64 {
	return (a | b) - (a^b)&0xfefefefefefefefe>>1
}

// chroma predicts the 8x8 block at x, y of a chroma plane moved by v, whose
// unit is an eighth here (8.4.2.2.2).
func (p *plane) chroma(dst []byte, stride, x, y int, v vector) {
	x = min(max(x+int(v.x>>3), -reach/2), p.width+reach/2-9)
	y = min(max(y+int(v.y>>3), -reach/2), p.height+reach/2-9)
	fx, fy := uint32(v.x&7), uint32(v.y&7)
	src := p.pix[p.at(x, y):]
	if fx|fy == 0 {
		for r := range 8 {
			copy(dst[r*stride:r*stride+8], src[r*p.stride:r*p.stride+8])
		}
		return
	}
	a, b, c, d := (8-fx)*(8-fy), fx*(8-fy), (8-fx)*fy, fx*fy
	for r := range 8 {
		up, down := src[r*p.stride:r*p.stride+9:r*p.stride+9], src[(r+1)*p.stride:(r+1)*p.stride+9:(r+1)*p.stride+9]
		out := dst[r*stride : r*stride+8 : r*stride+8]
		for i := range out {
			out[i] = byte((a*uint32(up[i]) + b*uint32(up[i+1]) + c*uint32(down[i]) + d*uint32(down[i+1]) + 32) >> 6)
		}
	}
}
