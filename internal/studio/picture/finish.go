package picture

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// pass turns a painted picture into another one.
type pass func(ctx context.Context, s *stage, r *raster) (*raster, error)

// passes are the names that data/style.txt may use.
var passes = map[string]pass{
	"wash": washPass, "brush": brushPass, "dabs": dabsPass, "dots": dotsPass, "chalk": chalkPass,
	"hatch": hatchPass, "pen": penPass, "carve": carvePass, "halftone": halftonePass, "blueprint": blueprintPass,
	"print": printPass, "neon": neonPass,
	"pixels": pixelsPass, "facets": facetsPass, "lead": leadPass, "cubes": cubesPass, "tesserae": tesseraePass,
	"grey": greyPass, "sepia": sepiaPass, "lens": lensPass, "cinema": cinemaPass, "vapor": vaporPass, "soften": softenPass,
}

// maxPasses keeps a prompt of many styles from grinding the picture to mud.
const maxPasses = 3

// finish runs the passes of the styles and then the grade of mood and look.
func (s *stage) finish(ctx context.Context, r *raster, progress func(float64)) (*raster, error) {
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
		next.depth = r.depth
		r = next
		if progress != nil {
			progress(float64(i+1) / float64(len(list)+1))
		}
	}
	return r, s.grade(ctx, r)
}

// redraw makes a picture of the same size from a function of the pixel.
func redraw(ctx context.Context, like *raster, f func(x, y int) rgb) (*raster, error) {
	w, h := like.size()
	out := newRaster(w, h)
	err := bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				out.set(x, y, f(x, y))
			}
		}
	}, nil)
	return out, err
}

// grade bends all colours at once: mood and palette of the prompt, then the look.
func (s *stage) grade(ctx context.Context, r *raster) error {
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
	var soft *raster
	if bloom := l.Bloom + map[bool]float64{true: 0.3}[s.scene.mood("dreamy")]; bloom > 0 {
		var err error
		if soft, err = blur(ctx, r, s.u*0.018); err != nil {
			return err
		}
		defer func() { soft = nil }()
		l.Bloom = bloom
	}
	toward := s.paletteMap()
	w, h := r.size()
	wr, wb := float32(1+0.16*warm), float32(1-0.20*warm)
	k, sat := float32(1+contrast), float32(1+saturation)
	across := make([]float32, w) // the vignette's share of a column
	for x := range across {
		u := float32(x)/float32(w) - 0.5
		across[x] = u * u
	}
	return bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			line := r.Pix[y*r.Stride:][:4*w]
			v := float32(y)/float32(h) - 0.5
			v *= v
			for x, u := range across {
				p := line[4*x : 4*x+4 : 4*x+4]
				c := rgb{levels[p[0]], levels[p[1]], levels[p[2]]}
				if soft != nil {
					b := soft.at(x, y)
					bright := smooth(0.35, 0.95, b.luma()) * float32(l.Bloom)
					c = mix(c, rgb{1 - (1-c.r)*(1-b.r), 1 - (1-c.g)*(1-b.g), 1 - (1-c.b)*(1-b.b)}, bright*0.75)
				}
				if toward != nil {
					c = toward(c)
				}
				c.r *= wr
				c.b *= wb
				c = c.saturated(sat)
				c = rgb{(c.r-0.5)*k + 0.5, (c.g-0.5)*k + 0.5, (c.b-0.5)*k + 0.5}
				if vignette > 0 && u+v > 0.10 {
					c = c.scaled(1 - float32(vignette)*smooth(0.10, 0.55, u+v))
				}
				if lift > 0 {
					c = c.scaled(1 - float32(lift)).plus(rgb{1, 0.97, 0.93}.scaled(float32(lift)))
				}
				if film > 0 {
					n := (cellUnit(int32(x), int32(y), uint32(s.seed)) - 0.5) * 0.16 * float32(film)
					c = c.plus(rgb{n, n, n})
				}
				p[0], p[1], p[2], p[3] = byteOf(c.r), byteOf(c.g), byteOf(c.b), 255
			}
		}
	}, nil)
}

// levels are the bytes of a picture as parts of one.
var levels = func() (out [256]float32) {
	for i := range out {
		out[i] = float32(i) / 255
	}
	return out
}()

// paletteMap pulls colours towards those asked for the whole picture: the light
// and the dark of each pixel stay, its hue comes from the palette.
func (s *stage) paletteMap() func(rgb) rgb {
	if len(s.scene.Palette) == 0 || s.world == "blank" {
		return nil
	}
	stops := paletteRamp(s.scene.Palette)
	return func(c rgb) rgb { return mix(c, stops.at(c.bounded().luma()), 0.62) }
}

// paletteRamp runs from near black through the palette, dark to light, to near
// white.
func paletteRamp(palette []Colour) ramp {
	tones := make([]rgb, 0, len(palette))
	for _, c := range palette {
		tones = append(tones, c.tint())
	}
	slices.SortStableFunc(tones, func(a, b rgb) int { return cmp.Compare(a.luma(), b.luma()) })
	stops := ramp{{0, tones[0].shifted(-80)}}
	for i, c := range tones {
		stops = append(stops, stop{0.2 + 0.6*(float32(i)+0.5)/float32(len(tones)), c})
	}
	return append(stops, stop{1, tones[len(tones)-1].shifted(80)})
}

// blur is three passes of a running mean, near enough to a Gaussian.
func blur(ctx context.Context, r *raster, radius float64) (*raster, error) {
	w, h := r.size()
	n := max(int(math.Round(radius*0.6)), 1)
	a, b := newRaster(w, h), newRaster(w, h)
	copy(a.Pix, r.Pix)
	for range 2 {
		if err := bands(ctx, h, 32, func(y0, y1 int) {
			for y := y0; y < y1; y++ {
				smear(a.Pix[y*a.Stride:], b.Pix[y*b.Stride:], 4, w, n)
			}
		}, nil); err != nil {
			return nil, err
		}
		if err := bands(ctx, w, 32, func(x0, x1 int) {
			for x := x0; x < x1; x++ {
				smear(b.Pix[x*4:], a.Pix[x*4:], b.Stride, h, n)
			}
		}, nil); err != nil {
			return nil, err
		}
	}
	a.depth = r.depth
	return a, nil
}

// smear averages each pixel of a line with n neighbours on both sides.
func smear(from, to []uint8, step, length, n int) {
	var sum [3]int
	at := func(i int) int { return min(max(i, 0), length-1) * step }
	for i := -n; i <= n; i++ {
		for c := range 3 {
			sum[c] += int(from[at(i)+c])
		}
	}
	size := 2*n + 1
	for i := range length {
		o := i * step
		for c := range 3 {
			to[o+c] = uint8((sum[c] + n) / size)
			sum[c] += int(from[at(i+n+1)+c]) - int(from[at(i-n)+c])
		}
		to[o+3] = 255
	}
}

// edges measures how strongly the picture changes at each pixel, in colour and in
// nearness, so that a subject has an outline even before a like-coloured ground.
func edges(ctx context.Context, r *raster, reach int) ([]float32, error) {
	w, h := r.size()
	out := make([]float32, w*h)
	reach = max(reach, 1)
	err := bands(ctx, h, 32, func(y0, y1 int) {
		near := func(x, y int) float32 {
			return float32(r.depth[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)])
		}
		for y := y0; y < y1; y++ {
			for x := range w {
				a, b := r.at(x-reach, y), r.at(x+reach, y)
				c, d := r.at(x, y-reach), r.at(x, y+reach)
				v := a.distance(b) + c.distance(d)
				jump := abs32(near(x-reach, y)-near(x+reach, y)) + abs32(near(x, y-reach)-near(x, y+reach))
				out[y*w+x] = v + 0.35*min(jump/40, 1)
			}
		}
	}, nil)
	return out, err
}
