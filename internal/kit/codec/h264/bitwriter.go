package h264

import "math/bits"

// bitWriter collects bits, first bit highest, as clause 7.2 reads them.
type bitWriter struct {
	buf  []byte
	acc  uint64
	used uint // bits in acc that are not in buf yet, below 32 between calls
}

func (w *bitWriter) reset() { w.buf, w.acc, w.used = w.buf[:0], 0, 0 }

// put appends the low n bits of v; n is at most 32.
func (w *bitWriter) put(v uint32, n uint) {
	w.acc = w.acc<<n | uint64(v)
	w.used += n
	if w.used >= 32 {
		w.used -= 32
		x := uint32(w.acc >> w.used)
		w.buf = append(w.buf, byte(x>>24), byte(x>>16), byte(x>>8), byte(x))
	}
}

func (w *bitWriter) flag(b bool) {
	if b {
		w.put(1, 1)
	} else {
		w.put(0, 1)
	}
}

// ue is the unsigned Exp-Golomb code of 9.1.
func (w *bitWriter) ue(v uint32) {
	n := uint(bits.Len32(v + 1))
	if n > 16 {
		w.put(0, n-1)
		w.put(v+1, n)
		return
	}
	w.put(v+1, 2*n-1)
}

// se is the signed Exp-Golomb code of 9.1.1: 0, 1, -1, 2, -2 and so on.
func (w *bitWriter) se(v int) {
	if v > 0 {
		w.ue(uint32(2*v - 1))
	} else {
		w.ue(uint32(-2 * v))
	}
}

// finish appends rbsp_trailing_bits and returns the payload. The buffer is
// valid until the next reset.
func (w *bitWriter) finish() []byte {
	w.put(1, 1)
	if r := w.used % 8; r != 0 {
		w.put(0, 8-r)
	}
	for w.used > 0 {
		w.used -= 8
		w.buf = append(w.buf, byte(w.acc>>w.used))
	}
	w.acc = 0
	return w.buf
}

// ueLen returns the length of a code, for deciding between modes.
func ueLen(v uint32) int { return 2*bits.Len32(v+1) - 1 }
