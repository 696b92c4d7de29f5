package picture

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed data
var data embed.FS

// drawing is how to draw one subject: parts from back to front in a box of a
// hundred by a hundred with its feet at the bottom, facing right. Drawings are
// files under data/drawing; doc.go tells their form.
type drawing struct {
	name    string
	grain   grainKind
	colours []named
	anchors map[string]point
	joints  map[string]joint
	picks   map[string]int
	parts   []part
}

// named is a colour of a drawing, either its own or one made from another by
// lightening, so that a black cat has a dark belly.
type named struct {
	name string
	tone tone
}

// tone refers to a colour: by value, or by name, and lighter or darker than it.
type tone struct {
	name  string
	value rgb
	shift float32
}

// joint turns parts around a pivot: by chance once, and with time for as long
// as a clip lasts.
type joint struct {
	pivot       point
	pose, swing float64 // degrees
}

type part struct {
	verb   string
	tone   tone
	nums   []float64 // the numbers of verbs that are not outlines
	knots  []knot
	joint  string
	grain  grainKind
	alpha  float32
	mirror bool
	flat   bool
	pick   string // only when this pick fell on value
	value  int
	times  int
	step   point
}

var drawings = sync.OnceValue(func() map[string]*drawing {
	all := map[string]*drawing{}
	files, err := data.ReadDir("data/drawing")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := data.ReadFile(path.Join("data/drawing", f.Name()))
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
func parseDrawings(all map[string]*drawing, text string) error {
	var d *drawing
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

func newDrawing(all map[string]*drawing, words []string) (*drawing, error) {
	d := &drawing{anchors: map[string]point{}, joints: map[string]joint{}, picks: map[string]int{}}
	if len(words) == 3 && words[1] == "from" {
		from := all[words[2]]
		if from == nil {
			return nil, fmt.Errorf("no drawing %q above this one", words[2])
		}
		d.grain = from.grain
		d.colours, d.parts = append(d.colours, from.colours...), append(d.parts, from.parts...)
		for k, v := range from.anchors {
			d.anchors[k] = v
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

func (d *drawing) read(words []string) error {
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
		p, _, err := parsePoint(words[2])
		d.anchors[words[1]] = p
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
		p, _, err := parsePoint(words[2])
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

func (d *drawing) setColour(name string, t tone) error {
	for i := range d.colours {
		if d.colours[i].name == name {
			d.colours[i].tone = t
			return nil
		}
	}
	d.colours = append(d.colours, named{name, t})
	return nil
}

func parseTone(s string) tone {
	t := tone{name: s}
	if i := strings.LastIndexAny(s, "+-"); i > 0 {
		if n, err := strconv.Atoi(s[i:]); err == nil {
			t.name, t.shift = s[:i], float32(n)
		}
	}
	if c, ok := hex(t.name); ok && t.name[0] == '#' {
		t.name, t.value = "", c
	}
	return t
}

func parsePoint(s string) (point, bool, error) {
	s, sharp := strings.CutSuffix(s, "!")
	x, y, two := strings.Cut(s, ",")
	a, err := strconv.ParseFloat(x, 64)
	if err != nil || !two {
		return point{a, a}, sharp, err
	}
	b, err := strconv.ParseFloat(y, 64)
	return point{a, b}, sharp, err
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
		at, sharp, err := parsePoint(w)
		if err != nil {
			return p, err
		}
		if lead < 0 || len(p.nums) < 2*lead {
			if p.nums = append(p.nums, at.x); strings.Contains(w, ",") || lead > 0 {
				p.nums = append(p.nums, at.y)
			}
			continue
		}
		p.knots = append(p.knots, knot{at, sharp || p.verb == "poly" || p.verb == "line"})
	}
	if lead >= 0 && len(p.knots) < 2 || lead < 0 && len(p.nums) < 3 {
		return p, fmt.Errorf("%s has too few points", p.verb)
	}
	return p, nil
}

// option reads a word that is not a point; it answers false for a point.
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
		p.step, _, _ = parsePoint(step)
	default:
		return false
	}
	return true
}
