package flac

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// Write writes a clip of one or two channels as a file of FLAC.
func Write(w io.Writer, c *pcm.Sound) error {
	e, err := NewEncoder(c.Rate, c.Channels)
	if err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return fmt.Errorf("write FLAC: %w", err)
	}
	// STREAMINFO stands first and is known last, so the frames wait.
	var frames [][]byte
	for rest, step := c.PCM, Block*c.Channels; len(rest) > 0; {
		n := min(step, len(rest))
		frame, err := e.Encode(rest[:n])
		if err != nil {
			return err
		}
		frames, rest = append(frames, frame), rest[n:]
	}
	head := append([]byte("fLaC\x80\x00\x00\x22"), e.StreamInfo()...)
	for _, part := range append([][]byte{head}, frames...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a file of FLAC of at most maxFrames samples a channel.
func Read(r io.Reader, maxFrames int) (*pcm.Sound, error) {
	f, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	c, err := f.ReadAll(context.Background(), maxFrames)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// ReadBlocks reads a file of FLAC frame by frame, and calls use with each: its samples are
// valid until use returns.
func ReadBlocks(r io.Reader, use func(block *pcm.Sound) error) error {
	f, err := NewReader(r)
	if err != nil {
		return err
	}
	block := &pcm.Sound{Rate: f.Rate, Channels: f.Channels}
	for {
		planes, err := f.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		n := len(planes[0])
		block.PCM = f.interleaved(slices.Grow(block.PCM[:0], n*f.Channels), n)
		if err := use(block); err != nil {
			return err
		}
	}
}

// ReadAll reads the rest of a file. When that is more than maxFrames samples a
// channel, it returns those and pcm.ErrTooLong: a constant takes some bytes for
// 65536 samples in eight channels, so the bytes of a file do not bound them.
func (f *Reader) ReadAll(ctx context.Context, maxFrames int) (*pcm.Sound, error) {
	c := &pcm.Sound{Rate: f.Rate, Channels: f.Channels}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		planes, err := f.Next()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, err
		}
		left := maxFrames - c.Frames()
		if c.PCM = f.interleaved(c.PCM, min(len(planes[0]), left)); len(planes[0]) > left {
			return c, fmt.Errorf("%w: it is longer than %d s", pcm.ErrTooLong, maxFrames/c.Rate)
		}
	}
}

// A Reader reads a file of FLAC frame by frame, without seeking.
type Reader struct {
	Decoder
	r     io.Reader
	buf   []byte // what was read and not yet decoded
	ended bool
}

// How much is read ahead: most frames are shorter than the first, and none is
// longer than the second.
const (
	readAhead = 64 << 10
	mostAhead = 16 << 20
)

// NewReader reads the head of a file, up to its first frame.
func NewReader(r io.Reader) (*Reader, error) {
	f := &Reader{r: r}
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil || string(head) != "fLaC" {
		return nil, errFormat
	}
	for last, first := false, true; !last; first = false {
		if _, err := io.ReadFull(r, head); err != nil {
			return nil, errFormat
		}
		last = head[0]&0x80 != 0
		kind, size := head[0]&0x7f, int64(head[1])<<16|int64(head[2])<<8|int64(head[3])
		if first != (kind == 0) || first && size < 18 {
			return nil, errFormat
		}
		if first {
			info := make([]byte, 18)
			if _, err := io.ReadFull(r, info); err != nil {
				return nil, errFormat
			}
			var err error
			if f.Info, err = parseInfo(info); err != nil {
				return nil, err
			}
			size -= 18
		}
		if _, err := io.CopyN(io.Discard, r, size); err != nil {
			return nil, errFormat
		}
	}
	return f, nil
}

// Next decodes the next frame: one plane of samples a channel, in the depth of
// the file, valid until the next call. After the last it returns io.EOF.
func (f *Reader) Next() ([][]int32, error) {
	for want := readAhead; ; want *= 4 {
		if err := f.fill(want); err != nil {
			return nil, err
		}
		if len(f.buf) == 0 {
			return nil, io.EOF
		}
		n, used, err := f.frame(f.buf)
		if errors.Is(err, errShort) && !f.ended && want < mostAhead {
			continue // a frame longer than what was read
		}
		if err != nil {
			return nil, err
		}
		f.buf = f.buf[used:]
		out := make([][]int32, f.Channels)
		for c := range out {
			out[c] = f.planes[c][:n]
		}
		return out, nil
	}
}

// fill reads until the buffer has so many bytes, or the file ends.
func (f *Reader) fill(want int) error {
	if f.ended || len(f.buf) >= want {
		return nil
	}
	// Twice as much is asked for, so that what is left is seldom moved.
	next := make([]byte, 2*want)
	have := copy(next, f.buf)
	n, err := io.ReadFull(f.r, next[have:])
	f.buf = next[:have+n]
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.ended, err = true, nil
	}
	return err
}
