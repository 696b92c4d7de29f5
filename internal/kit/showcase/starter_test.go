package main

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// A tall picture, which has the head of a person above its middle, loses more at the bottom than
// at the top on a card.
func TestMosaicCrop(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 300, 400))
	draw.Draw(img, image.Rect(0, 80, 300, 100), image.NewUniform(color.RGBA{R: 255, A: 255}), image.Point{}, draw.Src)
	out, err := mosaic(t.Context(), []image.Image{img})
	if err != nil {
		t.Fatal(err)
	}
	for y := range starterHeight {
		if r, g, _, _ := out.At(starterWidth/2, y).RGBA(); r > 0x8000 && g < 0x8000 {
			return
		}
	}
	t.Error("the card does not show the head")
}
