package mp4_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/worktest"
)

// sounds returns a track of PCM in stereo: n samples in a table of sizes, in chunks
// of each, one behind the other.
func sounds(n, each int) mp4test.Track {
	t := mp4test.Track{
		Kind: "soun", Codec: mp4.PCM, Timescale: 48000, Duration: uint32(n), Rate: 48000, Channels: 2,
		Sizes: make([]uint32, n), Times: []uint32{uint32(n), 1}, PerChunk: []uint32{1, uint32(each)},
	}
	for i := range t.Sizes {
		t.Sizes[i] = 4
	}
	for at := 0; at < n; at += each {
		t.Chunks = append(t.Chunks, uint32(4*at))
	}
	return t
}

func probeBytes(t testing.TB, file []byte) *mp4.Info {
	t.Helper()
	info, err := mp4.Probe(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return &info
}

// Samples of one chunk lie one behind the other.
func TestSamplesOfOneChunk(t *testing.T) {
	t.Parallel()
	const n = 20_000
	track := sounds(n, n)
	for i := range track.Sizes {
		track.Sizes[i] = uint32(1 + i%7)
	}
	data := make([]byte, 4*n)
	file := mp4test.MOV(data, track)
	audio := probeBytes(t, file).Audio()
	want := int64(len(file) - len(data))
	for i := range n {
		s, err := audio.Sample(i)
		if err != nil || s.Offset != want || s.Size != 1+i%7 || s.Time != uint64(i) {
			t.Fatalf("sample %d is %+v, %v; want it at %d", i, s, err, want)
		}
		want += int64(s.Size)
	}
}

// counter counts the reads of a file.
type counter struct {
	io.ReaderAt
	reads, bytes int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += len(p)
	return c.ReaderAt.ReadAt(p, off)
}

// Small samples are read many at a time, and none of their bytes twice.
func TestReadRun(t *testing.T) {
	t.Parallel()
	const n, each = 600_000, 500_000
	data := make([]byte, 4*n)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	for name, constant := range map[string]bool{"table": false, "constant": true} {
		track := sounds(n, each)
		if constant {
			track.Sizes, track.Size, track.Count = nil, 4, n
		}
		file := mp4test.MOV(data, track)
		audio := probeBytes(t, file).Audio()
		r := &counter{ReaderAt: bytes.NewReader(file)}
		var got, buf []byte
		for i := 0; i < audio.Len(); {
			run, samples, err := audio.ReadRun(r, i, buf)
			if err != nil || samples < 1 || len(run) != 4*samples {
				t.Fatalf("%s: %d bytes of %d samples, %v", name, len(run), samples, err)
			}
			got, buf = append(got, run...), run
			i += samples
		}
		if !bytes.Equal(got, data) {
			t.Errorf("%s: the samples came back otherwise", name)
		}
		if r.reads > 4 || r.bytes != len(data) {
			t.Errorf("%s: %d reads of %d bytes", name, r.reads, r.bytes)
		}
	}
}

// However often an index names the same bytes, they are those of one file.
func TestSamplesThatShareBytesAreRefused(t *testing.T) {
	t.Parallel()
	data := make([]byte, 4000)
	twice := sounds(2000, 1000)
	twice.Sizes, twice.Size, twice.Count, twice.Chunks = nil, 4, 2000, []uint32{0, 0}
	many := sounds(1000, 1000)
	many.Sizes, many.Size, many.Count, many.Chunks = nil, 4, 1000*5000, make([]uint32, 5000)
	long := sounds(100, 100) // every sample reaches to the end of the data
	long.PerChunk, long.Chunks = []uint32{1, 1}, nil
	for i := range long.Sizes {
		long.Sizes[i] = 3900
		long.Chunks = append(long.Chunks, uint32(i))
	}
	frames := long
	frames.Kind, frames.Codec, frames.Width, frames.Height = "vide", "avc1", 64, 64
	for name, track := range map[string]mp4test.Track{"twice": twice, "many": many, "long": long, "frames": frames} {
		file := mp4test.MOV(data, track)
		if _, err := mp4.Probe(bytes.NewReader(file), int64(len(file))); !errors.Is(err, mp4.ErrOverlap) || !errors.Is(err, mp4.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Old codecs of QuickTime count moments of sound as samples of one byte, which
// are more than the bytes that they are coded in.
func TestOldSoundIsNoOverlap(t *testing.T) {
	t.Parallel()
	old := sounds(1000, 1000)
	old.Codec, old.Sizes, old.Size, old.Count = "ima4", nil, 1, 64*1000
	old.PerChunk, old.Chunks = []uint32{1, 6400}, []uint32{0, 340, 680, 1020, 1360, 1700, 2040, 2380, 2720, 3060}
	if info := probeBytes(t, mp4test.MOV(make([]byte, 3400), old)); info.Audio().Len() != 64*1000 {
		t.Errorf("%d samples", info.Audio().Len())
	}
}

// A file that was cut off tells what it was, and fails where it ends.
func TestCutOffFileIsProbed(t *testing.T) {
	t.Parallel()
	file := mp4test.MOV(make([]byte, 4000), sounds(1000, 100))
	file = file[:len(file)-2000]
	audio := probeBytes(t, file).Audio()
	if audio.Len() != 1000 {
		t.Errorf("%d samples", audio.Len())
	}
	if _, err := audio.Read(bytes.NewReader(file), 499, nil); err != nil {
		t.Error(err)
	}
	for _, n := range []int{500, 999, 1000, -1} {
		if _, err := audio.Read(bytes.NewReader(file), n, nil); !errors.Is(err, mp4.ErrFormat) {
			t.Errorf("sample %d: %v", n, err)
		}
	}
}

// An index of nothing but tables costs little more memory than it has bytes. No
// other test runs at the same time, because what they allocate would count.
func TestIndexIsNoLargerThanTheFile(t *testing.T) {
	for name, change := range map[string]func(*mp4test.Track){
		"times": func(k *mp4test.Track) {
			k.Times = nil
			for i := range uint32(100_000) {
				k.Times = append(k.Times, 1, i%2)
			}
		},
		"chunks": func(k *mp4test.Track) {
			k.PerChunk, k.Chunks = nil, make([]uint32, 100_000)
			for i := range k.Chunks {
				k.PerChunk, k.Chunks[i] = append(k.PerChunk, uint32(i+1), uint32(1+i%2)), 1<<31
			}
		},
		"sizes": func(k *mp4test.Track) { k.Size, k.Sizes = 0, make([]uint32, 100_000) },
	} {
		track := sounds(1, 1)
		track.Sizes, track.Size, track.Count, track.PerChunk, track.Chunks = nil, 4, 100_000, []uint32{1, 100_000}, []uint32{1 << 31}
		change(&track)
		file := mp4test.MOV(nil, track)
		if got := worktest.Allocated(func() { probeBytes(t, file) }); got > uint64(4*len(file)) {
			t.Errorf("%s: an index of %d bytes took %d", name, len(file), got)
		}
	}
}

// Looking up all samples takes a time in proportion to their number.
func BenchmarkSamples(b *testing.B) {
	for _, n := range []int{20_000, 160_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			audio := probeBytes(b, mp4test.MOV(make([]byte, 4*n), sounds(n, n))).Audio()
			for b.Loop() {
				for i := range n {
					if _, err := audio.Sample(i); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sample")
		})
	}
}
