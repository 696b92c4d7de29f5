package h264

// bestIntra16 finds the best prediction of the whole macroblock and what it
// costs. It leaves the neighbours in edge.
func (s *sliceEncoder) bestIntra16() (mode, cost int) {
	a := &s.place
	s.edge.gather(&s.f.cur.y, 16*a.x, 16*a.y, 16, a.left != nil, a.top != nil, a.topLeft != nil)
	cost = 1 << 30
	for m := range 4 {
		if !s.edge.allows16(m) {
			continue
		}
		s.edge.predict16(s.trial[0][:], 16, m)
		if c := s.src.satd(s.trial[0][:], 16, cost) + 3*s.lambda; c < cost {
			mode, cost = m, c
			s.trial[0], s.trial[1] = s.trial[1], s.trial[0]
		}
	}
	return mode, cost
}

// codeIntra16 codes the macroblock as I_16x16; its best prediction is the
// second trial.
func (s *sliceEncoder) codeIntra16(mode int) {
	x, y := 16*s.place.x, 16*s.place.y
	cur, src := &s.f.cur.y, &s.source.y
	copyBlock(cur.pix[cur.at(x, y):], cur.stride, s.trial[1][:], 16, 16)
	s.mb.kind = mbIntra16
	r := &s.residue
	r.pattern = 0
	var blocks [16]block
	var dc block
	for i := range 16 {
		o := src.at(x+4*blockX[i], y+4*blockY[i])
		b := &blocks[i]
		diff(b, src.pix[o:], src.stride, cur.pix[o:], cur.stride)
		b.forward()
		dc[4*blockY[i]+blockX[i]], b[0] = b[0], 0
		if s.luma.quantize(b, 1, s.luma.intra) != 0 {
			r.pattern = 15
		}
		scan(&r.luma[i], b)
	}
	dc.hadamard()
	for i, v := range dc {
		dc[i] = (v + 1) >> 1
	}
	s.luma.quantizeDC(dc[:], s.luma.intra)
	scan(&r.lumaDC, &dc)
	s.luma.dequantizeLuma(&dc)
	for i := range 16 {
		b := &blocks[i]
		s.luma.dequantize(b, 1)
		b[0] = dc[4*blockY[i]+blockX[i]]
		b.add(cur.pix[cur.at(x+4*blockX[i], y+4*blockY[i]):], cur.stride)
	}
	s.chooseChroma()
	s.writeIntra16(mode)
}

// intra4 codes the luma as I_NxN block by block, each from the reconstruction
// of those before it, and gives up once it costs more than limit. Its choice
// of modes stays in the macroblock, its levels in residue.
func (s *sliceEncoder) intra4(limit int) bool {
	a := &s.place
	x, y := 16*a.x, 16*a.y
	cur, src := &s.f.cur.y, &s.source.y
	total := 12 * s.lambda
	pattern := uint8(0)
	var edge edge4
	var mean mean4
	var want [16]int32
	var pred, best [16]byte
	for i := range 16 {
		bx, by := blockX[i], blockY[i]
		edge.gatherLuma(cur, a, i)
		mean.compute(&edge)
		o := src.at(x+4*bx, y+4*by)
		for r := range 4 {
			p := src.pix[o+r*src.stride:][:4:4]
			want[4*r], want[4*r+1], want[4*r+2], want[4*r+3] = int32(p[0]), int32(p[1]), int32(p[2]), int32(p[3])
		}
		likely := int(a.predictMode(s.mb, bx, by))
		mode, cost := 0, 1<<30
		for m := range 9 {
			if !edge.allows(m) {
				continue
			}
			edge.predict(&pred, m, &mean)
			c := satd4(&want, &pred) + 4*s.lambda
			if m == likely {
				c -= 3 * s.lambda
			}
			if c < cost {
				mode, cost = m, c
				best = pred
			}
		}
		if total += cost; total >= limit {
			for k := range s.mb.modes {
				s.mb.modes[k] = dc4
			}
			return false
		}
		s.mb.modes[4*by+bx] = int8(mode)
		out := cur.pix[cur.at(x+4*bx, y+4*by):]
		copyBlock(out, cur.stride, best[:], 4, 4)
		var b block
		for k := range b {
			b[k] = want[k] - int32(best[k])
		}
		b.forward()
		if s.luma.quantize(&b, 0, s.luma.intra) == 0 {
			s.residue.luma[i] = [16]int32{}
			continue
		}
		pattern |= 1 << (i / 4)
		scan(&s.residue.luma[i], &b)
		s.luma.dequantize(&b, 0)
		b.add(out, cur.stride)
	}
	s.mb.kind = mbIntra4
	s.residue.pattern = pattern
	return true
}

// chooseChroma predicts the chroma of an intra macroblock, by the smaller sum
// of differences, and codes it. The mode stays in chromaMode.
func (s *sliceEncoder) chooseChroma() {
	a := &s.place
	x, y := 8*a.x, 8*a.y
	var edges [2]edge16
	for c := range 2 {
		_, cur := s.chromaPlanes(c)
		edges[c].gather(cur, x, y, 8, a.left != nil, a.top != nil, a.topLeft != nil)
	}
	best, cost := 0, 1<<30
	var pred [64]byte
	for m := range 4 {
		if !edges[0].allowsChroma(m) {
			continue
		}
		total := 0
		for c := range 2 {
			src, _ := s.chromaPlanes(c)
			edges[c].predictChroma(pred[:], 8, m)
			o := src.at(x, y)
			for r := range 8 {
				row, p := src.pix[o+r*src.stride:][:8:8], pred[8*r:8*r+8:8*r+8]
				for i := range row {
					total += int(abs(int32(row[i]) - int32(p[i])))
				}
			}
		}
		if total += s.lambda * ueLen(uint32(m)); total < cost {
			best, cost = m, total
		}
	}
	for c := range 2 {
		_, cur := s.chromaPlanes(c)
		edges[c].predictChroma(cur.pix[cur.at(x, y):], cur.stride, best)
	}
	s.chromaMode = best
	s.codeChroma(s.chroma.intra)
}
