package h264_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"os"
	"os/exec"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
	"github.com/atelier-project/atelier/internal/worktest"
)

// annexB turns samples into the byte stream of annex B, which ffmpeg reads
// without a container.
func annexB(e *h264.Encoder, frames []h264.Frame) []byte {
	var out []byte
	start := []byte{0, 0, 0, 1}
	out = append(append(out, start...), e.SPS()...)
	out = append(append(out, start...), e.PPS()...)
	for _, f := range frames {
		for d := f.Data; len(d) > 0; {
			n := binary.BigEndian.Uint32(d)
			out = append(append(out, start...), d[4:4+n]...)
			d = d[4+n:]
		}
	}
	return out
}

// planes returns a frame as ffmpeg writes yuv420p.
func planes(m *image.YCbCr) []byte {
	var out []byte
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for y := range h {
		out = append(out, m.Y[y*m.YStride:][:w]...)
	}
	for y := range h / 2 {
		out = append(out, m.Cb[y*m.CStride:][:w/2]...)
	}
	for y := range h / 2 {
		out = append(out, m.Cr[y*m.CStride:][:w/2]...)
	}
	return out
}

// film encodes n frames and returns them with their reconstructions.
func film(t testing.TB, o h264.Options, s scene, n int) (*h264.Encoder, []h264.Frame, []*image.YCbCr) {
	t.Helper()
	e, err := h264.NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, o.Width, o.Height))
	var frames []h264.Frame
	var made []*image.YCbCr
	for i := range n {
		s.draw(img, i)
		f, err := e.Encode(img, false)
		if err != nil {
			t.Fatal(err)
		}
		frames, made = append(frames, f), append(made, e.Reconstruction())
	}
	return e, frames, made
}

// What ffmpeg decodes is what the encoder reconstructed, bit for bit.
func TestFFmpegDecodesTheReconstruction(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not on the PATH")
	}
	type size struct{ w, h int }
	cases := map[size][]int{{64, 64}: {10, 17, 24, 31, 40, 51}, {34, 18}: {12, 30}, {16, 16}: {20}, {100, 330}: {28}, {770, 434}: {20}, {1280, 720}: {28}}
	for size, qps := range cases {
		for _, s := range scenes {
			for _, qp := range qps {
				n := 9
				if size.w > 700 {
					n = 3
				}
				if !worktest.Exhaustive() && (s.name != "cuts" || qp != qps[0] || size.w > 1000) {
					continue
				}
				if size.w > 1000 && s.name != "shapes" && s.name != "noise" {
					continue // large ones take long to draw, and prove the same
				}
				t.Run(fmt.Sprintf("%s/%dx%d/qp%d", s.name, size.w, size.h, qp), func(t *testing.T) {
					t.Parallel()
					e, frames, made := film(t, h264.Options{Width: size.w, Height: size.h, Rate: h264.Rate{Num: 24, Den: 1}, QP: qp, KeyInterval: 6}, s, n)
					cmd := exec.Command(ffmpeg, "-v", "error", "-f", "h264", "-i", "pipe:0", "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:1")
					cmd.Stdin = bytes.NewReader(annexB(e, frames))
					cmd.Stderr = os.Stderr
					got, err := cmd.Output()
					if err != nil {
						t.Fatal(err)
					}
					size := size.w * size.h * 3 / 2
					if len(got) != n*size {
						t.Fatalf("ffmpeg decoded %d bytes, want %d frames of %d", len(got), n, size)
					}
					for i, m := range made {
						want := planes(m)
						if at := firstDifference(got[i*size:(i+1)*size], want); at >= 0 {
							t.Fatalf("frame %d differs from byte %d on (row %d, column %d)", i, at, at/m.Rect.Dx(), at%m.Rect.Dx())
						}
					}
				})
			}
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// A clip of five seconds fits into four megabytes, also when its content is
// the worst there is, and natural content keeps its quality.
func TestBudget(t *testing.T) {
	t.Parallel()
	const bound = 4 << 20
	for _, c := range []struct {
		scene   scene
		w, h    int
		frames  int
		quality float64
	}{{scene{"landscape", landscape}, 768, 432, 12, 42}, {scene{"shapes", shapes}, 1024, 576, 16, 42}, {scene{"noise", noise}, 768, 432, 16, 0}, {scene{"noise", noise}, 64, 64, 60, 0}} {
		if !worktest.Exhaustive() && c.w > 64 {
			continue // sizes do not depend on the race detector
		}
		t.Run(fmt.Sprintf("%s/%dx%d", c.scene.name, c.w, c.h), func(t *testing.T) {
			t.Parallel()
			limit := int64(bound * c.frames / 120)
			if c.w == 64 {
				limit = 9000 // less than noise takes at QP 51: frames must freeze
			}
			e, err := h264.NewEncoder(h264.Options{Width: c.w, Height: c.h, Rate: h264.Rate{Num: 24, Den: 1}, MaxBytes: limit, Frames: c.frames})
			if err != nil {
				t.Fatal(err)
			}
			img := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
			var convert h264.Converter
			total, worst := int64(0), 99.0
			for i := range c.frames {
				c.scene.draw(img, i)
				f, err := e.Encode(img, false)
				if err != nil {
					t.Fatal(err)
				}
				total += int64(len(f.Data))
				worst = min(worst, psnr(planes(convert.YCbCr(img)), planes(e.Reconstruction())))
			}
			t.Logf("%d of %d bytes, worst frame %.1f dB", total, limit, worst)
			if total > limit {
				t.Errorf("%d bytes, want at most %d", total, limit)
			}
			if worst < c.quality {
				t.Errorf("the worst frame has %.1f dB, want %.0f", worst, c.quality)
			}
		})
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	rate := h264.Rate{Num: 24, Den: 1}
	for _, o := range []h264.Options{
		{Width: 33, Height: 32, Rate: rate}, {Width: 32, Height: 0, Rate: rate}, {Width: 32, Height: 32}, {Width: 32, Height: 32, Rate: rate, QP: 5},
		{Width: 32, Height: 32, Rate: rate, QP: 52}, {Width: 16000, Height: 16000, Rate: rate},
	} {
		if _, err := h264.NewEncoder(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	e, err := h264.NewEncoder(h264.Options{Width: 32, Height: 32, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Encode(image.NewNRGBA(image.Rect(0, 0, 32, 16)), false); err == nil {
		t.Error("a frame of another size was accepted")
	}
	if _, err := e.EncodeYCbCr(image.NewYCbCr(image.Rect(0, 0, 32, 32), image.YCbCrSubsampleRatio444), false); err == nil {
		t.Error("4:4:4 was accepted")
	}
}

func TestKeyFrames(t *testing.T) {
	t.Parallel()
	e, err := h264.NewEncoder(h264.Options{Width: 32, Height: 32, Rate: h264.Rate{Num: 30000, Den: 1001}, KeyInterval: 4})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	got := ""
	for i := range 12 {
		shapes(img, i)
		f, err := e.Encode(img, i == 6)
		if err != nil {
			t.Fatal(err)
		}
		got += map[bool]string{true: "K", false: "p"}[f.Key]
	}
	if want := "KpppKpKpppKp"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
