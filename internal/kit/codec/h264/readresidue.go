package h264

// readResidue returns mb_qp_delta and residual of 7.3.5.3.
func (s *sliceDecoder) readResidue() error {
	r, m := &s.residue, s.mb
	if r.pattern == 0 && m.kind != mbIntra16 {
		return s.r.fail
	}
	delta := s.r.se()
	if delta < -26 || delta > 25 {
		return errSyntax
	}
	s.setQP((s.qp + delta + 52) % 52)
	m.qp = uint8(s.qp)
	first := 0
	if m.kind == mbIntra16 {
		s.r.residual(r.lumaDC[:], s.place.lumaContext(m, 0, 0))
		first = 1
	}
	for i := range 16 {
		if r.pattern>>(i/4)&1 == 0 {
			continue
		}
		x, y := blockX[i], blockY[i]
		m.total[4*y+x] = s.r.residual(r.luma[i][first:], s.place.lumaContext(m, x, y))
	}
	if r.pattern>>4 == 0 {
		return s.r.fail
	}
	for c := range 2 {
		s.r.residual(r.chromaDC[c][:], chromaDC)
	}
	if r.pattern>>4 != 2 {
		return s.r.fail
	}
	for c := range 2 {
		for i := range 4 {
			base := 16 + 4*c
			m.total[base+i] = s.r.residual(r.chroma[c][i][1:], s.place.chromaContext(m, base, i%2, i/2))
		}
	}
	return s.r.fail
}

// unscan is the inverse of scan.
func unscan(b *block, levels *[16]int32) {
	for i, at := range zigzag {
		b[at] = levels[i]
	}
}

// addLuma adds block i of a macroblock that has no DC transform.
func (s *sliceDecoder) addLuma(i int) {
	x, y := blockX[i], blockY[i]
	if s.mb.total[4*y+x] == 0 {
		return
	}
	var b block
	unscan(&b, &s.residue.luma[i])
	s.luma.dequantize(&b, 0)
	cur := &s.f.cur.y
	b.add(cur.pix[cur.at(16*s.place.x+4*x, 16*s.place.y+4*y):], cur.stride)
}

func (s *sliceDecoder) addChroma() {
	if s.residue.pattern>>4 == 0 {
		return
	}
	for c, cur := range []*plane{&s.f.cur.cb, &s.f.cur.cr} {
		dc := s.residue.chromaDC[c]
		s.chroma.dequantizeChroma(&dc)
		for i := range 4 {
			var b block
			unscan(&b, &s.residue.chroma[c][i])
			s.chroma.dequantize(&b, 1)
			b[0] = dc[i]
			b.add(cur.pix[cur.at(8*s.place.x+i%2*4, 8*s.place.y+i/2*4):], cur.stride)
		}
	}
}
