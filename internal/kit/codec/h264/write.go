package h264

// begin writes the run of skipped macroblocks before this one and its type
// (7.3.4 and 7.3.5). Intra types follow the five inter ones in P slices.
func (s *sliceEncoder) begin(intra bool, kind uint32) {
	if s.inter {
		s.w.ue(s.skipped)
		s.skipped = 0
		if intra {
			kind += 5
		}
	}
	s.w.ue(kind)
}

func (s *sliceEncoder) writeInter() {
	s.begin(false, 0)
	p := s.place.predictVector()
	s.w.se(int(s.mb.vector.x) - int(p.x))
	s.w.se(int(s.mb.vector.y) - int(p.y))
	s.w.ue(uint32(patternInterCode[s.residue.pattern]))
	s.writeResidue()
}

func (s *sliceEncoder) writeIntra4() {
	s.begin(true, 0)
	for i := range 16 {
		x, y := blockX[i], blockY[i]
		likely, mode := s.place.predictMode(s.mb, x, y), s.mb.modes[4*y+x]
		switch {
		case mode == likely:
			s.w.put(1, 1)
		case mode < likely:
			s.w.put(uint32(mode), 4)
		default:
			s.w.put(uint32(mode-1), 4)
		}
	}
	s.w.ue(uint32(s.chromaMode))
	s.w.ue(uint32(patternIntraCode[s.residue.pattern]))
	s.writeResidue()
}

func (s *sliceEncoder) writeIntra16(mode int) {
	kind := 1 + mode + 4*int(s.residue.pattern>>4)
	if s.residue.pattern&15 != 0 {
		kind += 12
	}
	s.begin(true, uint32(kind))
	s.w.ue(uint32(s.chromaMode))
	s.writeResidue()
}

// writeResidue writes mb_qp_delta and the residual (7.3.5.3).
func (s *sliceEncoder) writeResidue() {
	r, m := &s.residue, s.mb
	if r.pattern == 0 && m.kind != mbIntra16 {
		return
	}
	s.w.se(s.qp - s.carried)
	s.carried, m.qp = s.qp, uint8(s.qp)
	first := 0
	if m.kind == mbIntra16 {
		s.w.residual(r.lumaDC[:], s.place.lumaContext(m, 0, 0))
		first = 1
	}
	for i := range 16 {
		if r.pattern>>(i/4)&1 == 0 {
			continue
		}
		x, y := blockX[i], blockY[i]
		m.total[4*y+x] = s.w.residual(r.luma[i][first:], s.place.lumaContext(m, x, y))
	}
	if r.pattern>>4 == 0 {
		return
	}
	for c := range 2 {
		s.w.residual(r.chromaDC[c][:], chromaDC)
	}
	if r.pattern>>4 != 2 {
		return
	}
	for c := range 2 {
		for i := range 4 {
			base := 16 + 4*c
			m.total[base+i] = s.w.residual(r.chroma[c][i][1:], s.place.chromaContext(m, base, i%2, i/2))
		}
	}
}
