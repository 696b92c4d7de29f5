package h264

import (
	"errors"
	"fmt"
	"image"
	"runtime"
)

// MinQP is the lowest QP. Below it the levels of a worst case block do not fit
// into the codes of this profile.
const MinQP = 10

// Options says what to encode. Zero values other than the size and the rate
// mean the defaults.
type Options struct {
	Width, Height int  // even
	Rate          Rate // frames a second
	QP            int  // quality: MinQP is near lossless, 51 is very coarse; 20 if zero
	KeyInterval   int  // frames from one key frame to the next; two seconds if zero

	// MaxBytes and Frames bound a clip whose length is known: QP rises as far
	// as it must for Frames frames to fit into MaxBytes.
	MaxBytes int64
	Frames   int
}

// Frame is one coded picture.
type Frame struct {
	Data []byte // NAL units, each behind four bytes of length
	Key  bool   // decoding can begin here
	QP   int
}

// An Encoder turns pictures into a stream. It is not safe for use by several
// goroutines; it starts its own.
type Encoder struct {
	opts     Options
	seq      sequence
	set      pictureSet
	sps, pps []byte
	source   *picture
	frame    *frame
	slices   []*sliceEncoder
	budget   budget
	frameNum int
	sinceKey int
	idrID    int
	started  bool
	data     []byte
}

// NewEncoder checks the options and allocates everything that encoding needs.
func NewEncoder(o Options) (*Encoder, error) {
	if o.Width < 2 || o.Height < 2 || o.Width%2 != 0 || o.Height%2 != 0 {
		return nil, fmt.Errorf("h264: the size must be even, not %dx%d", o.Width, o.Height)
	}
	if o.Rate.Num < 1 || o.Rate.Den < 1 || o.Rate.Num > 1<<30 || o.Rate.Den > 1<<30 {
		return nil, errors.New("h264: the frame rate must be positive")
	}
	if o.QP == 0 {
		o.QP = 20
	}
	if o.QP < MinQP || o.QP > 51 {
		return nil, fmt.Errorf("h264: QP must lie between %d and 51", MinQP)
	}
	if o.KeyInterval == 0 {
		o.KeyInterval = max(1, 2*o.Rate.Num/o.Rate.Den)
	}
	wide, high := (o.Width+15)/16, (o.Height+15)/16
	level := levelFor(wide, high, o.Rate)
	if level == 0 {
		return nil, fmt.Errorf("h264: %dx%d at %d/%d frames a second exceeds every level", o.Width, o.Height, o.Rate.Num, o.Rate.Den)
	}
	e := &Encoder{opts: o}
	e.seq = sequence{level: level, mbWidth: wide, mbHeight: high, width: o.Width, height: o.Height, rate: o.Rate}
	e.set = pictureSet{initQP: 26, deblockControl: true}
	var w bitWriter
	e.sps, e.pps = e.seq.write(&w), e.set.write(&w)
	e.source = newPicture(wide, high, false)
	e.frame = newFrame(wide, high)
	// About eight rows a slice: enough for a handful of processors, and few
	// enough that what prediction loses at the cuts is below a percent.
	n := min(max(high/8, 1), 8)
	for k := range n {
		e.slices = append(e.slices, &sliceEncoder{f: e.frame, source: e.source, first: k * high / n * wide, last: (k + 1) * high / n * wide})
	}
	e.budget = newBudget(o)
	return e, nil
}

// SPS and PPS are the parameter sets as NAL units, for avcC.
func (e *Encoder) SPS() []byte { return e.sps }

// PPS returns the picture parameter set.
func (e *Encoder) PPS() []byte { return e.pps }

// Encode codes one picture of the size of the stream. Alpha lies on black.
func (e *Encoder) Encode(img image.Image, forceKey bool) (_ Frame, err error) {
	defer recoverPanic(&err)
	if s := img.Bounds().Size(); s.X != e.opts.Width || s.Y != e.opts.Height {
		return Frame{}, fmt.Errorf("h264: a frame of %dx%d in a stream of %dx%d", s.X, s.Y, e.opts.Width, e.opts.Height)
	}
	parallel(runtime.GOMAXPROCS(0), e.opts.Height/2, func(from, to int) { e.source.load(img, 2*from, 2*to) })
	e.finishSource()
	return e.encode(forceKey), nil
}

// EncodeYCbCr codes a picture whose samples are as the stream has them: 4:2:0,
// BT.709, limited range. A JPEG's samples are not; pass those to Encode.
func (e *Encoder) EncodeYCbCr(img *image.YCbCr, forceKey bool) (_ Frame, err error) {
	defer recoverPanic(&err)
	s := img.Bounds().Size()
	if s.X != e.opts.Width || s.Y != e.opts.Height || img.SubsampleRatio != image.YCbCrSubsampleRatio420 || img.Rect.Min != (image.Point{}) {
		return Frame{}, fmt.Errorf("h264: a frame of %dx%d and %v in a stream of %dx%d in 4:2:0", s.X, s.Y, img.SubsampleRatio, e.opts.Width, e.opts.Height)
	}
	e.source.y.fill(img.Y, img.YStride, s.X, s.Y)
	e.source.cb.fill(img.Cb, img.CStride, s.X/2, s.Y/2)
	e.source.cr.fill(img.Cr, img.CStride, s.X/2, s.Y/2)
	return e.encode(forceKey), nil
}

func (e *Encoder) finishSource() {
	e.source.y.finishRows(e.opts.Height)
	e.source.cb.finishRows(e.opts.Height / 2)
	e.source.cr.finishRows(e.opts.Height / 2)
}

// encode codes the source, again with a higher QP while the frame is larger
// than the budget allows.
func (e *Encoder) encode(forceKey bool) Frame {
	key := forceKey || !e.started || e.sinceKey >= e.opts.KeyInterval
	h := sliceHeader{kind: sliceP, refIDC: 2, frameNum: e.frameNum}
	if key {
		h = sliceHeader{kind: sliceI, refIDC: 3, idr: true, idrID: e.idrID}
	} else {
		e.frame.prepareReference()
	}
	h.qp = e.budget.choose(key)
	for {
		e.pass(h)
		next, again := e.budget.shouldRetry(key, h.qp, len(e.data))
		if !again {
			break
		}
		h.qp = next
	}
	e.budget.spend(key, h.qp, len(e.data))
	e.frame.cur, e.frame.ref = e.frame.ref, e.frame.cur
	e.frame.ref.interpolated = false
	e.started = true
	if key {
		e.frameNum, e.sinceKey, e.idrID = 0, 0, e.idrID^1
	}
	e.frameNum = (e.frameNum + 1) % (1 << frameNumBits)
	e.sinceKey++
	return Frame{Data: append([]byte(nil), e.data...), Key: key, QP: min(h.qp, 51)}
}

// pass codes the source once into data and the current picture.
func (e *Encoder) pass(h sliceHeader) {
	work := parts{name: "slices"}
	for _, s := range e.slices {
		work.start(func() { s.code(h, &e.set) })
	}
	work.wait()
	e.frame.deblock(runtime.GOMAXPROCS(0), h.alpha, h.beta)
	e.data = e.data[:0]
	kind := byte(nalSlice)
	if h.idr {
		kind = nalIDR
	}
	for _, s := range e.slices {
		e.data = appendSample(e.data, h.refIDC, kind, s.payload)
	}
}

// prepareReference gives the reference its border and the planes between its
// samples, once.
func (f *frame) prepareReference() {
	r := f.ref
	if r.interpolated {
		return
	}
	r.interpolated = true
	workers := runtime.GOMAXPROCS(0)
	parallel(workers, f.mbHeight, func(from, to int) {
		r.y.extend(16*from, 16*to)
		r.cb.extend(8*from, 8*to)
		r.cr.extend(8*from, 8*to)
	})
	parallel(workers, f.mbHeight, func(from, to int) { r.interpolate(16*from, 16*to) })
}

// parallel cuts n things into bands, one a worker.
func parallel(workers, n int, do func(from, to int)) {
	workers = min(max(workers, 1), n)
	if workers == 1 {
		do(0, n)
		return
	}
	work := parts{name: "bands"}
	for k := range workers {
		work.start(func() { do(k*n/workers, (k+1)*n/workers) })
	}
	work.wait()
}
