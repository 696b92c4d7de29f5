package song

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/kit/studio/voice"
)

// stanza is a block of lyrics with the section it is meant for, if it says so.
type stanza struct {
	name  string
	lines [][]voice.Syllable
}

var sectionTag = regexp.MustCompile(`^\s*[\[(]\s*([A-Za-z -]+?)\s*\d*\s*[\])]:?\s*$`)

// stanzas reads lyrics: lines, blank lines between blocks, and tags in brackets.
func stanzas(text string) []stanza {
	var out []stanza
	now := stanza{}
	end := func(next string) {
		if len(now.lines) > 0 {
			out = append(out, now)
		}
		now = stanza{name: next}
	}
	for _, line := range strings.Split(text, "\n") {
		if m := sectionTag.FindStringSubmatch(line); m != nil {
			name := strings.ToLower(m[1])
			for _, known := range []string{"chorus", "verse", "bridge", "outro", "intro"} {
				if strings.Contains(name, known) {
					name = known
				}
			}
			end(name)
			continue
		}
		if strings.TrimSpace(line) == "" {
			if len(now.lines) > 0 {
				end("")
			}
			continue
		}
		if s := voice.Syllables(line); len(s) > 0 {
			now.lines = append(now.lines, s)
		}
	}
	end("")
	return out
}

// phrase is a line at its place.
type phrase struct {
	notes []note
	words []voice.Syllable
}

// placeLyrics distributes lyrics over the sung sections. A stanza goes to a
// section of its name; the rest fill verses and choruses in order; when a
// chorus comes back without words of its own it has those of the last one.
func placeLyrics(stanzas []stanza, t melodist, parts []part, centre int) []phrase {
	var sung []part
	for _, p := range parts {
		if p.name == "verse" || p.name == "chorus" || p.name == "bridge" {
			sung = append(sung, p)
		}
	}
	if len(sung) == 0 {
		sung = parts
	}
	given := make([][][]voice.Syllable, len(sung))
	used := make([]bool, len(stanzas))
	for i, p := range sung {
		for k, s := range stanzas {
			if !used[k] && (s.name == p.name || s.name == "" && p.name != "bridge") {
				given[i], used[k] = s.lines, true
				break
			}
		}
		if given[i] == nil {
			for k := i - 1; k >= 0; k-- {
				if sung[k].name == p.name {
					given[i] = given[k]
					break
				}
			}
		}
	}
	if given[0] == nil && len(stanzas) > 0 {
		given[0], used[0] = stanzas[0].lines, true
	}
	// Stanzas without a section of their own are joined to the one before.
	last := 0
	for k, s := range stanzas {
		if used[k] {
			for i := range sung {
				if len(given[i]) > 0 && &given[i][0] == &s.lines[0] {
					last = i
				}
			}
			continue
		}
		given[last] = append(slices.Clone(given[last]), s.lines...)
	}
	var out []phrase
	for i, p := range sung {
		out = append(out, t.sungSection(p, given[i], centre)...)
	}
	return out
}

// sungSection spreads lines over the bars of a section, two bars each when they
// fit.
func (t melodist) sungSection(p part, lines [][]voice.Syllable, centre int) []phrase {
	if len(lines) == 0 {
		return nil
	}
	total := p.bars * t.grid.barTicks
	span := 2 * t.grid.barTicks
	for span*len(lines) > total && span > t.grid.barTicks {
		span /= 2
	}
	room := max(1, total/span)
	lines = lines[:min(len(lines), room)]
	if p.name == "chorus" {
		centre += 2
	}
	var out []phrase
	low, high := t.nearest(centre-7), t.nearest(centre+8)
	step := t.nearest(centre)
	for k := 0; k < room; k++ {
		if k >= len(lines) && k >= 2*len(lines) {
			break // a short stanza is sung twice at most
		}
		line := lines[k%len(lines)]
		start := p.bar*t.grid.barTicks + k*span
		ph := phrase{words: line}
		unit, used := t.syllableTicks(len(line), span)
		for i := range line {
			if i*unit >= span {
				ph.words = line[:i] // more syllables than the bar can hold
				break
			}
			at := start + i*unit
			c := chordAt(t.chords, at)
			strong := at%ticksPerBeat == 0
			move := []int{0, 0, 1, -1, 1, -1, 2, -2}[t.chance.IntN(8)]
			step = t.step(step+move, low, high, c, strong)
			n := note{tick: at, ticks: unit, force: 0.8}
			if i == len(line)-1 {
				n.ticks = max(unit, min(span-used+unit, 2*ticksPerBeat))
				step = t.cadenceNote(step, c, k%2 == 1)
			}
			n.pitch = t.key.Note(step)
			ph.notes = append(ph.notes, n)
		}
		out = append(out, ph)
	}
	return out
}

// syllableTicks returns the time for each of n syllables and for all of them.
func (t melodist) syllableTicks(n, span int) (unit, used int) {
	units := []int{12, 6, 3, 2, 1}
	if t.grid.time == 6 {
		units = []int{12, 4, 2, 1}
	}
	for _, u := range units {
		// Syllables are neither faster nor slower than singers sing them.
		if n*u <= span-u/2 && float64(u)*t.grid.tick() < 0.62 {
			return u, n * u
		}
	}
	return 1, n
}

// sungTrack returns the singer's track. Each line is synthesised when its time
// comes.
func sungTrack(ctx context.Context, s style, g grid, phrases []phrase) (*track, int) {
	p := patch{gain: 7, send: 0.25}
	t := newTrack("vocals", p, 0)
	singer, _ := voice.Named([]string{"aiden", "vivian", "serena", "ryan"}[s.seed%4])
	singer.Breath = min(singer.Breath+0.05, 1)
	low := singer.Pitch < 160
	count := 0
	for k, ph := range phrases {
		if len(ph.notes) == 0 {
			continue
		}
		begin := g.at(ph.notes[0].tick) - 0.25
		var notes []voice.Note
		for i, n := range ph.notes {
			hz := hertz(n.pitch)
			if low {
				hz /= 2
			}
			at := g.at(n.tick)
			notes = append(notes, voice.Note{Syllable: ph.words[i], Start: at - begin, Seconds: g.at(n.tick+n.ticks) - at, Hz: hz})
		}
		count += len(notes)
		length := notes[len(notes)-1].Start + notes[len(notes)-1].Seconds + 0.3
		start := int(begin * Rate)
		skip := max(0, -start)
		t.events = append(t.events, event{start: max(start, 0), left: 0.72, right: 0.7, play: func() (noteVoice, error) {
			x, err := voice.Sing(ctx, notes, singer, Rate/2, int64(s.seed)+int64(k), length)
			if err != nil {
				return nil, err
			}
			x = sound.Resample(x, Rate/2, Rate)
			sound.Highpass(Rate, 110, 0.7).Process(x)
			sound.NewCompressor(Rate, -22, 3, 0.006, 0.12).Process(x, x)
			return &recording{x: x[min(skip, len(x)):], gain: 1.3}, nil
		}})
	}
	return t, count
}

// recording plays samples as they are.
type recording struct {
	x    []float32
	gain float32
}

func (r *recording) render(out []float32) bool {
	n := min(len(out), len(r.x))
	sound.Add(out, r.x[:n], r.gain)
	r.x = r.x[n:]
	return len(r.x) > 0
}
