package h264_test

import (
	"bytes"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/studio/h264"
)

// Our decoder reads the encoder's reconstruction back, bit for bit.
func TestDecodeIsTheReconstruction(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{64, 64}, {130, 276}, {2, 2}} {
		for _, s := range scenes {
			for _, qp := range []int{10, 26, 44} {
				if racing && qp != 26 {
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
						got, err := d.Decode(f.Data)
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
	if _, err := d.Decode(frames[1].Data); err == nil || !strings.Contains(err.Error(), "key frame") {
		t.Errorf("a P frame first: %v", err)
	}
	if _, err := d.Decode(frames[0].Data[:len(frames[0].Data)/2]); err == nil {
		t.Error("half a frame was decoded")
	}
	if _, err := d.Decode(frames[0].Data); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	e, frames, _ := film(f, h264.Options{Width: 64, Height: 160, Rate: h264.Rate{Num: 24, Den: 1}, QP: 28}, scenes[2], 2)
	f.Add(e.SPS(), e.PPS(), frames[0].Data, frames[1].Data)
	e, frames, _ = film(f, h264.Options{Width: 32, Height: 32, Rate: h264.Rate{Num: 24, Den: 1}, QP: 10}, scenes[1], 2)
	f.Add(e.SPS(), e.PPS(), frames[0].Data, frames[1].Data)
	f.Fuzz(func(t *testing.T, sps, pps, one, two []byte) {
		d, err := h264.NewDecoder(sps, pps)
		if err != nil {
			return
		}
		if w, h := d.Size(); w*h > 1<<15 {
			return
		}
		for _, sample := range [][]byte{one, two, one} {
			var img *image.YCbCr
			if img, err = d.Decode(sample); err == nil && img == nil {
				t.Error("neither a frame nor an error")
			}
		}
	})
}
