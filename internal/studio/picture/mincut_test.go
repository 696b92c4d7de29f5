package picture

import (
	"math"
	"testing"
)

// The cut must be as cheap as the cheapest of all cuts of a small grid.
func TestMincutFindsTheCheapestBorder(t *testing.T) {
	t.Parallel()
	const w, h = 4, 3
	for seed := range uint64(25) {
		d := newDice(seed, "grid")
		g := newMincut(w, h)
		type tied struct{ a, b, d int }
		var ties []tied
		strength := map[tied]int32{}
		tips := make([]int32, w*h)
		for y := range h {
			for x := range w {
				tips[y*w+x] = int32(d.upTo(41)) - 20
				g.tip[g.node(x, y)] = tips[y*w+x]
				for k, by := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
					nx, ny := x+by[0], y+by[1]
					if nx < 0 || nx >= w || ny >= h {
						continue
					}
					one := tied{y*w + x, ny*w + nx, k}
					ties, strength[one] = append(ties, one), int32(d.upTo(12))
					g.tie(g.node(x, y), k, strength[one])
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
	d := newDice(1, "mixture")
	cloud := func(r, g, b uint8) (out []lab) {
		for range 300 {
			n := uint8(d.upTo(20))
			out = append(out, labOf(r+n, g+n, b+n))
		}
		return out
	}
	reds, blues := mixtureOf(append(cloud(180, 20, 20), cloud(220, 90, 60)...)), mixtureOf(cloud(20, 40, 180))
	if c := labOf(190, 30, 30); reds.cost(c) >= blues.cost(c) {
		t.Errorf("a red costs %.1f as red and %.1f as blue", reds.cost(c), blues.cost(c))
	}
	if c := labOf(30, 50, 190); blues.cost(c) >= reds.cost(c) {
		t.Errorf("a blue costs %.1f as blue and %.1f as red", blues.cost(c), reds.cost(c))
	}
	if mixtureOf(nil) != nil {
		t.Error("nothing has colours")
	}
	one := mixtureOf(cloud(9, 9, 9)[:1])
	if v := one.cost(labOf(10, 10, 10)); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("the cost by one colour is %v", v)
	}
}

func TestLabAndBack(t *testing.T) {
	t.Parallel()
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				c := labOf(uint8(r), uint8(g), uint8(b)).rgb()
				if diff(byteOf(c.r), uint8(r)) > 1 || diff(byteOf(c.g), uint8(g)) > 1 || diff(byteOf(c.b), uint8(b)) > 1 {
					t.Errorf("%d %d %d came back as %d %d %d", r, g, b, byteOf(c.r), byteOf(c.g), byteOf(c.b))
				}
			}
		}
	}
}

// Every word of the data files must be reachable: in a group that is read, with
// attributes that can be read.
func TestWordsOfEditsAndSelections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		l      *lexicon
		groups []string
	}{
		"select": {selectWords(), []string{"area", "matter", "zone", "part", "order", "ignore"}},
		"edit":   {editWords(), []string{"tone", "touch", "form", "verb", "join", "pronoun", "amount", "less", "way", "ignore"}},
		"view":   {viewWords(), []string{"yaw", "pitch", "roll", "zoom", "amount", "behind", "front"}},
	} {
		known := map[string]bool{}
		for _, g := range c.groups {
			known[g] = true
		}
		for _, m := range c.l.keys {
			if !known[m.group] {
				t.Errorf("%s: %s is in the group %s, which nobody reads", name, m.key, m.group)
			}
			if colour := m.attributes["colour"]; colour != "" {
				if _, ok := ColourNamed(colour); !ok {
					t.Errorf("%s: %s has the colour %s, which has no value", name, m.key, colour)
				}
			}
		}
	}
}
