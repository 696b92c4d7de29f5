package motion

import (
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
)

// Effect is what a prompt adds to existing pictures: weather, water, wind and
// light.
type Effect struct {
	Names     []string
	Particles []Particles
	Ripple    float64 // of water in the lower part, as a share of the height
	Sway      float64 // of grass and trees
	flames    float64 // unsteady light
	Fog       float64
	Light     *Light  // the light at the end of the clip
	Rise      float64 // seconds of fading in
	seed      uint64
}

// effectWords are the words that ask for each effect.
var effectWords = []struct {
	name  string
	words []string
	set   func(e *Effect)
}{
	{"rain", []string{"rain", "rains", "raining", "rainy", "drizzle", "downpour"}, func(e *Effect) { e.addParticles("rain", 1) }},
	{"storm", []string{"storm", "stormy", "storms", "thunderstorm", "tempest"}, func(e *Effect) { e.addParticles("rain", 2.2); e.Sway, e.Light = 0.006, &Light{0.50, 0.56, 0.68, 0} }},
	{"snow", []string{"snow", "snows", "snowing", "snowy", "snowfall", "snowflakes", "blizzard"}, func(e *Effect) { e.addParticles("snow", 1) }},
	{"embers", []string{"embers", "sparks", "campfire", "bonfire", "burning"}, func(e *Effect) { e.addParticles("embers", 1) }},
	{"fireflies", []string{"fireflies", "firefly", "glowworms"}, func(e *Effect) { e.addParticles("fireflies", 1) }},
	{"petals", []string{"petals", "blossoms", "cherry blossom", "cherry blossoms"}, func(e *Effect) { e.addParticles("petals", 1) }},
	{"leaves", []string{"leaves", "falling leaves", "autumn leaves"}, func(e *Effect) { e.addParticles("leaves", 1) }},
	{"confetti", []string{"confetti", "celebration", "party"}, func(e *Effect) { e.addParticles("confetti", 1) }},
	{"bubbles", []string{"bubbles", "underwater", "bubbling"}, func(e *Effect) { e.addParticles("bubbles", 1) }},
	{"sparkles", []string{"sparkle", "sparkles", "sparkling", "magic", "magical", "glitter", "glittering", "shimmering", "fairy"}, func(e *Effect) { e.addParticles("sparkles", 1) }},
	{"dust", []string{"dust", "dusty", "sunbeams", "sunbeam"}, func(e *Effect) { e.addParticles("dust", 1) }},
	{"ripples", []string{"water", "waves", "wave", "ripples", "ripple", "sea", "ocean", "lake", "river", "pond", "reflection"}, func(e *Effect) { e.Ripple = 0.006 }},
	{"wind", []string{"wind", "windy", "breeze", "sway", "sways", "swaying", "grass", "flutter", "fluttering", "blowing", "hair"}, func(e *Effect) { e.Sway = 0.006 }},
	{"flicker", []string{"fire", "flames", "flickering", "flicker", "candle", "candlelight", "torch", "fireplace"}, func(e *Effect) { e.flames = 0.12 }},
	{"fog", []string{"fog", "mist", "misty", "foggy", "haze", "smoke", "steam", "smoky"}, func(e *Effect) { e.Fog = 0.5 }},
	{"nightfall", []string{"nightfall", "night falls", "gets dark", "turns to night", "becomes night", "lights out"}, func(e *Effect) { e.Light = &Light{0.34, 0.42, 0.72, 0} }},
	{"sunset", []string{"sunset", "sun sets", "golden hour", "dusk", "evening"}, func(e *Effect) { e.Light = &Light{1.08, 0.84, 0.6, 0} }},
	{"sunrise", []string{"sunrise", "sun rises", "dawn breaks", "gets brighter", "lights up"}, func(e *Effect) { e.Light = &Light{1.22, 1.12, 0.95, 6} }},
	{"fade to black", []string{"fade to black", "fades to black", "fade out"}, func(e *Effect) { e.Light = &Light{0, 0, 0, 0} }},
}

// Words finds the words of a text that asked for the effect.
func (e *Effect) Words(phrase string) (out []string) {
	for _, c := range effectWords {
		if slices.Contains(e.Names, c.name) {
			out = append(out, FindPhrases(phrase, c.words)...)
		}
	}
	return out
}

// EffectOf reads a prompt.
func EffectOf(prompt string, seed int64) *Effect {
	e := &Effect{seed: uint64(seed)}
	words := NormalizeText(prompt)
	for _, c := range effectWords {
		if HasPhrase(words, c.words...) {
			c.set(e)
			e.Names = append(e.Names, c.name)
		}
	}
	return e
}

// Without leaves out what a painted scene shows by itself.
func (e *Effect) Without(scene paint.Scene) *Effect {
	out := &Effect{seed: e.seed, Names: nil}
	for _, s := range e.Particles {
		if s.kind != "rain" && s.kind != "snow" && s.kind != "bubbles" {
			out.Particles = append(out.Particles, s)
			out.Names = append(out.Names, s.kind)
		}
	}
	return out
}

func (e *Effect) addParticles(kind string, count float64) {
	e.Particles = append(e.Particles, Particles{kind: kind, count: count, seed: e.seed + uint64(len(e.Particles))*7919})
}

// Displace displaces a point of the picture as water and wind do. Only the lower
// part is water, and only what is off the ground sways.
func (e *Effect) Displace(u, v, seconds float64) (float64, float64) {
	if e.Ripple > 0 && v > 0.5 {
		k := e.Ripple * footage.Ease((v-0.5)/0.3)
		u += k * 0.6 * math.Sin(40*v+2.1*seconds+3*math.Sin(5*u))
		v += k * math.Sin(26*u+17*v-2.7*seconds)
	}
	if e.Sway > 0 {
		k := e.Sway * (0.3 + 0.7*math.Sin(math.Pi*min(max(1.15-v, 0), 1)))
		u += k * (math.Sin(1.7*seconds+4*v+2*u) + 0.5*math.Sin(3.1*seconds+9*u))
	}
	return u, v
}

// Draw draws the effects over the picture. Part is the progress of the clip,
// from 0 to 1.
func (e *Effect) Draw(img *image.RGBA, seconds, part float64) {
	l := Light{1, 1, 1, 0}
	if e.Light != nil {
		k := footage.Ease(part)
		l = Light{1 + (e.Light.R-1)*k, 1 + (e.Light.G-1)*k, 1 + (e.Light.B-1)*k, e.Light.Lift * k}
	}
	if e.flames > 0 {
		f := 1 + e.flames*(0.5*math.Sin(11*seconds)+0.3*math.Sin(23*seconds+1)+0.2*math.Sin(37*seconds+2))
		l.R, l.G, l.B = l.R*f, l.G*(0.4+0.6*f), l.B*(0.7+0.3*f)
	}
	l.Apply(img)
	much := 1.0
	if e.Rise > 0 {
		much = footage.Ease(seconds / e.Rise)
	}
	if e.Fog > 0 {
		e.haze(img, seconds, e.Fog*much)
	}
	for i := range e.Particles {
		e.Particles[i].Draw(img, seconds, much)
	}
}

// haze draws drifting fog: a soft noise, denser below the middle.
func (e *Effect) haze(img *image.RGBA, seconds, fog float64) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	const step = 16
	cols := (w+step-1)/step + 1
	footage.Rows(h, func(y int) {
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
					p[c] = footage.ByteOf(int32(p[c]) + (218-int32(p[c]))*k>>8)
				}
			}
			here = next
		}
	})
}

// cloud returns a smooth noise from 0 to 1 of two sizes.
func cloud(x, y float64, seed uint64) float64 {
	return 0.65*patch(x, y, seed) + 0.35*patch(x*2.3+5, y*2.3, seed+1)
}

func patch(x, y float64, seed uint64) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := footage.Ease(x-x0), footage.Ease(y-y0)
	corner := func(i, j float64) float64 { return hashUnit(seed, int(x0+i)*7919+int(y0+j), 3) }
	a := corner(0, 0)*(1-fx) + corner(1, 0)*fx
	b := corner(0, 1)*(1-fx) + corner(1, 1)*fx
	return a*(1-fy) + b*fy
}

// Light is the colour of the light over a picture, and how much darkness is
// lifted.
type Light struct{ R, G, B, Lift float64 }

// Apply applies the light to a picture.
func (l Light) Apply(img *image.RGBA) {
	if l == (Light{1, 1, 1, 0}) {
		return
	}
	var table [3][256]uint8
	for c, k := range [3]float64{l.R, l.G, l.B} {
		for v := range 256 {
			table[c][v] = uint8(min(max(float64(v)*k+l.Lift, 0), 255))
		}
	}
	w := img.Rect.Dx()
	footage.Rows(img.Rect.Dy(), func(y int) {
		line := img.Pix[y*img.Stride:][:4*w]
		for i := 0; i+3 < len(line); i += 4 {
			line[i], line[i+1], line[i+2] = table[0][line[i]], table[1][line[i+1]], table[2][line[i+2]]
		}
	})
}
