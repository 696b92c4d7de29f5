package mp4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

var (
	// ErrFormat is wrapped by what is wrong with a file that is not a clip.
	ErrFormat = errors.New("not a readable MP4 or MOV file")
	// ErrOverlap reports that the samples of a track take more bytes than the
	// file has, because they overlap.
	ErrOverlap = errors.New("its samples share the same bytes")

	errEarly = fmt.Errorf("mp4: %w: it ends too early", ErrFormat)
)

// Bounds of what is read. An hour of video has an index of about a megabyte.
const (
	MaxIndex  = 64 << 20
	maxBoxes  = 10000 // at the top of the file
	maxTracks = 32
	maxDepth  = 12
	maxSample = 256 << 20 // bytes
	// maxSamples limits a track; a day of PCM has four times as many.
	maxSamples = 1 << 30
)

// Info is what the index of a file says.
type Info struct {
	Brand         string
	Duration      time.Duration
	Width, Height int
	FrameRate     float64
	Frames        int
	Codec         string // of the video: avc1, hvc1 and so on
	HasAudio      bool
	AudioCodec    string
	AudioRate     int
	AudioChannels int
	Fragmented    bool // samples lie in moof boxes, which are not read here
	Tool, Comment string
	Tracks        []Track
}

// Track is one track and its index.
type Track struct {
	ID            uint32
	Kind          string // vide, soun and others
	Codec         string // four letters of the sample entry
	Timescale     uint32
	Duration      uint64 // in the timescale
	Width, Height int
	Turned        bool // it is shown rotated by a quarter, as clips of telephones are
	Rate          int
	Channels      int
	Config        []byte // content of avcC, dfLa or esds
	Skip          int64  // where an edit list lets the track begin

	samples samples
}

// Probe reads the index of a file of size bytes. It takes memory in proportion
// to the actual index, up to a limit.
func Probe(r io.ReaderAt, size int64) (Info, error) {
	var info Info
	var off int64
	found := false
	for range maxBoxes {
		name, head, length, err := boxHeader(r, off)
		if err == io.EOF {
			break
		}
		if err != nil {
			return Info{}, err
		}
		if off == 0 && name != "ftyp" && name != "moov" && name != "wide" && name != "free" && name != "mdat" {
			return Info{}, fmt.Errorf("mp4: %w: it begins with %q", ErrFormat, name)
		}
		switch name {
		case "ftyp":
			var b [4]byte
			if _, err := r.ReadAt(b[:], off+head); err == nil {
				info.Brand = string(b[:])
			}
		case "moof":
			info.Fragmented = true
		case "moov":
			if length < head || length-head > MaxIndex || found {
				return Info{}, fmt.Errorf("mp4: %w: an index of %d bytes", ErrFormat, length)
			}
			buf, err := readBytes(r, size, off+head, length-head, nil)
			if err != nil {
				return Info{}, err
			}
			if err := info.parseMovie(buf, size); err != nil {
				return Info{}, err
			}
			found = true
		}
		if length == 0 { // to the end of the file
			break
		}
		off += length
		if off < 0 {
			break
		}
	}
	if !found || len(info.Tracks) == 0 {
		return Info{}, fmt.Errorf("mp4: %w: there is no index of a track", ErrFormat)
	}
	info.summarize()
	return info, nil
}

// boxHeader reads the header of a box in the file; a size of zero means that
// it goes on to the end.
func boxHeader(r io.ReaderAt, off int64) (name string, head, size int64, err error) {
	var b [16]byte
	n, err := r.ReadAt(b[:], off)
	if n < 8 {
		if n == 0 || err == nil || err == io.EOF {
			return "", 0, 0, io.EOF // padding at the end is not an error
		}
		return "", 0, 0, err
	}
	head, size = 8, int64(binary.BigEndian.Uint32(b[:]))
	if size == 1 {
		if n < 16 {
			return "", 0, 0, io.EOF
		}
		head, size = 16, int64(binary.BigEndian.Uint64(b[8:]))
	}
	if size != 0 && size < head {
		return "", 0, 0, fmt.Errorf("mp4: %w: a box of %d bytes", ErrFormat, size)
	}
	return string(b[4:8]), head, size, nil
}

// readBytes reads n bytes of a file, into buf when it is large enough. The size
// of the file is checked first, so a false length costs nothing.
func readBytes(r io.ReaderAt, size, off, n int64, buf []byte) ([]byte, error) {
	if off > size || n > size-off {
		return nil, errEarly
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if m, err := r.ReadAt(buf, off); int64(m) < n {
		if err == nil || err == io.EOF {
			err = errEarly
		}
		return nil, err
	}
	return buf, nil
}

// walk calls do for each box in buf. A box that does not fit ends the walk.
func walk(buf []byte, do func(name string, body []byte) error) error {
	for len(buf) >= 8 {
		head, size := 8, uint64(binary.BigEndian.Uint32(buf))
		if size == 1 && len(buf) >= 16 {
			head, size = 16, binary.BigEndian.Uint64(buf[8:])
		}
		if size == 0 {
			size = uint64(len(buf))
		}
		if size < uint64(head) || size > uint64(len(buf)) {
			return fmt.Errorf("mp4: %w: a box of %d bytes in one of %d", ErrFormat, size, len(buf))
		}
		if err := do(string(buf[4:8]), buf[head:size]); err != nil {
			return err
		}
		buf = buf[size:]
	}
	return nil
}

// seconds is how long a track lasts.
func (t *Track) seconds() float64 {
	if t.Timescale == 0 {
		return 0
	}
	return float64(t.Duration) / float64(t.Timescale)
}

// summarize fills the fields about the whole file.
func (i *Info) summarize() {
	for k := range i.Tracks {
		t := &i.Tracks[k]
		seconds := t.seconds()
		i.Duration = max(i.Duration, time.Duration(min(seconds, 1e9)*float64(time.Second)))
		switch {
		case t.Kind == "vide" && i.Codec == "":
			i.Codec, i.Width, i.Height, i.Frames = t.Codec, t.Width, t.Height, t.Len()
			if seconds > 0 {
				i.FrameRate = float64(t.Len()) / seconds
			}
		case t.Kind == "soun" && !i.HasAudio:
			i.HasAudio, i.AudioCodec, i.AudioRate, i.AudioChannels = true, t.Codec, t.Rate, t.Channels
		}
	}
}

// Video returns the first video track, or nil; Audio the first with sound.
func (i *Info) Video() *Track { return i.first("vide") }

// Audio returns the first track with sound, or nil.
func (i *Info) Audio() *Track { return i.first("soun") }

func (i *Info) first(kind string) *Track {
	for k := range i.Tracks {
		if i.Tracks[k].Kind == kind {
			return &i.Tracks[k]
		}
	}
	return nil
}

// Read reads sample n of the track, into buf when it is large enough.
func (t *Track) Read(r io.ReaderAt, n int, buf []byte) ([]byte, error) {
	s, err := t.Sample(n)
	if err != nil {
		return nil, err
	}
	if s.Size > maxSample {
		return nil, fmt.Errorf("mp4: %w: a sample of %d bytes", ErrFormat, s.Size)
	}
	return readBytes(r, t.samples.file, s.Offset, int64(s.Size), buf)
}

// runBytes is about how much ReadRun reads at a time.
const runBytes = 1 << 20

// ReadRun reads sample n and those that follow it in its chunk, up to about a
// megabyte, and says how many they are. The samples of PCM are a few bytes
// each, and reading them one by one takes far longer than their bytes do.
func (t *Track) ReadRun(r io.ReaderAt, n int, buf []byte) (data []byte, samples int, err error) {
	s := &t.samples
	offset, end, err := s.place(n)
	if err != nil {
		return nil, 0, err
	}
	// Chunks of PCM have samples of one size, so the first gives the number that
	// fits.
	end = min(end, n+max(1, int(runBytes/max(1, s.bytesBetween(n, n+1)))))
	size := s.bytesBetween(n, end)
	if size > maxSample {
		return nil, 0, fmt.Errorf("mp4: %w: samples of %d bytes", ErrFormat, size)
	}
	data, err = readBytes(r, s.file, offset, size, buf)
	return data, end - n, err
}
