package pixel

import (
	"math"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// The cut must be as cheap as the cheapest of all cuts of a small grid.
func TestMincutFindsTheCheapestBorder(t *testing.T) {
	t.Parallel()
	const w, h = 4, 3
	for seed := range uint64(25) {
		d := chance.New(seed, "grid")
		g := newMincut(w, h)
		type tied struct{ a, b, d int }
		var ties []tied
		strength := map[tied]int32{}
		tips := make([]int32, w*h)
		for y := range h {
			for x := range w {
				tips[y*w+x] = int32(d.UpTo(41)) - 20
				g.terminal[g.node(x, y)] = tips[y*w+x]
				for k, by := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
					nx, ny := x+by[0], y+by[1]
					if nx < 0 || nx >= w || ny >= h {
						continue
					}
					one := tied{y*w + x, ny*w + nx, k}
					ties, strength[one] = append(ties, one), int32(d.UpTo(12))
					g.connect(g.node(x, y), k, strength[one])
				}
			}
		}
		price := func(in func(i int) bool) (sum int32) {
			for i, tip := range tips {
				if tip > 0 && !in(i) {
					sum += tip
				}
				if tip < 0 && in(i) {
					sum -= tip
				}
			}
			for _, one := range ties {
				if in(one.a) != in(one.b) {
					sum += strength[one]
				}
			}
			return sum
		}
		best := int32(math.MaxInt32)
		for sides := range 1 << (w * h) {
			best = min(best, price(func(i int) bool { return sides>>i&1 == 1 }))
		}
		in, err := g.cut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := price(func(i int) bool { return in[i] }); got != best {
			t.Errorf("grid %d: a cut of %d, want %d", seed, got, best)
		}
	}
}

func TestMixtureTellsColoursApart(t *testing.T) {
	t.Parallel()
	d := chance.New(1, "mixture")
	cloud := func(r, g, b uint8) (out []Lab) {
		for range 300 {
			n := uint8(d.UpTo(20))
			out = append(out, LabOf(r+n, g+n, b+n))
		}
		return out
	}
	reds, blues := mixtureOf(append(cloud(180, 20, 20), cloud(220, 90, 60)...)), mixtureOf(cloud(20, 40, 180))
	if c := LabOf(190, 30, 30); reds.cost(c) >= blues.cost(c) {
		t.Errorf("a red costs %.1f as red and %.1f as blue", reds.cost(c), blues.cost(c))
	}
	if c := LabOf(30, 50, 190); blues.cost(c) >= reds.cost(c) {
		t.Errorf("a blue costs %.1f as blue and %.1f as red", blues.cost(c), reds.cost(c))
	}
	if mixtureOf(nil) != nil {
		t.Error("nothing has colours")
	}
	one := mixtureOf(cloud(9, 9, 9)[:1])
	if v := one.cost(LabOf(10, 10, 10)); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("the cost by one colour is %v", v)
	}
}

func TestLabAndBack(t *testing.T) {
	t.Parallel()
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				c := LabOf(uint8(r), uint8(g), uint8(b)).RGB()
				if Diff(ByteOf(c.R), uint8(r)) > 1 || Diff(ByteOf(c.G), uint8(g)) > 1 || Diff(ByteOf(c.B), uint8(b)) > 1 {
					t.Errorf("%d %d %d came back as %d %d %d", r, g, b, ByteOf(c.R), ByteOf(c.G), ByteOf(c.B))
				}
			}
		}
	}
}
