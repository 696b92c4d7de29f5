package paint

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Stylise runs the passes of style words over any picture, so that the styles
// of a prompt can be applied to a photograph. Flat colours, few tones and
// outlines, which a painted scene has already, are applied to a photograph
// before the passes. Unknown styles change nothing.
func Stylise(ctx context.Context, img image.Image, scene Scene, look Look, seed int64) (*image.NRGBA, error) {
	src := pixel.RasterOf(img)
	w, h := src.Size()
	if w < pixel.MinSide || h < pixel.MinSide || w > pixel.MaxSide || h > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	s := newRenderer(Scene{Styles: scene.Styles, Moods: scene.Moods, Palette: scene.Palette}, look, w, h, seed, 0)
	s.world = "picture"
	src, err := s.simplify(ctx, src)
	if err != nil {
		return nil, err
	}
	out, err := s.finish(ctx, src, nil)
	if err != nil {
		return nil, err
	}
	return out.NRGBA, nil
}

// InapplicableStyles are styles of construction or light; they cannot be applied to an
// existing picture.
var InapplicableStyles = []string{"isometric", "photo"}

// StyleNames returns the styles that a picture can be given.
func StyleNames() []string {
	return slices.DeleteFunc(lexicon.SortedKeys(styleTable()), func(s string) bool { return slices.Contains(InapplicableStyles, s) })
}

// ReadStyle finds the styles, moods and colours that a text names. Without any,
// the error lists the styles.
func ReadStyle(text string) (Scene, error) {
	s := Read(text)
	var refused []string
	styles := slices.DeleteFunc(DropGeneralStyles(s.Styles, text), func(v string) bool {
		if slices.Contains(InapplicableStyles, v) {
			refused = append(refused, v)
			return true
		}
		return false
	})
	out := Scene{Styles: styles, Moods: s.Moods, Palette: s.Palette, Unknown: s.Unknown, Lost: s.Lost}
	for _, m := range s.mentions {
		// A general word is part of the style that a more specific one names.
		if m.of.group != "style" || slices.Contains(styles, m.of.key) || slices.Contains(refused, m.of.key) {
			out.mentions = append(out.mentions, m)
		}
	}
	for _, in := range [][]Thing{s.Subjects, s.Settings, s.Sky} {
		for _, t := range in {
			out.Palette = append(out.Palette, t.Colours...)
		}
	}
	if len(out.Palette) > 6 {
		out.Palette = out.Palette[:6]
	}
	switch {
	case len(out.Styles) > 0 || len(out.Moods) > 0 || len(out.Palette) > 0:
		return out, nil
	case len(refused) > 0:
		return out, fmt.Errorf("the style %s cannot be given to a picture that exists; it knows %s", strings.Join(refused, ", "), strings.Join(StyleNames(), ", "))
	}
	return out, fmt.Errorf("no style is known in %q; it knows %s, and moods and colours", text, strings.Join(StyleNames(), ", "))
}

// DropGeneralStyles drops a style that comes only from a general word: "a
// watercolour painting" is not an oil painting.
func DropGeneralStyles(styles []string, text string) []string {
	general := map[string]string{"oil": "painting", "pencil": "drawing", "flat": "illustration"}
	text = strings.ToLower(text)
	return slices.DeleteFunc(slices.Clone(styles), func(v string) bool {
		word := general[v]
		return len(styles) > 1 && word != "" && strings.Contains(text, word) && !strings.Contains(text, v)
	})
}

// flatColours is the number of flat colours of a style; other styles with few tones
// keep their hues.
var flatColours = map[string]int{"flat": 14, "minimalist": 7, "anime": 26, "comic": 20, "ukiyo": 16}

// simplify gives a photograph the tones, flat colours and outlines of a style.
func (s *renderer) simplify(ctx context.Context, r *pixel.Raster) (*pixel.Raster, error) {
	m := s.manner
	if len(s.scene.Styles) == 0 || !(m.flat || m.cel || m.outline > 0 || s.scene.styled("woodcut")) {
		return r, nil
	}
	r, err := liftMidtones(ctx, r)
	if err != nil {
		return nil, err
	}
	lines := r
	n := 0
	for _, style := range s.scene.Styles {
		if v := flatColours[style]; v > 0 && (n == 0 || v < n) {
			n = v
		}
	}
	if n > 0 {
		if r, err = s.reduceColours(ctx, r, n); err != nil {
			return nil, err
		}
	}
	// Passes that draw from edges draw their own lines.
	if m.outline > 0 && n > 0 && n != flatColours["flat"] && n != flatColours["minimalist"] {
		return s.drawContours(ctx, r, lines)
	}
	return r, nil
}

// liftMidtones brings the median tone of a picture to the middle: prints and drawings
// of a dark picture would be black.
func liftMidtones(ctx context.Context, r *pixel.Raster) (*pixel.Raster, error) {
	var sum float64
	for i := 0; i+3 < len(r.Pix); i += 4 {
		sum += (0.299*float64(r.Pix[i]) + 0.587*float64(r.Pix[i+1]) + 0.114*float64(r.Pix[i+2])) / 255
	}
	mean := min(max(sum/float64(len(r.Pix)/4), 0.02), 0.98)
	bend := min(max(math.Log(mean)/math.Log(0.52), 0.7), 2.2)
	out, err := pixel.AutoContrast(ctx, r.NRGBA)
	if err != nil {
		return nil, err
	}
	if out, err = pixel.Levels(ctx, out, 0, 255, 0.4+0.6*bend); err != nil {
		return nil, err
	}
	return &pixel.Raster{NRGBA: out, Depth: r.Depth}, nil
}

// reduceColours reduces a picture to n flat colours of its own, a little more
// saturated.
func (s *renderer) reduceColours(ctx context.Context, r *pixel.Raster, n int) (*pixel.Raster, error) {
	even := r.NRGBA
	var err error
	for range 2 {
		if even, err = pixel.Denoise(ctx, even, 0.7); err != nil {
			return nil, err
		}
	}
	if n <= flatColours["flat"] {
		soft, err := pixel.Soften(ctx, &pixel.Raster{NRGBA: even, Depth: nil}, s.u*0.004)
		if err != nil {
			return nil, err
		}
		even = soft.NRGBA
	}
	small, err := pixel.StudyOf(ctx, even, 160)
	if err != nil {
		return nil, err
	}
	centres := pixel.CentresOf(small.Colour, n)
	table := make([]pixel.RGB, 1<<15)
	if err := pixel.Bands(ctx, 1<<15, 1<<10, func(from, to int) {
		for i := from; i < to; i++ {
			c := pixel.RGB{R: float32(i>>10) / 31, G: float32(i>>5&31) / 31, B: float32(i&31) / 31}
			p := pixel.LabOf(pixel.ByteOf(c.R), pixel.ByteOf(c.G), pixel.ByteOf(c.B))
			table[i] = centres[pixel.NearestOf(centres, p)].RGB().Saturated(1.18)
		}
	}, nil); err != nil {
		return nil, err
	}
	keep := float32(0.12)
	from := &pixel.Raster{NRGBA: even, Depth: nil}
	out, err := pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		c := from.At(x, y)
		return pixel.Mix(table[cube(c)], c, keep)
	})
	if err != nil {
		return nil, err
	}
	out.Depth = r.Depth
	return out, nil
}

// drawContours draws lines where a picture turns dark: a difference of Gaussians
// with a steep threshold (Winnemöller 2011).
func (s *renderer) drawContours(ctx context.Context, r, from *pixel.Raster) (*pixel.Raster, error) {
	w, h := from.Size()
	near, far := pixel.LightPlane(from.NRGBA), pixel.LightPlane(from.NRGBA)
	n := max(int(s.u/640), 1)
	for range 2 {
		if err := near.Soften(ctx, n); err != nil {
			return nil, err
		}
	}
	for range 3 {
		if err := far.Soften(ctx, 2*n); err != nil {
			return nil, err
		}
	}
	line := s.manner.line
	strength := float32(min(0.55+0.4*s.manner.outline, 1))
	out, err := pixel.Redraw(ctx, r, func(x, y int) pixel.RGB {
		i := min(y, h-1)*w + min(x, w-1)
		return pixel.Mix(r.At(x, y), line, pixel.Smooth(0.018, 0.055, far.V[i]-near.V[i])*strength)
	})
	if err != nil {
		return nil, err
	}
	out.Depth = r.Depth
	return out, nil
}
