package cpu

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/paint"
)

// effect is what a prompt lets happen in a picture that it does not paint:
// weather, water, wind and light.
type effect struct {
	names  []string
	swarms []swarm
	ripple float64 // of water in the lower part, as a share of the height
	sway   float64 // of grass and trees
	flames float64 // unsteady light
	fog    float64
	light  *light  // the light that the clip comes to
	rise   float64 // seconds that it takes to begin; it is there at once if zero
	seed   uint64
}

// causes are the words behind the effects.
var causes = []struct {
	name  string
	words []string
	set   func(e *effect)
}{
	{"rain", []string{"rain", "rains", "raining", "rainy", "drizzle", "downpour"}, func(e *effect) { e.fall("rain", 1) }},
	{"storm", []string{"storm", "stormy", "storms", "thunderstorm", "tempest"}, func(e *effect) { e.fall("rain", 2.2); e.sway, e.light = 0.006, &light{0.50, 0.56, 0.68, 0} }},
	{"snow", []string{"snow", "snows", "snowing", "snowy", "snowfall", "snowflakes", "blizzard"}, func(e *effect) { e.fall("snow", 1) }},
	{"embers", []string{"embers", "sparks", "campfire", "bonfire", "burning"}, func(e *effect) { e.fall("embers", 1) }},
	{"fireflies", []string{"fireflies", "firefly", "glowworms"}, func(e *effect) { e.fall("fireflies", 1) }},
	{"petals", []string{"petals", "blossoms", "cherry blossom", "cherry blossoms"}, func(e *effect) { e.fall("petals", 1) }},
	{"leaves", []string{"leaves", "falling leaves", "autumn leaves"}, func(e *effect) { e.fall("leaves", 1) }},
	{"confetti", []string{"confetti", "celebration", "party"}, func(e *effect) { e.fall("confetti", 1) }},
	{"bubbles", []string{"bubbles", "underwater", "bubbling"}, func(e *effect) { e.fall("bubbles", 1) }},
	{"sparkles", []string{"sparkle", "sparkles", "sparkling", "magic", "magical", "glitter", "glittering", "shimmering", "fairy"}, func(e *effect) { e.fall("sparkles", 1) }},
	{"dust", []string{"dust", "dusty", "sunbeams", "sunbeam"}, func(e *effect) { e.fall("dust", 1) }},
	{"ripples", []string{"water", "waves", "wave", "ripples", "ripple", "sea", "ocean", "lake", "river", "pond", "reflection"}, func(e *effect) { e.ripple = 0.006 }},
	{"wind", []string{"wind", "windy", "breeze", "sway", "sways", "swaying", "grass", "flutter", "fluttering", "blowing", "hair"}, func(e *effect) { e.sway = 0.006 }},
	{"flicker", []string{"fire", "flames", "flickering", "flicker", "candle", "candlelight", "torch", "fireplace"}, func(e *effect) { e.flames = 0.12 }},
	{"fog", []string{"fog", "mist", "misty", "foggy", "haze", "smoke", "steam", "smoky"}, func(e *effect) { e.fog = 0.5 }},
	{"nightfall", []string{"nightfall", "night falls", "gets dark", "turns to night", "becomes night", "lights out"}, func(e *effect) { e.light = &light{0.34, 0.42, 0.72, 0} }},
	{"sunset", []string{"sunset", "sun sets", "golden hour", "dusk", "evening"}, func(e *effect) { e.light = &light{1.08, 0.84, 0.6, 0} }},
	{"sunrise", []string{"sunrise", "sun rises", "dawn breaks", "gets brighter", "lights up"}, func(e *effect) { e.light = &light{1.22, 1.12, 0.95, 6} }},
	{"fade to black", []string{"fade to black", "fades to black", "fade out"}, func(e *effect) { e.light = &light{0, 0, 0, 0} }},
}

// effectOf reads a prompt.
func effectOf(prompt string, seed int64) *effect {
	e := &effect{seed: uint64(seed)}
	words := phrase(prompt)
	for _, c := range causes {
		if said(words, c.words...) {
			c.set(e)
			e.names = append(e.names, c.name)
		}
	}
	return e
}

// without leaves out what a painted scene shows by itself.
func (e *effect) without(scene paint.Scene) *effect {
	out := &effect{seed: e.seed, names: nil}
	for _, s := range e.swarms {
		if s.kind != "rain" && s.kind != "snow" && s.kind != "bubbles" {
			out.swarms = append(out.swarms, s)
			out.names = append(out.names, s.kind)
		}
	}
	return out
}

func (e *effect) fall(kind string, count float64) {
	e.swarms = append(e.swarms, swarm{kind: kind, count: count, seed: e.seed + uint64(len(e.swarms))*7919})
}

// stir moves a place of the picture as water and wind do. Only the lower part is
// water, and only what is off the ground sways.
func (e *effect) stir(u, v, seconds float64) (float64, float64) {
	if e.ripple > 0 && v > 0.5 {
		k := e.ripple * ease((v-0.5)/0.3)
		u += k * 0.6 * math.Sin(40*v+2.1*seconds+3*math.Sin(5*u))
		v += k * math.Sin(26*u+17*v-2.7*seconds)
	}
	if e.sway > 0 {
		k := e.sway * (0.3 + 0.7*math.Sin(math.Pi*min(max(1.15-v, 0), 1)))
		u += k * (math.Sin(1.7*seconds+4*v+2*u) + 0.5*math.Sin(3.1*seconds+9*u))
	}
	return u, v
}

// finish draws what lies over the picture. Part is how far the clip is.
func (e *effect) finish(img *image.RGBA, seconds, part float64) {
	l := light{1, 1, 1, 0}
	if e.light != nil {
		k := ease(part)
		l = light{1 + (e.light.r-1)*k, 1 + (e.light.g-1)*k, 1 + (e.light.b-1)*k, e.light.lift * k}
	}
	if e.flames > 0 {
		f := 1 + e.flames*(0.5*math.Sin(11*seconds)+0.3*math.Sin(23*seconds+1)+0.2*math.Sin(37*seconds+2))
		l.r, l.g, l.b = l.r*f, l.g*(0.4+0.6*f), l.b*(0.7+0.3*f)
	}
	l.shine(img)
	much := 1.0
	if e.rise > 0 {
		much = ease(seconds / e.rise)
	}
	if e.fog > 0 {
		e.haze(img, seconds, e.fog*much)
	}
	for i := range e.swarms {
		e.swarms[i].draw(img, seconds, much)
	}
}

// haze is fog that drifts: a soft noise, denser below the middle.
func (e *effect) haze(img *image.RGBA, seconds, fog float64) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	const step = 16
	cols := (w+step-1)/step + 1
	rows(h, func(y int) {
		v := float64(y) / float64(h)
		dense := fog * (0.25 + 0.75*math.Sin(math.Pi*min(max((v-0.15)*1.1, 0), 1)))
		next := 0.0
		at := func(i int) float64 {
			u := float64(i*step) / float64(h)
			return dense * (0.35 + 0.65*cloud(u*2.2-seconds*0.12, v*3+seconds*0.02, e.seed))
		}
		here := at(0)
		line := img.Pix[y*img.Stride:]
		for i := range cols - 1 {
			next = at(i + 1)
			for x := i * step; x < min((i+1)*step, w); x++ {
				k := int32(256 * (here + (next-here)*float64(x-i*step)/step))
				p := line[4*x : 4*x+3 : 4*x+3]
				for c := range 3 {
					p[c] = byteOf(int32(p[c]) + (218-int32(p[c]))*k>>8)
				}
			}
			here = next
		}
	})
}

// cloud is a smooth noise from 0 to 1 of two sizes.
func cloud(x, y float64, seed uint64) float64 {
	return 0.65*patch(x, y, seed) + 0.35*patch(x*2.3+5, y*2.3, seed+1)
}

func patch(x, y float64, seed uint64) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := ease(x-x0), ease(y-y0)
	corner := func(i, j float64) float64 { return roll(seed, int(x0+i)*7919+int(y0+j), 3) }
	a := corner(0, 0)*(1-fx) + corner(1, 0)*fx
	b := corner(0, 1)*(1-fx) + corner(1, 1)*fx
	return a*(1-fy) + b*fy
}

// light is the colour of the light over a picture, and how much darkness is
// lifted.
type light struct{ r, g, b, lift float64 }

// shine puts a picture into a light.
func (l light) shine(img *image.RGBA) {
	if l == (light{1, 1, 1, 0}) {
		return
	}
	var table [3][256]uint8
	for c, k := range [3]float64{l.r, l.g, l.b} {
		for v := range 256 {
			table[c][v] = uint8(min(max(float64(v)*k+l.lift, 0), 255))
		}
	}
	w := img.Rect.Dx()
	rows(img.Rect.Dy(), func(y int) {
		line := img.Pix[y*img.Stride:][:4*w]
		for i := 0; i+3 < len(line); i += 4 {
			line[i], line[i+1], line[i+2] = table[0][line[i]], table[1][line[i+1]], table[2][line[i+2]]
		}
	})
}
