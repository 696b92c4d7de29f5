package mp4

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var errFLAC = errors.New("mp4: the sound is not FLAC as it is read here: 16 bits, one or two channels")

// A FLACDecoder reads packets of FLAC with 16 bits and one or two channels,
// whoever wrote them.
type FLACDecoder struct {
	Rate, Channels int
	subframes      [2][]int32
}

// NewFLACDecoder takes the content of dfLa, as Track.Config has it.
func NewFLACDecoder(config []byte) (*FLACDecoder, error) {
	if len(config) < 8+34 || config[4]&0x7f != 0 {
		return nil, errFLAC
	}
	return newFLACDecoder(config[8:])
}

// newFLACDecoder takes STREAMINFO itself.
func newFLACDecoder(info []byte) (*FLACDecoder, error) {
	v := binary.BigEndian.Uint64(info[10:])
	d := &FLACDecoder{Rate: int(v >> 44), Channels: int(v>>41&7) + 1}
	if d.Channels > 2 || v>>36&31 != 15 || d.Rate == 0 {
		return nil, errFLAC
	}
	return d, nil
}

// Decode appends the interleaved samples of a packet.
func (d *FLACDecoder) Decode(dst []int16, packet []byte) ([]int16, error) {
	dst, _, err := d.frame(dst, packet)
	return dst, err
}

// frame appends the samples of the frame that buf begins with, and says how
// many bytes it takes.
func (d *FLACDecoder) frame(dst []int16, buf []byte) ([]int16, int, error) {
	r := &bitReader{buf: buf}
	n, mode, err := d.header(r)
	if err != nil {
		return dst, 0, err
	}
	for c := range d.Channels {
		side := c == 0 && mode == rightSide || c == 1 && (mode == leftSide || mode == middleSide)
		if cap(d.subframes[c]) < n {
			d.subframes[c] = make([]int32, n)
		}
		d.subframes[c] = d.subframes[c][:n]
		if !r.subframe(d.subframes[c], 16+wider(side)) || r.failed {
			return dst, 0, errFLAC
		}
	}
	end := (r.pos + 7) / 8
	if end+2 > len(buf) || crc16(buf[:end]) != binary.BigEndian.Uint16(buf[end:]) {
		return dst, 0, errFLAC
	}
	return d.mixed(dst, mode), end + 2, nil
}

// mixed appends what the subframes hold.
func (d *FLACDecoder) mixed(dst []int16, mode int) []int16 {
	a, b := d.subframes[0], d.subframes[1]
	if d.Channels == 1 {
		for _, v := range a {
			dst = append(dst, int16(v))
		}
		return dst
	}
	for i, x := range a {
		y := b[i]
		switch mode {
		case leftSide:
			y = x - y
		case rightSide:
			x += y
		case middleSide:
			sum := x<<1 | y&1
			x, y = (sum+y)>>1, (sum-y)>>1
		}
		dst = append(dst, int16(x), int16(y))
	}
	return dst
}

// header reads how many samples follow and how the channels are mixed.
func (d *FLACDecoder) header(r *bitReader) (n, mode int, err error) {
	if r.bits(15) != 0xfff8>>1 {
		return 0, 0, errFLAC
	}
	r.bits(1)
	size, rate := r.bits(4), r.bits(4)
	mode = int(r.bits(4))
	depth := r.bits(3)
	r.bits(1)
	more := bits.LeadingZeros8(^byte(r.bits(8)))
	for i := 1; i < more; i++ {
		r.bits(8)
	}
	switch {
	case size == 1:
		n = 192
	case size >= 2 && size <= 5:
		n = 576 << (size - 2)
	case size == 6:
		n = int(r.bits(8)) + 1
	case size == 7:
		n = int(r.bits(16)) + 1
	case size >= 8:
		n = 256 << (size - 8)
	}
	switch rate {
	case 12:
		r.bits(8)
	case 13, 14:
		r.bits(16)
	}
	r.bits(8) // the check sum of the header; that of the frame covers it
	channels := 2
	if mode == 0 {
		channels = 1
	}
	if n == 0 || channels != d.Channels || mode > middleSide || mode > 1 && mode < leftSide || depth != 4 && depth != 0 || r.failed {
		return 0, 0, errFLAC
	}
	return n, mode, nil
}
