package flac

import (
	"crypto/md5"
	"encoding/binary"
	"errors"
	"hash"
)

// Block is how many samples a channel a packet holds; only the last one
// may hold fewer.
const Block = 4096

// An Encoder turns 16-bit sound into FLAC frames (RFC 9639), one a packet.
type Encoder struct {
	rate, channels   int
	number           uint64 // of the next frame
	samples          uint64
	smallest, widest int
	short            bool // the last frame has been made
	sum              hash.Hash
	w                bitWriter
	planes           [2][]int32 // the samples of a block a channel
	extra            [2][]int32 // middle and side
	raw              []byte
	buf              []int32
}

// NewEncoder returns a Encoder for one or two channels.
func NewEncoder(rate, channels int) (*Encoder, error) {
	if rate < 1 || rate > 655350 || channels < 1 || channels > 2 {
		return nil, errors.New("FLAC is written for one or two channels of at most 655350 Hz")
	}
	return &Encoder{rate: rate, channels: channels, sum: md5.New()}, nil
}

// Encode makes a packet of interleaved samples: Block a channel, or fewer
// at the end.
func (e *Encoder) Encode(interleaved []int16) ([]byte, error) {
	n := len(interleaved) / e.channels
	if n == 0 || n > Block || len(interleaved)%e.channels != 0 || e.short {
		return nil, errors.New("a FLAC block of the wrong length")
	}
	e.short = n < Block
	e.raw = e.raw[:0]
	for c := range e.channels {
		e.planes[c] = e.planes[c][:0]
	}
	for i, v := range interleaved {
		e.raw = binary.LittleEndian.AppendUint16(e.raw, uint16(v))
		e.planes[i%e.channels] = append(e.planes[i%e.channels], int32(v))
	}
	e.sum.Write(e.raw)

	mode, first, second := e.decorrelate(n)
	e.w.reset()
	e.header(n, mode)
	e.subframe(first, 16+extraBit(mode == rightSide))
	if e.channels == 2 {
		e.subframe(second, 16+extraBit(mode == leftSide || mode == middleSide))
	}
	out := e.w.align()
	out = binary.BigEndian.AppendUint16(out, crc16(out))
	e.number++
	e.samples += uint64(n)
	if e.smallest == 0 || len(out) < e.smallest {
		e.smallest = len(out)
	}
	e.widest = max(e.widest, len(out))
	return append([]byte(nil), out...), nil
}

// Channel assignments (RFC 9639, 9.1.3).
const (
	leftSide   = 8
	rightSide  = 9
	middleSide = 10
)

// extraBit returns the extra bit of a difference of two channels.
func extraBit(side bool) int {
	if side {
		return 1
	}
	return 0
}

// decorrelate chooses what the two subframes hold by the size of second
// differences, which is near to the size of the code.
func (e *Encoder) decorrelate(n int) (mode int, first, second []int32) {
	if e.channels == 1 {
		return 0, e.planes[0], nil
	}
	left, right := e.planes[0], e.planes[1]
	e.extra[0], e.extra[1] = e.extra[0][:0], e.extra[1][:0]
	for i := range n {
		e.extra[0] = append(e.extra[0], (left[i]+right[i])>>1)
		e.extra[1] = append(e.extra[1], left[i]-right[i])
	}
	middle, side := e.extra[0], e.extra[1]
	l, r, m, s := roughness(left), roughness(right), roughness(middle), roughness(side)
	switch best := min(l+r, l+s, r+s, m+s); best {
	case l + r:
		return 1, left, right
	case l + s:
		return leftSide, left, side
	case r + s:
		return rightSide, side, right
	}
	return middleSide, middle, side
}

func roughness(v []int32) (sum uint64) {
	for i := 2; i < len(v); i++ {
		d := v[i] - 2*v[i-1] + v[i-2]
		sum += uint64(max(d, -d))
	}
	return sum
}

// header is the frame header (RFC 9639, 9.1), with the size of the block in
// full when it is not the usual one.
func (e *Encoder) header(n, mode int) {
	w := &e.w
	w.put(0xfff8, 16) // fixed block size
	if n == Block {
		w.put(12, 4)
	} else {
		w.put(7, 4)
	}
	w.put(0, 4) // the rate is in STREAMINFO
	w.put(uint32(mode), 4)
	w.put(4, 3) // 16 bits
	w.put(0, 1)
	e.writeNumber()
	if n != Block {
		w.put(uint32(n-1), 16)
	}
	w.put(uint32(crc8(w.align())), 8)
}

// writeNumber is the frame number in the manner of UTF-8 (9.1.5).
func (e *Encoder) writeNumber() {
	v := e.number
	if v < 0x80 {
		e.w.put(uint32(v), 8)
		return
	}
	more := 1
	for v >= 1<<(6*more+6-more) {
		more++
	}
	e.w.put(uint32(0xff<<(7-more)&0xff|v>>(6*more)), 8)
	for more--; more >= 0; more-- {
		e.w.put(uint32(0x80|v>>(6*more)&0x3f), 8)
	}
}

// StreamInfo returns the metadata block of all that was encoded, which containers and
// files keep.
func (e *Encoder) StreamInfo() []byte {
	out := binary.BigEndian.AppendUint16(nil, Block)
	out = binary.BigEndian.AppendUint16(out, Block)
	out = append(out, byte(e.smallest>>16), byte(e.smallest>>8), byte(e.smallest))
	out = append(out, byte(e.widest>>16), byte(e.widest>>8), byte(e.widest))
	out = binary.BigEndian.AppendUint64(out, uint64(e.rate)<<44|uint64(e.channels-1)<<41|15<<36|e.samples&(1<<36-1))
	return e.sum.Sum(out)
}
