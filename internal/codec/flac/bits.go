package flac

import "math/bits"

// bitWriter is for FLAC: first bit highest.
type bitWriter struct {
	buf  []byte
	acc  uint64
	used uint
}

func (w *bitWriter) reset() { w.buf, w.acc, w.used = w.buf[:0], 0, 0 }

// put appends the low n bits of v; n is at most 32.
func (w *bitWriter) put(v uint32, n uint) {
	w.acc = w.acc<<n | uint64(v)
	for w.used += n; w.used >= 8; {
		w.used -= 8
		w.buf = append(w.buf, byte(w.acc>>w.used))
	}
}

// rice appends a Rice code: the quotient as zeros and a one, then
// the rest in p bits.
func (w *bitWriter) rice(v int32, p uint) {
	u := zigzag(v)
	for q := u >> p; q > 0; {
		n := min(q, 24)
		w.put(0, uint(n))
		q -= n
	}
	w.put(1, 1)
	w.put(u&(1<<p-1), p)
}

// align fills the last byte with zeros and returns all bytes so far.
func (w *bitWriter) align() []byte {
	if w.used > 0 {
		w.put(0, 8-w.used)
	}
	return w.buf
}

// bitReader reads FLAC. Past the end it reads zeros and remembers it.
type bitReader struct {
	buf    []byte
	pos    int
	failed bool
}

// bits reads n bits, at most 32.
func (r *bitReader) bits(n int) uint32 {
	var v uint64
	for left := n; left > 0; {
		i := r.pos >> 3
		if i >= len(r.buf) {
			r.failed = true
			return 0
		}
		have := 8 - r.pos&7
		take := min(have, left)
		v = v<<take | uint64(r.buf[i]>>(have-take)&(1<<take-1))
		r.pos += take
		left -= take
	}
	return uint32(v)
}

func (r *bitReader) signed(n int) int32 {
	if n == 0 {
		return 0
	}
	return int32(r.bits(n)<<(32-n)) >> (32 - n)
}

func (r *bitReader) rice(param int) int32 {
	q := uint32(0)
	for {
		i := r.pos >> 3
		if i >= len(r.buf) {
			r.failed = true
			return 0
		}
		b := r.buf[i] << (r.pos & 7)
		if b != 0 {
			n := bits.LeadingZeros8(b)
			q += uint32(n)
			r.pos += n + 1
			break
		}
		n := 8 - r.pos&7
		q += uint32(n)
		r.pos += n
	}
	u := q<<param | r.bits(param)
	return int32(u>>1) ^ -int32(u&1)
}

// The check sums of FLAC (RFC 9639, 9.1.8 and 9.3).
func crc8(p []byte) (c byte) {
	for _, b := range p {
		c ^= b
		for range 8 {
			c = c<<1 ^ byte(int8(c)>>7)&0x07
		}
	}
	return c
}

var crcTable = func() (t [256]uint16) {
	for i := range t {
		c := uint16(i) << 8
		for range 8 {
			c = c<<1 ^ uint16(int16(c)>>15)&0x8005
		}
		t[i] = c
	}
	return t
}()

func crc16(p []byte) (c uint16) {
	for _, b := range p {
		c = c<<8 ^ crcTable[byte(c>>8)^b]
	}
	return c
}
