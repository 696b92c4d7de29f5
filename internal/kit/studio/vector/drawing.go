package vector

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

//go:embed data/drawing
var drawingFiles embed.FS

// Drawing is how to draw one subject: parts from back to front in a box of a
// hundred by a hundred with its feet at the bottom, facing right. Drawings are
// files under data/drawing; doc.go describes their format.
type Drawing struct {
	name    string
	grain   grainKind
	Colours []DrawingColour
	Anchors map[string]Point
	joints  map[string]joint
	picks   map[string]int
	parts   []part
}

// DrawingColour is a colour of a drawing, its own or a lighter or darker one of
// another, so that a black cat has a dark belly.
type DrawingColour struct {
	Name string
	Tone Tone
}

// Tone refers to a colour: by value, or by name, and lighter or darker than it.
type Tone struct {
	Name  string
	Value pixel.RGB
	shift float32
}

// joint rotates parts around a pivot: once by chance, and over time in a clip.
type joint struct {
	pivot       Point
	pose, swing float64 // degrees
}

type part struct {
	verb   string
	tone   Tone
	nums   []float64 // the numbers of verbs that are not outlines
	knots  []Knot
	joint  string
	grain  grainKind
	alpha  float32
	mirror bool
	flat   bool
	pick   string // only when this pick has the value
	value  int
	times  int
	step   Point
}

// Drawings are those of the files under data/drawing, by name.
var Drawings = sync.OnceValue(func() map[string]*Drawing {
	all := map[string]*Drawing{}
	files, err := drawingFiles.ReadDir("data/drawing")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := drawingFiles.ReadFile(path.Join("data/drawing", f.Name()))
		if err == nil {
			err = parseDrawings(all, string(text))
		}
		if err != nil {
			// The files are compiled in and a test reads them all.
			panic(f.Name() + ": " + err.Error())
		}
	}
	return all
})

// parseDrawings reads a file of drawings, each begun by a line "drawing name" or,
// to start from another one, "drawing name from other".
func parseDrawings(all map[string]*Drawing, text string) error {
	var d *Drawing
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var err error
		switch {
		case words[0] == "drawing":
			d, err = newDrawing(all, words[1:])
		case d == nil:
			err = fmt.Errorf("%q before the first drawing", words[0])
		default:
			err = d.read(words)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func newDrawing(all map[string]*Drawing, words []string) (*Drawing, error) {
	d := &Drawing{Anchors: map[string]Point{}, joints: map[string]joint{}, picks: map[string]int{}}
	if len(words) == 3 && words[1] == "from" {
		from := all[words[2]]
		if from == nil {
			return nil, fmt.Errorf("no drawing %q above this one", words[2])
		}
		d.grain = from.grain
		d.Colours, d.parts = append(d.Colours, from.Colours...), append(d.parts, from.parts...)
		for k, v := range from.Anchors {
			d.Anchors[k] = v
		}
		for k, v := range from.joints {
			d.joints[k] = v
		}
		for k, v := range from.picks {
			d.picks[k] = v
		}
	} else if len(words) != 1 {
		return nil, fmt.Errorf("want: drawing name [from other]")
	}
	d.name = words[0]
	all[d.name] = d
	return d, nil
}

func (d *Drawing) read(words []string) error {
	switch words[0] {
	case "colour":
		if len(words) != 3 {
			return fmt.Errorf("want: colour name value")
		}
		return d.setColour(words[1], parseTone(words[2]))
	case "grain":
		d.grain = grainKinds[words[1]]
		return nil
	case "anchor":
		p, _, err := ParsePoint(words[2])
		d.Anchors[words[1]] = p
		return err
	case "pick":
		n, err := strconv.Atoi(words[2])
		d.picks[words[1]] = n
		return err
	case "joint":
		// joint name pivot pose swing
		if len(words) != 5 {
			return fmt.Errorf("want: joint name pivot pose swing")
		}
		p, _, err := ParsePoint(words[2])
		pose, err2 := strconv.ParseFloat(words[3], 64)
		swing, err3 := strconv.ParseFloat(words[4], 64)
		if err != nil || err2 != nil || err3 != nil {
			return fmt.Errorf("joint %s: bad number", words[1])
		}
		d.joints[words[1]] = joint{p, pose, swing}
		return nil
	}
	p, err := parsePart(words, d.grain)
	if err == nil {
		d.parts = append(d.parts, p)
	}
	return err
}

func (d *Drawing) setColour(name string, t Tone) error {
	for i := range d.Colours {
		if d.Colours[i].Name == name {
			d.Colours[i].Tone = t
			return nil
		}
	}
	d.Colours = append(d.Colours, DrawingColour{name, t})
	return nil
}

func parseTone(s string) Tone {
	t := Tone{Name: s}
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		if n, err := strconv.Atoi(s[i:]); err == nil {
			t.Name, t.shift = s[:i], float32(n)
		}
	}
	if c, ok := pixel.Hex(t.Name); ok && t.Name[0] == '#' {
		t.Name, t.Value = "", c
	}
	return t
}

// ParsePoint reads a point of a drawing, and whether it is a corner.
func ParsePoint(s string) (Point, bool, error) {
	s, sharp := strings.CutSuffix(s, "!")
	x, y, two := strings.Cut(s, ",")
	a, err := strconv.ParseFloat(x, 64)
	if err != nil || !two {
		return Point{a, a}, sharp, err
	}
	b, err := strconv.ParseFloat(y, 64)
	return Point{a, b}, sharp, err
}

// verbs are the kinds of parts and how many numbers each takes before its
// outline; -1 takes numbers only.
var verbs = map[string]int{
	"blob": 0, "poly": 0, "limb": 1, "line": 1, "curve": 1,
	"oval": -1, "box": -1, "ring": -1, "eye": -1, "petals": -1, "light": -1,
}

func parsePart(words []string, g grainKind) (part, error) {
	p := part{verb: words[0], grain: g, alpha: 1, times: 1}
	lead, known := verbs[p.verb]
	if !known || len(words) < 3 {
		return p, fmt.Errorf("cannot read %q", strings.Join(words, " "))
	}
	p.tone = parseTone(words[1])
	for _, w := range words[2:] {
		if p.option(w) {
			continue
		}
		at, sharp, err := ParsePoint(w)
		if err != nil {
			return p, err
		}
		if lead < 0 || len(p.nums) < 2*lead {
			if p.nums = append(p.nums, at.X); strings.Contains(w, ",") || lead > 0 {
				p.nums = append(p.nums, at.Y)
			}
			continue
		}
		p.knots = append(p.knots, Knot{at, sharp || p.verb == "poly" || p.verb == "line"})
	}
	if lead >= 0 && len(p.knots) < 2 || lead < 0 && len(p.nums) < 3 {
		return p, fmt.Errorf("%s has too few points", p.verb)
	}
	return p, nil
}

// option reads a word that is not a point; it returns false for a point.
func (p *part) option(w string) bool {
	switch {
	case w == "mirror":
		p.mirror = true
	case w == "flat":
		p.flat = true
	case w[0] == '@':
		p.joint = w[1:]
	case w[0] == '~':
		p.grain = grainKinds[w[1:]]
	case w[0] == '%':
		n, _ := strconv.ParseFloat(w[1:], 32)
		p.alpha = float32(n) / 100
	case w[0] == '?':
		name, value, _ := strings.Cut(w[1:], "=")
		p.pick = name
		p.value, _ = strconv.Atoi(value)
	case w[0] == 'x':
		n, step, _ := strings.Cut(w[1:], ":")
		p.times, _ = strconv.Atoi(n)
		p.step, _, _ = ParsePoint(step)
	default:
		return false
	}
	return true
}
