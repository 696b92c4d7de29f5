package compose

import (
	"fmt"
	"math"
	"strings"
)

// section is a part of a piece, timed.
type section struct {
	Name        string   `json:"name"`
	Start       float64  `json:"start_seconds"`
	End         float64  `json:"end_seconds"`
	Bars        int      `json:"bars"`
	Dynamics    string   `json:"dynamics"`
	Instruments []string `json:"instruments"`
	Text        string   `json:"description"`
}

// defaultPiece is the length of a piece when the caller names none.
const defaultPiece = 90

// instrumentalByRules runs compose_instrumental by rules.
func (e *Engine) instrumentalByRules(a arguments) Result {
	s := e.setup(a.text("prompt"), a.text("music_prompt"))
	length := a.number("duration_seconds")
	if length == 0 {
		length = defaultPiece
	}
	return e.piece(a, s, e.sections(s, length), length)
}

// sections divides a length into whole bars. The last section takes what is
// left, so that they add up.
func (e *Engine) sections(s setup, length float64) []section {
	bars := max(2, int(math.Round(length/s.bar())))
	var parts []*part
	weight := 0.0
	for _, p := range e.words.music.Parts {
		if length >= p.Need {
			parts = append(parts, p)
			weight += p.Weight
		}
	}
	for len(parts) > 1 && len(parts) > bars { // a bar each, at least
		weight -= parts[len(parts)-1].Weight
		parts = parts[:len(parts)-1]
	}
	out := make([]section, len(parts))
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
		n := min(max(p.Players, 1), len(s.players))
		text := p.Text
		if s.solo {
			text = p.Solo
		}
		for k := range 4 {
			text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", k), s.players[k%len(s.players)])
		}
		out[i] = section{
			Name: p.Name, Bars: until - used, Dynamics: p.Dynamics, Instruments: s.players[:n], Text: text,
			Start: seconds(float64(used) * s.bar()), End: seconds(float64(until) * s.bar()),
		}
		used = until
	}
	out[len(out)-1].End = seconds(length)
	return out
}

// seconds are rounded to a tenth.
func seconds(f float64) float64 { return math.Round(f*10) / 10 }

// clock writes seconds as minutes and seconds.
func clock(f float64) string {
	n := int(math.Round(f))
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// piece is the result of a planned piece.
func (e *Engine) piece(a arguments, s setup, list []section, length float64) Result {
	var b strings.Builder
	for _, x := range list {
		bars := "bars"
		if x.Bars == 1 {
			bars = "bar"
		}
		fmt.Fprintf(&b, "[%s] %s-%s, %d %s, %s: %s.\n", x.Name, clock(x.Start), clock(x.End), x.Bars, bars, x.Dynamics, unstopped(x.Text))
	}
	structure := strings.TrimSpace(b.String())
	r := success(structure, map[string]any{
		"structure": structure, "sections": list, "music_prompt": paragraph(topic(a.text("prompt")), a.text("music_prompt"), s.describe()+", instrumental"),
		"bpm": s.bpm, "keyscale": s.key, "timesig": s.timesig, "duration": length,
	})
	r.Metadata = map[string]any{"genre": s.genre.Name, "instruments": s.players, "mood": s.mood}
	return r
}

// instrumentalFromModel is compose_instrumental from the sections of a model.
func (e *Engine) instrumentalFromModel(a arguments, x answer) (Result, error) {
	s := e.setup(a.text("prompt"), a.text("music_prompt"))
	if n := x.number("bpm"); n >= 30 && n <= 300 {
		s.bpm = int(n)
	}
	s.timesig = int(x.number("timesig"))
	if err := s.readKey(x); err != nil {
		return Result{}, err
	}
	length := a.number("duration_seconds")
	if length == 0 {
		length = min(max(x.number("duration"), 10), 600)
	}
	var list []section
	bars := 0
	for i, v := range x.list("sections") {
		in, _ := v.(map[string]any)
		part := answer(in)
		n := int(part.number("bars"))
		if n < 1 || n > 256 {
			return Result{}, improve("sections[%d].bars must be between 1 and 256", i)
		}
		list = append(list, section{Name: strings.ToLower(part.text("name")), Bars: n, Dynamics: part.text("dynamics"), Instruments: part.texts("instruments"), Text: part.text("description")})
		bars += n
	}
	if bars == 0 {
		return Result{}, improve("sections must hold at least one section")
	}
	// Bars are the model's; the times follow from the length that was asked.
	used := 0
	for i := range list {
		list[i].Start = seconds(length * float64(used) / float64(bars))
		used += list[i].Bars
		list[i].End = seconds(length * float64(used) / float64(bars))
	}
	return e.piece(a, s, list, length), nil
}
