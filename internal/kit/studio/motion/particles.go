package motion

import (
	"image"
	"image/color"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// Particles is a particle system: drops, flakes, sparks. Each particle is a
// function of its number and the time, so any frame can be drawn alone.
type Particles struct {
	kind  string
	count float64 // for a frame of a million pixels' shape, scaled by the square root
	seed  uint64
}

// particleKinds are the looks and movements by kind; sizes and speeds are relative to
// the height of the frame, per second.
var particleKinds = map[string]struct {
	colours  []color.NRGBA
	size     [2]float64 // radius
	fall     [2]float64 // downwards
	drift    [2]float64 // to the right
	sway     float64    // from side to side
	streak   float64    // length along the way, in seconds of it
	glow     bool       // adds light
	twinkle  float64    // how much it comes and goes
	count    float64
	elongate float64
}{
	"rain":      {[]color.NRGBA{{190, 205, 225, 90}}, [2]float64{0.0009, 0.0014}, [2]float64{1.5, 2.1}, [2]float64{-0.25, -0.15}, 0, 0.035, true, 0, 420, 1},
	"snow":      {[]color.NRGBA{{250, 252, 255, 220}}, [2]float64{0.0015, 0.0055}, [2]float64{0.08, 0.2}, [2]float64{-0.03, 0.05}, 0.02, 0, false, 0, 260, 1},
	"sparkles":  {[]color.NRGBA{{255, 244, 200, 230}, {255, 255, 255, 230}, {190, 225, 255, 220}}, [2]float64{0.002, 0.007}, [2]float64{-0.03, 0.01}, [2]float64{-0.02, 0.02}, 0.01, 0, true, 1, 90, 1},
	"embers":    {[]color.NRGBA{{255, 150, 50, 230}, {255, 90, 30, 220}}, [2]float64{0.001, 0.003}, [2]float64{-0.3, -0.12}, [2]float64{-0.05, 0.1}, 0.03, 0, true, 0.6, 110, 1},
	"fireflies": {[]color.NRGBA{{220, 255, 120, 230}}, [2]float64{0.002, 0.0045}, [2]float64{-0.02, 0.02}, [2]float64{-0.03, 0.03}, 0.05, 0, true, 1, 40, 1},
	"petals":    {[]color.NRGBA{{250, 190, 205, 240}, {255, 215, 225, 240}, {240, 160, 185, 235}}, [2]float64{0.004, 0.008}, [2]float64{0.1, 0.2}, [2]float64{0.05, 0.15}, 0.05, 0, false, 0.3, 60, 1.8},
	"leaves":    {[]color.NRGBA{{196, 98, 36, 240}, {214, 150, 44, 240}, {150, 60, 30, 240}}, [2]float64{0.005, 0.010}, [2]float64{0.13, 0.25}, [2]float64{0.05, 0.2}, 0.06, 0, false, 0.2, 45, 2},
	"confetti":  {[]color.NRGBA{{240, 70, 80, 240}, {250, 200, 60, 240}, {70, 160, 240, 240}, {110, 210, 110, 240}, {200, 110, 230, 240}}, [2]float64{0.003, 0.006}, [2]float64{0.18, 0.34}, [2]float64{-0.05, 0.05}, 0.04, 0, false, 0.5, 130, 1.7},
	"bubbles":   {[]color.NRGBA{{210, 235, 255, 110}}, [2]float64{0.003, 0.012}, [2]float64{-0.22, -0.1}, [2]float64{-0.01, 0.01}, 0.02, 0, true, 0, 60, 1},
	"dust":      {[]color.NRGBA{{255, 240, 210, 110}}, [2]float64{0.001, 0.003}, [2]float64{-0.01, 0.02}, [2]float64{-0.02, 0.03}, 0.01, 0, true, 0.5, 90, 1},
}

// hashUnit returns a number from 0 to 1 that depends on a seed, a thing and a purpose.
func hashUnit(seed uint64, thing, purpose int) float64 {
	v := seed ^ uint64(thing)*0x9E3779B97F4A7C15 ^ uint64(purpose)*0xC2B2AE3D27D4EB4F
	v ^= v >> 33
	v *= 0xFF51AFD7ED558CCD
	v ^= v >> 33
	v *= 0xC4CEB9FE1A85EC53
	v ^= v >> 33
	return float64(v>>11) / (1 << 53)
}

// Draw draws the particles at a time. Amount from 0 to 1 is the share that is
// visible; above 1 they are brighter.
func (s *Particles) Draw(img *image.RGBA, seconds, amount float64) {
	h := particleKinds[s.kind]
	w, high := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	aspect := w / high
	n := int(h.count * max(s.count, 0) * math.Sqrt(max(aspect, 0.5)) * min(amount, 1))
	within := func(r [2]float64, k float64) float64 { return r[0] + (r[1]-r[0])*k }
	for i := range n {
		p := func(purpose int) float64 { return hashUnit(s.seed, i, purpose) }
		near := p(0) // near ones are larger and faster
		vx, vy := within(h.drift, p(1)*0.5+near*0.5), within(h.fall, near)
		x := wrap(p(2)*aspect+vx*seconds, aspect) + h.sway*math.Sin(seconds*(1+p(3))+6*p(4))
		y := wrap(p(5)+vy*seconds, 1)
		c := h.colours[int(p(6)*float64(len(h.colours)))%len(h.colours)]
		alpha := float64(c.A) / 255
		if h.twinkle > 0 {
			alpha *= 1 - h.twinkle*(0.5+0.5*math.Sin(seconds*(2+4*p(7))+6.3*p(8)))
		}
		r := within(h.size, near) * high
		if h.streak > 0 {
			streak(img, x*high, y*high, vx*h.streak*high, vy*h.streak*high, max(r, 0.6), c, alpha)
			continue
		}
		turn := 0.0
		if h.elongate > 1 {
			turn = seconds*(1+3*p(9)) + 6*p(10)
		}
		speck(img, x*high, y*high, max(r, 0.7), h.elongate, turn, c, alpha, h.glow)
	}
}

// wrap folds a place into a range that is a little wider than the frame, so that
// nothing pops up at the edge.
func wrap(v, n float64) float64 {
	const margin = 0.05
	n += 2 * margin
	v = math.Mod(v, n)
	if v < 0 {
		v += n
	}
	return v - margin
}

// speck draws a soft oval.
func speck(img *image.RGBA, cx, cy, r, long, turn float64, c color.NRGBA, alpha float64, glow bool) {
	reach := r*long + 1
	if glow {
		reach = r*2.2 + 1
	}
	sin, cos := math.Sincos(turn)
	flat := 1.0
	if long > 1 {
		flat = 0.35 + 0.65*math.Abs(math.Cos(turn*0.7)) // it tumbles
	}
	b := img.Rect
	for y := max(int(cy-reach), 0); y <= min(int(cy+reach)+1, b.Dy()-1); y++ {
		for x := max(int(cx-reach), 0); x <= min(int(cx+reach)+1, b.Dx()-1); x++ {
			dx, dy := float64(x)+0.5-cx, float64(y)+0.5-cy
			if long > 1 {
				dx, dy = (dx*cos+dy*sin)/long, (dy*cos-dx*sin)/flat
			}
			d := math.Hypot(dx, dy)
			a := min(max(r+0.5-d, 0), 1)
			if glow {
				a = max(a, 0.45*math.Exp(-d*d/(r*r*1.4)))
			}
			if a *= alpha; a > 0.004 {
				blend(img.Pix[y*img.Stride+4*x:], c, a, glow)
			}
		}
	}
}

// streak draws a thin line that fades at its tail.
func streak(img *image.RGBA, x, y, dx, dy, r float64, c color.NRGBA, alpha float64) {
	steps := max(1, int(math.Hypot(dx, dy)))
	b := img.Rect
	for i := range steps {
		k := float64(i) / float64(steps)
		px, py := x-dx*k, y-dy*k
		ix, iy := int(math.Floor(px)), int(math.Floor(py))
		if iy < 0 || iy >= b.Dy() {
			continue
		}
		f := px - float64(ix)
		for j, part := range [2]float64{1 - f, f} {
			if at := ix + j; at >= 0 && at < b.Dx() {
				blend(img.Pix[iy*img.Stride+4*at:], c, alpha*part*(1-k)*min(r, 1.5), true)
			}
		}
	}
}

// blend lays a colour over a pixel, or adds it as light.
func blend(p []uint8, c color.NRGBA, a float64, glow bool) {
	k := int32(a * 256)
	if glow {
		p[0], p[1], p[2] = footage.ByteOf(int32(p[0])+int32(c.R)*k>>8), footage.ByteOf(int32(p[1])+int32(c.G)*k>>8), footage.ByteOf(int32(p[2])+int32(c.B)*k>>8)
		return
	}
	p[0] = footage.ByteOf(int32(p[0]) + (int32(c.R)-int32(p[0]))*k>>8)
	p[1] = footage.ByteOf(int32(p[1]) + (int32(c.G)-int32(p[1]))*k>>8)
	p[2] = footage.ByteOf(int32(p[2]) + (int32(c.B)-int32(p[2]))*k>>8)
}
