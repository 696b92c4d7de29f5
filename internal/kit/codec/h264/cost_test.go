package h264

import (
	"math/rand/v2"
	"testing"
)

// The costs on packed lanes are those of the plain formulas.
func TestPackedCosts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 500 {
		var a, b [256]byte
		for i := range a {
			a[i], b[i] = byte(r.Uint32()), byte(r.Uint32())
			switch round % 4 {
			case 1:
				a[i], b[i] = 255*(a[i]&1), 255*(b[i]&1) // the extremes
			case 2:
				a[i], b[i] = 255, 0
			case 3:
				b[i] = a[i] + b[i]%3 - 1
			}
		}
		var s source16
		s.load(a[:], 16)
		sad, satd := 0, 0
		for i := range a {
			sad += int(abs(int32(a[i]) - int32(b[i])))
		}
		for y := 0; y < 16; y += 4 {
			row := 0
			for x := 0; x < 16; x += 4 {
				var src [16]int32
				var pred [16]byte
				for i := range 16 {
					at := (y+i/4)*16 + x + i%4
					src[i], pred[i] = int32(a[at]), b[at]
				}
				row += satd4(&src, &pred)
			}
			satd += row
		}
		if got := s.sad(b[:], 16, 1<<30); got != sad {
			t.Fatalf("sad = %d, want %d", got, sad)
		}
		// Halving once for four blocks rounds differently from halving each.
		if got := s.satd(b[:], 16, 1<<30); got < satd || got > satd+8 {
			t.Fatalf("satd = %d, want about %d", got, satd)
		}
	}
}
