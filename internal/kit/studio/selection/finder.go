package selection

import (
	"context"
	"errors"
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// ErrNothingThere is returned when a selection is empty, or is the whole
// picture.
var ErrNothingThere = errors.New("nothing there can be told apart from what surrounds it")

// Spot is a point of a picture in parts of its width and height.
type Spot struct {
	X, Y float64
	Not  bool // beside the object instead of on it
}

// Find is one object that was found in a picture.
type Find struct {
	Score float64     // how well it can be distinguished from its surroundings, from 0 to 1
	Frame pixel.Frame // the box around it
	Share float64     // the part of the picture it covers
	How   string      // the method

	mask   *pixel.Mask // at the size of a study of the area
	area   image.Rectangle
	strict bool // the mask is not refined
}

// Finder selects objects in a picture by points, boxes and words.
type Finder struct {
	src   *image.NRGBA
	whole *pixel.Study
}

// NewFinder returns a Finder for a picture.
func NewFinder(ctx context.Context, img image.Image) (*Finder, error) {
	src := pixel.AsNRGBA(img)
	s, err := pixel.StudyOf(ctx, src, pixel.StudySide)
	if err != nil {
		return nil, err
	}
	return &Finder{src, s}, nil
}

// find describes a mask of a study of an area.
func (f *Finder) find(m *pixel.Mask, area image.Rectangle, score float64, how string) Find {
	w, h := float64(f.src.Rect.Dx()), float64(f.src.Rect.Dy())
	b := m.Box()
	kx, ky := float64(area.Dx())/float64(m.W), float64(area.Dy())/float64(m.H)
	left, top := float64(area.Min.X), float64(area.Min.Y)
	return Find{
		Score: score, How: how, mask: m, area: area,
		Frame: pixel.Frame{X0: (left + float64(b.Min.X)*kx) / w, Y0: (top + float64(b.Min.Y)*ky) / h, X1: (left + float64(b.Max.X)*kx) / w, Y1: (top + float64(b.Max.Y)*ky) / h},
		Share: m.Share() * float64(area.Dx()*area.Dy()) / (w * h),
	}
}

// Mask returns the mask of finds at the size of the picture, with borders that follow
// the picture.
func (f *Finder) Mask(ctx context.Context, finds ...Find) (*pixel.Mask, error) {
	w := f.src.Rect.Dx()
	out := pixel.NewMask(w, f.src.Rect.Dy())
	for _, one := range finds {
		part := f.src.SubImage(one.area).(*image.NRGBA)
		var m *pixel.Mask
		if one.strict {
			m = one.mask.Resize(one.area.Dx(), one.area.Dy())
		} else {
			var err error
			if m, err = pixel.Matte(ctx, pixel.AsNRGBA(part), one.mask); err != nil {
				return nil, err
			}
		}
		for y := range m.H {
			row := out.Pix[(one.area.Min.Y+y)*w+one.area.Min.X:]
			for x, v := range m.Pix[y*m.W : (y+1)*m.W] {
				row[x] = max(row[x], v)
			}
		}
	}
	return out, nil
}

// ByBox finds the object that a box was drawn around. Only the neighbourhood
// counts, so that a similar object elsewhere does not matter.
func (f *Finder) ByBox(ctx context.Context, b pixel.Frame) (Find, error) {
	w, h := float64(f.src.Rect.Dx()), float64(f.src.Rect.Dy())
	box := image.Rect(int(b.X0*w), int(b.Y0*h), int(b.X1*w+0.5), int(b.Y1*h+0.5)).Intersect(f.src.Rect)
	if box.Dx() < 2 || box.Dy() < 2 {
		return Find{}, ErrNothingThere
	}
	around := image.Rect(box.Min.X-box.Dx()/2-4, box.Min.Y-box.Dy()/2-4, box.Max.X+box.Dx()/2+4, box.Max.Y+box.Dy()/2+4).Intersect(f.src.Rect)
	s, err := pixel.StudyOf(ctx, pixel.Flatten(f.src.SubImage(around)), pixel.StudySide)
	if err != nil {
		return Find{}, err
	}
	hints := make([]pixel.CutHint, len(s.Colour))
	free := 0
	for i := range hints {
		x, y := around.Min.X+(2*(i%s.W)+1)*around.Dx()/(2*s.W), around.Min.Y+(2*(i/s.W)+1)*around.Dy()/(2*s.H)
		if image.Pt(x, y).In(box) {
			hints[i] = pixel.LikelyIn
		} else {
			free++
		}
	}
	if free*50 < len(hints) {
		// The box is the whole picture, so the subject is meant.
		m, score, err := s.Subject(ctx)
		if err != nil {
			return Find{}, err
		}
		return f.find(m, around, score, "the box"), nil
	}
	in, err := s.Cut(ctx, hints, 5)
	if err != nil {
		return Find{}, err
	}
	m := pixel.MaskOfPixels(s.W, s.H, in).FillHoles(0.02)
	if pieces := m.Components(0.002); len(pieces) > 0 {
		whole := pixel.NewMask(s.W, s.H)
		for _, p := range pieces {
			if p.Share() > pieces[0].Share()/6 {
				whole = whole.Union(p)
			}
		}
		m = whole
	}
	if m.Box().Empty() {
		return Find{}, ErrNothingThere
	}
	return f.find(m, around, s.Score(m), "the box"), nil
}

// colourReach is how far the colours of an object may differ from its points:
// for a part, the object, and a larger whole.
var colourReach = [3]float32{0.30, 0.14, 0.60}

// ByPoints finds the object on which points lie. With readings it considers a
// smaller and a larger object too and takes the one that is distinguished best.
// A frame, if there is one, bounds it.
func (f *Finder) ByPoints(ctx context.Context, spots []Spot, within *pixel.Frame, readings bool) (Find, error) {
	s := f.whole
	var on, beside []int
	for _, p := range spots {
		disc := disc(s, p, max(max(s.W, s.H)/90, 1))
		if p.Not {
			beside = append(beside, disc...)
		} else {
			on = append(on, disc...)
		}
	}
	if len(on) == 0 {
		return Find{}, errors.New("at least one point must lie on the object")
	}
	dist, away := s.Geodesic(on), []float32(nil)
	if len(beside) > 0 {
		away = s.Geodesic(beside)
	}
	tries := colourReach[:1]
	if readings {
		tries = colourReach[:]
	}
	best, err := Find{}, ErrNothingThere
	for k, reach := range tries {
		hints := make([]pixel.CutHint, len(dist))
		for i, d := range dist {
			x, y := (float64(i%s.W)+0.5)/float64(s.W), (float64(i/s.W)+0.5)/float64(s.H)
			switch {
			case within != nil && (x < within.X0 || x > within.X1 || y < within.Y0 || y > within.Y1):
				hints[i] = pixel.SurelyOut
			case d < reach && (away == nil || d < away[i]):
				hints[i] = pixel.LikelyIn
			case s.OnEdge(i, 1):
				hints[i] = pixel.SurelyOut
			default:
				hints[i] = pixel.LikelyOut
			}
		}
		for _, i := range on {
			hints[i] = pixel.SurelyIn
		}
		for _, i := range beside {
			hints[i] = pixel.SurelyOut
		}
		in, cerr := s.Cut(ctx, hints, 3)
		if cerr != nil {
			return Find{}, cerr
		}
		m := s.ComponentsWith(pixel.MaskOfPixels(s.W, s.H, in), on).FillHoles(0.005)
		if share := m.Share(); share == 0 || share > pixel.MostSubject {
			continue
		}
		// The object itself wins unless another reading is clearly better.
		if score := s.Score(m); score-0.04*float64(min(k, 1)) > best.Score || err != nil {
			best, err = f.find(m, f.src.Rect, score, "the points"), nil
		}
	}
	return best, err
}

// disc returns the pixels around a spot.
func disc(s *pixel.Study, p Spot, r int) (out []int) {
	cx, cy := min(int(p.X*float64(s.W)), s.W-1), min(int(p.Y*float64(s.H)), s.H-1)
	for y := max(cy-r, 0); y <= min(cy+r, s.H-1); y++ {
		for x := max(cx-r, 0); x <= min(cx+r, s.W-1); x++ {
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) <= r*r {
				out = append(out, y*s.W+x)
			}
		}
	}
	return out
}
