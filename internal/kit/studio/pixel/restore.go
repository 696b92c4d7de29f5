package pixel

import (
	"context"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// Repair is the strength of each repair: 0 is none, 1 as much as the damage
// needs, 2 twice as much.
type Repair struct {
	Dust     float64 // specks and scratches
	Noise    float64
	Fade     float64 // lost contrast
	Cast     float64 // a tint over everything, as old prints have
	Sharpen  float64
	Thorough bool // takes longer and keeps more detail
}

// Varied returns the repair a little stronger or weaker, by the seed.
func (r Repair) Varied(seed int64) Repair {
	d := chance.New(uint64(seed), "repair")
	for _, v := range []*float64{&r.Noise, &r.Fade, &r.Cast, &r.Sharpen} {
		*v *= d.In(0.88, 1.12)
	}
	return r
}

// Damage is what a restoration found.
type Damage struct {
	Noise  float64 `json:"noise"`  // standard deviation, in steps of 255
	Specks float64 `json:"specks"` // share of the picture that was specks and scratches
	Fade   float64 `json:"fade"`   // share of the tonal range that was unused
	Cast   string  `json:"cast"`   // the tint that was taken out, if any
}

// Restore repairs a photograph from its own pixels: specks and scratches are
// replaced by what surrounds them, noise is averaged away where the picture is
// even, tones and tints are stretched back. It invents nothing.
func Restore(ctx context.Context, img image.Image, r Repair, progress func(float64)) (*image.NRGBA, Damage, error) {
	out := Flatten(img)
	var found Damage
	tell := func(f float64) {
		if progress != nil {
			progress(f)
		}
	}
	found.Noise = noiseOf(out)
	if r.Dust > 0 {
		specks, err := findSpecks(ctx, out, found.Noise, r.Dust)
		if err != nil {
			return nil, found, err
		}
		found.Specks = specks.Share()
		if err := medianFill(ctx, out, specks); err != nil {
			return nil, found, err
		}
	}
	tell(0.3)
	if r.Noise > 0 && found.Noise > 1.2 {
		var err error
		if r.Thorough {
			out, err = nonLocalMeans(ctx, out, found.Noise*r.Noise)
		} else {
			strength := min((2.4*found.Noise*r.Noise-6)/44+0.05, 1)
			if out, err = Denoise(ctx, out, strength); err == nil && found.Noise > 7 {
				out, err = Denoise(ctx, out, strength/2)
			}
		}
		if err != nil {
			return nil, found, err
		}
	}
	tell(0.7)
	var err error
	if out, found.Fade, found.Cast, err = Stretch(ctx, out, min(0.85*r.Fade, 1), min(0.85*r.Cast, 1)); err != nil {
		return nil, found, err
	}
	if r.Sharpen > 0 {
		if out, err = Sharpen(ctx, out, max(float64(min(out.Rect.Dx(), out.Rect.Dy()))/900, 0.8), 0.45*r.Sharpen); err != nil {
			return nil, found, err
		}
	}
	tell(1)
	return out, found, nil
}

// noiseOf estimates the noise of a picture by the median of the finest changes
// of lightness: edges are few.
func noiseOf(src *image.NRGBA) float64 {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w < 3 || h < 3 {
		return 0
	}
	light := func(x, y int) int {
		p := src.Pix[y*src.Stride+x*4:]
		return 299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])
	}
	var v []int
	step := max((w-2)*(h-2)/250000, 1)
	for i := 0; i < (w-2)*(h-2); i += step {
		x, y := i%(w-2)+1, i/(w-2)+1
		d := light(x-1, y-1) + light(x+1, y-1) + light(x-1, y+1) + light(x+1, y+1) + 4*light(x, y)
		d -= 2 * (light(x, y-1) + light(x, y+1) + light(x-1, y) + light(x+1, y))
		v = append(v, max(d, -d))
	}
	slices.Sort(v)
	return float64(v[len(v)/2]) / 1000 / 0.6745 / 6
}

// Stretch restores the full tonal range, by fade, and the balance of the
// channels, by cast.
func Stretch(ctx context.Context, src *image.NRGBA, fade, cast float64) (out *image.NRGBA, unused float64, tint string, err error) {
	var count [4][256]int
	total := 0
	for i := 0; i+3 < len(src.Pix); i += 4 {
		if src.Pix[i+3] < 128 {
			continue
		}
		p := src.Pix[i : i+3]
		for c := range 3 {
			count[c][p[c]]++
		}
		count[3][(299*int(p[0])+587*int(p[1])+114*int(p[2]))/1000]++
		total++
	}
	var lo, hi [4]float64
	for c := range count {
		lo[c], hi[c] = span(count[c][:], total, 0.006)
	}
	unused = 1 - (hi[3]-lo[3])/255
	if hi[3]-lo[3] < 12 || fade <= 0 && cast <= 0 {
		return src, unused, "", nil
	}
	var table [3][256]uint8
	for c := range 3 {
		// A channel that is far from the others is the subject, such as a sunset,
		// and not a tint: it is corrected only in part.
		k := cast * 0.85 * ease(90, 35, math.Abs(hi[c]-hi[3])+0.5*math.Abs(lo[c]-lo[3]))
		from, to := lo[3]+(lo[c]-lo[3])*k, hi[3]+(hi[c]-hi[3])*k
		black, white := from*fade+(1-fade)*(from-lo[3]), to*fade+(1-fade)*(255+to-hi[3])
		for i := range table[c] {
			table[c][i] = ClampByte(float32(255 * (float64(i) - black) / max(white-black, 1)))
		}
	}
	if cast > 0 {
		tint = tintOf(hi)
	}
	out, err = combine(ctx, &Raster{src, nil}, func(i int, v uint8) uint8 { return table[i%4][v] })
	return out, unused, tint, err
}

// span returns the range that holds all but a part of the pixels at each end.
func span(count []int, total int, part float64) (lo, hi float64) {
	out := int(float64(total) * part)
	i, sum := 0, 0
	for ; i < 255; i++ {
		if sum += count[i]; sum > out {
			break
		}
	}
	j := 255
	for sum = 0; j > i; j-- {
		if sum += count[j]; sum > out {
			break
		}
	}
	return float64(i), float64(j)
}

// tintOf names the tint of a picture's lightest tones; nothing when they are grey.
func tintOf(hi [4]float64) string {
	if max(hi[0], hi[1], hi[2])-min(hi[0], hi[1], hi[2]) < 10 {
		return ""
	}
	c := LabOf(uint8(hi[0]), uint8(hi[1]), uint8(hi[2]))
	names := []string{"red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"}
	return slices.MinFunc(names, func(a, b string) int {
		x, _ := ColourNamed(a)
		y, _ := ColourNamed(b)
		if hueDistance(c.hue(), x.lab().hue()) < hueDistance(c.hue(), y.lab().hue()) {
			return -1
		}
		return 1
	})
}
