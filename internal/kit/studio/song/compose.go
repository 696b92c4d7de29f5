package song

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// loudness of a song in LUFS, as streaming services play it.
const loudness = -14

// Compose writes a song for a request and renders it.
func Compose(ctx context.Context, r Request, progress func(float64)) (*sound.Clip, Score, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	r, err := r.checked()
	if err != nil {
		return nil, Score{}, err
	}
	if err := ctx.Err(); err != nil {
		return nil, Score{}, err
	}
	w := composeNotes(r)
	d, score := w.arrange(ctx, r)
	clip, err := d.mix(ctx, r.frames(), func(f float64) { progress(0.92 * f) })
	if err != nil {
		return nil, Score{}, err
	}
	// The last chord rings and is faded out.
	ring := r.frames() - int(w.grid.at(w.grid.bars*w.grid.barTicks)*Rate)
	fadeOut(clip, int(0.75*float64(ring)))
	clip.Normalise(loudness, -1)
	progress(1)
	return clip, score, nil
}

// composition is a song as notes, before it is played.
type composition struct {
	style  style
	grid   grid
	parts  []part
	chords []chord

	comp, bass, lead, second, pad, drums []note
	phrases                              []phrase
}

// composeNotes writes the notes. Every part has its own random numbers, so that
// the melody does not change when the drums do.
func composeNotes(r Request) composition {
	seed := seedOf(r)
	chance := func(salt uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, salt)) }
	w := composition{style: styleOf(r, chance(1))}
	w.style.seed = seed
	s := &w.style
	w.grid = newGrid(*s, r.Seconds)
	w.parts = form(w.grid.bars)
	w.chords = harmony(*s, w.grid, w.parts, chance(2))

	if s.Chords != "" {
		w.comp = accompaniment(*s, w.grid, w.parts, w.chords, min(patches[s.Chords].centre-5, 64), chance(3))
	}
	if s.Bass != "" {
		w.bass = bassLine(*s, w.grid, w.parts, w.chords, chance(4))
	}
	w.drums = drumPart(*s, w.grid, w.parts, chance(5))

	smith := melodist{key: s.key, grid: w.grid, chords: w.chords, dense: min(max(s.Density, 0.1), 0.95), chance: chance(6)}
	lyrics := stanzas(r.Lyrics)
	if len(lyrics) > 0 {
		singer := smith
		singer.chance = chance(7)
		w.phrases = placeLyrics(lyrics, singer, w.parts, 67)
	}
	w.melody(smith, len(w.phrases) > 0)
	w.pads()
	return w
}

// melody gives each kind of section two motifs of its own and lets the lead
// play them where there is no singing.
func (w *composition) melody(t melodist, sung bool) {
	if w.style.Lead == "" || w.style.leadNone {
		return
	}
	centre := patches[w.style.Lead].centre
	type pair struct{ a, b motif }
	kinds := map[string]pair{}
	for _, name := range []string{"verse", "chorus", "bridge", "intro"} {
		kinds[name] = pair{t.motif(false), t.motif(true)}
	}
	kinds["outro"] = kinds["verse"]
	for _, p := range w.parts {
		busy := p.name != "intro" && p.name != "outro"
		if sung && busy || !busy && p.bars < 4 && len(w.parts) > 1 {
			continue
		}
		if p.name == "intro" && w.style.Comp == "arpeggio" {
			continue
		}
		c := centre
		switch p.name {
		case "chorus":
			c += 3
		case "outro", "intro":
			c -= 2
		}
		m := kinds[p.name]
		tune := t.section(p, c, m.a, m.b)
		w.lead = append(w.lead, tune...)
		// A chorus that comes back, or any in the richer models, has a second
		// voice a third below.
		if p.name == "chorus" && (p.repeat > 0 || w.style.profile.layers) || w.style.answer != "" {
			for _, n := range tune {
				n.pitch = t.key.Note(t.nearest(n.pitch) - 2)
				n.force *= 0.6
				w.second = append(w.second, n)
			}
		}
	}
	last := w.chords[len(w.chords)-1]
	if len(w.lead) > 0 {
		near := t.nearest(w.lead[len(w.lead)-1].pitch)
		w.lead = append(w.lead, note{tick: last.tick, ticks: 2 * w.grid.barTicks, pitch: t.key.Note(t.cadenceNote(near, last, true)), force: 0.7})
	}
}

// pads holds the chords in the intense sections.
func (w *composition) pads() {
	if w.style.Pad == "" || w.style.Pad == w.style.Chords && w.style.Comp == "block" {
		return
	}
	sets := voicings(w.style.key, w.chords, 64)
	for i, c := range w.chords {
		force := 0.0
		for _, p := range w.parts {
			if c.tick >= p.bar*w.grid.barTicks && c.tick < (p.bar+p.bars)*w.grid.barTicks {
				force = p.intensity
				if p.name == "verse" && p.repeat == 0 && !w.style.profile.layers {
					force = 0
				}
			}
		}
		ticks := c.ticks
		if i == len(w.chords)-1 {
			force, ticks = 0.8, 4*w.grid.barTicks
		}
		if force < 0.6 {
			continue
		}
		for _, pitch := range sets[i] {
			w.pad = append(w.pad, note{tick: c.tick, ticks: ticks, pitch: pitch, force: 0.4 + 0.35*force})
		}
	}
}

// arrange assigns the parts to instruments.
func (w *composition) arrange(ctx context.Context, r Request) (*mixer, Score) {
	s := w.style
	d := newMixer(s)
	score := Score{
		Genre: s.Name, Moods: s.moods, BPM: s.bpm, Key: s.key.String(), TimeSig: s.time, Seconds: float64(r.frames()) / Rate,
	}
	chance := rand.New(rand.NewPCG(s.seed, 9))
	add := func(name string, notes []note, gain float64, ducked bool) {
		if len(notes) == 0 {
			return
		}
		p := patches[name]
		p.gain += gain
		t := newTrack(name, p, s.Dark)
		t.ducked = ducked
		for _, n := range notes {
			t.events = append(t.events, w.event(p, n, chance))
		}
		d.tracks = append(d.tracks, t)
		score.Notes += len(notes)
		for _, l := range score.Instruments {
			if l == p.label {
				return
			}
		}
		score.Instruments = append(score.Instruments, p.label)
	}
	soft := -3 * s.soft
	add(s.Chords, w.comp, 0, true)
	add(s.Bass, w.bass, 0, true)
	add(s.Lead, w.lead, 0, false)
	if s.answer != "" {
		add(s.answer, w.second, -1, false)
	} else {
		add(s.Lead, w.second, -5, false)
	}
	add(s.Pad, w.pad, soft, true)
	if len(w.drums) > 0 {
		d.tracks = append(d.tracks, w.drumTrack(d, soft))
		score.Instruments = append(score.Instruments, "drums")
		score.Notes += len(w.drums)
	}
	if len(w.phrases) > 0 {
		t, n := sungTrack(ctx, s, w.grid, w.phrases)
		d.tracks = append(d.tracks, t)
		score.Instruments = append(score.Instruments, "vocals")
		score.Notes += n
		score.Sung = true
	}
	w.sections(&score)
	return d, score
}

func (w *composition) sections(score *Score) {
	bar := func(n int) float64 { return float64(n*w.grid.barTicks) * w.grid.tick() }
	for _, p := range w.parts {
		score.Sections = append(score.Sections, Section{Name: p.name, Start: bar(p.bar), End: bar(p.bar + p.bars), Bars: p.bars})
		if p.name == "verse" && p.repeat == 0 {
			for _, c := range w.chords {
				if c.tick >= p.bar*w.grid.barTicks && c.tick < (p.bar+p.bars)*w.grid.barTicks {
					score.Chords = append(score.Chords, c.name(w.style.key))
				}
			}
		}
	}
	score.Sections = append(score.Sections, Section{Name: "ending", Start: bar(w.grid.bars), End: score.Seconds})
}

// event places a note in time, with the small deviations of a human player.
func (w *composition) event(p patch, n note, chance *rand.Rand) event {
	at := w.grid.at(n.tick) + n.late
	held := w.grid.at(n.tick+n.ticks) - w.grid.at(n.tick)
	if n.short {
		held = min(held, 0.07)
	}
	if n.tick > 0 {
		at += (chance.Float64() - 0.5) * 0.008 * w.style.profile.human
	}
	seed := chance.Uint64()
	l, r := sound.Pan(p.pan + 0.012*float64(n.pitch-60))
	hz := hertz(n.pitch)
	force := min(max(n.force, 0.05), 1)
	return event{start: max(0, int(math.Round(at*Rate))), left: l, right: r, play: func() (noteVoice, error) {
		return p.maker.play(hz, held*0.97, force, seed), nil
	}}
}

func (w *composition) drumTrack(d *mixer, gain float64) *track {
	t := newTrack("drums", patch{gain: 1 + gain, send: 0.12}, w.style.Dark*0.6)
	samples := map[int][]float32{}
	for _, n := range w.drums {
		h := drumOf(w.style.Kit, drumNames[n.pitch])
		if samples[n.pitch] == nil {
			samples[n.pitch] = h.sample(w.style.seed + uint64(n.pitch))
		}
		x := samples[n.pitch]
		l, r := sound.Pan(h.pan)
		start := int(math.Round(w.grid.at(n.tick) * Rate))
		if drumNames[n.pitch] == "kick" {
			d.kicks = append(d.kicks, start)
		}
		force := float32(min(max(n.force, 0.05), 1))
		t.events = append(t.events, event{start: start, left: l, right: r, play: func() (noteVoice, error) {
			return &recording{x: x, gain: force * 0.8}, nil
		}})
	}
	return t
}

// seedOf hashes a request to a seed, without tempo and length: requests that
// differ only in those have the same melody.
func seedOf(r Request) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.ToLower(strings.Join(strings.Fields(r.Prompt), " "))))
	h.Write([]byte{0})
	h.Write([]byte(r.Lyrics))
	h.Write([]byte(profileOf(r.Model).name))
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(r.Seed))
	h.Write(b[:])
	return h.Sum64()
}
