package task

import (
	"cmp"
	"context"
	"crypto/sha256"
	"image"
	"math"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// LoraNote says in the metadata of a result what its LoRAs have done.
const LoraNote = "they need a neural model; here each only tints the result, in colours of its own"

// Tint pulls the colours of a picture towards those of the job's LoRAs, so that a
// preview shows which ones it was asked for, and how strong. Their files are not read.
func (t Task) Tint(ctx context.Context, img image.Image) (image.Image, error) {
	for _, l := range t.Loras {
		palette, amount := loraTint(l)
		if amount == 0 {
			continue
		}
		if s, ok := img.(*film.Samples); ok {
			img = s.RGBA(nil)
		}
		graded, err := pixel.Grade(ctx, img, palette, amount)
		if err != nil {
			return nil, err
		}
		img = graded
	}
	return img, nil
}

// loraTint returns the colours of a LoRA, which follow from its file where that is
// known, and how far a picture is pulled towards them. Negative strengths have the
// opposite colours.
func loraTint(l apitype.AssignmentLora) ([]pixel.Colour, float64) {
	sum := sha256.Sum256([]byte(cmp.Or(l.SHA256, l.ID)))
	hue := float32(sum[0]) / 256
	if l.Strength < 0 {
		hue += 0.5
	}
	const most = 0.7 // the subject stays visible at any strength
	strength := math.Abs(l.Strength)
	return []pixel.Colour{colourOf(hue, 0.3), colourOf(hue+0.1+float32(sum[1])/1024, 0.7)}, most * strength / (1 + strength)
}

// colourOf returns a saturated colour. The hue is in turns.
func colourOf(hue, light float32) pixel.Colour {
	c := pixel.FromHSL(hue, 0.8, light)
	return pixel.Colour{R: pixel.ByteOf(c.R), G: pixel.ByteOf(c.G), B: pixel.ByteOf(c.B)}
}
