package h264_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// Known points of BT.709 in limited range.
func TestConverter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   color.NRGBA
		want [3]uint8
	}{
		{color.NRGBA{0, 0, 0, 255}, [3]uint8{16, 128, 128}},
		{color.NRGBA{255, 255, 255, 255}, [3]uint8{235, 128, 128}},
		{color.NRGBA{128, 128, 128, 255}, [3]uint8{126, 128, 128}},
		{color.NRGBA{255, 0, 0, 255}, [3]uint8{63, 102, 240}},
		{color.NRGBA{0, 255, 0, 255}, [3]uint8{173, 42, 26}},
		{color.NRGBA{0, 0, 255, 255}, [3]uint8{32, 240, 118}},
		{color.NRGBA{255, 255, 255, 0}, [3]uint8{16, 128, 128}},    // nothing lies on black
		{color.NRGBA{255, 255, 255, 128}, [3]uint8{126, 128, 128}}, // and half of white is grey
	} {
		straight := image.NewNRGBA(image.Rect(5, 3, 9, 7)) // bounds need not begin at zero
		other := image.NewNRGBA64(straight.Rect)           // takes the slow way
		for y := 3; y < 7; y++ {
			for x := 5; x < 9; x++ {
				straight.SetNRGBA(x, y, c.in)
				other.Set(x, y, c.in)
			}
		}
		var convert h264.Converter
		for _, img := range []image.Image{straight, other} {
			m := convert.YCbCr(img)
			if got := [3]uint8{m.Y[m.YStride+1], m.Cb[m.CStride+1], m.Cr[m.CStride+1]}; got != c.want {
				t.Errorf("%T of %v is %v, want %v", img, c.in, got, c.want)
			}
		}
	}
}

// To YCbCr and back a flat colour moves by rounding only.
func TestColourRoundTrip(t *testing.T) {
	t.Parallel()
	var convert h264.Converter
	img := image.NewRGBA(image.Rect(0, 0, 2, 2))
	var back *image.RGBA
	for r := 0; r < 256; r += 15 {
		for g := 0; g < 256; g += 15 {
			for b := 0; b < 256; b += 15 {
				for i := 0; i < 16; i += 4 {
					img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = byte(r), byte(g), byte(b), 255
				}
				back = h264.ToRGBA(back, convert.YCbCr(img))
				for i, v := range img.Pix[:4] {
					if d := int(v) - int(back.Pix[i]); d > 3 || d < -3 {
						t.Fatalf("%v became %v", img.Pix[:4], back.Pix[:4])
					}
				}
			}
		}
	}
}
