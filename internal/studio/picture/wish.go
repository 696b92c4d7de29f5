package picture

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"path"
	"slices"
	"strings"
	"sync"
)

// wish is what a text asks to be selected.
type wish struct {
	colours []Colour
	area    string // background, subject, sky, whole
	matter  *meaning
	zone    Frame
	zoned   bool
	part    string // half, corner, third: the zone itself is meant
	order   string
	noun    string // a thing pictures are of; it cannot be told from others
	unknown []string
}

// selectWords is the lexicon of data/select.txt.
var selectWords = sync.OnceValue(func() *lexicon { return lexiconOf("data/select.txt") })

func lexiconOf(file string) *lexicon {
	l := newLexicon()
	text, err := data.ReadFile(path.Clean(file))
	if err == nil {
		err = l.read(string(text))
	}
	if err != nil {
		// The file is compiled in and a test reads it.
		panic(file + ": " + err.Error())
	}
	return l
}

func readWish(text string) wish {
	w := wish{zone: Frame{0, 0, 1, 1}}
	tokens := slices.DeleteFunc(tokenise(text), func(t string) bool { return t == "," })
	for len(tokens) > 0 {
		n, took := 1, false
		for n = min(maxPhrase, len(tokens)); n > 0; n-- {
			phrase := strings.Join(tokens[:n], " ")
			if m, _ := words().find(phrase); m != nil && m.group == "colour" {
				w.colours, took = append(w.colours, m.colour()), true
				break
			}
			if m, _ := selectWords().find(phrase); m != nil {
				w.take(m)
				took = true
				break
			}
		}
		if !took {
			n = 1
			if m, _ := words().find(tokens[0]); m != nil && m.group == "subject" {
				w.noun = tokens[0]
			} else {
				w.unknown = append(w.unknown, tokens[0])
			}
		}
		tokens = tokens[n:]
	}
	return w
}

func (w *wish) take(m *meaning) {
	switch m.group {
	case "area":
		w.area = m.key
	case "matter":
		w.matter = m
	case "part":
		w.part = m.key
	case "order":
		w.order = m.key
	case "zone":
		w.zoned = true
		var lo, hi float64
		if n, _ := fmt.Sscanf(m.text("x", ""), "%f-%f", &lo, &hi); n == 2 {
			w.zone.X0, w.zone.X1 = lo, hi
		}
		if n, _ := fmt.Sscanf(m.text("y", ""), "%f-%f", &lo, &hi); n == 2 {
			w.zone.Y0, w.zone.Y1 = lo, hi
		}
	}
}

// SelectHelp says what texts can select.
const SelectHelp = "it can select by colour (the red car), by place (left, top right corner, centre), the sky, the background, the subject, or the largest object"

// ByWords finds what a text names, the surest first. It knows colours and places,
// not things: in "the red car" it goes by red, and it refuses "the collar".
func (f *Finder) ByWords(ctx context.Context, text string) ([]Find, error) {
	w := readWish(text)
	if w.matter != nil && len(w.colours) == 0 {
		if c, ok := ColourNamed(w.matter.text("colour", "")); ok {
			w.colours = append(w.colours, c)
		}
	}
	var finds []Find
	var err error
	switch {
	case w.area == "sky":
		finds, err = f.sky(ctx, w)
	case w.area == "whole" && len(w.colours) == 0 && !w.zoned:
		m := NewMask(1, 1)
		m.Pix[0] = 255
		one := f.find(m, f.src.Rect, 1, "the whole picture")
		one.strict = true
		return []Find{one}, nil
	case len(w.colours) > 0:
		finds, err = f.coloured(ctx, w)
	case w.matter != nil:
		finds, err = f.lit(ctx, w.matter.text("light", ""))
	case w.area == "background" && w.noun == "" && len(w.unknown) == 0:
		finds, err = f.background(ctx)
	case w.zoned && w.part == "half", w.zoned && w.part == "third":
		return []Find{f.zone(w)}, nil
	case w.order == "brightest":
		finds, err = f.lit(ctx, "bright")
	case w.order == "darkest":
		finds, err = f.lit(ctx, "dark")
	case w.area == "subject", w.zoned && len(w.unknown) == 0 && w.area == "", w.order != "" && len(w.unknown) == 0 && w.area == "":
		finds, err = f.objects(ctx)
	default:
		return nil, fmt.Errorf("%q names something that cannot be recognised here: %s", text, SelectHelp)
	}
	if err != nil {
		return nil, err
	}
	if w.zoned && w.area != "sky" {
		finds = slices.DeleteFunc(finds, func(one Find) bool {
			x, y := (one.Frame.X0+one.Frame.X1)/2, (one.Frame.Y0+one.Frame.Y1)/2
			return x < w.zone.X0 || x > w.zone.X1 || y < w.zone.Y0 || y > w.zone.Y1
		})
		if len(finds) == 0 && w.part != "" && len(w.colours) == 0 {
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

// zone is an area of the picture by its place alone.
func (f *Finder) zone(w wish) Find {
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
	switch w.part {
	case "third":
		z = Frame{half(z.X0, 1-third), half(z.Y0, 1-third), half(z.X1, third), half(z.Y1, third)}
	default:
		z = Frame{half(z.X0, 0.5), half(z.Y0, 0.5), half(z.X1, 0.5), half(z.Y1, 0.5)}
	}
	b := f.src.Rect
	area := image.Rect(int(z.X0*float64(b.Dx())), int(z.Y0*float64(b.Dy())), int(z.X1*float64(b.Dx())+0.5), int(z.Y1*float64(b.Dy())+0.5))
	m := NewMask(1, 1)
	m.Pix[0] = 255
	one := f.find(m, area, 1, "the place alone")
	one.strict = true
	return one
}
