package selection

import (
	"context"
	"errors"
	"image"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// minFindShare is the smallest share of a picture that is an object and not a speck.
const minFindShare = 0.0015

// findByColour finds the connected areas of a colour.
func (f *Finder) findByColour(ctx context.Context, w Query) ([]Find, error) {
	s := f.whole
	fit := make([]float64, len(s.Colour))
	some := false
	for i, c := range s.Colour {
		for _, name := range w.Colours {
			fit[i] = max(fit[i], c.MatchesName(name))
		}
		if w.Matter != nil && float64(i/s.W)/float64(s.H) < w.Matter.Number("low", 0) {
			fit[i] = 0
		}
		some = some || fit[i] > 0.5
	}
	if !some {
		return nil, nil
	}
	hints := make([]pixel.CutHint, len(fit))
	for i, v := range fit {
		switch {
		case v > 0.5:
			hints[i] = pixel.LikelyIn
		case v < 0.04:
			hints[i] = pixel.SurelyOut
		default:
			hints[i] = pixel.LikelyOut
		}
	}
	in, err := s.Cut(ctx, hints, 2)
	if err != nil {
		return nil, err
	}
	// Small gaps, such as a window bar or a highlight, do not split an object.
	m := pixel.MaskOfPixels(s.W, s.H, in)
	joined := m.Dilate(2).Dilate(-2).FillHoles(0.004)
	var out []Find
	for _, piece := range joined.Components(minFindShare) {
		own := piece.Intersect(m.Union(joined.Intersect(m.Dilate(1))))
		var sum, n float64
		for i, v := range own.Pix {
			if v >= 128 {
				sum += fit[i]
				n++
			}
		}
		if n == 0 {
			continue
		}
		score := min(0.35+0.65*s.Score(own), 1) * min(sum/n*1.15, 1)
		out = append(out, f.find(own, f.src.Rect, score, "the colour "+w.Colours[0].Name))
	}
	return out, nil
}

// findByLight finds the brightest or the darkest areas.
func (f *Finder) findByLight(ctx context.Context, light string) ([]Find, error) {
	s := f.whole
	levels := make([]float32, len(s.Colour))
	for i, c := range s.Colour {
		if levels[i] = c.L; light == "dark" {
			levels[i] = 1 - c.L
		}
	}
	sorted := slices.Clone(levels)
	slices.Sort(sorted)
	line := max(sorted[len(sorted)*19/20]-0.06, pixel.OtsuThreshold(levels))
	in := make([]bool, len(levels))
	for i, v := range levels {
		in[i] = v > line
	}
	var out []Find
	for _, piece := range pixel.MaskOfPixels(s.W, s.H, in).Components(minFindShare) {
		out = append(out, f.find(piece, f.src.Rect, s.Score(piece), "its light"))
	}
	return out, ctx.Err()
}

func (f *Finder) sky(ctx context.Context, w Query) ([]Find, error) {
	m, err := f.whole.Sky(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	if len(w.Colours) > 0 {
		var sum, n float64
		for i, v := range m.Pix {
			if v >= 128 {
				sum += f.whole.Colour[i].MatchesName(w.Colours[0])
				n++
			}
		}
		if sum < 0.25*n {
			return nil, nil
		}
	}
	return []Find{f.find(m, f.src.Rect, max(f.whole.Score(m), 0.5), "the smooth area at the top")}, nil
}

// objects returns the connected components of what stands out.
func (f *Finder) objects(ctx context.Context) ([]Find, error) {
	m := pixel.OwnAlpha(f.src)
	if m != nil {
		m = m.Resize(f.whole.W, f.whole.H)
	} else {
		var err error
		if m, _, err = f.whole.Salient(ctx); err != nil {
			return nil, err
		}
		m = m.FillHoles(0.01)
	}
	var out []Find
	for _, piece := range m.Components(minFindShare) {
		out = append(out, f.find(piece, f.src.Rect, f.whole.Score(piece), "what stands out from the background"))
	}
	return out, nil
}

func (f *Finder) background(ctx context.Context) ([]Find, error) {
	m, err := f.subject(ctx)
	if err != nil {
		return nil, err
	}
	rest := m.Invert()
	return []Find{f.find(rest, f.src.Rect, f.whole.Score(m), "what the subject leaves")}, nil
}

// subject returns the subject at the size of the study.
func (f *Finder) subject(ctx context.Context) (*pixel.Mask, error) {
	if m := pixel.OwnAlpha(f.src); m != nil {
		return m.Resize(f.whole.W, f.whole.H), nil
	}
	m, _, err := f.whole.Subject(ctx)
	if errors.Is(err, pixel.ErrNoSubject) {
		return nil, err
	}
	return m, err
}

// Things extends finds of a colour to whole things: a yellow duck includes its
// beak, and a blue bird not the sky. Something that stands out from the
// background and has much of the colour is such a thing; other finds stay
// unchanged.
func (f *Finder) Things(ctx context.Context, text string, finds []Find) ([]Find, error) {
	if w := ParseQuery(text); w.Noun == "" || len(w.Colours) == 0 || w.Area != "" || w.Matter != nil {
		return finds, nil
	}
	standing, err := f.objects(ctx)
	if errors.Is(err, pixel.ErrNoSubject) {
		return finds, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Find
	part := make([]bool, len(finds))
	for _, thing := range standing {
		shared, in, around := 0.0, make([]bool, len(finds)), image.Rectangle{}
		for i, one := range finds {
			of := thing.mask.Intersect(one.mask)
			v := of.Share()
			if in[i] = v > 0.05*thing.mask.Share(); in[i] {
				around = around.Union(of.Box())
			}
			shared += v
		}
		if shared < 0.4*thing.mask.Share() {
			continue
		}
		// Its shadow and its reflection do not belong to it.
		x, y := around.Dx()/6, around.Dy()/6
		thing = f.find(thing.mask.Within(image.Rect(around.Min.X-x, around.Min.Y-y, around.Max.X+x, around.Max.Y+y)), thing.area, thing.Score, "")
		for i, v := range in {
			part[i] = part[i] || v
		}
		thing.How = "its colour, of what stands out from the background"
		out = append(out, thing)
	}
	for i, one := range finds {
		if !part[i] {
			out = append(out, one)
		}
	}
	return ordered(out, ""), nil
}
