package selection

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Query is what a text asks to select.
type Query struct {
	Colours []pixel.Colour
	Area    string // background, subject, sky, whole
	Matter  *lexicon.Meaning
	zone    pixel.Frame
	Zoned   bool
	Part    string // half, corner, third: selects the zone itself
	order   string
	Noun    string // a noun for something that pictures show; it cannot be recognised
	Unknown []string
}

//go:embed data/select.txt
var selectText string

// SelectWords is the lexicon of data/select.txt.
var SelectWords = sync.OnceValue(func() *lexicon.Lexicon { return lexicon.Parse("select.txt", selectText) })

// ParseQuery reads what a text selects.
func ParseQuery(text string) Query {
	w := Query{zone: pixel.Frame{X0: 0, Y0: 0, X1: 1, Y1: 1}}
	tokens := slices.DeleteFunc(lexicon.Tokenise(text), func(t string) bool { return t == "," })
	for len(tokens) > 0 {
		n, took := 1, false
		for n = min(lexicon.MaxPhrase, len(tokens)); n > 0; n-- {
			phrase := strings.Join(tokens[:n], " ")
			if m, _ := lexicon.Words().Find(phrase); m != nil && m.Group == "colour" {
				w.Colours, took = append(w.Colours, pixel.ColourOf(m)), true
				break
			}
			if m, _ := SelectWords().Find(phrase); m != nil {
				w.add(m)
				took = true
				break
			}
		}
		if !took {
			n = 1
			if m, _ := lexicon.Words().Find(tokens[0]); m != nil && m.Group == "subject" {
				w.Noun = tokens[0]
			} else {
				w.Unknown = append(w.Unknown, tokens[0])
			}
		}
		tokens = tokens[n:]
	}
	return w
}

func (w *Query) add(m *lexicon.Meaning) {
	switch m.Group {
	case "area":
		w.Area = m.Key
	case "matter":
		w.Matter = m
	case "part":
		w.Part = m.Key
	case "order":
		w.order = m.Key
	case "zone":
		w.Zoned = true
		var lo, hi float64
		if n, _ := fmt.Sscanf(m.Text("x", ""), "%f-%f", &lo, &hi); n == 2 {
			w.zone.X0, w.zone.X1 = lo, hi
		}
		if n, _ := fmt.Sscanf(m.Text("y", ""), "%f-%f", &lo, &hi); n == 2 {
			w.zone.Y0, w.zone.Y1 = lo, hi
		}
	}
}

// SelectHelp describes what texts can select.
const SelectHelp = "it can select by colour (the red car), by place (left, top right corner, centre), the sky, the background, the subject, or the largest object"

// ByWords finds what a text names, the most certain first. It knows colours and
// places, not things: "the red car" selects by red, and "the collar" is
// refused.
func (f *Finder) ByWords(ctx context.Context, text string) ([]Find, error) {
	w := ParseQuery(text)
	if w.Matter != nil && len(w.Colours) == 0 {
		if c, ok := pixel.ColourNamed(w.Matter.Text("colour", "")); ok {
			w.Colours = append(w.Colours, c)
		}
	}
	var finds []Find
	var err error
	switch {
	case w.Area == "sky":
		finds, err = f.sky(ctx, w)
	case w.Area == "whole" && len(w.Colours) == 0 && !w.Zoned:
		m := pixel.NewMask(1, 1)
		m.Pix[0] = 255
		one := f.find(m, f.src.Rect, 1, "the whole picture")
		one.strict = true
		return []Find{one}, nil
	case len(w.Colours) > 0:
		finds, err = f.findByColour(ctx, w)
	case w.Matter != nil:
		finds, err = f.findByLight(ctx, w.Matter.Text("light", ""))
	case w.Area == "background" && w.Noun == "" && len(w.Unknown) == 0:
		finds, err = f.background(ctx)
	case w.Zoned && w.Part == "half", w.Zoned && w.Part == "third":
		return []Find{f.zone(w)}, nil
	case w.order == "brightest":
		finds, err = f.findByLight(ctx, "bright")
	case w.order == "darkest":
		finds, err = f.findByLight(ctx, "dark")
	case w.Area == "subject", w.Zoned && len(w.Unknown) == 0 && w.Area == "", w.order != "" && len(w.Unknown) == 0 && w.Area == "":
		finds, err = f.objects(ctx)
	default:
		return nil, fmt.Errorf("%q names something that cannot be recognised here: %s", text, SelectHelp)
	}
	if err != nil {
		return nil, err
	}
	if w.Zoned && w.Area != "sky" {
		finds = slices.DeleteFunc(finds, func(one Find) bool {
			x, y := (one.Frame.X0+one.Frame.X1)/2, (one.Frame.Y0+one.Frame.Y1)/2
			return x < w.zone.X0 || x > w.zone.X1 || y < w.zone.Y0 || y > w.zone.Y1
		})
		if len(finds) == 0 && w.Part != "" && len(w.Colours) == 0 {
			return []Find{f.zone(w)}, nil
		}
	}
	if len(finds) == 0 {
		return nil, fmt.Errorf("nothing in the picture is %q: %s", text, SelectHelp)
	}
	return ordered(finds, w.order), nil
}

// ordered sorts finds, and keeps one when the text asks for the largest or the
// smallest.
func ordered(finds []Find, order string) []Find {
	slices.SortStableFunc(finds, func(a, b Find) int { return cmp.Compare(b.Score, a.Score) })
	switch order {
	case "largest":
		return []Find{slices.MaxFunc(finds, func(a, b Find) int { return cmp.Compare(a.Share, b.Share) })}
	case "smallest":
		return []Find{slices.MinFunc(finds, func(a, b Find) int { return cmp.Compare(a.Share, b.Share) })}
	}
	return finds
}

// zone returns an area of the picture by its place alone.
func (f *Finder) zone(w Query) Find {
	z, third := w.zone, 1.0/3
	half := func(v, to float64) float64 {
		switch {
		case v == 0.46 || v == 0.54:
			return to
		case v == 0.25:
			return 0.25
		}
		return v
	}
	switch w.Part {
	case "third":
		z = pixel.Frame{X0: half(z.X0, 1-third), Y0: half(z.Y0, 1-third), X1: half(z.X1, third), Y1: half(z.Y1, third)}
	default:
		z = pixel.Frame{X0: half(z.X0, 0.5), Y0: half(z.Y0, 0.5), X1: half(z.X1, 0.5), Y1: half(z.Y1, 0.5)}
	}
	b := f.src.Rect
	area := image.Rect(int(z.X0*float64(b.Dx())), int(z.Y0*float64(b.Dy())), int(z.X1*float64(b.Dx())+0.5), int(z.Y1*float64(b.Dy())+0.5))
	m := pixel.NewMask(1, 1)
	m.Pix[0] = 255
	one := f.find(m, area, 1, "the place alone")
	one.strict = true
	return one
}
