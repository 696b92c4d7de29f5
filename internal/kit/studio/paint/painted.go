package paint

import (
	"bytes"
	"context"
	"image"
	"maps"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// mention is a word of a prompt and the trait it stands for.
type mention struct {
	word string
	of   trait
}

// trait is one property of a scene: a key of a group, or an attribute of one of
// its things.
type trait struct {
	group string // a group of the lexicon, or text, on, held
	key   string
	thing int // the id of its thing, 0 for the whole picture
}

// Painted returns the part of a scene that is visible. It paints variations: a
// trait that can be replaced by another without changing a pixel is not
// visible. It is left out of the result, and its words are among NotUnderstood.
func (s Scene) Painted(ctx context.Context, paint func(Scene) ([]*image.NRGBA, error)) (Scene, error) {
	seen := s.clone()
	seen.Lost = slices.Clone(s.Lost)
	if len(s.mentions) == 0 {
		return seen, nil
	}
	base, err := paint(s)
	if err != nil {
		return seen, err
	}
	shown := map[trait]bool{}
	tried := 0
	for _, m := range s.mentions {
		if _, asked := shown[m.of]; !asked {
			if err := ctx.Err(); err != nil {
				return seen, err
			}
			// What the prompt excludes is rightly not visible.
			shown[m.of] = s.without(m.of.key) || m.of.thing > 0 && s.thing(m.of.thing) == nil
			for _, other := range s.variations(m.of) {
				if tried++; tried > maxTrials {
					break
				}
				pictures, err := paint(other)
				if err != nil {
					return seen, err
				}
				if !slices.EqualFunc(base, pictures, func(a, b *image.NRGBA) bool { return bytes.Equal(a.Pix, b.Pix) }) {
					shown[m.of] = true
					break
				}
			}
			if !shown[m.of] {
				seen.removeTrait(m.of)
			}
		}
		if !shown[m.of] && len(seen.Lost) < maxUnknown {
			seen.Lost = AppendOnce(seen.Lost, m.word)
		}
	}
	return seen, nil
}

// maxTrials limits the small pictures that are painted to find what is visible.
// Of a longer prompt only the first words are tried.
const maxTrials = 60

// PaintedAt returns the part of a scene that is visible at some times of a
// clip.
func (s Scene) PaintedAt(ctx context.Context, look Look, w, h int, seed int64, moments ...float64) (Scene, error) {
	w, h = previewSize(w, h)
	return s.Painted(ctx, func(s Scene) (out []*image.NRGBA, err error) {
		for _, at := range moments {
			img, err := PaintScene(ctx, s, look, w, h, seed, at, nil)
			if err != nil {
				return nil, err
			}
			out = append(out, img)
		}
		return out, nil
	})
}

// previewSide is the longer side of those small pictures.
const previewSide = 80

// Preview returns a small copy of a picture, for such tests.
func Preview(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	w, h := previewSize(img.Bounds().Dx(), img.Bounds().Dy())
	return pixel.Fit(ctx, img, w, h)
}

func previewSize(w, h int) (int, int) {
	k := min(1, previewSide/float64(max(w, h, 1)))
	return max(pixel.MinSide, int(float64(w)*k)), max(pixel.MinSide, int(float64(h)*k))
}

// NotUnderstood lists the words of the prompt that had no effect: those that
// are not in the lexicon, and those that mean more than is painted.
func (s Scene) NotUnderstood() []string {
	out := slices.Clone(s.Unknown)
	for _, w := range s.Lost {
		out = AppendOnce(out, w)
	}
	for _, in := range [][]Thing{s.Subjects, s.Settings, s.Sky} {
		for _, t := range in {
			if lexicon.Words().Loose(t.Word) {
				out = AppendOnce(out, t.Word)
			}
		}
	}
	return out
}

// variations returns scenes that differ from s in one trait only, and so look
// different if it is visible. There are none when the scene does not have the
// trait.
func (s Scene) variations(a trait) (out []Scene) {
	vary := func(change func(*Scene)) {
		other := s.clone()
		change(&other)
		out = append(out, other)
	}
	alter := func(change func(*Thing)) {
		if s.thing(a.thing) != nil {
			vary(func(o *Scene) { change(o.thing(a.thing)) })
		}
	}
	switch a.group {
	case "subject":
		alter(func(t *Thing) { t.Key = "" })
	case "setting", "sky":
		alter(func(t *Thing) { t.Key = "" })
		// Things that are always there, such as the sky, are tested by their
		// colour.
		alter(func(t *Thing) { t.Colours = []pixel.Colour{{Name: "other", R: 201, G: 30, B: 160}} })
	case "colour":
		if a.thing == 0 {
			if i := slices.IndexFunc(s.Palette, func(c pixel.Colour) bool { return c.Name == a.key }); i >= 0 {
				vary(func(o *Scene) { o.Palette = slices.Clone(s.Palette); o.Palette[i] = contrastingColour(s.Palette[i]) })
			}
			return out
		}
		alter(func(t *Thing) {
			t.Colours = slices.Clone(t.Colours)
			for i, c := range t.Colours {
				if c.Name == a.key {
					t.Colours[i] = contrastingColour(c)
				}
			}
		})
	case "part":
		alter(func(t *Thing) {
			t.Parts = maps.Clone(t.Parts)
			t.Parts[a.key] = contrastingColour(t.Parts[a.key])
		})
	case "size":
		alter(func(t *Thing) { t.Size = 1 })
	case "count":
		alter(func(t *Thing) { t.Count = 1 + t.Count%2 })
	case "place":
		alter(func(t *Thing) {
			t.Place = map[string]string{"left": "right", "right": "left", "middle": "left"}[t.Place]
		})
	case "action":
		alter(func(t *Thing) { t.Action = "" })
	case "on":
		alter(func(t *Thing) { t.On = -1 })
	case "held":
		alter(func(t *Thing) { t.HeldBy = -1 })
	case "time":
		if s.Time == a.key {
			vary(func(o *Scene) { o.Time = map[bool]string{true: "dawn", false: "night"}[s.Time == "night"] })
		}
	default:
		// A trait that the scene has lost changes nothing when it is removed.
		vary(func(o *Scene) { o.removeTrait(a) })
	}
	return out
}

// thing finds a thing by its id.
func (s *Scene) thing(id int) *Thing {
	for _, in := range [][]Thing{s.Subjects, s.Settings, s.Sky} {
		if i := slices.IndexFunc(in, func(t Thing) bool { return t.id == id && id > 0 }); i >= 0 {
			return &in[i]
		}
	}
	return nil
}

// removeTrait removes a trait from a copied scene.
func (s *Scene) removeTrait(a trait) {
	no := func(w string) bool { return w == a.key }
	named := func(c pixel.Colour) bool { return c.Name == a.key }
	if t := s.thing(a.thing); t != nil {
		switch a.group {
		case "subject", "setting", "sky":
			t.Key = ""
		case "colour":
			t.Colours = slices.DeleteFunc(slices.Clone(t.Colours), named)
		case "size":
			t.Size = 1
		case "count":
			t.Count = 1
		case "place":
			t.Place = ""
		case "action":
			t.Action = ""
		}
		return
	}
	switch a.group {
	case "colour":
		s.Palette = slices.DeleteFunc(slices.Clone(s.Palette), named)
	case "time":
		s.Time = ""
	case "weather":
		s.Weather = slices.DeleteFunc(slices.Clone(s.Weather), no)
	case "season":
		s.Season = ""
	case "mood":
		s.Moods = slices.DeleteFunc(slices.Clone(s.Moods), no)
	case "style":
		s.Styles = slices.DeleteFunc(slices.Clone(s.Styles), no)
	case "framing":
		if a.key == "symmetric" {
			s.Symmetric = false
		} else {
			s.Framing = ""
		}
	case "text":
		s.Text = slices.DeleteFunc(slices.Clone(s.Text), no)
	}
}

// contrastingColour returns a colour that is clearly different from c.
func contrastingColour(c pixel.Colour) pixel.Colour {
	return pixel.Colour{Name: c.Name, R: c.R + 128, G: c.G + 128, B: c.B + 128}
}
