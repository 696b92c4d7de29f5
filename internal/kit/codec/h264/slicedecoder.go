package h264

import (
	"context"
	"fmt"
)

// sliceDecoder reads one slice into its rows of the picture.
type sliceDecoder struct {
	f      *frame
	header *sliceHeader
	last   int // where the next slice begins
	r      bitReader

	qp         int
	luma       *quantizer
	chroma     *quantizer
	place      neighbours
	mb         *macroblock
	chromaMode int
	residue    mbResidue
	buf        [256]byte
}

// decode returns slice_data of 7.3.4. It looks at the context with every row.
func (s *sliceDecoder) decode(ctx context.Context) error {
	i := s.header.first
	if err := ctx.Err(); err != nil {
		return err
	}
	s.setQP(s.header.qp)
	for {
		if s.header.kind == sliceP {
			run := int(s.r.ue())
			if run > s.last-i {
				return errSyntax
			}
			for range run {
				if i%s.f.mbWidth == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				s.begin(i)
				s.mb.kind = mbSkip
				s.mb.vector = s.place.skipVector()
				s.predictInter()
				i++
			}
			if run > 0 && !s.r.more() {
				break
			}
		}
		if i >= s.last {
			return errSyntax
		}
		if i%s.f.mbWidth == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.begin(i)
		if err := s.macroblock(); err != nil {
			return err
		}
		if s.r.fail != nil {
			return s.r.fail
		}
		i++
		if !s.r.more() {
			break
		}
	}
	if s.r.fail != nil {
		return s.r.fail
	}
	if i != s.last {
		return errTruncated
	}
	return nil
}

func (s *sliceDecoder) setQP(qp int) {
	s.qp, s.luma, s.chroma = qp, &quantizers[qp], &quantizers[chromaQP[qp]]
}

func (s *sliceDecoder) begin(i int) {
	s.place = s.f.place(i, s.header.first)
	s.mb = &s.f.mbs[i]
	*s.mb = macroblock{qp: uint8(s.qp)}
	for k := range s.mb.modes {
		s.mb.modes[k] = dc4
	}
}

// macroblock returns macroblock_layer of 7.3.5.
func (s *sliceDecoder) macroblock() error {
	s.residue = mbResidue{}
	kind := s.r.ue()
	if s.header.kind == sliceP {
		if kind == 0 {
			return s.inter()
		}
		if kind < 5 {
			return fmt.Errorf("h264: partitions smaller than a macroblock are not decoded here")
		}
		kind -= 5
	}
	switch {
	case kind == 0:
		return s.intra4()
	case kind <= 24:
		return s.intra16(int(kind) - 1)
	}
	return fmt.Errorf("h264: macroblocks of type %d are not decoded here", kind)
}

func (s *sliceDecoder) inter() error {
	p := s.place.predictVector()
	x, y := int(p.x)+s.r.se(), int(p.y)+s.r.se()
	if x < -8192 || x > 8191 || y < -8192 || y > 8191 {
		return errSyntax
	}
	s.mb.kind, s.mb.vector = mbInter, vector{int16(x), int16(y)}
	code := s.r.ue()
	if code > 47 {
		return errSyntax
	}
	s.residue.pattern = patternInter[code]
	if err := s.readResidue(); err != nil {
		return err
	}
	s.predictInter()
	for i := range 16 {
		s.addLuma(i)
	}
	s.addChroma()
	return nil
}

// predictInter moves all three planes.
func (s *sliceDecoder) predictInter() {
	x, y := s.place.x, s.place.y
	pix, stride := s.f.ref.luma(&s.buf, 16*x, 16*y, s.mb.vector)
	cur := s.f.cur
	copyBlock(cur.y.pix[cur.y.at(16*x, 16*y):], cur.y.stride, pix, stride, 16)
	s.f.ref.cb.chroma(cur.cb.pix[cur.cb.at(8*x, 8*y):], cur.cb.stride, 8*x, 8*y, s.mb.vector)
	s.f.ref.cr.chroma(cur.cr.pix[cur.cr.at(8*x, 8*y):], cur.cr.stride, 8*x, 8*y, s.mb.vector)
}

func (s *sliceDecoder) intra4() error {
	s.mb.kind = mbIntra4
	a := &s.place
	for i := range 16 {
		x, y := blockX[i], blockY[i]
		mode := a.predictMode(s.mb, x, y)
		if !s.r.flag() {
			if other := int8(s.r.bits(3)); other < mode {
				mode = other
			} else {
				mode = other + 1
			}
		}
		s.mb.modes[4*y+x] = mode
	}
	s.chromaMode = int(s.r.ue())
	code := s.r.ue()
	if code > 47 {
		return errSyntax
	}
	s.residue.pattern = patternIntra[code]
	if err := s.readResidue(); err != nil {
		return err
	}
	cur := &s.f.cur.y
	var edge edge4
	var mean mean4
	var pred [16]byte
	for i := range 16 {
		bx, by := blockX[i], blockY[i]
		x, y := 16*a.x+4*bx, 16*a.y+4*by
		edge.gatherLuma(cur, a, i)
		mode := int(s.mb.modes[4*by+bx])
		if !edge.allows(mode) {
			return errSyntax
		}
		mean.compute(&edge)
		edge.predict(&pred, mode, &mean)
		copyBlock(cur.pix[cur.at(x, y):], cur.stride, pred[:], 4, 4)
		s.addLuma(i)
	}
	return s.predictChroma()
}

func (s *sliceDecoder) intra16(kind int) error {
	s.mb.kind = mbIntra16
	mode := kind % 4
	s.residue.pattern = uint8(kind/4%3) << 4
	if kind >= 12 {
		s.residue.pattern |= 15
	}
	s.chromaMode = int(s.r.ue())
	if err := s.readResidue(); err != nil {
		return err
	}
	a := &s.place
	cur := &s.f.cur.y
	var edge edge16
	edge.gather(cur, 16*a.x, 16*a.y, 16, a.left != nil, a.top != nil, a.topLeft != nil)
	if !edge.allows16(mode) {
		return errSyntax
	}
	edge.predict16(cur.pix[cur.at(16*a.x, 16*a.y):], cur.stride, mode)
	var dc block
	unscan(&dc, &s.residue.lumaDC)
	s.luma.dequantizeLuma(&dc)
	for i := range 16 {
		var b block
		unscan(&b, &s.residue.luma[i])
		s.luma.dequantize(&b, 1)
		b[0] = dc[4*blockY[i]+blockX[i]]
		b.add(cur.pix[cur.at(16*a.x+4*blockX[i], 16*a.y+4*blockY[i]):], cur.stride)
	}
	return s.predictChroma()
}

// predictChroma predicts the chroma of an intra macroblock and adds to it.
func (s *sliceDecoder) predictChroma() error {
	a := &s.place
	if s.chromaMode > 3 {
		return errSyntax
	}
	for _, cur := range []*plane{&s.f.cur.cb, &s.f.cur.cr} {
		var edge edge16
		edge.gather(cur, 8*a.x, 8*a.y, 8, a.left != nil, a.top != nil, a.topLeft != nil)
		if !edge.allowsChroma(s.chromaMode) {
			return errSyntax
		}
		edge.predictChroma(cur.pix[cur.at(8*a.x, 8*a.y):], cur.stride, s.chromaMode)
	}
	s.addChroma()
	return nil
}
