package comfyui

import (
	"bufio"
	"errors"
	"io"
)

// subframe decodes one channel of a frame.
func (d *flacDecoder) subframe(out []int64, bits int) error {
	b := &d.bits
	b.read(1)
	kind := int(b.read(6))
	wasted := 0
	if b.read(1) == 1 {
		wasted = 1 + b.unary()
	}
	if wasted >= bits || b.err != nil {
		return errFLAC
	}
	bits -= wasted
	var err error
	switch {
	case kind == 0:
		v := b.signed(bits)
		for i := range out {
			out[i] = v
		}
	case kind == 1:
		for i := range out {
			out[i] = b.signed(bits)
		}
	case kind >= 8 && kind <= 12:
		err = d.predicted(out, bits, fixed[kind-8], 0)
	case kind >= 32:
		err = d.linear(out, bits, kind-31)
	default:
		err = errFLAC
	}
	if wasted > 0 {
		for i := range out {
			out[i] <<= wasted
		}
	}
	return errors.Join(err, b.failed())
}

// fixed are the predictors that need no coefficients of their own.
var fixed = [5][]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}

// linear decodes a channel that brings its own predictor.
func (d *flacDecoder) linear(out []int64, bits, order int) error {
	if order > len(out) {
		return errFLAC
	}
	b := &d.bits
	for i := range order {
		out[i] = b.signed(bits)
	}
	precision := int(b.read(4)) + 1
	shift := int(b.signed(5))
	if precision == 16 || shift < 0 {
		return errFLAC
	}
	weights := make([]int64, order)
	for i := range weights {
		weights[i] = b.signed(precision)
	}
	if err := d.residual(out, order); err != nil {
		return err
	}
	predict(out, weights, uint(shift))
	return nil
}

// predicted decodes a channel with a fixed predictor.
func (d *flacDecoder) predicted(out []int64, bits int, weights []int64, shift uint) error {
	if len(weights) > len(out) {
		return errFLAC
	}
	for i := range weights {
		out[i] = d.bits.signed(bits)
	}
	if err := d.residual(out, len(weights)); err != nil {
		return err
	}
	predict(out, weights, shift)
	return nil
}

// predict adds to each difference what was expected.
func predict(out, weights []int64, shift uint) {
	for i := len(weights); i < len(out); i++ {
		var sum int64
		for j, w := range weights {
			sum += w * out[i-1-j]
		}
		out[i] += sum >> shift
	}
}

// residual reads the differences to what was expected, in partitions that each
// have a width of their own.
func (d *flacDecoder) residual(out []int64, order int) error {
	b := &d.bits
	method := b.read(2)
	parts := 1 << b.read(4)
	if method > 1 || len(out)%parts != 0 || len(out)/parts < order {
		return errFLAC
	}
	wide := 4 + int(method)
	at := order
	for p := range parts {
		end := (p + 1) * (len(out) / parts)
		k := int(b.read(wide))
		if k == 1<<wide-1 { // not packed at all
			k = int(b.read(5))
			for ; at < end; at++ {
				out[at] = b.signed(k)
			}
			continue
		}
		for ; at < end; at++ {
			u := uint64(b.unary())<<k | b.read(k)
			out[at] = int64(u>>1) ^ -int64(u&1)
		}
		if b.err != nil {
			return errFLAC
		}
	}
	return nil
}

// bitReader reads bits, the greatest first. Its first error stays.
type bitReader struct {
	r    *bufio.Reader
	hold uint64
	have int
	err  error
}

// read returns the next n bits, at most 32.
func (b *bitReader) read(n int) uint64 {
	for b.have < n {
		c, err := b.r.ReadByte()
		if err != nil {
			if b.err == nil {
				b.err = err
			}
			return 0
		}
		b.hold, b.have = b.hold<<8|uint64(c), b.have+8
	}
	b.have -= n
	return b.hold >> b.have & (1<<n - 1)
}

// signed returns the next n bits as a number with a sign.
func (b *bitReader) signed(n int) int64 {
	if n == 0 {
		return 0
	}
	return int64(b.read(n)<<(64-n)) >> (64 - n)
}

// unary counts the zeros before the next one.
func (b *bitReader) unary() int {
	n := 0
	for b.read(1) == 0 {
		if n++; b.err != nil || n > 1<<26 {
			b.err = errFLAC
			return 0
		}
	}
	return n
}

// number passes over a number coded as UTF-8 codes letters.
func (b *bitReader) number() {
	first := b.read(8)
	for mask := uint64(0x80); first&mask != 0 && mask > 2; mask >>= 1 {
		if mask != 0x80 {
			b.read(8)
		}
	}
}

func (b *bitReader) align() { b.have -= b.have % 8 }

// end reports whether the stream is over. It is asked between frames.
func (b *bitReader) end() bool {
	if b.have > 0 || b.err != nil {
		return false
	}
	_, err := b.r.Peek(1)
	return errors.Is(err, io.EOF)
}

func (b *bitReader) failed() error {
	if b.err != nil {
		return errFLAC
	}
	return nil
}
