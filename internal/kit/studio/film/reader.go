package film

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// A Reader reads the frames of a clip one by one. It is not safe for use by
// several goroutines, and must be closed.
type Reader struct {
	Facts
	Engine  Engine
	refusal error // why the frames are not read; the facts are known nevertheless
	next    func() (*Samples, error)
	close   func()
}

// Open begins to read the clip at path.
func Open(ctx context.Context, path string, engine Engine) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("film: %w", err)
	}
	info, probed := mp4.Probe(f, st.Size())
	if errors.Is(probed, mp4.ErrOverlap) { // no engine reads it
		f.Close()
		return nil, fmt.Errorf("film: this clip cannot be read: %w", mp4.ErrOverlap)
	}
	r := &Reader{Engine: engine.resolve()}
	switch r.Engine {
	case BuiltIn:
		if err = r.openBuiltIn(ctx, f, info, probed); err != nil {
			f.Close()
		}
		r.close = func() { f.Close() }
	case FFmpeg:
		f.Close()
		err = r.openFFmpeg(ctx, path, info, probed)
	default:
		f.Close()
		err = fmt.Errorf("film: there is no engine %q", engine)
	}
	if err != nil {
		return nil, err
	}
	r.refusal = r.Facts.check(st.Size())
	return r, nil
}

// Next returns the next frame, or io.EOF after the last. It is used again for the
// one after.
func (r *Reader) Next() (*Samples, error) {
	if r.refusal != nil {
		return nil, r.refusal
	}
	return r.next()
}

// Close ends everything that reading has started.
func (r *Reader) Close() { r.close() }

// OpenBuiltIn begins to read a clip of our own, of size bytes. Only its index and the frames
// that are asked for are read.
func OpenBuiltIn(ctx context.Context, file io.ReaderAt, size int64) (*Reader, error) {
	info, probed := mp4.Probe(file, size)
	r := &Reader{Engine: BuiltIn, close: func() {}}
	if err := r.openBuiltIn(ctx, file, info, probed); err != nil {
		return nil, err
	}
	r.refusal = r.Facts.check(size)
	return r, nil
}

// openBuiltIn decodes clips of our own.
func (r *Reader) openBuiltIn(ctx context.Context, f io.ReaderAt, info mp4.Info, probed error) error {
	if probed != nil {
		return fmt.Errorf("film: this clip cannot be read without ffmpeg: %w", probed)
	}
	track := info.Video()
	facts, _, ok := fromIndex(info)
	if !ok {
		return errors.New("film: this clip cannot be read without ffmpeg")
	}
	sps, pps, err := track.ParameterSets()
	if err != nil {
		return fmt.Errorf("film: this clip cannot be read without ffmpeg: %w", err)
	}
	decoder, err := h264.NewDecoder(sps, pps)
	if err != nil {
		return fmt.Errorf("film: this clip cannot be read without ffmpeg: %w", err)
	}
	facts.Width, facts.Height = decoder.Size()
	facts.Frames = track.Len()
	r.Facts = facts
	var buf []byte
	i := 0
	r.next = func() (*Samples, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == track.Len() {
			return nil, io.EOF
		}
		if buf, err = track.Read(f, i, buf); err != nil {
			return nil, err
		}
		samples, err := decoder.Decode(ctx, buf)
		if err != nil {
			return nil, fmt.Errorf("film: frame %d: %w", i, err)
		}
		i++
		return &Samples{samples}, nil
	}
	return nil
}

// openFFmpeg decodes anything. YUV4MPEG says the size before the first frame,
// so no other program has to be asked for it.
func (r *Reader) openFFmpeg(ctx context.Context, path string, info mp4.Info, probed error) error {
	from, err := input(path)
	if err != nil {
		return err
	}
	known := false
	if probed == nil {
		r.Facts, _, known = fromIndex(info)
	}
	if !known {
		if r.Facts, err = probeFFmpeg(ctx, from); err != nil {
			return err
		}
	}
	run, stop := context.WithCancel(ctx)
	cmd := command(run, append(from, "-map", "0:v:0", "-an", "-sn", "-r", fmt.Sprintf("%d/%d", r.FPS, r.Den),
		"-frames:v", strconv.Itoa(r.Frames+r.FPS/r.Den+1), // clips are sometimes a little longer than they say
		"-vf", "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic+accurate_rnd", "-pix_fmt", "yuv420p", "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1")...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return fmt.Errorf("film: %w", err)
	}
	d := &decoding{ctx: ctx, cmd: cmd, in: bufio.NewReaderSize(out, 1<<16), stop: stop}
	if err := d.header(&r.Facts); err != nil {
		d.close()
		return err
	}
	r.next, r.close = d.next, d.close
	return nil
}

// decoding is an ffmpeg that writes frames into a pipe.
type decoding struct {
	ctx    context.Context
	cmd    *exec.Cmd
	in     *bufio.Reader
	stop   context.CancelFunc
	closed bool
	frame  *Samples
}

// header reads the first line: YUV4MPEG2 W768 H432 F24:1 ….
func (d *decoding) header(f *Facts) error {
	line, err := d.line()
	if err != nil {
		return d.ended(err)
	}
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "YUV4MPEG2" {
		return errors.New("film: ffmpeg's frames cannot be read")
	}
	f.Width, f.Height = 0, 0
	for _, w := range words[1:] {
		switch w[0] {
		case 'W':
			fmt.Sscanf(w, "W%d", &f.Width)
		case 'H':
			fmt.Sscanf(w, "H%d", &f.Height)
		}
	}
	if f.Width < 1 || f.Height < 1 || f.Width > 16384 || f.Height > 16384 {
		return fmt.Errorf("film: ffmpeg's frames are %dx%d", f.Width, f.Height)
	}
	d.frame = NewSamples(f.Width, f.Height)
	return nil
}

// line reads one short line.
func (d *decoding) line() (string, error) {
	b, err := d.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		err = errors.New("film: ffmpeg's frames cannot be read")
	}
	return string(b), err
}

func (d *decoding) next() (*Samples, error) {
	line, err := d.line()
	if err != nil {
		return nil, d.ended(err)
	}
	if !strings.HasPrefix(line, "FRAME") {
		return nil, errors.New("film: ffmpeg's frames cannot be read")
	}
	for _, plane := range [][]byte{d.frame.Y, d.frame.Cb, d.frame.Cr} {
		if _, err := io.ReadFull(d.in, plane); err != nil {
			return nil, d.ended(io.ErrUnexpectedEOF)
		}
	}
	return d.frame, nil
}

// ended returns why there are no more frames: the end of the clip, a cancelled
// context, or a failure of ffmpeg.
func (d *decoding) ended(err error) error {
	if d.closed {
		return io.EOF
	}
	d.closed = true
	d.stop()
	werr := d.cmd.Wait()
	switch {
	case d.ctx.Err() != nil:
		return d.ctx.Err()
	case err == io.EOF && d.frame != nil:
		return io.EOF
	case werr != nil && len(stderrOf(d.cmd)) > 0:
		return failure(d.cmd, werr)
	case err == io.EOF:
		return errors.New("film: there are no pictures in this file")
	}
	return fmt.Errorf("film: ffmpeg's frames: %w", err)
}

func (d *decoding) close() {
	d.stop()
	if !d.closed {
		d.closed = true
		_ = d.cmd.Wait() // it was killed
	}
}
