package song

import (
	"math"
	"math/rand/v2"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// drumNames are the drums; a drum note's pitch is a place in this list.
var drumNames = []string{"kick", "snare", "ghost", "hat", "open", "ride", "cymbal", "clap", "rim", "brush", "shaker", "tom", "lowtom", "taiko"}

func drumIndex(name string) int {
	for i, n := range drumNames {
		if n == name {
			return i
		}
	}
	return 0
}

// drumPart plays the pattern of the style, a fill at the end of a section and a
// cymbal at the beginning of a chorus.
func drumPart(s style, g grid, parts []part, chance *rand.Rand) []note {
	book := drumBook[s.Drums]
	if len(book) == 0 {
		return nil
	}
	var out []note
	for _, p := range parts {
		if p.name == "intro" && p.bars > 2 {
			// The drums join for the second half of a long introduction.
			p.bar, p.bars = p.bar+p.bars/2, p.bars-p.bars/2
		}
		for bar := p.bar; bar < p.bar+p.bars; bar++ {
			start := bar * g.barTicks
			fill := g.barTicks
			if bar == p.bar+p.bars-1 && p.name != "outro" && g.bars > 3 {
				fill = g.barTicks / 2
			}
			for _, drum := range drumNames {
				for i, sign := range drumPattern(book, g, drum) {
					at := i * g.step()
					if at >= fill && drum != "hat" || sign == '.' {
						continue
					}
					force := map[rune]float64{'X': 0.95, 'x': 0.7, '-': 0.35}[sign]
					if p.intensity < 0.7 && (drum == "snare" || drum == "clap") {
						force *= 0.8
					}
					out = append(out, note{tick: start + at, pitch: drumIndex(drum), force: force*(0.75+0.25*p.intensity) + 0.05*(chance.Float64()-0.5)})
				}
			}
			if fill < g.barTicks {
				out = append(out, drumFill(s, g, start+fill, g.barTicks-fill, chance)...)
			}
		}
		if p.name == "chorus" || p.name == "verse" && p.repeat == 0 && p.bar > 0 {
			out = append(out, note{tick: p.bar * g.barTicks, pitch: drumIndex("cymbal"), force: 0.5})
		}
	}
	end := g.bars * g.barTicks
	hit := "kick"
	if s.Kit == "orchestral" {
		hit = "taiko"
	}
	return append(out, note{tick: end, pitch: drumIndex(hit), force: 0.9}, note{tick: end, pitch: drumIndex("cymbal"), force: 0.5})
}

func drumPattern(book map[string]map[string]string, g grid, drum string) string {
	find := func(book map[string]map[string]string) (meters, bool) {
		key := map[int]string{2: "4", 3: "3", 4: "4", 6: "6"}[g.time]
		m, ok := book[key]
		return meters{key: m[drum]}, ok
	}
	m, ok := find(book)
	if !ok {
		m, _ = find(drumBook["generic"])
	}
	if g.time == 2 && len(m["4"]) < 8 || g.time != 2 && len(m[map[int]string{3: "3", 4: "4", 6: "6"}[g.time]]) == 0 {
		return ""
	}
	return g.pattern(m)
}

// drumFill leads into the next section.
func drumFill(s style, g grid, start, ticks int, chance *rand.Rand) []note {
	drums := []string{"snare", "snare", "tom", "lowtom"}
	switch s.Kit {
	case "orchestral":
		drums = []string{"taiko"}
	case "brush":
		drums = []string{"brush", "snare"}
	case "electronic", "chip":
		drums = []string{"snare", "clap"}
	}
	var out []note
	step := g.step()
	if g.bpm > 150 {
		step *= 2
	}
	for at := 0; at < ticks; at += step {
		if at%(2*step) != 0 && chance.Float64() > 0.3+0.5*s.Density {
			continue
		}
		d := drums[at*len(drums)/ticks]
		out = append(out, note{tick: start + at, pitch: drumIndex(d), force: 0.45 + 0.4*float64(at)/float64(ticks)})
	}
	return append(out, note{tick: start, pitch: drumIndex("kick"), force: 0.8})
}

// drum is the synthesis of a drum: a falling tone, band-limited noise, and
// their decay.
type drum struct {
	hz, fall, drop float64 // the tone ends at hz, begins drop times higher, and falls in fall seconds
	ring           float64 // seconds of the tone
	tone           float64
	noise          float64
	low, high      float64 // the band of the noise
	decay          float64 // seconds of the noise
	attack         float64
	pan, room      float64
	gain           float64
}

var basicKit = map[string]drum{
	"kick":   {hz: 50, drop: 4, fall: 0.025, ring: 0.28, tone: 1, noise: 0.15, low: 800, high: 5000, decay: 0.008, gain: 1},
	"snare":  {hz: 185, drop: 1.4, fall: 0.02, ring: 0.11, tone: 0.5, noise: 0.8, low: 900, high: 9000, decay: 0.16, gain: 0.75, room: 0.25},
	"ghost":  {hz: 185, drop: 1.4, fall: 0.02, ring: 0.07, tone: 0.3, noise: 0.6, low: 1200, high: 8000, decay: 0.07, gain: 0.4, room: 0.2},
	"hat":    {noise: 0.6, low: 7000, high: 16000, decay: 0.05, gain: 0.34, pan: 0.3},
	"open":   {noise: 0.6, low: 6500, high: 16000, decay: 0.26, gain: 0.32, pan: 0.3},
	"ride":   {hz: 3900, drop: 1, fall: 0.1, ring: 0.3, tone: 0.05, noise: 0.35, low: 5500, high: 15000, decay: 0.5, gain: 0.5, pan: -0.35},
	"cymbal": {noise: 0.6, low: 4000, high: 15000, decay: 1.3, gain: 0.4, pan: -0.25, room: 0.3},
	"clap":   {noise: 1, low: 900, high: 3800, decay: 0.15, attack: 0.012, gain: 0.7, pan: 0.05, room: 0.3},
	"rim":    {hz: 1650, drop: 1.05, fall: 0.01, ring: 0.03, tone: 0.6, noise: 0.4, low: 2000, high: 7000, decay: 0.02, gain: 0.5, pan: -0.1, room: 0.2},
	"brush":  {noise: 0.6, low: 1800, high: 9000, decay: 0.17, attack: 0.025, gain: 0.4, pan: 0.1, room: 0.2},
	"shaker": {noise: 0.5, low: 5000, high: 12000, decay: 0.06, attack: 0.012, gain: 0.3, pan: -0.3},
	"tom":    {hz: 130, drop: 1.6, fall: 0.05, ring: 0.3, tone: 0.9, noise: 0.12, low: 500, high: 4000, decay: 0.03, gain: 0.75, pan: 0.25, room: 0.2},
	"lowtom": {hz: 88, drop: 1.6, fall: 0.06, ring: 0.4, tone: 0.9, noise: 0.12, low: 400, high: 3000, decay: 0.03, gain: 0.8, pan: -0.25, room: 0.2},
	"taiko":  {hz: 62, drop: 1.9, fall: 0.05, ring: 0.5, tone: 0.9, noise: 0.35, low: 150, high: 1800, decay: 0.06, gain: 0.6, room: 0.6},
}

// drumOf returns a drum of a kit.
func drumOf(kit, drum string) drum {
	h := basicKit[drum]
	switch kit {
	case "electronic":
		if drum == "kick" {
			h.ring, h.drop, h.hz, h.gain = 0.36, 6, 47, 1.1
		}
	case "gated":
		if drum == "snare" || drum == "tom" || drum == "lowtom" {
			h.room, h.decay, h.gain = 0.8, 0.24, h.gain*1.1
		}
	case "soft", "brush":
		h.gain *= 0.8
		h.high *= 0.75
		h.drop = 1 + (h.drop-1)*0.6
	case "rock":
		if drum == "snare" {
			h.tone, h.decay, h.room = 0.65, 0.2, 0.4
		}
		if drum == "kick" {
			h.noise = 0.35
		}
	case "chip":
		h.low, h.high, h.room = 200, 20000, 0
		h.gain *= 0.8
	case "orchestral":
		h.room += 0.3
		if drum == "cymbal" {
			h.decay, h.attack = 2.2, 0.02
		}
	}
	return h
}

// sample renders a drum once; it is played from then on.
func (h drum) sample(seed uint64) []float32 {
	noise := sound.NewNoise(seed)
	length := max(h.ring*2.2, h.decay*3.2, 0.06) + h.attack
	out := make([]float32, int(length*Rate))
	low := sound.Lowpass(Rate, max(h.high, 200), 0.7)
	high := sound.Highpass(Rate, max(h.low, 20), 0.7)
	phase := 0.0
	for i := range out {
		t := float64(i) / Rate
		var v float64
		if h.tone > 0 {
			hz := h.hz * (1 + (h.drop-1)*math.Exp(-t/h.fall))
			phase += hz / Rate
			v += h.tone * math.Sin(2*math.Pi*phase) * math.Exp(-3*t/h.ring)
		}
		if h.noise > 0 {
			e := math.Exp(-3.5 * max(0, t-h.attack) / h.decay)
			if t < h.attack {
				e = t / h.attack
				if h.low == 900 && h.high == 3800 { // a clap is several noise bursts
					e = math.Exp(-5 * math.Mod(t, 0.006) / 0.006)
				}
			}
			n := high.Next(low.Next(noise.Next()))
			v += h.noise * float64(n) * e
		}
		out[i] = float32(v * h.gain)
	}
	sound.Fade(out, 8, 400)
	return out
}
