package probe

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"image"
	_ "image/gif" // sizes
	_ "image/jpeg"
	_ "image/png"
	"io"
	"sync"

	_ "golang.org/x/image/webp"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/filetype"
)

// Extent is how large a file is shown and how long it lasts. What it does not have, or is
// not read here, is zero.
type Extent struct {
	Width, Height int
	Seconds       float64
}

// Measure reads the extent of a file: of pictures as they are shown, turned by their EXIF
// orientation. It reads headers only, in constant memory. What is wrong with the content
// of a file wraps ErrUnreadable, also that its headers are spread over too many places.
func Measure(ctx context.Context, f io.ReadSeeker) (x Extent, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return x, err
	}
	file := &seekReader{f: f}
	page := pages.Get().(*[]byte)
	defer pages.Put(page)
	in := &windowReader{ctx: ctx, f: file, buf: (*page)[:0]}
	head := make([]byte, min(size, filetype.HeadSize))
	if _, err := in.ReadAt(head, 0); err != nil && err != io.EOF {
		return x, err
	}
	d := Description{Tags: map[string]any{}}
	switch kind := filetype.Detect(head); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		var c image.Config
		if c, _, err = image.DecodeConfig(bufio.NewReader(io.NewSectionReader(in, 0, size))); err != nil {
			break
		}
		x.Width, x.Height = c.Width, c.Height
		if kind == "image/jpeg" && OrientationOf(in) >= 5 {
			x.Width, x.Height = c.Height, c.Width
		}
	case "video/mp4", "video/quicktime", "audio/mp4":
		var m mp4.Extent
		m, err = mp4.ProbeExtent(in, size)
		x = Extent(m)
	case "video/webm", "video/x-matroska":
		x, err = webm(in, size)
	case "audio/wav":
		err = d.wav(in, size)
	case "audio/flac":
		err = d.flac(in, size)
	case "audio/mpeg":
		err = d.mp3(in, size)
	}
	if failed := cmp.Or(ctx.Err(), file.err); failed != nil { // a parser may take it for the end of the file
		return Extent{}, failed
	}
	if d.Audio != nil {
		x.Seconds = d.Audio.Seconds
	}
	if err != nil {
		return Extent{}, fmt.Errorf("%w: %v", ErrUnreadable, err)
	}
	return x, nil
}

// pages are the buffers of Measure: every completion measures files.
var pages = sync.Pool{New: func() any { b := make([]byte, pageSize); return &b }}

// maxJumps bounds how often Measure reads elsewhere than where it has read last: from an object
// storage each is a request. A clip with ten tracks and a long index has some sixty.
const maxJumps = 128

// seekReader reads at offsets of a file that seeks.
type seekReader struct {
	f     io.ReadSeeker
	at    int64 // where the last read ended
	jumps int
	err   error // the first one of the file itself
}

// ReadAt implements io.ReaderAt for one caller at a time.
func (s *seekReader) ReadAt(b []byte, off int64) (n int, err error) {
	if off != s.at {
		if s.jumps++; s.jumps > maxJumps {
			return 0, fmt.Errorf("more than %d parts are scattered over the file", maxJumps)
		}
	}
	if _, err = s.f.Seek(off, io.SeekStart); err == nil {
		n, err = io.ReadFull(s.f, b)
	}
	s.at = off + int64(n)
	switch {
	case err == io.ErrUnexpectedEOF:
		err = io.EOF
	case err != nil && err != io.EOF:
		s.err = cmp.Or(s.err, err)
	}
	return n, err
}
