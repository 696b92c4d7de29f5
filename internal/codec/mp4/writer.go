package mp4

import (
	"errors"
	"fmt"
	"io"
)

// Names of formats.
const (
	MP4 = "mp4"
	MOV = "mov"
)

// Video describes the H.264 track.
type Video struct {
	Width, Height int
	Num, Den      int // frames a second
	SPS, PPS      []byte
}

// Codecs of sound.
const (
	FLAC = "fLaC"
	PCM  = "sowt" // 16 bits, little endian; MOV only
	AAC  = "mp4a"
)

// Audio describes the audio track.
type Audio struct {
	Codec    string
	Rate     int
	Channels int
	// Config is STREAMINFO for FLAC and AudioSpecificConfig for AAC.
	Config []byte
	// Skip is how many samples at the beginning are not to be heard, as AAC
	// encoders need them.
	Skip int
}

// Options says what the file will hold.
type Options struct {
	Format  string // MP4 or MOV
	Video   Video
	Audio   *Audio
	Tool    string // what made the clip
	Comment string
}

// Spool holds sample data until the index is known. A temporary *os.File is
// one.
type Spool interface {
	io.Writer
	io.ReaderAt
}

// A Writer collects samples in their order in the file, and writes the file at
// the end.
type Writer struct {
	opts  Options
	spool Spool
	size  int64
	video table
	audio table
	last  *table // whose chunk is open
	done  bool
}

// table is the index of one track.
type table struct {
	sizes  []uint32
	keys   []uint32 // numbers of sync samples, from one
	times  []uint32 // duration of each sample, audio only
	chunks []chunk
	total  uint64 // in the track's timescale
}

type chunk struct {
	offset  int64
	samples uint32
	ticks   uint64
}

// NewWriter checks the options.
func NewWriter(spool Spool, o Options) (*Writer, error) {
	if o.Format == "" {
		o.Format = MP4
	}
	v := o.Video
	switch {
	case o.Format != MP4 && o.Format != MOV:
		return nil, fmt.Errorf("mp4: unknown format %q", o.Format)
	case v.Width < 1 || v.Height < 1 || v.Width > 65535 || v.Height > 65535:
		return nil, fmt.Errorf("mp4: a size of %dx%d", v.Width, v.Height)
	case v.Num < 1 || v.Den < 1 || v.Num > 1<<20 || v.Den > 1<<20:
		return nil, fmt.Errorf("mp4: a frame rate of %d/%d", v.Num, v.Den)
	case len(v.SPS) < 4 || len(v.PPS) == 0 || len(v.SPS) > 65535 || len(v.PPS) > 65535:
		return nil, errors.New("mp4: parameter sets are missing")
	}
	if a := o.Audio; a != nil {
		switch {
		case a.Rate < 1 || a.Rate > 655350 || a.Channels < 1 || a.Channels > 8:
			return nil, fmt.Errorf("mp4: sound of %d Hz with %d channels", a.Rate, a.Channels)
		case a.Codec == PCM && o.Format != MOV:
			return nil, errors.New("mp4: PCM belongs into MOV")
		case a.Codec != FLAC && a.Codec != PCM && a.Codec != AAC:
			return nil, fmt.Errorf("mp4: unknown audio codec %q", a.Codec)
		}
	}
	return &Writer{opts: o, spool: spool}, nil
}

// AddVideo appends a frame: NAL units behind four bytes of length.
func (w *Writer) AddVideo(data []byte, key bool) error {
	_, delta := w.videoScale()
	if key {
		w.video.keys = append(w.video.keys, uint32(len(w.video.sizes)+1))
	}
	return w.add(&w.video, data, delta)
}

// AddAudio appends a packet of so many samples a channel.
func (w *Writer) AddAudio(data []byte, samples int) error {
	if w.opts.Audio == nil {
		return errors.New("mp4: the file has no audio track")
	}
	w.audio.times = append(w.audio.times, uint32(samples))
	return w.add(&w.audio, data, uint32(samples))
}

func (w *Writer) add(t *table, data []byte, ticks uint32) error {
	if w.done {
		return errors.New("mp4: the file is already written")
	}
	if _, err := w.spool.Write(data); err != nil {
		return fmt.Errorf("mp4: spool: %w", err)
	}
	// A chunk ends where the other track begins, and after half a megabyte.
	if w.last != t || w.size-t.chunks[len(t.chunks)-1].offset > 1<<19 {
		t.chunks = append(t.chunks, chunk{offset: w.size})
		w.last = t
	}
	c := &t.chunks[len(t.chunks)-1]
	c.samples++
	c.ticks += uint64(ticks)
	t.sizes = append(t.sizes, uint32(len(data)))
	t.total += uint64(ticks)
	w.size += int64(len(data))
	return nil
}

// Length returns how long the file will be.
func (w *Writer) Length() int64 { return int64(len(w.head(0))) + w.size }

// WriteTo writes the file: type, index, data.
func (w *Writer) WriteTo(to io.Writer) (int64, error) {
	if len(w.video.sizes) == 0 {
		return 0, errors.New("mp4: the clip has no frames")
	}
	w.done = true
	head := w.head(0)
	// The offsets do not change the length of the index, so the second time it
	// is right. Wide offsets are chosen by the spool's size, not by the sum.
	head = w.head(int64(len(head)))
	n, err := to.Write(head)
	if err != nil {
		return int64(n), err
	}
	m, err := io.Copy(to, io.NewSectionReader(w.spool, 0, w.size))
	if err == nil && m != w.size {
		err = io.ErrUnexpectedEOF
	}
	return int64(n) + m, err
}

// videoScale returns the timescale and the duration of a frame in it.
func (w *Writer) videoScale() (scale, delta uint32) {
	if w.opts.Video.Num < 1000 {
		// Fine enough for players that round to the movie's clock.
		return uint32(w.opts.Video.Num) * 512, uint32(w.opts.Video.Den) * 512
	}
	return uint32(w.opts.Video.Num), uint32(w.opts.Video.Den)
}
