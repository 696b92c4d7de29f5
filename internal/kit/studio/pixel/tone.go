package pixel

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// Tone is a change of all colours at once. The zero value changes nothing; each
// number is visible from about 0.1 and strong at 1, and may be negative.
type Tone struct {
	Light      float64
	Contrast   float64
	Warmth     float64
	Saturation float64 // -1 removes all colour
	Fade       float64 // raises the blacks, as in an old print
	Sepia      float64
	Invert     bool
	Vignette   float64
	Grain      float64
}

// Adjust changes the tones of a picture. Alpha stays.
func Adjust(ctx context.Context, img image.Image, t Tone, seed int64) (*image.NRGBA, error) {
	out := Flatten(img)
	w, h := out.Rect.Dx(), out.Rect.Dy()
	bend := t.curve()
	warm := float32(t.Warmth)
	red, green, blue := 1+0.16*warm, 1+0.02*warm, 1-0.20*warm
	saturation := float32(max(1+t.Saturation, 0))
	brown, cream := RGB{0.16, 0.09, 0.05}, RGB{1, 0.93, 0.78}
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				p := out.Pix[y*out.Stride+x*4:]
				c := RGB{bend[p[0]] * red, bend[p[1]] * green, bend[p[2]] * blue}
				if saturation != 1 {
					c = c.Saturated(saturation)
				}
				if t.Sepia > 0 {
					c = Mix(c, Mix(brown, cream, c.Bounded().Luma()), float32(min(t.Sepia, 1)))
				}
				if t.Vignette != 0 {
					u, v := float32(x)/float32(w)-0.5, float32(y)/float32(h)-0.5
					c = c.Scaled(1 - 0.75*float32(t.Vignette)*Smooth(0.10, 0.55, u*u+v*v))
				}
				if t.Grain > 0 {
					n := (chance.CellUnit(int32(x), int32(y), uint32(seed)) - 0.5) * 0.22 * float32(t.Grain)
					c = c.Plus(RGB{n, n, n})
				}
				p[0], p[1], p[2] = ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)
			}
		}
	}, nil)
	return out, err
}

// curve returns what light, contrast, fade and inversion make of each byte.
func (t Tone) curve() (out [256]float32) {
	for i := range out {
		v := float64(i) / 255
		if t.Invert {
			v = 1 - v
		}
		// White stays white and black stays black: nothing is clipped.
		if t.Light > 0 {
			v = 1 - math.Pow(1-v, 1+1.3*t.Light)
		} else if t.Light < 0 {
			v = math.Pow(v, 1-0.9*t.Light) * (1 + 0.18*max(t.Light, -2))
		}
		if k := t.Contrast; k > 0 {
			s := v * v * (3 - 2*v)
			v += (s - v) * min(1.4*k, 2)
		} else if k < 0 {
			v = 0.5 + (v-0.5)*(1+0.7*max(k, -1))
		}
		v += t.Fade * 0.25 * (1 - v)
		out[i] = float32(min(max(v, 0), 1))
	}
	return out
}

// Blur softens a picture over about radius pixels. Alpha stays.
func Blur(ctx context.Context, img image.Image, radius float64) (*image.NRGBA, error) {
	src := RasterOf(img)
	soft, err := Soften(ctx, src, max(radius, 0.5))
	if err != nil {
		return nil, err
	}
	for i := 3; i < len(soft.Pix); i += 4 {
		soft.Pix[i] = src.Pix[i]
	}
	return soft.NRGBA, nil
}

// Blend puts one picture over another of the same size where a mask selects.
func Blend(ctx context.Context, under, over *image.NRGBA, m *Mask) (*image.NRGBA, error) {
	if under.Rect.Size() != over.Rect.Size() || m.W != under.Rect.Dx() || m.H != under.Rect.Dy() {
		return nil, ErrSize
	}
	out := image.NewNRGBA(image.Rect(0, 0, m.W, m.H))
	err := Bands(ctx, m.H, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			a, b, o := under.Pix[y*under.Stride:], over.Pix[y*over.Stride:], out.Pix[y*out.Stride:]
			for x, v := range m.Pix[y*m.W : (y+1)*m.W] {
				for c := 4 * x; c < 4*x+4; c++ {
					o[c] = uint8((int(a[c])*(255-int(v)) + int(b[c])*int(v) + 127) / 255)
				}
			}
		}
	}, nil)
	return out, err
}

// Over lays a picture with transparency over another of the same size.
func Over(ctx context.Context, under, over *image.NRGBA) (*image.NRGBA, error) {
	if under.Rect.Size() != over.Rect.Size() {
		return nil, ErrSize
	}
	out := Flatten(under)
	_, h := out.Rect.Dx(), out.Rect.Dy()
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for i := 0; i < out.Rect.Dx()*4; i += 4 {
				o, p := out.Pix[y*out.Stride+i:], over.Pix[y*over.Stride+i:]
				a, b := int(p[3]), int(o[3])
				all := 255*a + b*(255-a)
				if all == 0 {
					continue
				}
				for c := range 3 {
					o[c] = uint8((int(p[c])*a*255 + int(o[c])*b*(255-a) + all/2) / all)
				}
				o[3] = uint8((all + 127) / 255)
			}
		}
	}, nil)
	return out, err
}

// Levels maps the tones from black to white onto the whole range and bends the
// middle by gamma; the bounds are from 0 to 255.
func Levels(ctx context.Context, img image.Image, black, white uint8, gamma float64) (*image.NRGBA, error) {
	if white <= black {
		white = min(black, 254) + 1
	}
	if gamma <= 0 {
		gamma = 1
	}
	var table [256]uint8
	for i := range table {
		t := (float64(i) - float64(black)) / (float64(white) - float64(black))
		table[i] = ClampByte(float32(255 * math.Pow(min(max(t, 0), 1), 1/gamma)))
	}
	return combine(ctx, RasterOf(img), func(_ int, v uint8) uint8 { return table[v] })
}

// AutoContrast stretches the tones so that half a percent of the pixels is black
// and as many are white. A flat picture is left alone.
func AutoContrast(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	src := Flatten(img)
	var count [256]int
	total := 0
	for i := 0; i+3 < len(src.Pix); i += 4 {
		if src.Pix[i+3] == 0 {
			continue
		}
		count[(299*int(src.Pix[i])+587*int(src.Pix[i+1])+114*int(src.Pix[i+2]))/1000]++
		total++
	}
	black, white := 0, 255
	for sum := count[0]; black < 255 && sum <= total/200; sum += count[black] {
		black++
	}
	for sum := count[255]; white > 0 && sum <= total/200; sum += count[white] {
		white--
	}
	if white-black < 8 {
		return src, nil
	}
	return Levels(ctx, src, uint8(black), uint8(white), 1)
}

// Grade pulls a picture's colours towards a palette, dark tones to its darkest
// colour and light ones to its lightest. Amount 0 changes nothing, 1 leaves only
// the palette. Alpha stays.
func Grade(ctx context.Context, img image.Image, palette []Colour, amount float64) (*image.NRGBA, error) {
	src := RasterOf(img)
	if len(palette) == 0 || amount <= 0 {
		return src.NRGBA, nil
	}
	toward := PaletteRamp(palette)
	_, h := src.Size()
	k := float32(min(amount, 1))
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for i := y0 * src.Stride; i < y1*src.Stride; i += 4 {
			p := src.Pix[i : i+3]
			c := RGB{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
			c = Mix(c, toward.At(c.Luma()), k)
			p[0], p[1], p[2] = ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)
		}
	}, nil)
	return src.NRGBA, err
}

// PaletteRamp runs from near black through the palette, dark to light, to near
// white.
func PaletteRamp(palette []Colour) Ramp {
	tones := make([]RGB, 0, len(palette))
	for _, c := range palette {
		tones = append(tones, c.Tint())
	}
	slices.SortStableFunc(tones, func(a, b RGB) int { return cmp.Compare(a.Luma(), b.Luma()) })
	stops := Ramp{{0, tones[0].Shifted(-80)}}
	for i, c := range tones {
		stops = append(stops, Stop{0.2 + 0.6*(float32(i)+0.5)/float32(len(tones)), c})
	}
	return append(stops, Stop{1, tones[len(tones)-1].Shifted(80)})
}
