package h264

import (
	"errors"
	"math/bits"
)

var (
	errTruncated = errors.New("h264: the data ends too early")
	errSyntax    = errors.New("h264: the data is not a valid stream")
)

// bitReader reads an unescaped payload. Past the end it reads zeros and
// remembers that it did, so that callers check once for many reads.
type bitReader struct {
	buf  []byte
	pos  int // in bits
	fail error
}

// peek shows the next 32 bits.
func (r *bitReader) peek() uint32 {
	i := r.pos >> 3
	var x uint64
	if i+8 <= len(r.buf) {
		b := r.buf[i : i+8 : i+8]
		x = uint64(b[0])<<56 | uint64(b[1])<<48 | uint64(b[2])<<40 | uint64(b[3])<<32 | uint64(b[4])<<24
	} else {
		for k := range 5 {
			x <<= 8
			if i+k < len(r.buf) {
				x |= uint64(r.buf[i+k])
			}
		}
		x <<= 24
	}
	return uint32(x << (r.pos & 7) >> 32)
}

func (r *bitReader) skip(n int) {
	r.pos += n
	if r.pos > len(r.buf)*8 {
		r.pos = len(r.buf) * 8
		if r.fail == nil {
			r.fail = errTruncated
		}
	}
}

// bits reads n bits, at most 32.
func (r *bitReader) bits(n int) uint32 {
	if n == 0 {
		return 0
	}
	v := r.peek() >> (32 - n)
	r.skip(n)
	return v
}

func (r *bitReader) flag() bool { return r.bits(1) == 1 }

func (r *bitReader) ue() uint32 {
	x := r.peek()
	zeros := bits.LeadingZeros32(x)
	if zeros > 15 {
		if zeros > 31 {
			r.setError()
			return 0
		}
		r.skip(zeros)
		return r.bits(zeros+1) - 1
	}
	n := 2*zeros + 1
	r.skip(n)
	return x>>(32-n) - 1
}

func (r *bitReader) se() int {
	v := int(r.ue())
	if v&1 == 1 {
		return (v + 1) / 2
	}
	return -v / 2
}

func (r *bitReader) setError() {
	if r.fail == nil {
		r.fail = errSyntax
	}
}

// more reports whether macroblocks follow: more_rbsp_data of 7.2. It is asked for
// every macroblock, so the zeros behind the payload must be gone: see payload.
func (r *bitReader) more() bool {
	end := len(r.buf)
	if end == 0 || r.fail != nil {
		return false
	}
	return r.pos < end*8-1-bits.TrailingZeros8(r.buf[end-1])
}
