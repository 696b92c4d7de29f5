package compose

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/tonality"
)

// maxLyrics bounds the characters of a song.
const maxLyrics = 8000

// lyricsByRules runs compose_lyrics by rules.
func (e *Engine) lyricsByRules(a arguments) Result {
	d := e.rules.WriteLyrics(a)
	if d.Refusal != nil {
		return refusal(d.Refusal)
	}
	return songResult(a, d)
}

var sectionTag = regexp.MustCompile(`(?m)^\[[^\[\]\n]{2,40}\]`)

// lyricsFromModel is compose_lyrics from the words of a model.
func (e *Engine) lyricsFromModel(a arguments, x answer) (Result, error) {
	text := x.text("lyrics")
	switch {
	case len(sectionTag.FindAllString(text, -1)) < 1:
		return Result{}, improve("lyrics must have section tags such as [verse] and [chorus], each on its own line")
	case len([]rune(text)) > maxLyrics:
		return Result{}, improve("lyrics must have at most %d characters", maxLyrics)
	}
	d := e.rules.WriteLyrics(a)
	d.Lyrics, d.Language = text, cmp.Or(x.text("language"), a.Text("language"), "English")
	d.BPM, d.Timesig = int(x.number("bpm")), int(x.number("timesig"))
	if err := readKey(&d.Setting, x); err != nil {
		return Result{}, err
	}
	if d.Seconds = a.Number("duration_seconds"); d.Seconds == 0 {
		d.Seconds = min(max(math.Round(x.number("duration")), 10), 600)
	}
	return songResult(a, d), nil
}

// songResult is a written song.
func songResult(a arguments, d draft.Song) Result {
	r := success(d.Lyrics, map[string]any{
		"lyrics": d.Lyrics, "bpm": d.BPM, "keyscale": d.Key, "timesig": d.Timesig, "duration": d.Seconds, "music_prompt": cmp.Or(a.Text("music_prompt"), d.Describe()),
	})
	r.Metadata = map[string]any{"language": d.Language, "genre": d.Genre, "mood": d.Mood}
	return r
}

// readKey takes the key of a model's answer. The tools that make music refuse other texts.
func readKey(s *draft.Setting, x answer) error {
	key := x.text("keyscale")
	if key == "" {
		return nil
	}
	if _, ok := tonality.Parse(key); !ok {
		return improve("keyscale must be a key such as A minor or F# major")
	}
	s.Key = key
	return nil
}

// instrumentalByRules runs compose_instrumental by rules.
func (e *Engine) instrumentalByRules(a arguments) Result {
	return pieceResult(a, e.rules.WriteInstrumental(a))
}

// instrumentalFromModel is compose_instrumental from the sections of a model.
func (e *Engine) instrumentalFromModel(a arguments, x answer) (Result, error) {
	d := e.rules.WriteInstrumental(a)
	if n := x.number("bpm"); n >= 30 && n <= 300 {
		d.BPM = int(n)
	}
	d.Timesig = int(x.number("timesig"))
	if err := readKey(&d.Setting, x); err != nil {
		return Result{}, err
	}
	if d.Seconds = a.Number("duration_seconds"); d.Seconds == 0 {
		d.Seconds = min(max(x.number("duration"), 10), 600)
	}
	d.Sections = nil
	bars := 0
	for i, v := range x.list("sections") {
		in, _ := v.(map[string]any)
		part := answer(in)
		n := int(part.number("bars"))
		if n < 1 || n > 256 {
			return Result{}, improve("sections[%d].bars must be between 1 and 256", i)
		}
		d.Sections = append(d.Sections, draft.Section{
			Name: strings.ToLower(part.text("name")), Bars: n, Dynamics: part.text("dynamics"), Instruments: part.texts("instruments"), Text: part.text("description"),
		})
		bars += n
	}
	if bars == 0 {
		return Result{}, improve("sections must hold at least one section")
	}
	// Bars are the model's; the times follow from the length that was asked.
	used := 0
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Start = draft.Tenths(d.Seconds * float64(used) / float64(bars))
		used += s.Bars
		s.End = draft.Tenths(d.Seconds * float64(used) / float64(bars))
	}
	return pieceResult(a, d), nil
}

// pieceResult is a planned piece.
func pieceResult(a arguments, d draft.Piece) Result {
	var b strings.Builder
	for _, s := range d.Sections {
		bars := "bars"
		if s.Bars == 1 {
			bars = "bar"
		}
		fmt.Fprintf(&b, "[%s] %s-%s, %d %s, %s: %s.\n", s.Name, clock(s.Start), clock(s.End), s.Bars, bars, s.Dynamics, prose.Unstopped(s.Text))
	}
	structure := strings.TrimSpace(b.String())
	r := success(structure, map[string]any{
		"structure": structure, "sections": d.Sections, "music_prompt": prose.Paragraph(d.Topic, a.Text("music_prompt"), d.Describe()+", instrumental"),
		"bpm": d.BPM, "keyscale": d.Key, "timesig": d.Timesig, "duration": d.Seconds,
	})
	r.Metadata = map[string]any{"genre": d.Genre, "instruments": d.Players, "mood": d.Mood}
	return r
}

// clock writes seconds as minutes and seconds.
func clock(f float64) string {
	n := int(math.Round(f))
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}
