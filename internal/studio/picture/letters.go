package picture

import (
	"strings"
	"sync"
	"unicode"
)

// glyph is a letter as pen lines.
type glyph [][]point

// font is read from data/font.txt. Letters without a glyph of their own are
// written by their base letter, and what has none is left out.
var font = sync.OnceValue(func() map[rune]glyph {
	text, err := data.ReadFile("data/font.txt")
	if err != nil {
		panic(err)
	}
	out := map[rune]glyph{}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "//") || len(line) < 3 {
			continue
		}
		name := []rune(line)[0]
		for _, pen := range strings.Split(line[len(string(name)):], " / ") {
			var ps []point
			for _, w := range strings.Fields(pen) {
				p, _, err := parsePoint(w)
				if err != nil {
					panic("font: " + line)
				}
				ps = append(ps, p)
			}
			out[name] = append(out[name], ps)
		}
	}
	return out
})

var plainLetters = strings.NewReplacer("Ä", "A", "À", "A", "Á", "A", "Â", "A", "Ã", "A", "Å", "A", "Ç", "C", "È", "E", "É", "E", "Ê", "E", "Ë", "E",
	"Ì", "I", "Í", "I", "Î", "I", "Ï", "I", "Ñ", "N", "Ò", "O", "Ó", "O", "Ô", "O", "Õ", "O", "Ö", "O", "Ø", "O", "Ù", "U", "Ú", "U", "Û", "U", "Ü", "U",
	"Ý", "Y", "ß", "SS", "’", "'", "–", "-", "—", "-")

const advance = 5.6 // grid units from letter to letter

// wrap breaks a text into lines of about the same length.
func wrap(text string, wide int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(plainLetters.Replace(strings.Map(unicode.ToUpper, text))) {
		if line != "" && len([]rune(line))+1+len([]rune(w)) > wide {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// inscribe writes lines into a box as large as they fit, with a border of
// another colour when one is given so that they read on any ground.
func (s *stage) inscribe(text string, in box, tone rgb, border *rgb) {
	aspect := in.width() / max(in.height(), 1)
	lines := wrap(text, 10+int(aspect*2.2))
	if len(lines) == 0 || in.width() <= 0 {
		return
	}
	longest := 1
	for _, l := range lines {
		longest = max(longest, len([]rune(l)))
	}
	k := min(in.width()/(float64(longest)*advance), in.height()/(float64(len(lines))*9))
	pen := max(k*0.95, 1)
	write := func(w float64, c rgb) {
		for i, l := range lines {
			letters := []rune(l)
			x := (in.x0+in.x1)/2 - (float64(len(letters))*advance-1.6)*k/2
			y := (in.y0+in.y1)/2 - float64(len(lines))*9*k/2 + float64(i)*9*k + 1.5*k
			for _, r := range letters {
				for _, line := range font()[r] {
					at := moved(0, 0).then(scaled(k, k)).then(moved(x, y)).all(line)
					for j := 1; j < len(at); j++ {
						s.put(stroke{loops: [][]point{ribbon([]point{at[j-1], at[j]}, w, w)}, lit: c, alpha: 1, depth: 255})
					}
				}
				x += advance * k
			}
		}
	}
	if border != nil {
		write(pen*2.1, *border)
	}
	write(pen, tone)
}

// write puts the prompt's quoted words on a sign, a book or a screen that has
// room for them.
func (s *stage) write(a *actor, p pose) {
	at, ok := a.d.anchors["text"]
	if !ok || len(s.scene.Text) == 0 {
		return
	}
	c := p.place.apply(at)
	k := p.place.scale()
	s.inscribe(s.scene.Text[0], box{c.x - 39*k, c.y - 17*k, c.x + 39*k, c.y + 17*k}, ink("#3a2418"), nil)
	s.scene.Text = s.scene.Text[1:]
}

// letters writes the texts that found no sign, as a title over the picture.
func (s *stage) letters() {
	light, dark := ink("#fff8ea"), ink("#1d1820")
	for i, text := range s.scene.Text {
		y := s.h * 0.05
		if i%2 == 1 {
			y = s.h * 0.80
		}
		s.inscribe(text, box{s.w * 0.06, y, s.w * 0.94, y + s.h*0.16}, light, &dark)
	}
}
