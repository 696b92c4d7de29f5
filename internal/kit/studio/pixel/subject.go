package pixel

import (
	"context"
	"errors"
	"image"
)

// ErrNoSubject is returned when nothing in a picture stands out.
var ErrNoSubject = errors.New("no subject stands out from the background of this picture")

// The share of a picture that its subject may have, and how well it must be
// distinguished from its surroundings.
const (
	leastSubject = 0.004
	MostSubject  = 0.96
	leastScore   = 0.30
)

// Subject finds the subject of a picture: what stands out from the colours at
// its edge, or what is opaque in a picture with transparency. The number is how
// well the subject can be distinguished from its surroundings, from 0 to 1.
func Subject(ctx context.Context, img image.Image) (*Mask, float64, error) {
	src := AsNRGBA(img)
	if m := OwnAlpha(src); m != nil {
		return m, 1, nil
	}
	s, err := StudyOf(ctx, src, StudySide)
	if err != nil {
		return nil, 0, err
	}
	m, score, err := s.Subject(ctx)
	if err != nil {
		return nil, 0, err
	}
	m, err = Matte(ctx, src, m)
	return m, score, err
}

// OwnAlpha returns the transparency of a picture, nil when it has almost none.
func OwnAlpha(src *image.NRGBA) *Mask {
	m := NewMask(src.Rect.Dx(), src.Rect.Dy())
	clear := 0
	for i := range m.Pix {
		if m.Pix[i] = src.Pix[i*4+3]; m.Pix[i] < 128 {
			clear++
		}
	}
	if clear*50 < len(m.Pix) || clear == len(m.Pix) {
		return nil
	}
	return m
}

// Subject finds the subject of a study.
func (s *Study) Subject(ctx context.Context) (*Mask, float64, error) {
	all, stands, err := s.Salient(ctx)
	if err != nil {
		return nil, 0, err
	}
	m := s.mainPieces(all, stands).FillHoles(0.01)
	if share := m.Share(); share < leastSubject || share > MostSubject {
		return nil, 0, ErrNoSubject
	}
	score := s.Score(m)
	if score < leastScore {
		return nil, score, ErrNoSubject
	}
	return m, score, nil
}

// Salient returns everything that stands out from the background, and how much.
func (s *Study) Salient(ctx context.Context) (*Mask, []float32, error) {
	if s.isUniform() {
		return nil, nil, ErrNoSubject
	}
	stands := s.salience()
	line := OtsuThreshold(stands)
	hints := make([]CutHint, len(stands))
	seeds := s.edgeSeeds()
	for i, v := range stands {
		switch {
		case seeds[i]:
			hints[i] = SurelyOut
		case v > line:
			hints[i] = LikelyIn
		default:
			hints[i] = LikelyOut
		}
	}
	in, err := s.Cut(ctx, hints, 4)
	if err != nil {
		return nil, nil, err
	}
	return MaskOfPixels(s.W, s.H, in), stands, nil
}

// isUniform reports whether a study has hardly any differences of colour.
func (s *Study) isUniform() bool {
	var m Moments
	for _, c := range s.Colour {
		m.Add(c)
	}
	_, cov := m.Covariance()
	return cov[0]+cov[3]+cov[5] < 3*roughness+4e-4
}

// mainPieces keeps the most salient component and those that are nearly as
// salient.
func (s *Study) mainPieces(m *Mask, stands []float32) *Mask {
	pieces := m.Components(leastSubject / 2)
	weight := make([]float64, len(pieces))
	most := 0.0
	for i, p := range pieces {
		for k, v := range p.Pix {
			if v >= 128 {
				weight[i] += float64(stands[k] * stands[k])
			}
		}
		most = max(most, weight[i])
	}
	out := NewMask(s.W, s.H)
	for i, p := range pieces {
		if weight[i] > most*0.18 {
			out = out.Union(p)
		}
	}
	return out
}
