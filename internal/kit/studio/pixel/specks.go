package pixel

import (
	"context"
	"image"
	"math"
	"slices"
)

// findSpecks finds what is thin or tiny and much lighter or darker than its
// surroundings. Where there are many specks they are texture and stay.
func findSpecks(ctx context.Context, src *image.NRGBA, noise, strength float64) (*Mask, error) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	light := NewMask(w, h)
	for i := range light.Pix {
		p := src.Pix[i*4:]
		light.Pix[i] = uint8((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) / 1000)
	}
	n := max(max(w, h)/420, 2)
	opened, closed := light.Dilate(-n).Dilate(n), light.Dilate(n).Dilate(-n)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit := max(40/strength, 4.2*noise)
	out := NewMask(w, h)
	for ; limit < 200; limit *= 1.25 {
		count := 0
		for i, v := range light.Pix {
			out.Pix[i] = 0
			if float64(v)-float64(opened.Pix[i]) > limit || float64(closed.Pix[i])-float64(v) > limit {
				out.Pix[i] = 255
				count++
			}
		}
		if count*20 < len(out.Pix) {
			break
		}
	}
	// Dirt has few specks around it, grass has many.
	crowd, err := out.Feather(ctx, 8*n)
	if err != nil {
		return nil, err
	}
	for i, v := range crowd.Pix {
		if float64(v) > 255*(0.16+0.10*strength) {
			out.Pix[i] = 0
		}
	}
	// Only long lines are certainly scratches. A short one may be an eye or a
	// star: it is removed only when the prompt names dust, and only if it is
	// tiny.
	long, tiny := 0.35, 0
	if strength > 1 {
		long, tiny = 0.06, (2*n+1)*(2*n+1)
	}
	return out.lines(long, tiny).Dilate(max(n/2, 1)), ctx.Err()
}

// lines keeps the connected parts of a mask that are longer than a share of the
// picture's side and thin, or no larger than tiny.
func (m *Mask) lines(long float64, tiny int) *Mask {
	wide := m.Dilate(1) // gaps of a pixel do not end a line
	seen := make([]bool, len(m.Pix))
	out := NewMask(m.W, m.H)
	for s, v := range wide.Pix {
		if v < 128 || seen[s] {
			continue
		}
		piece := wide.flood(s, seen, func(v uint8) bool { return v >= 128 })
		x0, y0, x1, y1, own := m.W, m.H, 0, 0, 0
		for _, i := range piece {
			x, y := i%m.W, i/m.W
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
			if m.Pix[i] >= 128 {
				own++
			}
		}
		length := math.Hypot(float64(x1-x0), float64(y1-y0))
		side := float64(max(m.W, m.H))
		thin := float64(len(piece)) < length*max(side/36, 14)
		if length > long*side && thin || own <= tiny {
			for _, i := range piece {
				if m.Pix[i] >= 128 {
					out.Pix[i] = 255
				}
			}
		}
	}
	return out
}

// medianFill gives each selected pixel the median of the unselected ones around
// it.
func medianFill(ctx context.Context, img *image.NRGBA, m *Mask) error {
	before := Flatten(img)
	return Bands(ctx, m.H, 16, func(y0, y1 int) {
		var near [3][]uint8
		for y := y0; y < y1; y++ {
			for x := range m.W {
				if m.Pix[y*m.W+x] < 128 {
					continue
				}
				for r := 2; r <= 32; r *= 2 {
					for c := range near {
						near[c] = near[c][:0]
					}
					for j := max(y-r, 0); j <= min(y+r, m.H-1); j++ {
						for i := max(x-r, 0); i <= min(x+r, m.W-1); i++ {
							if m.Pix[j*m.W+i] < 128 {
								for c := range near {
									near[c] = append(near[c], before.Pix[j*before.Stride+i*4+c])
								}
							}
						}
					}
					if len(near[0]) >= 7 {
						break
					}
				}
				if len(near[0]) == 0 {
					continue
				}
				for c := range near {
					slices.Sort(near[c])
					img.Pix[y*img.Stride+x*4+c] = near[c][len(near[c])/2]
				}
			}
		}
	}, nil)
}
