package chance

import "math"

// Dice is a small random number generator that depends only on its seed. Each
// subject has a generator of its own, seeded by its name, so that adding a
// cloud does not move a cat.
type Dice struct{ state uint64 }

// Scramble mixes the bits of a number.
func Scramble(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns a number for some words.
func Hash(words ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, w := range words {
		for i := range len(w) {
			h = (h ^ uint64(w[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return Scramble(h)
}

// New returns the generator of a seed and a name.
func New(seed uint64, names ...string) *Dice {
	return &Dice{Scramble(seed ^ Hash(names...))}
}

// Next returns the next number.
func (d *Dice) Next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return Scramble(d.state)
}

// Unit returns a number from 0 to 1.
func (d *Dice) Unit() float64 { return float64(d.Next()>>11) / (1 << 53) }

// In returns a number between two.
func (d *Dice) In(lo, hi float64) float64 { return lo + (hi-lo)*d.Unit() }

// Around returns a number no further than spread from 0.
func (d *Dice) Around(spread float64) float64 { return d.In(-spread, spread) }

// UpTo returns a whole number below n.
func (d *Dice) UpTo(n int) int { return int(d.Next() % uint64(max(n, 1))) }

// Chance is true with a probability.
func (d *Dice) Chance(p float64) bool { return d.Unit() < p }

// In32 returns a number between two.
func (d *Dice) In32(lo, hi float32) float32 { return lo + (hi-lo)*float32(d.Unit()) }

// Choose returns one of some values.
func Choose[T any](d *Dice, from ...T) T { return from[d.UpTo(len(from))] }

// cell returns the random number of a lattice point.
func cell(x, y int32, seed uint32) uint32 {
	h := uint32(x)*0x85ebca6b ^ uint32(y)*0xc2b2ae35 ^ seed*0x27d4eb2f
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	return h ^ h>>15
}

// CellUnit returns the number of a cell of the plane, from 0 to 1.
func CellUnit(x, y int32, seed uint32) float32 { return float32(cell(x, y, seed)>>8) / (1 << 24) }

// Floor32 rounds down.
func Floor32(v float32) int32 {
	i := int32(v)
	if v < float32(i) {
		i--
	}
	return i
}

// corner turns a lattice number into one from 0 to 1.
func corner(h uint32) float32 {
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 13
	return float32(h>>8) * (1.0 / (1 << 24))
}

// Noise returns smooth value noise from 0 to 1.
func Noise(x, y float32, seed uint32) float32 {
	ix, iy := Floor32(x), Floor32(y)
	fx, fy := x-float32(ix), y-float32(iy)
	fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
	// The four corners share their products; this is the inner loop of most
	// pictures.
	const kx, ky = 0x9e3779b1, 0x85ebca77
	h := uint32(ix)*kx + uint32(iy)*ky + seed*0x27d4eb2f
	a, b := corner(h), corner(h+kx)
	c, d := corner(h+ky), corner(h+kx+ky)
	a += (b - a) * fx
	c += (d - c) * fx
	return a + (c-a)*fy
}

// Fractal adds octaves of noise, each finer and weaker, and stays within 0..1.
// The octaves are turned against each other to hide the lattice.
func Fractal(x, y float32, octaves int, seed uint32) float32 {
	var sum, total float32
	weight := float32(1)
	for range octaves {
		sum += weight * Noise(x, y, seed)
		total += weight
		weight *= 0.5
		x, y = 1.6*x-1.2*y+17.3, 1.2*x+1.6*y+9.1
		seed += 131
	}
	return sum / total
}

// FractalLine is Fractal along a row with dx for each pixel. Where the finest
// octave covers many pixels, it is computed for some of them and interpolated.
func FractalLine(dx float32, octaves int, f func(x float32) float32) func(x float32) float32 {
	step := float32(Floor32(1 / (4 * Abs32(dx) * float32(int(1)<<(octaves-1)))))
	if step = min(step, 8); step < 2 {
		return f
	}
	at, a, b := float32(-1e9), float32(0), float32(0)
	return func(x float32) float32 {
		if from := step * float32(Floor32(x/step)); from != at {
			if from == at+step {
				a = b
			} else {
				a = f(from)
			}
			at, b = from, f(from+step)
		}
		return a + (b-a)*(x-at)/step
	}
}

// NoiseLine returns noise along a row at y.
func NoiseLine(y float32, seed uint32) func(x float32) float32 {
	const kx, ky = 0x9e3779b1, 0x85ebca77
	iy := Floor32(y)
	fy := y - float32(iy)
	fy = fy * fy * (3 - 2*fy)
	row := uint32(iy)*ky + seed*0x27d4eb2f
	column := func(ix int32) float32 {
		h := uint32(ix)*kx + row
		a, c := corner(h), corner(h+ky)
		return a + (c-a)*fy
	}
	at, a, b := int32(math.MinInt32), float32(0), float32(0)
	return func(x float32) float32 {
		ix := Floor32(x)
		if ix != at {
			if ix == at+1 {
				a = b
			} else {
				a = column(ix)
			}
			at, b = ix, column(ix+1)
		}
		fx := x - float32(ix)
		return a + (b-a)*(fx*fx*(3-2*fx))
	}
}

// Ridge returns the height of a mountain line at x, from 0 to 1.
func Ridge(x float64, octaves int, seed uint32) float64 {
	var sum, total float64
	weight := 1.0
	for i := range octaves {
		v := float64(Noise(float32(x), float32(i)*7.7, seed+uint32(i)))
		sum += weight * (1 - math.Abs(2*v-1))
		total += weight
		weight *= 0.48
		x = x*2.03 + 3.1
	}
	return sum / total
}

// Abs32 returns the absolute value.
func Abs32(v float32) float32 {
	if v < 0 {
		return -v
	}
	return v
}
