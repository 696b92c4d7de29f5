package h264_test

import (
	"image"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// The speed of encoding in frames a second, pictures drawn beforehand.
func BenchmarkEncode(b *testing.B) {
	for _, size := range []image.Point{{768, 432}, {768, 768}} {
		for _, s := range []scene{{"landscape", landscape}, {"shapes", shapes}, {"noise", noise}} {
			b.Run(s.name+size.String(), func(b *testing.B) {
				var drawn []*image.NRGBA
				for i := range 24 {
					img := image.NewNRGBA(image.Rectangle{Max: size})
					s.draw(img, i)
					drawn = append(drawn, img)
				}
				e, err := h264.NewEncoder(h264.Options{Width: size.X, Height: size.Y, Rate: h264.Rate{Num: 24, Den: 1}})
				if err != nil {
					b.Fatal(err)
				}
				bytes, n := 0, 0
				for b.Loop() {
					f, err := e.Encode(drawn[n%len(drawn)], n%len(drawn) == 0)
					if err != nil {
						b.Fatal(err)
					}
					bytes += len(f.Data)
					n++
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "fps")
				b.ReportMetric(float64(bytes)/float64(n), "bytes/frame")
			})
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	e, frames, _ := film(b, h264.Options{Width: 768, Height: 432, Rate: h264.Rate{Num: 24, Den: 1}}, scene{"landscape", landscape}, 12)
	d, err := h264.NewDecoder(e.SPS(), e.PPS())
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		if _, err := d.Decode(b.Context(), frames[n%len(frames)].Data); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "fps")
}
