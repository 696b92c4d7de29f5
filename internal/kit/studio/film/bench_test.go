package film_test

import (
	"image"
	"io"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// Five seconds at 768 wide, with sound, drawing included.
func BenchmarkWrite(b *testing.B) {
	list := []film.Engine{film.BuiltIn}
	if film.Available() {
		list = append(list, film.FFmpeg)
	}
	for _, engine := range list {
		b.Run(string(engine), func(b *testing.B) {
			var drawn []image.Image
			draw := card(768, 432)
			for i := range 24 {
				img, _ := draw(i)
				m := *img.(*image.NRGBA)
				m.Pix = append([]byte(nil), m.Pix...)
				drawn = append(drawn, &m)
			}
			o := film.Options{Width: 768, Height: 432, FPS: 24, Frames: 120, Engine: engine, MaxBytes: 4 << 20, Sound: tone(48000, 5)}
			for b.Loop() {
				info, err := film.Write(b.Context(), io.Discard, o, func(i int) (image.Image, error) { return drawn[i%len(drawn)], nil }, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(info.Bytes), "bytes")
			}
		})
	}
}
