package h264

// diff is the residual of a 4x4 block of the source against what stands at the
// same place of the picture being made.
func diff(b *block, src []byte, stride int, pred []byte, predStride int) {
	for y := range 4 {
		s, p := src[y*stride:y*stride+4:y*stride+4], pred[y*predStride:y*predStride+4:y*predStride+4]
		r := b[4*y : 4*y+4 : 4*y+4]
		r[0], r[1] = int32(s[0])-int32(p[0]), int32(s[1])-int32(p[1])
		r[2], r[3] = int32(s[2])-int32(p[2]), int32(s[3])-int32(p[3])
	}
}

// scan copies levels into the order in which they are written.
func scan(dst *[16]int32, b *block) {
	for i, at := range zigzag {
		dst[i] = b[at]
	}
}

// copyBlock puts a square of a prediction into the picture.
func copyBlock(dst []byte, stride int, src []byte, srcStride, size int) {
	for y := range size {
		copy(dst[y*stride:y*stride+size], src[y*srcStride:y*srcStride+size])
	}
}

// skip tries P_Skip: when nothing of the difference to the predicted motion
// would survive quantization, not coding it loses nothing.
func (s *sliceEncoder) skip() bool {
	x, y := s.place.x, s.place.y
	v := s.place.skipVector()
	pred, stride := s.f.ref.luma(&s.buf[0], 16*x, 16*y, v)
	src := &s.source.y
	var b block
	for i := 0; i < 16 && !s.frozen; i++ {
		bx, by := 4*blockX[i], 4*blockY[i]
		diff(&b, src.pix[src.at(16*x+bx, 16*y+by):], src.stride, pred[by*stride+bx:], stride)
		b.forward()
		if !s.luma.vanishes(&b) {
			return false
		}
	}
	s.predictChroma(v)
	if !s.frozen && !s.chromaVanishes() {
		return false
	}
	cur := &s.f.cur.y
	copyBlock(cur.pix[cur.at(16*x, 16*y):], cur.stride, pred, stride, 16)
	s.mb.kind, s.mb.vector = mbSkip, v
	return true
}

// vanishes reports whether every coefficient quantizes to zero.
func (q *quantizer) vanishes(b *block) bool {
	for i, v := range b {
		if abs(v)*q.mul[i]+q.inter >= 1<<q.shift {
			return false
		}
	}
	return true
}

// predictChroma moves both chroma planes into the picture.
func (s *sliceEncoder) predictChroma(v vector) {
	x, y := 8*s.place.x, 8*s.place.y
	cb, cr := &s.f.cur.cb, &s.f.cur.cr
	s.f.ref.cb.chroma(cb.pix[cb.at(x, y):], cb.stride, x, y, v)
	s.f.ref.cr.chroma(cr.pix[cr.at(x, y):], cr.stride, x, y, v)
}

func (s *sliceEncoder) chromaVanishes() bool {
	for c := range 2 {
		src, cur := s.chromaPlanes(c)
		var dc [4]int32
		for i := range 4 {
			o := src.at(8*s.place.x+i%2*4, 8*s.place.y+i/2*4)
			var b block
			diff(&b, src.pix[o:], src.stride, cur.pix[o:], cur.stride)
			b.forward()
			dc[i], b[0] = b[0], 0
			if !s.chroma.vanishes(&b) {
				return false
			}
		}
		hadamard2(&dc)
		if s.chroma.quantizeDC(dc[:], s.chroma.inter) != 0 {
			return false
		}
	}
	return true
}

// chromaPlanes returns those of the source and of the picture being made. Both
// have the same layout.
func (s *sliceEncoder) chromaPlanes(c int) (src, cur *plane) {
	if c == 0 {
		return &s.source.cb, &s.f.cur.cb
	}
	return &s.source.cr, &s.f.cur.cr
}

// codeInter codes the macroblock as P_L0_16x16, or as P_Skip when it turns
// out to be one.
func (s *sliceEncoder) codeInter(v vector) {
	x, y := 16*s.place.x, 16*s.place.y
	pred, stride := s.f.ref.luma(&s.buf[0], x, y, v)
	cur, src := &s.f.cur.y, &s.source.y
	copyBlock(cur.pix[cur.at(x, y):], cur.stride, pred, stride, 16)
	s.mb.kind, s.mb.vector = mbInter, v
	r := &s.residue
	r.pattern = 0
	for i := range 16 {
		o := src.at(x+4*blockX[i], y+4*blockY[i])
		b := &block{}
		diff(b, src.pix[o:], src.stride, cur.pix[o:], cur.stride)
		b.forward()
		if s.luma.quantize(b, 0, s.luma.inter) != 0 {
			scan(&r.luma[i], b)
			r.pattern |= 1 << (i / 4)
			s.luma.dequantize(b, 0)
			b.add(cur.pix[o:], cur.stride)
		} else {
			r.luma[i] = [16]int32{}
		}
	}
	s.predictChroma(v)
	s.codeChroma(s.chroma.inter)
	if r.pattern == 0 && v == s.place.skipVector() {
		s.mb.kind = mbSkip
		s.skipped++
		return
	}
	s.writeInter()
}

// codeChroma codes both chroma planes against the prediction that stands in
// the picture, and sets the chroma bits of the pattern.
func (s *sliceEncoder) codeChroma(round int32) {
	r := &s.residue
	kind := uint8(0)
	var blocks [2][4]block
	var dcs [2][4]int32
	for c := range 2 {
		src, cur := s.chromaPlanes(c)
		for i := range 4 {
			b := &blocks[c][i]
			o := src.at(8*s.place.x+i%2*4, 8*s.place.y+i/2*4)
			diff(b, src.pix[o:], src.stride, cur.pix[o:], cur.stride)
			b.forward()
			dcs[c][i], b[0] = b[0], 0
			if s.chroma.quantize(b, 1, round) != 0 {
				kind = 2
			}
			scan(&r.chroma[c][i], b)
		}
		hadamard2(&dcs[c])
		if s.chroma.quantizeDC(dcs[c][:], round) != 0 {
			kind = max(kind, 1)
		}
		r.chromaDC[c] = dcs[c]
	}
	r.pattern |= kind << 4
	if kind == 0 {
		return
	}
	for c := range 2 {
		_, cur := s.chromaPlanes(c)
		s.chroma.dequantizeChroma(&dcs[c])
		for i := range 4 {
			b := &blocks[c][i]
			s.chroma.dequantize(b, 1)
			b[0] = dcs[c][i]
			b.add(cur.pix[cur.at(8*s.place.x+i%2*4, 8*s.place.y+i/2*4):], cur.stride)
		}
	}
}
