package mp4_test

import (
	"bytes"
	"math"
	"os"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/codec/mp4/mp4test"
	"github.com/atelier-project/atelier/internal/worktest"
)

// spool keeps the data in memory.
type spool struct{ bytes.Buffer }

func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, off)
}

var sps = []byte{0x67, 66, 0xc0, 30, 0xda, 1, 2}

// clip writes a file with made up samples: the room does not look into them.
func clip(t testing.TB, o mp4.Options) []byte {
	t.Helper()
	o.Video = mp4.Video{Width: 320, Height: 180, Num: 24, Den: 1, SPS: sps, PPS: []byte{0x68, 1, 2}}
	tone := tone(48000)
	var packets [][]byte
	if o.Audio != nil && o.Audio.Codec == mp4.FLAC {
		o.Audio.Config, packets = encodeFLAC(t, 2, tone)
	}
	w, err := mp4.NewWriter(&spool{}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		if o.Audio != nil && i%2 == 0 && i/2 < len(packets) {
			n := min(flac.Block, 48000-i/2*flac.Block)
			if err := w.AddAudio(packets[i/2], n); err != nil {
				t.Fatal(err)
			}
		}
		if o.Audio != nil && o.Audio.Codec == mp4.PCM {
			if err := w.AddAudio(make([]byte, 4*2000), 2000); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.AddVideo(bytes.Repeat([]byte{byte(i)}, 10+i), i%12 == 0); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	n, err := w.WriteTo(&out)
	if err != nil || n != int64(out.Len()) || n != w.Length() {
		t.Fatalf("WriteTo = %d, %v; wrote %d; Length %d", n, err, out.Len(), w.Length())
	}
	return out.Bytes()
}

func TestProbeReadsWhatTheWriterWrote(t *testing.T) {
	t.Parallel()
	for _, o := range []mp4.Options{
		{Format: mp4.MP4, Tool: "atelier cpu", Comment: "a comment"},
		{Format: mp4.MP4, Audio: &mp4.Audio{Codec: mp4.FLAC, Rate: 48000, Channels: 2}},
		{Format: mp4.MOV, Audio: &mp4.Audio{Codec: mp4.PCM, Rate: 48000, Channels: 2}, Tool: "atelier cpu", Comment: "a comment"},
	} {
		file := clip(t, o)
		info, err := mp4.Probe(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if info.Codec != "avc1" || info.Width != 320 || info.Height != 180 || info.Frames != 24 || math.Abs(info.FrameRate-24) > 1e-9 || info.Duration != time.Second {
			t.Errorf("%s: %+v", o.Format, info)
		}
		if info.Tool != o.Tool || info.Comment != o.Comment {
			t.Errorf("tags %q and %q", info.Tool, info.Comment)
		}
		if o.Audio != nil && (!info.HasAudio || info.AudioCodec != o.Audio.Codec || info.AudioRate != 48000 || info.AudioChannels != 2) {
			t.Errorf("sound: %+v", info)
		}
		track := info.Video()
		for i := range 24 {
			s, err := track.Sample(i)
			if err != nil {
				t.Fatal(err)
			}
			data, err := track.Read(bytes.NewReader(file), i, nil)
			if err != nil || !bytes.Equal(data, bytes.Repeat([]byte{byte(i)}, 10+i)) {
				t.Errorf("sample %d is %v, %v", i, data, err)
			}
			if s.Key != (i%12 == 0) || s.Time != uint64(i)*512 || s.Duration != 512 {
				t.Errorf("sample %d: %+v", i, s)
			}
		}
		if got, _, err := track.ParameterSets(); err != nil || !bytes.Equal(got, sps) {
			t.Errorf("parameter sets %v, %v", got, err)
		}
		if !bytes.Equal(file, clip(t, o)) {
			t.Error("the same samples make other bytes")
		}
		if at := bytes.Index(file, []byte("moov")); at > bytes.Index(file, []byte("mdat")) {
			t.Error("the index stands behind the data")
		}
	}
}

func readSound(t *testing.T, path string) (out []int16) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := probe(f)
	if err != nil {
		t.Fatal(err)
	}
	track := info.Audio()
	d, err := flac.NewDecoder(track.AudioConfig())
	if err != nil {
		t.Fatal(err)
	}
	for i := range track.Len() {
		p, err := track.Read(f, i, nil)
		if err != nil {
			t.Fatal(err)
		}
		if out, err = d.Decode(out, p); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	good := mp4.Video{Width: 320, Height: 180, Num: 24, Den: 1, SPS: sps, PPS: []byte{0x68, 1}}
	small, still, bare := good, good, good
	small.Width, still.Num, bare.SPS = 0, 0, nil
	for _, o := range []mp4.Options{
		{Video: small}, {Video: still}, {Video: bare}, {Video: good, Format: "avi"},
		{Video: good, Audio: &mp4.Audio{Codec: mp4.PCM, Rate: 48000, Channels: 2}},
		{Video: good, Audio: &mp4.Audio{Codec: "opus", Rate: 48000, Channels: 2}},
		{Video: good, Audio: &mp4.Audio{Codec: mp4.AAC, Channels: 2}},
	} {
		if _, err := mp4.NewWriter(&spool{}, o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	w, err := mp4.NewWriter(&spool{}, mp4.Options{Video: good})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteTo(&bytes.Buffer{}); err == nil {
		t.Error("a clip without frames was written")
	}
}

// A size that lies must cost what the file has, not what it says.
func TestProbeIsBounded(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"\x03\xff\xff\xffmoov\x00\x00\x00\x08trak",
		"\x00\x00\x00\x01moov\x7f\xff\xff\xff\xff\xff\xff\xff",
		"\x00\x00\x00\x00moov",
		"\x00\x00\x00\x07moov",
		"hello, this is not a film",
		"",
	} {
		if _, err := mp4.Probe(bytes.NewReader([]byte(head)), int64(len(head))); err == nil {
			t.Errorf("%q was accepted", head)
		}
	}
}

// FuzzProbe reads all samples that an index names. However it lies, they are no
// more bytes than the file has, and looking them up takes no more memory than a
// small multiple of it.
func FuzzProbe(f *testing.F) {
	f.Add(clip(f, mp4.Options{Format: mp4.MP4, Tool: "x", Audio: &mp4.Audio{Codec: mp4.FLAC, Rate: 48000, Channels: 2}})[:3000])
	f.Add(clip(f, mp4.Options{Format: mp4.MOV, Tool: "x", Comment: "y", Audio: &mp4.Audio{Codec: mp4.PCM, Rate: 48000, Channels: 2}})[:3000])
	f.Add(mp4test.MOV(make([]byte, 4*2000), sounds(2000, 2000))) // all in one chunk
	shared := sounds(1, 1)
	shared.Sizes, shared.Size, shared.Count = nil, 4, 1<<30
	shared.PerChunk, shared.Chunks = []uint32{1, 1 << 20}, make([]uint32, 1024)
	f.Add(mp4test.MOV(make([]byte, 4096), shared))
	f.Fuzz(func(t *testing.T, file []byte) {
		worktest.Limit(t, len(file), worktest.Bound{Base: 64 << 10, PerByte: 40}, func() { readAll(t, file) })
	})
}

func readAll(t *testing.T, file []byte) {
	r := bytes.NewReader(file)
	info, err := mp4.Probe(r, int64(len(file)))
	if err != nil {
		return
	}
	for k := range info.Tracks {
		track := &info.Tracks[k]
		var buf []byte
		total := 0
		first, _ := track.Sample(0)
		for n := 0; n < track.Len() && (track.Kind == "vide" || track.Kind == "soun" && first.Size > 1); {
			run, samples, err := track.ReadRun(r, n, buf)
			if err != nil {
				break
			}
			total += len(run)
			n, buf = n+samples, run
		}
		if total > len(file) {
			t.Errorf("%d bytes out of %d", total, len(file))
		}
		for _, n := range []int{0, 1, track.Len() / 2, track.Len() - 1} {
			s, err := track.Sample(n)
			if err != nil {
				continue
			}
			if data, err := track.Read(r, n, buf); err == nil && len(data) != s.Size {
				t.Errorf("%d bytes of a sample of %d", len(data), s.Size)
			}
		}
		_, _, _ = track.ParameterSets()
		_ = track.AudioConfig()
	}
}

// probe reads the index of an open file.
func probe(f *os.File) (mp4.Info, error) {
	st, err := f.Stat()
	if err != nil {
		return mp4.Info{}, err
	}
	return mp4.Probe(f, st.Size())
}
