package comfyui_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/worker/comfyui"
	"github.com/atelier-project/atelier/internal/worktest"
)

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		fps              float64
		base, step, most int
		seconds          float64
		want             int
	}{
		{16, 1, 4, 0, 5, 81}, {16, 1, 4, 0, 2, 33}, {16, 1, 4, 0, 0, 1}, {16, 1, 4, 0, -3, 1},
		{24, 1, 8, 0, 5, 121}, {24, 1, 8, 0, 5.1, 121}, {24, 1, 8, 0, 5.3, 129},
		{24, 124, 17, 362, 2, 124}, {24, 124, 17, 362, 6, 141}, {24, 124, 17, 362, 15, 362}, {24, 124, 17, 362, 1e9, 362},
		{24, 0, 0, 0, 1, 24}, {24, 0, 0, 0, 0, 1},
	} {
		if got := comfyui.FramesOf(tc.fps, tc.base, tc.step, tc.most, tc.seconds); got != tc.want {
			t.Errorf("%v seconds at %v, %d + n %d up to %d: %d frames, want %d", tc.seconds, tc.fps, tc.base, tc.step, tc.most, got, tc.want)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	still := comfyui.Size{Edge: 1024, Multiple: 16, Min: 256, Max: 2048}
	edit := comfyui.Size{Edge: 1024, Multiple: 16, Min: 256, Max: 2560, Exact: true}
	clip := comfyui.Size{Short: 720, Multiple: 16, Max: 1920, Named: map[int]int{544: 560}}
	coarse := comfyui.Size{Short: 480, Multiple: 64}
	type args = map[string]any
	for _, tc := range []struct {
		size         comfyui.Size
		args         args
		sw, sh, w, h int
	}{
		{still, nil, 0, 0, 1024, 1024},
		{still, args{"width": 500.0, "height": 300.0}, 0, 0, 512, 304},
		{still, args{"aspectRatio": "16:9"}, 0, 0, 1360, 768},
		{still, args{"width": 800.0, "aspectRatio": "2:1"}, 0, 0, 800, 400},
		{still, args{"height": 800.0}, 0, 0, 800, 800},
		{still, args{"width": 9000.0, "height": 4500.0}, 0, 0, 2048, 1024},
		{still, args{"width": 100.0, "height": 50.0}, 0, 0, 512, 256},
		{still, nil, 600, 300, 1456, 720},
		{edit, nil, 640, 480, 640, 480},
		{edit, args{"scale": 2.0}, 640, 480, 1280, 960},
		{edit, args{"scale": 4.0}, 1600, 800, 2560, 1280},
		{edit, args{"aspectRatio": "1:1"}, 640, 480, 1024, 1024},
		{clip, nil, 0, 0, 1280, 720},
		{coarse, args{"ratio": "adaptive"}, 1080, 1920, 512, 896}, // 512 by 832 cuts off a tenth
		{coarse, args{"ratio": "adaptive"}, 1920, 1080, 896, 512},
		{coarse, nil, 0, 0, 896, 512},
		{clip, args{"targetResolution": 1080.0}, 0, 0, 1920, 1088},
		{clip, args{"targetResolution": 544.0, "ratio": "1:1"}, 0, 0, 560, 560},
		{clip, args{"ratio": "adaptive"}, 600, 1200, 720, 1440},
		{clip, args{"ratio": "adaptive"}, 100, 10000, 240, 1920},
	} {
		w, h, err := comfyui.SizeOf(tc.size, tc.args, tc.sw, tc.sh)
		if err != nil || w != tc.w || h != tc.h {
			t.Errorf("%v of %dx%d: %dx%d, %v; want %dx%d", tc.args, tc.sw, tc.sh, w, h, err, tc.w, tc.h)
		}
	}
	for _, a := range []args{{"width": math.Inf(1), "height": 1.0}, {"width": math.NaN(), "height": 4.0}, {"aspectRatio": "0:0"}, {"aspectRatio": "x"}} {
		if w, h, err := comfyui.SizeOf(still, a, 0, 0); err == nil && (w <= 0 || h <= 0 || w > 2048 || h > 2048) {
			t.Errorf("%v: %dx%d", a, w, h)
		}
	}
}

// No graph cuts off more of a picture than it must: of the sizes on its grid that are next to
// the wanted one, none has a nearer shape.
func TestSizesKeepTheShape(t *testing.T) {
	t.Parallel()
	shapes := [][2]int{{1920, 1080}, {1080, 1920}, {1536, 1024}, {1024, 1536}, {1024, 768}, {768, 1024}, {1024, 1024}}
	grids := 0
	for name, s := range comfyui.SizesOf(library(t)) {
		s.Exact = false
		for _, short := range []float64{480, 544, 720, 1080} {
			for _, shape := range shapes {
				want := float64(shape[0]) / float64(shape[1])
				w, h, err := comfyui.SizeOf(s, map[string]any{"targetResolution": short}, shape[0], shape[1])
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				m := max(1, s.Multiple)
				cut := func(w, h int) float64 { return 1 - min(float64(w)/float64(h)/want, want*float64(h)/float64(w)) }
				for _, other := range [][2]int{{w - m, h}, {w + m, h}, {w, h - m}, {w, h + m}} {
					grids++
					if cut(other[0], other[1]) < cut(w, h)-1e-9 && cut(w, h) > 0.021 {
						t.Errorf("%s at %v from %v: %dx%d cuts off %.1f %%, %v less", name, short, shape, w, h, 100*cut(w, h), other)
					}
				}
				if cut(w, h) > 0.04 {
					t.Errorf("%s at %v from %v: %dx%d cuts off %.1f %%", name, short, shape, w, h, 100*cut(w, h))
				}
			}
		}
	}
	if grids < 1000 {
		t.Errorf("%d sizes were compared", grids)
	}
}

func TestBinaryFrames(t *testing.T) {
	t.Parallel()
	be := binary.BigEndian
	frame := func(a, b uint32, rest string) []byte {
		return append(be.AppendUint32(be.AppendUint32(nil, a), b), rest...)
	}
	about := `{"prompt_id":"p","image_type":"image/png"}`
	for name, tc := range map[string]struct {
		data []byte
		kind string
	}{
		"JPEG":             {frame(1, 1, "pic"), "image/jpeg"},
		"PNG":              {frame(1, 2, "pic"), "image/png"},
		"with description": {frame(4, uint32(len(about)), about+"pic"), "image/png"},
		"another format":   {frame(1, 9, "pic"), ""},
		"another kind":     {frame(3, 1, "text"), ""},
		"no picture":       {frame(1, 1, ""), ""},
		"cut off":          {frame(4, 1000, about), ""},
		"a lie":            {frame(4, math.MaxUint32, "x"), ""},
		"short":            {[]byte{0, 0, 0, 1}, ""},
	} {
		kind, pic, ok := comfyui.ParseBinary(tc.data)
		if ok != (tc.kind != "") || ok && (kind != tc.kind || string(pic) != "pic") {
			t.Errorf("%s: %q, %q, %v", name, kind, pic, ok)
		}
	}
}

// A FLAC file of ffmpeg is decoded to the same samples as ffmpeg decodes.
func TestFLACAgainstFFmpeg(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg on the PATH")
	}
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"stereo": {"-f", "lavfi", "-i", "aevalsrc=sin(440*2*PI*t)*0.6|sin(441*2*PI*t)*0.5:d=1.3:s=44100", "-sample_fmt", "s16"},
		"deep":   {"-f", "lavfi", "-i", "aevalsrc=random(0)-0.5|sin(99*t):d=0.7:s=48000", "-sample_fmt", "s32", "-bits_per_raw_sample", "24"},
		"mono":   {"-f", "lavfi", "-i", "sine=frequency=300:duration=0.5:sample_rate=22050", "-sample_fmt", "s16", "-compression_level", "12"},
		"six":    {"-f", "lavfi", "-i", "aevalsrc=sin(t*900)|0|random(1)*0.1|0.5|sin(t*33)|0:d=0.3:s=32000:c=5.1", "-sample_fmt", "s16", "-compression_level", "0"},
		"quiet":  {"-f", "lavfi", "-i", "anullsrc=r=8000:cl=stereo:d=1", "-sample_fmt", "s16"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, ours, theirs := filepath.Join(dir, name+".flac"), filepath.Join(dir, name+".wav"), filepath.Join(dir, name+".raw")
			run := func(args ...string) {
				t.Helper()
				if out, err := exec.Command("ffmpeg", append([]string{"-v", "error", "-y"}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("ffmpeg %v: %v: %s", args, err, out)
				}
			}
			run(append(args, "-c:a", "flac", in)...)
			format := "s16le"
			if name == "deep" {
				format = "s24le"
			}
			run("-i", in, "-f", format, theirs)
			if err := comfyui.ToWAV(in, ours); err != nil {
				t.Fatal(err)
			}
			got, want := must(os.ReadFile(ours))(t), must(os.ReadFile(theirs))(t)
			if !bytes.Equal(got[44:], want) {
				t.Errorf("%d bytes differ from ffmpeg's %d", len(got)-44, len(want))
			}
			run("-i", ours, "-f", "null", "-") // and the file is a WAV file
		})
	}
}

func FuzzFLAC(f *testing.F) {
	f.Add(flac(44100, 2, 5000))
	f.Add(flac(8000, 1, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 4 << 20, PerByte: 600}, func() { _ = comfyui.DecodeFLAC(data) })
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"type":"progress","data":{"value":1,"max":4,"prompt_id":"p","node":"3"}}`))
	f.Add([]byte("\x00\x00\x00\x04\x00\x00\x00\x02{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		worktest.Limit(t, len(data), worktest.Bound{Base: 64 << 10, PerByte: 200}, func() {
			comfyui.ParseText(data)
			comfyui.ParseBinary(data)
		})
	})
}

func FuzzGraph(f *testing.F) {
	f.Add([]byte(flat))
	f.Add([]byte(`{"1": {"class_type": "A", "inputs": {"x": ["1", 0]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := comfyui.ParseGraph(data); err != nil && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	})
}
