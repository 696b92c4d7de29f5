package h264

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"sync/atomic"
)

// maxMacroblocks is the largest frame of any level in use (table A-1).
const maxMacroblocks = 36864

// A Decoder reads back what an Encoder wrote. It refuses streams with anything
// else in them, and is not safe for use by several goroutines.
type Decoder struct {
	seq     *sequence
	set     *pictureSet
	frame   *frame
	started bool
}

// NewDecoder takes the parameter sets as NAL units, as avcC holds them.
func NewDecoder(sps, pps []byte) (*Decoder, error) {
	if len(sps) < 4 || len(pps) < 2 || sps[0]&31 != nalSPS || pps[0]&31 != nalPPS {
		return nil, errors.New("h264: these are not parameter sets")
	}
	seq, err := parseSequence(unescape(nil, sps[1:]))
	if err != nil {
		return nil, err
	}
	if seq.mbWidth*seq.mbHeight > maxMacroblocks {
		return nil, fmt.Errorf("h264: a frame of %dx%d is too large", seq.width, seq.height)
	}
	set, err := parsePictureSet(unescape(nil, pps[1:]))
	if err != nil {
		return nil, err
	}
	return &Decoder{seq: seq, set: set, frame: newFrame(seq.mbWidth, seq.mbHeight)}, nil
}

// Size returns that of the frames.
func (d *Decoder) Size() (width, height int) { return d.seq.width, d.seq.height }

// Decode reads one sample: the slices of one frame behind four-byte lengths.
// The frame belongs to the caller; its samples are BT.709 in limited range.
func (d *Decoder) Decode(ctx context.Context, sample []byte) (_ *image.YCbCr, err error) {
	defer recoverPanic(&err)
	slices, err := d.split(sample)
	if err != nil {
		return nil, err
	}
	h := slices[0].header
	if h.kind == sliceP && !d.started {
		return nil, errors.New("h264: the stream does not begin with a key frame")
	}
	d.started = false // until it is whole: what is half written is not a reference for anything
	if h.kind == sliceP {
		d.frame.prepareReference()
	}
	if err := d.decodeSlices(ctx, slices); err != nil {
		return nil, err
	}
	if h.deblock == 0 {
		d.frame.deblock(runtime.GOMAXPROCS(0), h.alpha, h.beta)
	}
	d.frame.cur, d.frame.ref = d.frame.ref, d.frame.cur
	d.frame.ref.interpolated = false
	d.started = true
	return d.frame.ref.image(d.seq.width, d.seq.height), nil
}

// slicePart is one slice of a frame before it is decoded.
type slicePart struct {
	header *sliceHeader
	r      bitReader // behind the header
	last   int       // where the next slice begins
	err    error
}

// decodeSlices decodes the slices of a frame, some at a time: a frame may have
// as many as it has macroblocks. It says what is wrong with the first bad one.
func (d *Decoder) decodeSlices(ctx context.Context, slices []slicePart) error {
	var next atomic.Int64
	work := parts{name: "slices"}
	for range min(runtime.GOMAXPROCS(0), len(slices)) {
		work.start(func() {
			s := &sliceDecoder{f: d.frame}
			for i := next.Add(1) - 1; i < int64(len(slices)); i = next.Add(1) - 1 {
				p := &slices[i]
				s.header, s.r, s.last = p.header, p.r, p.last
				p.err = s.decode(ctx)
			}
		})
	}
	work.wait()
	for _, p := range slices {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// split finds the slices of a frame and checks that they cover it in order.
func (d *Decoder) split(sample []byte) ([]slicePart, error) {
	var out []slicePart
	for len(sample) > 0 {
		u, rest, err := cutUnit(sample)
		if err != nil {
			return nil, err
		}
		sample = rest
		kind := u[0] & 31
		if kind != nalSlice && kind != nalIDR {
			if kind >= nalSEI && kind <= nalEnd && kind != nalSPS && kind != nalPPS {
				continue
			}
			return nil, fmt.Errorf("h264: NAL units of type %d are not decoded here", kind)
		}
		s := slicePart{r: bitReader{buf: payload(u[1:])}, last: d.seq.mbWidth * d.seq.mbHeight}
		if s.header, err = parseSliceHeader(&s.r, kind == nalIDR, u[0]>>5&3, d.seq, d.set); err != nil {
			return nil, err
		}
		h := s.header
		if len(out) == 0 {
			if h.first != 0 {
				return nil, errSyntax
			}
		} else {
			p := &out[len(out)-1]
			if h.first <= p.header.first || h.idr != p.header.idr || h.kind != p.header.kind || h.frameNum != p.header.frameNum {
				return nil, fmt.Errorf("h264: slices out of order or of different kinds are not decoded here")
			}
			if h.deblock != p.header.deblock || h.alpha != p.header.alpha || h.beta != p.header.beta {
				return nil, fmt.Errorf("h264: slices with different filters are not decoded here")
			}
			p.last = h.first
		}
		if h.deblock == 2 {
			return nil, fmt.Errorf("h264: a filter that stops at slices is not decoded here")
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("h264: a sample without a picture")
	}
	return out, nil
}
