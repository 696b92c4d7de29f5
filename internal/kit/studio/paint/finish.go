package paint

import (
	"context"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// pass is a filter over a painted picture.
type pass func(ctx context.Context, s *renderer, r *pixel.Raster) (*pixel.Raster, error)

// passes are the names that data/style.txt may use.
var passes = map[string]pass{
	"wash": washPass, "brush": brushPass, "dabs": dabsPass, "dots": dotsPass, "chalk": chalkPass,
	"hatch": hatchPass, "pen": penPass, "carve": carvePass, "halftone": halftonePass, "blueprint": blueprintPass,
	"print": printPass, "neon": neonPass,
	"pixels": pixelsPass, "facets": facetsPass, "lead": leadPass, "cubes": cubesPass, "tesserae": tesseraePass,
	"grey": greyPass, "sepia": sepiaPass, "lens": lensPass, "cinema": cinemaPass, "vapor": vaporPass, "soften": softenPass,
}

// maxPasses limits the styles of a prompt: more passes would leave nothing of
// the picture.
const maxPasses = 3

// finish runs the passes of the styles and then the colour grading of mood and
// look.
func (s *renderer) finish(ctx context.Context, r *pixel.Raster, progress func(float64)) (*pixel.Raster, error) {
	list := s.manner.passes[:min(len(s.manner.passes), maxPasses)]
	for i, name := range list {
		p := passes[name]
		if p == nil {
			continue
		}
		next, err := p(ctx, s, r)
		if err != nil {
			return nil, err
		}
		next.Depth = r.Depth
		r = next
		if progress != nil {
			progress(float64(i+1) / float64(len(list)+1))
		}
	}
	return r, s.grade(ctx, r)
}

// grade changes all colours: mood and palette of the prompt, then the look.
func (s *renderer) grade(ctx context.Context, r *pixel.Raster) error {
	l := s.look
	warm, contrast, saturation := l.Warmth, l.Contrast, l.Saturation
	vignette, film, lift := l.Vignette, l.Film, l.Lift
	add := func(mood string, w, c, sat float64) {
		if s.scene.mood(mood) {
			warm, contrast, saturation = warm+w, contrast+c, saturation+sat
		}
	}
	add("happy", 0.05, 0, 0.14)
	add("dark", -0.06, 0.14, -0.25)
	add("calm", 0, -0.08, -0.10)
	add("dreamy", 0.04, -0.05, 0.10)
	add("epic", 0.05, 0.18, 0.10)
	add("sad", -0.14, -0.04, -0.35)
	add("warm", 0.32, 0, 0.08)
	add("cool", -0.32, 0, 0)
	add("vivid", 0, 0.08, 0.42)
	add("muted", 0, -0.06, -0.42)
	add("pastelly", 0, -0.18, -0.15)
	if s.scene.mood("dark") {
		vignette += 0.35
	}
	if s.scene.mood("pastelly") {
		lift += 0.16
	}
	var soft *pixel.Raster
	if bloom := l.Bloom + map[bool]float64{true: 0.3}[s.scene.mood("dreamy")]; bloom > 0 {
		var err error
		if soft, err = pixel.Soften(ctx, r, s.u*0.018); err != nil {
			return err
		}
		defer func() { soft = nil }()
		l.Bloom = bloom
	}
	toward := s.paletteMap()
	w, h := r.Size()
	wr, wb := float32(1+0.16*warm), float32(1-0.20*warm)
	k, sat := float32(1+contrast), float32(1+saturation)
	across := make([]float32, w) // the vignette's share of a column
	for x := range across {
		u := float32(x)/float32(w) - 0.5
		across[x] = u * u
	}
	return pixel.Bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			line := r.Pix[y*r.Stride:][:4*w]
			v := float32(y)/float32(h) - 0.5
			v *= v
			for x, u := range across {
				p := line[4*x : 4*x+4 : 4*x+4]
				c := pixel.RGB{R: levels[p[0]], G: levels[p[1]], B: levels[p[2]]}
				if soft != nil {
					b := soft.At(x, y)
					bright := pixel.Smooth(0.35, 0.95, b.Luma()) * float32(l.Bloom)
					c = pixel.Mix(c, pixel.RGB{R: 1 - (1-c.R)*(1-b.R), G: 1 - (1-c.G)*(1-b.G), B: 1 - (1-c.B)*(1-b.B)}, bright*0.75)
				}
				if toward != nil {
					c = toward(c)
				}
				c.R *= wr
				c.B *= wb
				c = c.Saturated(sat)
				c = pixel.RGB{R: (c.R-0.5)*k + 0.5, G: (c.G-0.5)*k + 0.5, B: (c.B-0.5)*k + 0.5}
				if vignette > 0 && u+v > 0.10 {
					c = c.Scaled(1 - float32(vignette)*pixel.Smooth(0.10, 0.55, u+v))
				}
				if lift > 0 {
					c = c.Scaled(1 - float32(lift)).Plus(pixel.RGB{R: 1, G: 0.97, B: 0.93}.Scaled(float32(lift)))
				}
				if film > 0 {
					n := (chance.CellUnit(int32(x), int32(y), uint32(s.seed)) - 0.5) * 0.16 * float32(film)
					c = c.Plus(pixel.RGB{R: n, G: n, B: n})
				}
				p[0], p[1], p[2], p[3] = pixel.ByteOf(c.R), pixel.ByteOf(c.G), pixel.ByteOf(c.B), 255
			}
		}
	}, nil)
}

// levels maps a byte to a number from 0 to 1.
var levels = func() (out [256]float32) {
	for i := range out {
		out[i] = float32(i) / 255
	}
	return out
}()

// paletteMap moves colours towards the palette of the prompt: each pixel keeps
// its lightness and takes the hue of the palette.
func (s *renderer) paletteMap() func(pixel.RGB) pixel.RGB {
	if len(s.scene.Palette) == 0 || s.world == "blank" {
		return nil
	}
	stops := pixel.PaletteRamp(s.scene.Palette)
	return func(c pixel.RGB) pixel.RGB { return pixel.Mix(c, stops.At(c.Bounded().Luma()), 0.62) }
}

// edges measures the change at each pixel, in colour and in depth, so that a
// subject has an outline even before a background of the same colour.
func edges(ctx context.Context, r *pixel.Raster, reach int) ([]float32, error) {
	w, h := r.Size()
	out := make([]float32, w*h)
	reach = max(reach, 1)
	err := pixel.Bands(ctx, h, 32, func(y0, y1 int) {
		near := func(x, y int) float32 {
			return float32(r.Depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)])
		}
		for y := y0; y < y1; y++ {
			for x := range w {
				a, b := r.At(x-reach, y), r.At(x+reach, y)
				c, d := r.At(x, y-reach), r.At(x, y+reach)
				v := a.Distance(b) + c.Distance(d)
				jump := chance.Abs32(near(x-reach, y)-near(x+reach, y)) + chance.Abs32(near(x, y-reach)-near(x, y+reach))
				out[y*w+x] = v + 0.35*min(jump/40, 1)
			}
		}
	}, nil)
	return out, err
}
