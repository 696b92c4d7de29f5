package h264

// A block is sixteen values in raster order.
type block [16]int32

// quantScale and dequantScale are by QP%6 and by the kind of position: both
// coordinates even, both odd, and the rest (8.5.9, and its inverse).
var (
	quantScale   = [6][3]int32{{13107, 5243, 8066}, {11916, 4660, 7490}, {10082, 4194, 6554}, {9362, 3647, 5825}, {8192, 3355, 5243}, {7282, 2893, 4559}}
	dequantScale = [6][3]int32{{10, 16, 13}, {11, 18, 14}, {13, 20, 16}, {14, 23, 18}, {16, 25, 20}, {18, 29, 23}}

	positionKind = [16]uint8{0, 2, 0, 2, 2, 1, 2, 1, 0, 2, 0, 2, 2, 1, 2, 1}
)

// A quantizer holds the factors of one QP spread over the positions.
type quantizer struct {
	mul   [16]int32
	deq   [16]int32
	shift uint  // of the forward direction
	qp    int   // 0 to 51
	intra int32 // rounding offsets: a third for intra, a sixth for inter
	inter int32
}

var quantizers = func() (out [52]quantizer) {
	for qp := range out {
		q := &out[qp]
		q.qp, q.shift = qp, uint(15+qp/6)
		q.intra, q.inter = (1<<q.shift)/3, (1<<q.shift)/6
		for i, k := range positionKind {
			q.mul[i] = quantScale[qp%6][k]
			q.deq[i] = dequantScale[qp%6][k] << (qp / 6)
		}
	}
	return out
}()

// forward is the core transform of a residual.
func (b *block) forward() {
	for i := 0; i < 16; i += 4 {
		r := b[i : i+4 : i+4]
		s03, d03 := r[0]+r[3], r[0]-r[3]
		s12, d12 := r[1]+r[2], r[1]-r[2]
		r[0], r[2] = s03+s12, s03-s12
		r[1], r[3] = 2*d03+d12, d03-2*d12
	}
	for i := range 4 {
		s03, d03 := b[i]+b[i+12], b[i]-b[i+12]
		s12, d12 := b[i+4]+b[i+8], b[i+4]-b[i+8]
		b[i], b[i+8] = s03+s12, s03-s12
		b[i+4], b[i+12] = 2*d03+d12, d03-2*d12
	}
}

// inverse is 8.5.12.2 without the final rounding, which add does.
func (b *block) inverse() {
	for i := 0; i < 16; i += 4 {
		r := b[i : i+4 : i+4]
		e0, e1 := r[0]+r[2], r[0]-r[2]
		e2, e3 := r[1]>>1-r[3], r[1]+r[3]>>1
		r[0], r[3] = e0+e3, e0-e3
		r[1], r[2] = e1+e2, e1-e2
	}
	for i := range 4 {
		e0, e1 := b[i]+b[i+8], b[i]-b[i+8]
		e2, e3 := b[i+4]>>1-b[i+12], b[i+4]+b[i+12]>>1
		b[i], b[i+12] = e0+e3, e0-e3
		b[i+4], b[i+8] = e1+e2, e1-e2
	}
}

// add inverts the block and adds it to the prediction in pix.
func (b *block) add(pix []byte, stride int) {
	if b.onlyDC() {
		dc := (b[0] + 32) >> 6
		if dc == 0 {
			return
		}
		for y := range 4 {
			p := pix[y*stride : y*stride+4 : y*stride+4]
			p[0], p[1], p[2], p[3] = clip(int32(p[0])+dc), clip(int32(p[1])+dc), clip(int32(p[2])+dc), clip(int32(p[3])+dc)
		}
		return
	}
	b.inverse()
	for y := range 4 {
		p := pix[y*stride : y*stride+4 : y*stride+4]
		r := b[4*y : 4*y+4 : 4*y+4]
		p[0] = clip(int32(p[0]) + (r[0]+32)>>6)
		p[1] = clip(int32(p[1]) + (r[1]+32)>>6)
		p[2] = clip(int32(p[2]) + (r[2]+32)>>6)
		p[3] = clip(int32(p[3]) + (r[3]+32)>>6)
	}
}

func (b *block) onlyDC() bool {
	return b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7]|b[8]|b[9]|b[10]|b[11]|b[12]|b[13]|b[14]|b[15] == 0
}

// quantize replaces the coefficients from position start of the scan on with
// their levels and says how many are not zero.
func (q *quantizer) quantize(b *block, from int, round int32) int {
	n := 0
	for i := from; i < 16; i++ {
		v := b[i]
		if v < 0 {
			v = (-v*q.mul[i] + round) >> q.shift
			b[i] = -v
		} else {
			v = (v*q.mul[i] + round) >> q.shift
			b[i] = v
		}
		if v != 0 {
			n++
		}
	}
	return n
}

// dequantize replaces levels with coefficients.
func (q *quantizer) dequantize(b *block, from int) {
	for i := from; i < 16; i++ {
		b[i] *= q.deq[i]
	}
}

// hadamard is the second transform of the sixteen luma DC values.
func (b *block) hadamard() {
	for i := 0; i < 16; i += 4 {
		r := b[i : i+4 : i+4]
		a, c := r[0]+r[1], r[0]-r[1]
		d, e := r[2]+r[3], r[2]-r[3]
		r[0], r[1], r[2], r[3] = a+d, a-d, c-e, c+e
	}
	for i := range 4 {
		a, c := b[i]+b[i+4], b[i]-b[i+4]
		d, e := b[i+8]+b[i+12], b[i+8]-b[i+12]
		b[i], b[i+4], b[i+8], b[i+12] = a+d, a-d, c-e, c+e
	}
}

// quantizeDC quantizes the DC values of luma, after the hadamard halved them,
// or those of chroma.
func (q *quantizer) quantizeDC(values []int32, round int32) int {
	n := 0
	for i, v := range values {
		if v < 0 {
			v = int32((int64(-v)*int64(q.mul[0]) + 2*int64(round)) >> (q.shift + 1))
			values[i] = -v
		} else {
			v = int32((int64(v)*int64(q.mul[0]) + 2*int64(round)) >> (q.shift + 1))
			values[i] = v
		}
		if v != 0 {
			n++
		}
	}
	return n
}

// dequantizeLuma is 8.5.10: from levels to the DC of each block.
func (q *quantizer) dequantizeLuma(b *block) {
	b.hadamard()
	for i, v := range b {
		b[i] = (v*q.deq[0] + 2) >> 2
	}
}

// dequantizeChroma is 8.5.11: from the four levels to the DC of each block.
func (q *quantizer) dequantizeChroma(v *[4]int32) {
	hadamard2(v)
	for i := range v {
		v[i] = v[i] * q.deq[0] >> 1
	}
}

func hadamard2(v *[4]int32) {
	a, b, c, d := v[0]+v[1], v[0]-v[1], v[2]+v[3], v[2]-v[3]
	v[0], v[1], v[2], v[3] = a+c, b+d, a-c, b-d
}

func clip(v int32) byte {
	if uint32(v) <= 255 {
		return byte(v)
	}
	return byte(^(v >> 31))
}
