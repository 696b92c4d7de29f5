package film_test

import (
	"image"
	"image/color"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// quarters is a test card: four known colours, and a white bar that passes.
var quarters = [4]color.NRGBA{{200, 40, 40, 255}, {40, 180, 60, 255}, {50, 60, 210, 255}, {220, 200, 60, 255}}

func card(w, h int) func(i int) (image.Image, error) {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	return func(i int) (image.Image, error) {
		bar := i * 6 % w
		for y := range h {
			for x := range w {
				c := quarters[x*2/w+y*2/h*2]
				if x >= bar && x < bar+8 && y > h*7/16 && y < h*9/16 {
					c = color.NRGBA{255, 255, 255, 255}
				}
				img.SetNRGBA(x, y, c)
			}
		}
		return img, nil
	}
}

// tone returns a chord in stereo with a little beating, so that FLAC has work.
func tone(rate int, seconds float64) *film.Sound {
	s := &film.Sound{Rate: rate, Channels: 2}
	for i := range int(seconds * float64(rate)) {
		t := float64(i) / float64(rate)
		l := math.Sin(2*math.Pi*440*t) + 0.5*math.Sin(2*math.Pi*554*t)
		r := math.Sin(2*math.Pi*441*t) + 0.5*math.Sin(2*math.Pi*659*t)
		s.Samples = append(s.Samples, int16(9000*l), int16(9000*r))
	}
	return s
}
