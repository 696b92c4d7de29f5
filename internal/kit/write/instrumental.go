package write

import (
	"fmt"
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
)

// defaultPiece is the length of a piece when the caller names none.
const defaultPiece = 90

// WriteInstrumental plans a piece.
func (rules *Rules) WriteInstrumental(a draft.Arguments) draft.Piece {
	s := rules.setup(a.Text("prompt"), a.Text("music_prompt"))
	length := a.Number("duration_seconds")
	if length == 0 {
		length = defaultPiece
	}
	return draft.Piece{Setting: s.Setting, Topic: topic(a.Text("prompt")), Sections: rules.sections(s, length), Seconds: length}
}

// sections divides a length into whole bars. The last section takes what is
// left, so that they add up.
func (rules *Rules) sections(s setup, length float64) []draft.Section {
	bars := max(2, int(math.Round(length/s.bar())))
	var parts []*part
	weight := 0.0
	for _, p := range rules.words.music.Parts {
		if length >= p.Need {
			parts = append(parts, p)
			weight += p.Weight
		}
	}
	for len(parts) > 1 && len(parts) > bars { // a bar each, at least
		weight -= parts[len(parts)-1].Weight
		parts = parts[:len(parts)-1]
	}
	out := make([]draft.Section, len(parts))
	used, done := 0, 0.0
	for i, p := range parts {
		done += p.Weight
		until := int(math.Round(float64(bars) * done / weight))
		if bars >= 16*len(parts)/2 { // phrases of four bars, when there are enough
			until = int(math.Round(float64(until)/4)) * 4
		}
		until = min(max(until, used+1), bars-(len(parts)-1-i))
		if i == len(parts)-1 {
			until = bars
		}
		n := min(max(p.Players, 1), len(s.Players))
		text := p.Text
		if s.Solo {
			text = p.Solo
		}
		for k := range 4 {
			text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", k), s.Players[k%len(s.Players)])
		}
		out[i] = draft.Section{
			Name: p.Name, Bars: until - used, Dynamics: p.Dynamics, Instruments: s.Players[:n], Text: text,
			Start: draft.Tenths(float64(used) * s.bar()), End: draft.Tenths(float64(until) * s.bar()),
		}
		used = until
	}
	out[len(out)-1].End = draft.Tenths(length)
	return out
}
