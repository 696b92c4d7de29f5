package vector

import (
	"bytes"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// A picture does not depend on the order in which its bands are painted with one buffer.
//
//atelier:concurrent
func TestBandsInAnyOrder(t *testing.T) {
	t.Parallel()
	e := &Canvas{Width: 40, Height: bandRows + 8}
	e.Add(Stroke{Loops: [][]Point{{{5, 5}, {35, 5}, {35, 3 * bandRows}, {5, 3 * bandRows}}}, Lit: pixel.RGB{R: 1}, Alpha: 0.5, Depth: 9}) // beyond the last row
	e.Add(Stroke{Loops: [][]Point{{{0, 20}, {20, 20}, {10, 30}}}, Lit: pixel.RGB{G: 1}, Alpha: 1, Depth: 9})
	paint := func(bands ...int) []byte {
		out := pixel.NewRaster(e.Width, e.Height)
		b := &band{e: e, out: out, cover: newCoverage(e.Width, bandRows), pix: make([]pixel.RGB, e.Width*bandRows), top: make([]int32, e.Width*bandRows)}
		for _, n := range bands {
			b.paint(n*bandRows, min((n+1)*bandRows, e.Height))
		}
		return out.Pix
	}
	if !bytes.Equal(paint(0, 1), paint(1, 0)) {
		t.Error("the bands differ by their order")
	}
}
