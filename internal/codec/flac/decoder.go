package flac

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

var (
	errFormat = errors.New("the sound is not FLAC, or it is damaged")
	errShort  = fmt.Errorf("%w: it ends within a frame", errFormat)
)

// Info is what FLAC says of itself in STREAMINFO.
type Info struct {
	Rate     int
	Channels int
	Bits     int   // of a sample, from 4 to 24
	Frames   int64 // samples of one channel; 0 when it is not known
}

// parseInfo reads STREAMINFO. Only its first 18 bytes are used.
func parseInfo(b []byte) (Info, error) {
	if len(b) < 18 {
		return Info{}, errFormat
	}
	v := binary.BigEndian.Uint64(b[10:])
	i := Info{Rate: int(v >> 44), Channels: int(v>>41&7) + 1, Bits: int(v>>36&31) + 1, Frames: int64(v & (1<<36 - 1))}
	if i.Rate == 0 || i.Bits < 4 || i.Bits > 24 {
		return i, fmt.Errorf("FLAC of %d bits at %d Hz is not supported", i.Bits, i.Rate)
	}
	return i, nil
}

// A Decoder reads frames of FLAC (RFC 9639) of any encoder.
type Decoder struct {
	Info
	// Unchecked leaves out the check sums of frames, for a caller that knows by
	// other means that the data is intact.
	Unchecked bool
	planes    [pcm.MaxChannels][]int32
}

// NewDecoder takes STREAMINFO.
func NewDecoder(info []byte) (*Decoder, error) {
	i, err := parseInfo(info)
	if err != nil {
		return nil, err
	}
	return &Decoder{Info: i}, nil
}

// Decode appends the interleaved samples of the one frame that a packet holds,
// in 16 bits whatever they had.
func (d *Decoder) Decode(dst []int16, packet []byte) ([]int16, error) {
	n, _, err := d.frame(packet)
	if err != nil {
		return dst, err
	}
	return d.interleaved(dst, n), nil
}

// interleaved appends the planes.
func (d *Decoder) interleaved(dst []int16, n int) []int16 {
	for i := range n {
		for _, plane := range d.planes[:d.Channels] {
			v := plane[i]
			if d.Bits > 16 {
				v >>= d.Bits - 16
			} else {
				v <<= 16 - d.Bits
			}
			dst = append(dst, int16(v))
		}
	}
	return dst
}

// frame decodes the frame that buf begins with into the planes. It says how many
// samples each has and how many bytes the frame takes.
func (d *Decoder) frame(buf []byte) (n, used int, err error) {
	r := &bitReader{buf: buf}
	n, mode, err := d.header(r)
	if err != nil {
		return 0, 0, r.classify(err)
	}
	for c := range d.Channels {
		side := c == 0 && mode == rightSide || c == 1 && (mode == leftSide || mode == middleSide)
		if cap(d.planes[c]) < n {
			d.planes[c] = make([]int32, n)
		}
		d.planes[c] = d.planes[c][:n]
		if !r.subframe(d.planes[c], d.Bits+extraBit(side)) || r.failed {
			return 0, 0, r.classify(errFormat)
		}
	}
	end := (r.pos + 7) / 8
	if end+2 > len(buf) {
		return 0, 0, errShort
	}
	if !d.Unchecked && crc16(buf[:end]) != binary.BigEndian.Uint16(buf[end:]) {
		return 0, 0, errFormat
	}
	d.join(mode)
	return n, end + 2, nil
}

// classify distinguishes a frame that was cut off from a damaged one.
func (r *bitReader) classify(err error) error {
	if r.failed {
		return errShort
	}
	return err
}

// join restores two channels from one of them and their difference.
func (d *Decoder) join(mode int) {
	if mode < leftSide {
		return
	}
	a, b := d.planes[0], d.planes[1]
	for i, x := range a {
		y := b[i]
		switch mode {
		case leftSide:
			b[i] = x - y
		case rightSide:
			a[i] = x + y
		case middleSide:
			sum := x<<1 | y&1
			a[i], b[i] = (sum+y)>>1, (sum-y)>>1
		}
	}
}

// flacDepths are the depths that a frame's header names; 0 is that of the stream.
var flacDepths = [8]int{0, 8, 12, -1, 16, 20, 24, 32}

// header reads how many samples follow and how the channels are mixed.
func (d *Decoder) header(r *bitReader) (n, mode int, err error) {
	if r.bits(15) != 0xfff8>>1 {
		return 0, 0, errFormat
	}
	r.bits(1) // whether blocks differ in length; each states its own
	size, rate := r.bits(4), r.bits(4)
	mode = int(r.bits(4))
	depth := flacDepths[r.bits(3)]
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
	channels := mode + 1
	if mode >= leftSide {
		channels = 2
	}
	if n == 0 || channels != d.Channels || mode > middleSide || rate == 15 || depth != 0 && depth != d.Bits || r.failed {
		return 0, 0, errFormat
	}
	return n, mode, nil
}
