package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// agePhoto returns a picture as an old print: faded and yellowed, grainy, with specks,
// creases and scratches.
func agePhoto(img image.Image) image.Image {
	chance := rand.New(rand.NewPCG(19, 58))
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
			grey := 0.3*float64(c.R) + 0.59*float64(c.G) + 0.11*float64(c.B)
			noise := chance.NormFloat64() * 6
			fade := func(v uint8, floor, gain float64) uint8 {
				return uint8(min(max(floor+gain*(0.5*float64(v)+0.5*grey)+noise, 0), 255))
			}
			out.SetNRGBA(x, y, color.NRGBA{fade(c.R, 92, 0.54), fade(c.G, 82, 0.51), fade(c.B, 62, 0.44), 255})
		}
	}
	dot := func(x, y, r float64, c color.NRGBA) {
		for py := int(y - r); py <= int(y+r+1); py++ {
			for px := int(x - r); px <= int(x+r+1); px++ {
				if (image.Point{px, py}).In(out.Rect) && math.Hypot(float64(px)-x, float64(py)-y) <= r {
					out.SetNRGBA(px, py, c)
				}
			}
		}
	}
	white, dark := color.NRGBA{240, 236, 224, 255}, color.NRGBA{62, 52, 40, 255}
	for range 7 { // scratches from edge to edge
		x, lean := chance.Float64()*float64(w), chance.NormFloat64()*0.12
		r := 0.4 + chance.Float64()*0.7
		for y := 0.0; y < float64(h); y += 0.5 {
			dot(x+lean*y+2*math.Sin(y/60), y, r, white)
		}
	}
	for range 70 { // specks of dust
		c := white
		if chance.IntN(3) == 0 {
			c = dark
		}
		dot(chance.Float64()*float64(w), chance.Float64()*float64(h), 0.6+chance.Float64()*2, c)
	}
	return out
}
