package edit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// View is a camera angle on a picture as a plane: degrees to the right and up,
// degrees of roll, and zoom.
type View struct {
	Yaw, Pitch, Roll float64 // above 0: from the right, from above, clockwise
	Zoom             float64 // 1 is as it was
}

// ViewHelp describes the possible views.
const ViewHelp = "it can look from the left or the right, from above or below (high angle, low angle, bird's eye), closer or wider, and tilted, each with degrees if given"

//go:embed data/view.txt
var viewText string

// viewWords is the lexicon of data/view.txt.
var viewWords = sync.OnceValue(func() *lexicon.Lexicon { return lexicon.Parse("view.txt", viewText) })

// ErrBehind is returned for a view of a side that the picture does not show.
var ErrBehind = errors.New("a picture does not show its subject from behind or from the side")

// ReadView parses the description of a view. Strength scales the default
// degrees.
func ReadView(text string, strength float64) (View, error) {
	v := View{Zoom: 1}
	tokens := lexicon.Tokenise(strings.ReplaceAll(text, "°", " degrees "))
	amount, degrees, understood := 1.0, math.NaN(), false
	turn := func(to *float64, sign, usual float64) {
		by := usual * strength * amount
		if !math.IsNaN(degrees) {
			by = degrees
		}
		*to, understood = sign*min(by, 60), true
		amount, degrees = 1, math.NaN()
	}
	// Degrees may stand before or behind what they turn.
	ahead := func(tokens []string) float64 {
		for i, t := range tokens[:min(len(tokens), 6)] {
			if n, err := strconv.ParseFloat(t, 64); err == nil && i+1 < len(tokens) && strings.HasPrefix(tokens[i+1], "deg") {
				return min(n, 60)
			}
		}
		return math.NaN()
	}
	for len(tokens) > 0 {
		n := min(lexicon.MaxPhrase, len(tokens))
		var m *lexicon.Meaning
		for ; n > 0; n-- {
			if m = viewWords().Words[strings.Join(tokens[:n], " ")]; m != nil {
				break
			}
		}
		if m == nil {
			if d, err := strconv.ParseFloat(tokens[0], 64); err == nil && len(tokens) > 1 && strings.HasPrefix(tokens[1], "deg") {
				degrees = min(d, 60)
				n = 2
			}
			tokens = tokens[max(n, 1):]
			continue
		}
		if math.IsNaN(degrees) && m.Group != "amount" {
			degrees = ahead(tokens[n:])
		}
		switch m.Group {
		case "behind":
			return v, ErrBehind
		case "amount":
			amount = m.Number("value", 1)
		case "yaw":
			turn(&v.Yaw, m.Number("sign", 1), 28)
		case "pitch":
			turn(&v.Pitch, m.Number("sign", 1), m.Number("usual", 26))
		case "roll":
			turn(&v.Roll, m.Number("sign", 1), 10)
		case "zoom":
			v.Zoom = math.Pow(m.Number("value", 1), strength*amount)
			understood, amount = true, 1
		case "front":
			understood = true
		}
		tokens = tokens[n:]
	}
	if !understood {
		return v, fmt.Errorf("%q describes no view that is understood: %s", text, ViewHelp)
	}
	if v.Yaw == 0 && v.Pitch == 0 && v.Roll == 0 && v.Zoom == 1 {
		return v, fmt.Errorf("%q is how the picture is seen already: %s", text, ViewHelp)
	}
	return v, nil
}

// corners returns the projected corners of a w by h picture.
func (v View) corners(w, h float64) [4][2]float64 {
	const away = 2.2 // the camera's distance, in widths of the longer side
	far := away * max(w, h)
	sy, cy := math.Sincos(v.Yaw * math.Pi / 180)
	sp, cp := math.Sincos(v.Pitch * math.Pi / 180)
	sr, cr := math.Sincos(v.Roll * math.Pi / 180)
	var out [4][2]float64
	for i, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		x, y := c[0]*w/2, c[1]*h/2
		// From the right the right side is nearer, from above the top.
		x, z := x*cy, -x*sy
		y, z = y*cp-z*sp, y*sp+z*cp
		k := far / (far + z) * v.Zoom
		x, y = x*k, y*k
		out[i] = [2]float64{w/2 + x*cr - y*sr, h/2 + x*sr + y*cr}
	}
	return out
}

// RenderView shows a picture from another angle. The plane is scaled to fill
// most of the frame; the rest is the picture's edge, mirrored and blurred.
func RenderView(ctx context.Context, img image.Image, v View) (*image.NRGBA, error) {
	src := pixel.AsNRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	fw, fh := float64(w), float64(h)
	c := v.corners(fw, fh)
	if v.Zoom >= 1 {
		c = scaleToFill(c, fw, fh)
	}
	p, err := pixel.ProjectionTo(fw, fh, c)
	if err != nil {
		return nil, err
	}
	soft, err := pixel.Blur(ctx, src, float64(min(w, h))*0.035)
	if err != nil {
		return nil, err
	}
	m := p.Inverse()
	out := image.NewNRGBA(src.Rect)
	err = pixel.Bands(ctx, h, 16, func(y0, y1 int) {
		var a, b [4]uint8
		for y := y0; y < y1; y++ {
			for x := range w {
				sx, sy, ok := m.SourceAt(x, y)
				if !ok {
					continue
				}
				o := out.Pix[y*out.Stride+x*4:]
				outside := max(-sx, sx-fw, -sy, sy-fh, 0)
				sx, sy = min(max(mirrored(sx, fw)-0.5, 0), fw-1), min(max(mirrored(sy, fh)-0.5, 0), fh-1)
				a, b = [4]uint8{}, [4]uint8{}
				pixel.Sample(src, sx, sy, a[:])
				if outside > 0 {
					pixel.Sample(soft, sx, sy, b[:])
					t := pixel.Smooth(0, float32(min(fw, fh))*0.09, float32(outside))
					for i := range a {
						a[i] = pixel.ClampByte(float32(a[i])*(1-t) + float32(b[i])*t)
					}
				}
				copy(o[:4], a[:])
			}
		}
	}, nil)
	return out, err
}

// mirrored folds a number back and forth into 0 to size.
func mirrored(v, size float64) float64 {
	v = math.Mod(math.Abs(v), 2*size)
	if v > size {
		v = 2*size - v
	}
	return v
}

// scaleToFill scales corners around the middle of the frame so that little of
// the frame stays empty, without cutting off the subject.
func scaleToFill(c [4][2]float64, w, h float64) [4][2]float64 {
	grow := 1.0
	for _, side := range [4][3]float64{{0, 1, 1}, {1, 2, 0}, {2, 3, 1}, {3, 0, 0}} {
		a, b := c[int(side[0])], c[int(side[1])]
		axis := int(side[2])
		half := [2]float64{w / 2, h / 2}[axis]
		for _, q := range [2][2]float64{a, b} {
			if d := math.Abs(q[axis] - half); d > 1 {
				grow = max(grow, 1+0.7*(half/d-1))
			}
		}
	}
	grow = min(grow, 1.35)
	for i := range c {
		c[i][0], c[i][1] = w/2+(c[i][0]-w/2)*grow, h/2+(c[i][1]-h/2)*grow
	}
	return c
}
