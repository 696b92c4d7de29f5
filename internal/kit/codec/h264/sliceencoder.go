package h264

import "math/bits"

// sliceEncoder codes one slice. Everything that it writes outside of itself
// lies in its own rows, so slices run side by side.
type sliceEncoder struct {
	f           *frame
	source      *picture
	first, last int // macroblock addresses

	w       bitWriter
	payload []byte
	skipped uint32 // macroblocks since the last one that was not P_Skip
	inter   bool
	frozen  bool // skip everything
	base    int  // QP of the slice
	qp      int  // of the macroblock at hand
	carried int  // of the last macroblock that said one: QP_Y,PRED of 7.4.5
	lambda  int
	luma    *quantizer
	chroma  *quantizer

	place neighbours
	mb    *macroblock
	src   source16
	edge  edge16
	buf   [2][256]byte
	trial [2][256]byte

	chromaMode int
	residue    mbResidue
}

// mbResidue is the levels of a macroblock in scan order, as they are written.
type mbResidue struct {
	lumaDC   [16]int32 // I_16x16 only
	luma     [16][16]int32
	chromaDC [2][4]int32
	chroma   [2][4][16]int32
	pattern  uint8 // coded_block_pattern
}

// lambdaFor weighs bits against distortion: it doubles every six steps of QP.
func lambdaFor(qp int) int {
	return max(1, [6]int{64, 72, 81, 91, 102, 114}[qp%6]<<(qp/6)>>8)
}

func (s *sliceEncoder) code(h sliceHeader, set *pictureSet) {
	h.first = s.first
	s.frozen = h.qp > 51
	h.qp = min(h.qp, 51)
	s.base, s.carried, s.inter = h.qp, h.qp, h.kind == sliceP
	s.w.reset()
	h.write(&s.w, set)
	s.skipped = 0
	for i := s.first; i < s.last; i++ {
		s.place = s.f.place(i, s.first)
		s.mb = &s.f.mbs[i]
		s.macroblock()
	}
	if s.skipped > 0 {
		s.w.ue(s.skipped)
	}
	s.payload = s.w.finish()
}

// macroblock chooses how to code one macroblock, makes its reconstruction and
// writes it.
func (s *sliceEncoder) macroblock() {
	y := &s.source.y
	pix := y.pix[y.at(16*s.place.x, 16*s.place.y):]
	s.src.load(pix, y.stride)
	s.setQP(min(max(s.base+calmness(pix, y.stride), MinQP), 51))
	before := s.mb.vector // of the same place in the last picture
	// Until it codes something, a macroblock has the QP of the one before.
	*s.mb = macroblock{qp: uint8(s.carried)}
	for i := range s.mb.modes {
		s.mb.modes[i] = dc4
	}
	best := 1 << 30
	var moved motionChoice
	if s.inter {
		if s.skip() {
			s.skipped++
			return
		}
		moved = s.search(before)
		best = moved.cost
		// Where the prediction is this good, intra coding cannot win.
		if best < 24*s.lambda {
			s.codeInter(moved.vector)
			return
		}
	}
	mode, cost := s.bestIntra16()
	if s.inter {
		cost += 4 * s.lambda // of the longer mb_type and the motion lost for neighbours
	}
	limit := min(best, cost)
	if cost < 2*best && s.intra4(limit) {
		s.chooseChroma()
		s.writeIntra4()
		return
	}
	if best <= cost {
		s.codeInter(moved.vector)
		return
	}
	s.codeIntra16(mode)
}

func (s *sliceEncoder) setQP(qp int) {
	s.qp, s.lambda = qp, lambdaFor(qp)
	s.luma, s.chroma = &quantizers[qp], &quantizers[chromaQP[qp]]
}

// calmness returns how much finer or coarser than the average a macroblock is
// coded. In skies and gradients the eye sees steps that it would never find in
// grass, and there bits are cheap.
func calmness(pix []byte, stride int) int {
	var sum, squares uint32
	for y := range 16 {
		for _, v := range pix[y*stride : y*stride+16 : y*stride+16] {
			sum += uint32(v)
			squares += uint32(v) * uint32(v)
		}
	}
	variance := (squares - uint32(uint64(sum)*uint64(sum)>>8)) >> 8
	return min(bits.Len32(variance)/2-4, 1)
}
