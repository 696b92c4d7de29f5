package edit

import (
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// readTones reads the changes of tone and sharpness that a clause names.
func (c clause) readTones() (out []Edit) {
	k := c.amount()
	if c.find("less") >= 0 {
		k = -k
	}
	for _, t := range c {
		switch {
		case t.is("tone"):
			part := pixel.Tone{
				Light: k * t.Number("light", 0), Contrast: k * t.Number("contrast", 0), Warmth: k * t.Number("warmth", 0),
				Fade: k * t.Number("fade", 0), Sepia: t.Number("sepia", 0), Invert: t.Attributes["invert"] != "",
				Vignette: k * t.Number("vignette", 0), Grain: k * t.Number("grain", 0),
			}
			if part.Saturation = t.Number("saturation", 0); part.Saturation > -0.9 {
				part.Saturation *= k
			}
			out = append(out, Edit{Kind: EditTone, Tone: part, Amount: math.Abs(k), words: orLess(t.Key, k)})
		case t.is("touch"):
			kind := EditKind(t.Key)
			if k < 0 {
				kind = opposites[kind]
			}
			if kind != "" {
				out = append(out, Edit{Kind: kind, Amount: math.Abs(k), words: string(kind)})
			}
		}
	}
	if len(out) > 0 {
		target := c.target()
		for i := range out {
			out[i].Target = target
		}
		out = append(out, c.readLooks(len(out) == 0)...)
	}
	return out
}

// opposites are the kinds of edit that undo another one.
var opposites = map[EditKind]EditKind{EditBlur: EditSharpen, EditSharpen: EditSoften, EditSoften: EditSharpen, "glow": EditSharpen, EditDust: EditDust, EditDehaze: EditDehaze, EditDenoise: EditDenoise}

func orLess(word string, k float64) string {
	if k < 0 {
		return "less " + word
	}
	return word
}

// readLooks reads the change of light or style that a clause names.
func (c clause) readLooks(all bool) (out []Edit) {
	s := paint.Read(c.text())
	if len(s.Styles) > 0 && (all || len(s.Subjects) == 0) {
		styled := s
		styled.Subjects, styled.Settings, styled.Sky, styled.Unknown = nil, nil, nil, nil
		// A style that is also a tone is done as a tone.
		styled.Styles = slices.DeleteFunc(paint.DropGeneralStyles(s.Styles, c.text()), func(v string) bool {
			return !all && (v == "noir" || v == "sepia") || slices.Contains(paint.InapplicableStyles, v)
		})
		styled.Time, styled.Season, styled.Weather, styled.Framing = "", "", nil, ""
		if len(styled.Styles) > 0 {
			out = append(out, Edit{Kind: EditStyle, Scene: styled, Amount: c.amount()})
		}
	}
	if s.Time != "" || s.Season != "" || len(s.Weather) > 0 {
		out = append(out, Edit{Kind: EditLight, Scene: paint.Scene{Time: s.Time, Season: s.Season, Weather: s.Weather}, Amount: 1})
	}
	return out
}
