package motion

import (
	"context"
	"errors"
	"image"
	"image/draw"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Sprite is the subject of a picture, cut out, that moves in a scene.
type Sprite struct {
	img    *image.NRGBA // just the subject
	base   [2]float64   // where its feet are, both coordinates from 0 to 1
	height float64      // relative to the frame
	motion string       // walk, fly, jump, dance or stand
	phase  float64
	light  Light
}

// spriteMotions are the words of prompts for each motion.
var spriteMotions = []struct {
	name  string
	words []string
}{
	{"dance", []string{"dance", "dances", "dancing", "party", "sways"}},
	{"jump", []string{"jump", "jumps", "jumping", "bounces", "hops", "leaps"}},
	{"fly", []string{"fly", "flies", "flying", "floats", "floating", "soars", "hovers", "swims", "swimming", "drifting"}},
	{"walk", []string{"walk", "walks", "walking", "run", "runs", "running", "drive", "drives", "driving", "rides", "riding", "crosses", "marches"}},
}

// MinSpriteScore is how well a subject must stand out to be cut out.
const MinSpriteScore = 0.45

// NewSprite cuts the subject out of a picture; nil when there is none that stands
// out clearly.
func NewSprite(ctx context.Context, img image.Image, side int) (*Sprite, error) {
	b := img.Bounds()
	if k := float64(side) / float64(max(b.Dx(), b.Dy())); k < 1 {
		small, err := pixel.Resize(ctx, img, max(16, int(float64(b.Dx())*k)), max(16, int(float64(b.Dy())*k)))
		if err != nil {
			return nil, err
		}
		img = small
	}
	m, score, err := pixel.Subject(ctx, img)
	if errors.Is(err, pixel.ErrNoSubject) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m = m.FillHoles(0.1) // light eyes before a light wall are not holes
	share := m.Share()
	if score < MinSpriteScore || share < 0.015 || share > 0.75 {
		return nil, nil
	}
	box := m.Box()
	out := image.NewNRGBA(image.Rectangle{Max: box.Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min.Add(box.Min), draw.Src)
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			a := &out.Pix[y*out.Stride+4*x+3]
			*a = uint8(int(*a) * int(m.Pix[(y+box.Min.Y)*m.W+x+box.Min.X]) / 255)
		}
	}
	return &Sprite{img: out, base: [2]float64{0.5, 0.93}, height: 0.62, motion: "stand", light: Light{1, 1, 1, 0}}, nil
}

// Place sets the place of a sprite among others, its motion and its light.
func (a *Sprite) Place(i, n int, prompt string, scene paint.Scene) {
	a.base[0] = (float64(i) + 0.5) / float64(n)
	if n > 1 {
		a.base[0] = 0.5 + (a.base[0]-0.5)*0.85
		a.height = max(0.34, 0.62-0.07*float64(n-1))
	}
	a.phase = float64(i) * 1.7
	words := NormalizeText(prompt)
	for _, m := range spriteMotions {
		if HasPhrase(words, m.words...) {
			a.motion = m.name
			break
		}
	}
	if a.motion == "fly" {
		a.base[1] = 0.68
	}
	switch scene.Time {
	case "night":
		a.light = Light{0.5, 0.56, 0.78, 0}
	case "sunset", "dawn":
		a.light = Light{1.04, 0.88, 0.74, 0}
	}
}

// Draw draws the sprite at a time.
func (a *Sprite) Draw(dst *image.RGBA, seconds, part float64) {
	w, h := float64(dst.Rect.Dx()), float64(dst.Rect.Dy())
	x, y, lean, squash, scale := a.base[0], a.base[1], 0.0, 1.0, 1.0
	t := seconds + a.phase
	switch a.motion {
	case "walk":
		x += 0.34 * (part - 0.5)
		y -= 0.012 * math.Abs(math.Sin(t*6.5))
		lean = 0.045 * math.Sin(t*6.5)
	case "fly":
		x += 0.16 * (part - 0.5)
		y += 0.03*math.Sin(t*1.6) - 0.04*part
		lean = 0.06 * math.Sin(t*1.1)
	case "jump":
		k := math.Abs(math.Sin(t * 3.4))
		y -= 0.13 * k
		squash = 1 + 0.07*(k-0.35)
	case "dance":
		y -= 0.02 * math.Abs(math.Sin(t*6.3))
		lean, squash = 0.13*math.Sin(t*3.15), 1+0.04*math.Sin(t*12.6)
	default:
		lean, squash = 0.012*math.Sin(t*1.3), 1+0.008*math.Sin(t*2.1)
		scale = 1 + 0.03*part
	}
	if a.motion != "fly" {
		Shadow(dst, x*w, a.base[1]*h, 0.32*a.width()*h*scale, 0.012*h)
	}
	a.drawAt(dst, x*w, y*h, a.height*h*scale, lean, squash)
}

// width returns the width of the sprite relative to the height of the frame.
func (a *Sprite) width() float64 {
	return a.height * float64(a.img.Rect.Dx()) / float64(a.img.Rect.Dy())
}

// drawAt draws the sprite with its feet at a point: leaning, and squashed with
// constant area.
func (a *Sprite) drawAt(dst *image.RGBA, fx, fy, high, lean, squash float64) {
	sw, sh := float64(a.img.Rect.Dx()), float64(a.img.Rect.Dy())
	ky := high * squash / sh
	kx := high / math.Sqrt(max(squash, 0.1)) / sh
	reach := high*squash + math.Abs(lean)*high
	side := sw*kx/2 + math.Abs(lean)*high + 2
	x0, x1 := max(int(fx-side), 0), min(int(fx+side)+1, dst.Rect.Dx())
	y0, y1 := max(int(fy-reach)-2, 0), min(int(fy)+2, dst.Rect.Dy())
	sin, cos := math.Sincos(lean)
	gain := [3]float64{a.light.R, a.light.G, a.light.B}
	if y1 <= y0 {
		return
	}
	footage.Rows(y1-y0, func(j int) {
		y := y0 + j
		for x := x0; x < x1; x++ {
			dx, dy := float64(x)+0.5-fx, float64(y)+0.5-fy
			dx, dy = dx*cos+dy*sin, dy*cos-dx*sin
			u, v := dx/kx+sw/2-0.5, dy/ky+sh-0.5
			if u < -1 || v < -1 || u > sw || v > sh {
				continue
			}
			c, alpha := sampleNRGBA(a.img, u, v)
			if alpha < 0.004 {
				continue
			}
			p := dst.Pix[y*dst.Stride+4*x:]
			for k := range 3 {
				p[k] = uint8(min(max(float64(p[k])*(1-alpha)+c[k]*gain[k]*alpha, 0), 255))
			}
		}
	})
}

// sampleNRGBA samples a cut-out between its pixels: the colour and the alpha.
func sampleNRGBA(img *image.NRGBA, u, v float64) ([3]float64, float64) {
	x, y := int(math.Floor(u)), int(math.Floor(v))
	fx, fy := u-float64(x), v-float64(y)
	var sum [3]float64
	alpha := 0.0
	for i, k := range [4]float64{(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy} {
		px, py := x+i%2, y+i/2
		if px < 0 || py < 0 || px >= img.Rect.Dx() || py >= img.Rect.Dy() {
			continue
		}
		p := img.Pix[py*img.Stride+4*px:]
		a := float64(p[3]) / 255 * k
		alpha += a
		for c := range 3 {
			sum[c] += float64(p[c]) * a
		}
	}
	if alpha > 0 {
		for c := range 3 {
			sum[c] /= alpha
		}
	}
	return sum, alpha
}

// Shadow draws a soft dark oval on the ground.
func Shadow(dst *image.RGBA, cx, cy, rx, ry float64) {
	for y := max(int(cy-ry*1.5), 0); y < min(int(cy+ry*1.5)+1, dst.Rect.Dy()); y++ {
		for x := max(int(cx-rx*1.3), 0); x < min(int(cx+rx*1.3)+1, dst.Rect.Dx()); x++ {
			dx, dy := (float64(x)+0.5-cx)/rx, (float64(y)+0.5-cy)/ry
			k := 0.45 * math.Exp(-1.6*(dx*dx+dy*dy))
			p := dst.Pix[y*dst.Stride+4*x:]
			for c := range 3 {
				p[c] = uint8(float64(p[c]) * (1 - k))
			}
		}
	}
}
