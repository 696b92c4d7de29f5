package pixel

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
)

// ErrTooMuch is returned when a hole leaves too little of a picture to fill it
// from.
var ErrTooMuch = errors.New("too much of the picture would have to be invented")

// Sizes for filling: how far a patch reaches around its centre, and the number
// of pixels on which the search is done; larger pictures use the offsets found
// there.
const (
	patchReach = 3
	fillSide   = 1100
	fillMost   = 0.6
)

// Fill replaces what a mask selects by what the rest of the picture suggests:
// every patch of the hole is made to look like a patch from outside it, from a
// coarse picture to the fine one (Wexler et al. 2007, with the patch search of
// Barnes et al. 2009).
func Fill(ctx context.Context, img image.Image, m *Mask, seed int64, progress func(float64)) (*image.NRGBA, error) {
	src := AsNRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if m.W != w || m.H != h {
		return nil, ErrSize
	}
	if share := m.Share(); share > fillMost {
		return nil, ErrTooMuch
	} else if share == 0 {
		return src, nil
	}
	k := max((max(w, h)+fillSide-1)/fillSide, 1)
	layers := []*layer{layerOf(src, m, k)}
	for {
		last := layers[len(layers)-1]
		if min(last.w, last.h) < 40 {
			break
		}
		layers = append(layers, last.half())
	}
	d := chance.New(uint64(seed), "fill")
	var coarse *layer
	for i := len(layers) - 1; i >= 0; i-- {
		l := layers[i]
		l.start(coarse, d)
		if len(l.sources) == 0 {
			return nil, ErrTooMuch
		}
		rounds := min(1+2*i, 7)
		for n := range rounds {
			if err := l.search(ctx, d, n%2 == 1, coarse == nil); err != nil {
				return nil, err
			}
			l.vote()
		}
		if coarse = l; progress != nil {
			progress(1 - float64(i)/float64(len(layers)))
		}
	}
	return coarse.apply(ctx, src, m, k)
}
