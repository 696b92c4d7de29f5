package probe_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/worktest"
)

func encoded(t *testing.T, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, 48, 32))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming is a PNG whose header claims a size.
func claiming(whole []byte, width, height uint32) []byte {
	b := bytes.Clone(whole)
	binary.BigEndian.PutUint32(b[16:], width)
	binary.BigEndian.PutUint32(b[20:], height)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// held is a JPEG whose camera was held in one of the eight ways of EXIF.
func held(whole []byte, orientation byte) []byte {
	exif := "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(orientation) + "\x00\x00\x00\x00\x00\x00"
	return append(append(bytes.Clone(whole[:2]), exif...), whole[2:]...)
}

// webp is a WebP of one chunk.
func webp(chunk string) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(chunk))), "WEBP"+chunk...)
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	paint := encoded(t, png.Encode)
	photo := encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	clip := mp4test.Track{Kind: "vide", Codec: "avc1", Timescale: 600, Duration: 1500, Width: 1920, Height: 1080}
	turned := mp4test.MOV(nil, clip)
	at := bytes.Index(turned, []byte("tkhd")) + 4 + 40
	binary.BigEndian.PutUint32(turned[at+4:], 1<<16)
	binary.BigEndian.PutUint32(turned[at+12:], 0xffff0000)
	var sound bytes.Buffer
	if err := wav.Write(&sound, &pcm.Sound{PCM: make([]int16, 12000), Rate: 8000, Channels: 1}, wav.PCM16); err != nil {
		t.Fatal(err)
	}
	film := worktest.WebM(1920, 1080, 2.5)
	at = bytes.Index(film, []byte("\x18\x53\x80\x67"))
	segment := film[at : at+12]
	for name, tc := range map[string]struct {
		file       []byte
		want       probe.Extent
		unreadable bool
	}{
		"png":             {paint, probe.Extent{Width: 48, Height: 32}, false},
		"gif":             {encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }), probe.Extent{Width: 48, Height: 32}, false},
		"jpeg":            {photo, probe.Extent{Width: 48, Height: 32}, false},
		"jpeg, mirrored":  {held(photo, 4), probe.Extent{Width: 48, Height: 32}, false},
		"jpeg, turned":    {held(photo, 6), probe.Extent{Width: 32, Height: 48}, false},
		"a false claim":   {claiming(paint, 100_000, 100_000), probe.Extent{Width: 100_000, Height: 100_000}, false},
		"no size":         {claiming(paint, 0, 0), probe.Extent{}, true},
		"cut off":         {paint[:20], probe.Extent{}, true},
		"jpeg, cut off":   {photo[:20], probe.Extent{}, true},
		"clip":            {mp4test.MOV(nil, clip), probe.Extent{Width: 1920, Height: 1080, Seconds: 2.5}, false},
		"clip, turned":    {turned, probe.Extent{Width: 1080, Height: 1920, Seconds: 2.5}, false},
		"clip, fragments": {append(mp4test.MOV(nil, clip), bytes.Repeat([]byte("\x00\x00\x00\x08moof\x00\x00\x00\x08mdat"), 6000)...), probe.Extent{Width: 1920, Height: 1080, Seconds: 2.5}, false},
		"clip, no index":  {turned[:24], probe.Extent{}, true},
		"webp, lossless":  {webp("VP8L\x05\x00\x00\x00\x2f\x2b\xc1\x31\x00\x00"), probe.Extent{Width: 300, Height: 200}, false},
		"webp, extended":  {webp("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x2b\x01\x00\xc7\x00\x00"), probe.Extent{Width: 300, Height: 200}, false},
		"webp, lossy":     {webp("VP8 \x0a\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\x2c\x01\xc8\x00"), probe.Extent{Width: 300, Height: 200}, false},
		"webm":            {film, probe.Extent{Width: 1920, Height: 1080, Seconds: 2.5}, false},
		"webm, streamed":  {bytes.Replace(film, segment, []byte("\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"), 1), probe.Extent{Width: 1920, Height: 1080, Seconds: 2.5}, false},
		"webm, cut off":   {film[:bytes.Index(film, []byte("\x16\x54\xae\x6b"))], probe.Extent{}, true},
		"webm, no tracks": {bytes.Replace(film, []byte("\x16\x54\xae\x6b"), []byte("\x12\x54\xc3\x67"), 1), probe.Extent{}, true},
		"webm, no length": {bytes.Replace(film, []byte("\x44\x89"), []byte("\x44\x88"), 1), probe.Extent{Width: 1920, Height: 1080}, false},
		"sound":           {sound.Bytes(), probe.Extent{Seconds: 1.5}, false},
		"sound, cut off":  {sound.Bytes()[:20], probe.Extent{}, true},
		"text":            {[]byte("a fox"), probe.Extent{}, false},
		"nothing":         {nil, probe.Extent{}, false},
		"a longer header": {append(bytes.Clone(photo[:2]), bytes.Repeat(append([]byte("\xff\xe2\xff\xff"), make([]byte, 65533)...), 40)...), probe.Extent{}, true},
	} {
		got, err := probe.Measure(t.Context(), bytes.NewReader(tc.file))
		if got != tc.want || errors.Is(err, probe.ErrUnreadable) != tc.unreadable || err != nil && !tc.unreadable {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tc.want)
		}
	}
}

// A storage that fails says nothing about the file.
func TestMeasureOfAFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	_, err := probe.Measure(t.Context(), failing{bytes.NewReader(encoded(t, png.Encode)), gone})
	if !errors.Is(err, gone) || errors.Is(err, probe.ErrUnreadable) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probe.Measure(ctx, bytes.NewReader(encoded(t, png.Encode))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type failing struct {
	io.Seeker
	err error
}

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Of a clip with a large index, only the parts that say its size are read.
func TestMeasureReadsLittle(t *testing.T) {
	t.Parallel()
	clip := mp4test.MOV(nil, mp4test.Track{Kind: "vide", Codec: "avc1", Timescale: 600, Duration: 1500, Width: 64, Height: 48, Times: make([]uint32, 1<<20)})
	f := &counting{ReadSeeker: bytes.NewReader(clip)}
	if x, err := probe.Measure(t.Context(), f); err != nil || x.Width != 64 || f.read > 256<<10 {
		t.Errorf("got %+v, %v after %d of %d bytes", x, err, f.read, len(clip))
	}
}

// A file whose parts are scattered is given up after a few requests to its storage.
func TestMeasureJumpsSeldom(t *testing.T) {
	t.Parallel()
	box := append([]byte("\x00\x02\x00\x00free"), make([]byte, 128<<10-8)...)
	scattered := append([]byte("\x00\x00\x00\x10ftypisom\x00\x00\x00\x00"), bytes.Repeat(box, 300)...)
	f := &counting{ReadSeeker: bytes.NewReader(scattered)}
	if x, err := probe.Measure(t.Context(), f); !errors.Is(err, probe.ErrUnreadable) || x != (probe.Extent{}) || f.jumps > 130 {
		t.Errorf("got %+v, %v after %d requests", x, err, f.jumps)
	}
	turned := mp4test.MOV(nil, mp4test.Track{Kind: "vide", Codec: "avc1", Timescale: 600, Duration: 1500, Width: 64, Height: 48})
	f = &counting{ReadSeeker: bytes.NewReader(append(scattered[:16+50*len(box)], turned...))}
	if x, err := probe.Measure(t.Context(), f); err != nil || x.Width != 64 {
		t.Errorf("behind fifty parts: %+v, %v", x, err)
	}
}

// FuzzMeasure measures any bytes, in constant memory.
func FuzzMeasure(f *testing.F) {
	f.Add(worktest.WebM(64, 48, 1))
	f.Add(mp4test.MOV(nil, mp4test.Track{Kind: "vide", Codec: "avc1", Timescale: 600, Duration: 1500, Width: 64, Height: 48}))
	f.Add(webp("VP8L\x05\x00\x00\x00\x2f\x2b\xc1\x31\x00\x00"))
	f.Add(held([]byte("\xff\xd8\xff\xc0\x00\x0b\x08\x00\x20\x00\x30\x01\x01\x11\x00"), 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 4 << 20}, func() {
			x, err := probe.Measure(t.Context(), bytes.NewReader(data))
			if x.Width < 0 || x.Height < 0 || !(x.Seconds >= 0) || err != nil && x != (probe.Extent{}) {
				t.Errorf("got %+v, %v", x, err)
			}
		})
	})
}

// counting counts the bytes that are read, and how often elsewhere than where a read ended.
type counting struct {
	io.ReadSeeker
	read, jumps int
	at, ended   int64
}

func (c *counting) Seek(offset int64, whence int) (int64, error) {
	at, err := c.ReadSeeker.Seek(offset, whence)
	c.at = at
	return at, err
}

func (c *counting) Read(b []byte) (int, error) {
	if c.at != c.ended {
		c.jumps++
	}
	n, err := c.ReadSeeker.Read(b)
	c.read += n
	c.at += int64(n)
	c.ended = c.at
	return n, err
}
