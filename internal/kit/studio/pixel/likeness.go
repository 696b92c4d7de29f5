package pixel

import (
	"context"
	"image"
	"math"
)

// The windows of nonLocalMeans: how far similar patches are searched, how far a
// patch reaches, and the side of a tile.
const (
	likeReach  = 4
	likePatch  = 2
	likeTile   = 128
	likeTileIn = likeTile + 2*likePatch
)

// nonLocalMeans removes noise of a known strength from a picture: each pixel
// becomes the mean of those nearby whose surroundings look like its own
// (non-local means: Buades, Coll, Morel 2005). It keeps texture that Denoise
// smooths away.
func nonLocalMeans(ctx context.Context, img *image.NRGBA, sigma float64) (*image.NRGBA, error) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := Flatten(img)
	wide := (w + likeTile - 1) / likeTile
	high := (h + likeTile - 1) / likeTile
	weigh := patchWeights(sigma)
	err := Bands(ctx, wide*high, 1, func(i, _ int) {
		t := tile{src: img, out: out, x: i % wide * likeTile, y: i / wide * likeTile}
		t.run(weigh)
	}, nil)
	return out, err
}

// patchWeights returns the weight of a mean squared difference over a patch, in whole
// steps.
func patchWeights(sigma float64) (out [1024]float32) {
	for i := range out {
		d := max(float64(i)*4-2*sigma*sigma, 0)
		out[i] = float32(math.Exp(-d / (1.1 * sigma * sigma)))
	}
	return out
}

// tile is the part of a picture for one goroutine.
type tile struct {
	src, out *image.NRGBA
	x, y     int
}

func (t *tile) pixel(x, y int) []uint8 {
	w, h := t.src.Rect.Dx(), t.src.Rect.Dy()
	x, y = min(max(x, 0), w-1), min(max(y, 0), h-1)
	return t.src.Pix[y*t.src.Stride+x*4:]
}

func (t *tile) run(weigh [1024]float32) {
	var sums [likeTile * likeTile][4]float32
	var diffs [likeTileIn * likeTileIn]int32
	var rows [likeTileIn * likeTile]int32
	const patch = (2*likePatch + 1) * (2*likePatch + 1) * 3
	for dy := -likeReach; dy <= likeReach; dy++ {
		for dx := -likeReach; dx <= likeReach; dx++ {
			for y := range likeTileIn {
				for x := range likeTileIn {
					p := t.pixel(t.x+x-likePatch, t.y+y-likePatch)
					q := t.pixel(t.x+x-likePatch+dx, t.y+y-likePatch+dy)
					r, g, b := int32(p[0])-int32(q[0]), int32(p[1])-int32(q[1]), int32(p[2])-int32(q[2])
					diffs[y*likeTileIn+x] = r*r + g*g + b*b
				}
			}
			for y := range likeTileIn {
				var sum int32
				line := diffs[y*likeTileIn:]
				for x := range 2 * likePatch {
					sum += line[x]
				}
				for x := range likeTile {
					sum += line[x+2*likePatch]
					rows[y*likeTile+x] = sum
					sum -= line[x]
				}
			}
			for x := range likeTile {
				var sum int32
				for y := range 2 * likePatch {
					sum += rows[y*likeTile+x]
				}
				for y := range likeTile {
					sum += rows[(y+2*likePatch)*likeTile+x]
					k := weigh[min(int(sum)/(4*patch), len(weigh)-1)]
					sum -= rows[y*likeTile+x]
					if k < 1e-3 {
						continue
					}
					q := t.pixel(t.x+x+dx, t.y+y+dy)
					s := &sums[y*likeTile+x]
					s[0], s[1], s[2], s[3] = s[0]+k*float32(q[0]), s[1]+k*float32(q[1]), s[2]+k*float32(q[2]), s[3]+k
				}
			}
		}
	}
	w, h := t.src.Rect.Dx(), t.src.Rect.Dy()
	for y := range min(likeTile, h-t.y) {
		for x := range min(likeTile, w-t.x) {
			s := &sums[y*likeTile+x]
			o := t.out.Pix[(t.y+y)*t.out.Stride+(t.x+x)*4:]
			for c := range 3 {
				o[c] = ClampByte(s[c] / s[3])
			}
		}
	}
}
