package h264_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
	"github.com/atelier-project/atelier/internal/worktest"
)

// Our decoder reads the encoder's reconstruction back, bit for bit.
//
//atelier:concurrent
func TestDecodeIsTheReconstruction(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{64, 64}, {130, 276}, {2, 2}} {
		for _, s := range scenes {
			for _, qp := range []int{10, 26, 44} {
				if !worktest.Exhaustive() && qp != 26 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%dx%d/qp%d", s.name, size[0], size[1], qp), func(t *testing.T) {
					t.Parallel()
					e, frames, made := film(t, h264.Options{Width: size[0], Height: size[1], Rate: h264.Rate{Num: 24, Den: 1}, QP: qp, KeyInterval: 5}, s, 8)
					d, err := h264.NewDecoder(e.SPS(), e.PPS())
					if err != nil {
						t.Fatal(err)
					}
					for i, f := range frames {
						got, err := d.Decode(t.Context(), f.Data)
						if err != nil {
							t.Fatalf("frame %d: %v", i, err)
						}
						if !bytes.Equal(planes(got), planes(made[i])) {
							t.Fatalf("frame %d differs", i)
						}
					}
				})
			}
		}
	}
}

// What the decoder cannot do it refuses by name.
func TestDecoderRefuses(t *testing.T) {
	t.Parallel()
	e, frames, _ := film(t, h264.Options{Width: 32, Height: 32, Rate: h264.Rate{Num: 24, Den: 1}}, scenes[2], 2)
	high := append([]byte(nil), e.SPS()...)
	high[1] = 100
	if _, err := h264.NewDecoder(high, e.PPS()); err == nil || !strings.Contains(err.Error(), "profile 100") {
		t.Errorf("High profile: %v", err)
	}
	d, err := h264.NewDecoder(e.SPS(), e.PPS())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Decode(t.Context(), frames[1].Data); err == nil || !strings.Contains(err.Error(), "key frame") {
		t.Errorf("a P frame first: %v", err)
	}
	if _, err := d.Decode(t.Context(), frames[0].Data[:len(frames[0].Data)/2]); err == nil {
		t.Error("half a frame was decoded")
	}
	if _, err := d.Decode(t.Context(), frames[0].Data); err != nil {
		t.Error(err)
	}
}

// padded returns a sample with zeros behind its last slice, as they are or escaped.
func padded(sample []byte, n int, escaped bool) []byte {
	out := append([]byte(nil), sample...)
	last := 0
	for at := 0; at < len(out); at += 4 + int(binary.BigEndian.Uint32(out[at:])) {
		last = at
	}
	zeros := make([]byte, n)
	if escaped {
		zeros = bytes.Repeat([]byte{0, 0, 3}, n/3)
	}
	out = append(out, zeros...)
	binary.BigEndian.PutUint32(out[last:], uint32(len(out)-last-4))
	return out
}

// Zeros behind a slice belong to no picture.
func TestZerosBehindSlices(t *testing.T) {
	t.Parallel()
	e, frames, made := film(t, h264.Options{Width: 640, Height: 480, Rate: h264.Rate{Num: 24, Den: 1}}, scenes[2], 2)
	d, err := h264.NewDecoder(e.SPS(), e.PPS())
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range frames {
		got, err := d.Decode(t.Context(), padded(f.Data, 1<<18, i == 1))
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if !bytes.Equal(planes(got), planes(made[i])) {
			t.Fatalf("frame %d differs", i)
		}
	}
}

// A frame that nobody waits for any more is not decoded to its end.
func TestDecodeLooksAtItsContext(t *testing.T) {
	t.Parallel()
	e, frames, _ := film(t, h264.Options{Width: 64, Height: 640, Rate: h264.Rate{Num: 24, Den: 1}}, scenes[2], 2)
	d, err := h264.NewDecoder(e.SPS(), e.PPS())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames[:1] {
		ctx := worktest.EndAfter(t.Context(), 10)
		if _, err := d.Decode(ctx, f.Data); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	}
	if _, err := d.Decode(t.Context(), frames[1].Data); err == nil {
		t.Error("half a frame served as a reference")
	}
}

// Zeros behind a slice cost what passing over them does.
func BenchmarkDecodePadded(b *testing.B) {
	e, frames, _ := film(b, h264.Options{Width: 1280, Height: 720, Rate: h264.Rate{Num: 24, Den: 1}}, scenes[2], 1)
	for _, megabytes := range []int{0, 1, 8} {
		b.Run(fmt.Sprintf("%dMB", megabytes), func(b *testing.B) {
			d, err := h264.NewDecoder(e.SPS(), e.PPS())
			if err != nil {
				b.Fatal(err)
			}
			sample := padded(frames[0].Data, megabytes<<20, false)
			for b.Loop() {
				if _, err := d.Decode(b.Context(), sample); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	e, frames, _ := film(f, h264.Options{Width: 64, Height: 160, Rate: h264.Rate{Num: 24, Den: 1}, QP: 28}, scenes[2], 2)
	f.Add(e.SPS(), e.PPS(), frames[0].Data, frames[1].Data)
	e, frames, _ = film(f, h264.Options{Width: 32, Height: 32, Rate: h264.Rate{Num: 24, Den: 1}, QP: 10}, scenes[1], 2)
	f.Add(e.SPS(), e.PPS(), frames[0].Data, frames[1].Data)
	f.Add(e.SPS(), e.PPS(), padded(frames[0].Data, 4000, false), padded(frames[1].Data, 4000, true))
	f.Fuzz(func(t *testing.T, sps, pps, one, two []byte) {
		worktest.Limit(t, len(sps)+len(pps)+len(one)+len(two), worktest.Bound{Base: 4 << 20, PerByte: 100}, func() {
			d, err := h264.NewDecoder(sps, pps)
			if err != nil {
				return
			}
			if w, h := d.Size(); w*h > 1<<15 {
				t.Skip("frames this large take long")
			}
			for _, sample := range [][]byte{one, two, one} {
				var img *image.YCbCr
				if img, err = d.Decode(t.Context(), sample); err == nil && img == nil {
					t.Error("neither a frame nor an error")
				}
			}
		})
	})
}
