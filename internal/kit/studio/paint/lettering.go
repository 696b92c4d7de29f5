package paint

import (
	"embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	typing "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Lettering is the typography of a text, for titles and subtitles.
type Lettering struct {
	Face    string  // regular, bold, italic or mono; bold when empty
	Size    float64 // of the letters in pixels, from 6 to 1024
	Width   int     // of a line in pixels, 0 for no limit
	Align   string  // left, center or right; center when empty
	Colour  color.NRGBA
	Border  float64 // thickness of a line around the letters
	Outline color.NRGBA
	Plate   color.NRGBA // behind the text, when it is not transparent
}

// ErrLetters is wrapped by the error for every text that cannot be written.
var ErrLetters = errors.New("the text cannot be written")

// fonts are the Go fonts. The package gofont has them as Go source, which takes seconds to
// compile.
//
//go:embed fonts
var fonts embed.FS

// faces are the typefaces by name.
var faces = map[string]func() *sfnt.Font{
	"regular": typeface("Go-Regular"), "bold": typeface("Go-Bold"), "italic": typeface("Go-Italic"), "mono": typeface("Go-Mono"),
}

func typeface(name string) func() *sfnt.Font {
	return sync.OnceValue(func() *sfnt.Font {
		data, err := fonts.ReadFile("fonts/" + name + ".ttf")
		if err != nil {
			panic(err) // the typeface is part of the program
		}
		f, err := opentype.Parse(data)
		if err != nil {
			panic(err)
		}
		return f
	})
}

// Check returns the error that Write would return, without writing.
func (l Lettering) Check(text string) error {
	_, _, err := l.read(text)
	return err
}

// read finds the typeface and the letters of a text.
func (l Lettering) read(text string) (*sfnt.Font, string, error) {
	if l.Face == "" {
		l.Face = "bold"
	}
	open, ok := faces[l.Face]
	if !ok {
		return nil, "", fmt.Errorf("%w: there is no face %q: choose regular, bold, italic or mono", ErrLetters, l.Face)
	}
	if !(l.Size >= 6 && l.Size <= 1024) {
		return nil, "", fmt.Errorf("%w: letters of %.0f pixels are outside 6 to 1024", ErrLetters, l.Size)
	}
	typeface := open()
	text, err := writable(typeface, text)
	return typeface, text, err
}

// Write draws a text on a picture of its own, just as large as needed. Long
// lines are broken between words.
func (l Lettering) Write(text string) (*image.NRGBA, error) {
	typeface, text, err := l.read(text)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(typeface, &opentype.FaceOptions{Size: l.Size, DPI: 72})
	if err != nil {
		return nil, err
	}
	defer face.Close()
	lines := l.lines(face, text)
	return l.set(face, lines)
}

// writable keeps what can be written: line ends, and letters of the typeface.
func writable(f *sfnt.Font, text string) (string, error) {
	var out, missing strings.Builder
	var buf sfnt.Buffer
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case r == '\n':
			out.WriteRune(r)
		case unicode.IsSpace(r):
			out.WriteByte(' ')
		case unicode.IsControl(r), r == '\ufeff', r == '\u200b':
		default:
			if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 {
				if missing.Len() < 32 && !strings.ContainsRune(missing.String(), r) {
					missing.WriteRune(r)
				}
			}
			out.WriteRune(r)
		}
	}
	if missing.Len() > 0 {
		return "", fmt.Errorf("%w: there are no letters for %q here; the built-in typeface has Latin, Greek and Cyrillic ones", ErrLetters, missing.String())
	}
	if strings.TrimSpace(out.String()) == "" {
		return "", fmt.Errorf("%w: it is empty", ErrLetters)
	}
	return out.String(), nil
}

// lines breaks a text, and words that are longer than a line.
func (l Lettering) lines(face typing.Face, text string) []string {
	wide := func(s string) bool { return l.Width > 0 && l.fitting(face, s) < len(s) }
	var out []string
	for _, paragraph := range strings.Split(strings.Trim(text, "\n "), "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if len(out) > pixel.MaxSide {
				return out // of which set makes no picture
			}
			if line != "" && wide(line+" "+word) {
				out, line = append(out, line), ""
			}
			for line == "" && wide(word) && len(out) <= pixel.MaxSide {
				_, first := utf8.DecodeRuneInString(word)
				_, last := utf8.DecodeLastRuneInString(word)
				cut := min(max(l.fitting(face, word), first), len(word)-last)
				if cut == 0 {
					break
				}
				out, word = append(out, word[:cut]), word[cut:]
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		out = append(out, line)
	}
	return out
}

// fitting returns how many bytes of a text fit on a line. It stops there: a
// word can be as long as a request.
func (l Lettering) fitting(face typing.Face, s string) int {
	var width fixed.Int26_6
	last := rune(-1)
	for i, r := range s {
		if last >= 0 {
			width += face.Kern(last, r)
		}
		advance, _ := face.GlyphAdvance(r)
		if width += advance; width.Ceil() > l.Width {
			return i
		}
		last = r
	}
	return len(s)
}

// set draws lines, with space for the border and a margin on the plate.
func (l Lettering) set(face typing.Face, lines []string) (*image.NRGBA, error) {
	m := face.Metrics()
	step := m.Height.Ceil()
	edge := int(math.Ceil(l.Border)) + 1
	if l.Plate.A > 0 {
		edge += int(l.Size * 0.3)
	}
	widest := 0
	for _, line := range lines {
		widest = max(widest, typing.MeasureString(face, line).Ceil())
	}
	w, h := widest+2*edge, step*(len(lines)-1)+m.Ascent.Ceil()+m.Descent.Ceil()+2*edge
	if w < 1 || h < 1 || w > pixel.MaxSide || h > pixel.MaxSide {
		return nil, fmt.Errorf("%w: it would be %d by %d pixels", ErrLetters, w, h)
	}
	ink := image.NewAlpha(image.Rect(0, 0, w, h))
	pen := typing.Drawer{Dst: ink, Src: image.Opaque, Face: face}
	for i, line := range lines {
		x := edge
		switch spare := widest - typing.MeasureString(face, line).Ceil(); l.Align {
		case "left":
		case "right":
			x += spare
		default:
			x += spare / 2
		}
		pen.Dot = fixed.P(x, edge+m.Ascent.Ceil()+i*step)
		pen.DrawString(line)
	}
	out := image.NewNRGBA(ink.Rect)
	if l.Plate.A > 0 {
		draw.Draw(out, out.Rect, image.NewUniform(l.Plate), image.Point{}, draw.Src)
	}
	if l.Border > 0 && l.Outline.A > 0 {
		draw.DrawMask(out, out.Rect, image.NewUniform(l.Outline), image.Point{}, dilate(ink, l.Border), image.Point{}, draw.Over)
	}
	draw.DrawMask(out, out.Rect, image.NewUniform(l.Colour), image.Point{}, ink, image.Point{}, draw.Over)
	return out, nil
}

// dilate dilates a shape by an exact Euclidean distance: along the columns
// first, then along the rows.
func dilate(ink *image.Alpha, by float64) *image.Alpha {
	w, h := ink.Rect.Dx(), ink.Rect.Dy()
	reach := int(by) + 2
	column := make([]float64, w*h) // squared distance to ink in the same column
	far := float64(reach * reach * 4)
	for x := range w {
		last := -2 * reach
		for y := range h {
			if ink.Pix[y*ink.Stride+x] >= 128 {
				last = y
			}
			d := float64(y - last)
			column[y*w+x] = min(d*d, far)
		}
		last = h + 2*reach
		for y := h - 1; y >= 0; y-- {
			if ink.Pix[y*ink.Stride+x] >= 128 {
				last = y
			}
			d := float64(last - y)
			column[y*w+x] = min(column[y*w+x], d*d)
		}
	}
	out := image.NewAlpha(ink.Rect)
	for y := range h {
		row := column[y*w : (y+1)*w]
		for x := range w {
			best := far
			for k := max(0, x-reach); k <= min(w-1, x+reach); k++ {
				d := float64(k - x)
				best = min(best, row[k]+d*d)
			}
			cover := min(max(by+0.5-math.Sqrt(best), 0), 1)
			out.Pix[y*out.Stride+x] = max(uint8(255*cover), ink.Pix[y*ink.Stride+x])
		}
	}
	return out
}
