package paint

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// glyph is a letter as pen lines.
type glyph [][]vector.Point

//go:embed data/font.txt
var fontText string

// font is read from data/font.txt. Letters without a glyph of their own are
// written by their base letter, and what has none is left out.
var font = sync.OnceValue(func() map[rune]glyph {
	out := map[rune]glyph{}
	for _, line := range strings.Split(fontText, "\n") {
		if strings.HasPrefix(line, "//") || len(line) < 3 {
			continue
		}
		name := []rune(line)[0]
		for _, pen := range strings.Split(line[len(string(name)):], " / ") {
			var ps []vector.Point
			for _, w := range strings.Fields(pen) {
				p, _, err := vector.ParsePoint(w)
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

// drawLetters writes lines as large as they fit into a box, with an optional
// border so that they are readable on any background.
func (s *renderer) drawLetters(text string, in vector.Box, tone pixel.RGB, border *pixel.RGB) {
	aspect := in.Width() / max(in.Height(), 1)
	lines := wrap(text, 10+int(aspect*2.2))
	if len(lines) == 0 || in.Width() <= 0 {
		return
	}
	longest := 1
	for _, l := range lines {
		longest = max(longest, len([]rune(l)))
	}
	k := min(in.Width()/(float64(longest)*advance), in.Height()/(float64(len(lines))*9))
	pen := max(k*0.95, 1)
	write := func(w float64, c pixel.RGB) {
		for i, l := range lines {
			letters := []rune(l)
			x := (in.X0+in.X1)/2 - (float64(len(letters))*advance-1.6)*k/2
			y := (in.Y0+in.Y1)/2 - float64(len(lines))*9*k/2 + float64(i)*9*k + 1.5*k
			for _, r := range letters {
				for _, line := range font()[r] {
					at := vector.Moved(0, 0).Then(vector.Scaled(k, k)).Then(vector.Moved(x, y)).All(line)
					for j := 1; j < len(at); j++ {
						s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon([]vector.Point{at[j-1], at[j]}, w, w)}, Lit: c, Alpha: 1, Depth: 255})
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

// writeOnFigure writes the prompt's quoted words on a sign, a book or a screen.
func (s *renderer) writeOnFigure(a *figure, p vector.Pose) {
	at, ok := a.d.Anchors["text"]
	if !ok || len(s.scene.Text) == 0 {
		return
	}
	c := p.Place.Apply(at)
	k := p.Place.Scale()
	s.drawLetters(s.scene.Text[0], vector.Box{X0: c.X - 39*k, Y0: c.Y - 17*k, X1: c.X + 39*k, Y1: c.Y + 17*k}, pixel.MustHex("#3a2418"), nil)
	s.scene.Text = s.scene.Text[1:]
}

// drawTexts writes the other texts as a title over the picture.
func (s *renderer) drawTexts() {
	light, dark := pixel.MustHex("#fff8ea"), pixel.MustHex("#1d1820")
	for i, text := range s.scene.Text {
		y := s.h * 0.05
		if i%2 == 1 {
			y = s.h * 0.80
		}
		s.drawLetters(text, vector.Box{X0: s.w * 0.06, Y0: y, X1: s.w * 0.94, Y1: y + s.h*0.16}, light, &dark)
	}
}
