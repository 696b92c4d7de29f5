package song

import "math"

// ticksPerBeat is divisible by four, for straight metres, and by three, for
// compound ones.
const ticksPerBeat = 12

// grid is the time of a song: bars, beats and ticks of equal length.
type grid struct {
	time     int // 2, 3, 4 or 6
	bpm      float64
	swing    float64
	barTicks int
	bars     int // before the last chord
}

// maxRing is the longest ring after the last bar, in seconds, before another
// bar is added.
const maxRing = 3

func newGrid(s style, seconds float64) grid {
	g := grid{time: s.time, bpm: s.bpm, swing: s.Swing}
	beats := s.time
	if s.time == 6 {
		beats, g.swing = 2, 0
	}
	g.barTicks = beats * ticksPerBeat
	bar := float64(g.barTicks) * g.tick()
	// The last chord rings for about a bar, but at least a second and a half and
	// at most four.
	ring := min(max(bar*0.75, 1.5), 4)
	g.bars = int((seconds - ring + 1e-9) / bar)
	// An even number of bars, unless the end would then ring too long.
	if g.bars > 8 && seconds-float64(g.bars-1)*bar <= maxRing {
		g.bars -= g.bars % 2
	}
	return g
}

// tick returns the length of a tick in seconds.
func (g grid) tick() float64 { return 60 / g.bpm / ticksPerBeat }

// at returns the time of a tick in seconds, with the swing of the style.
func (g grid) at(tick int) float64 {
	t := float64(tick)
	in := tick % ticksPerBeat
	switch {
	case g.swing >= 0.5: // eighths become long and short
		switch in {
		case 6:
			t += 2 * g.swing / 0.66
		case 3:
			t++
		case 9:
			t -= 0.5
		}
	case g.swing > 0 && (in == 3 || in == 9): // sixteenths lean back
		t += 2 * g.swing
	}
	return t * g.tick()
}

// step returns the ticks of a sign in the patterns.
func (g grid) step() int {
	if g.time == 6 {
		return 2
	}
	return 3
}

// pattern picks the pattern of the metre. Two beats are the first half of four.
func (g grid) pattern(m meters) string {
	switch g.time {
	case 2:
		return m["4"][:8]
	case 3:
		return m["3"]
	case 6:
		return m["6"]
	}
	return m["4"]
}

// part is a section while the song is being written.
type part struct {
	name      string
	bar       int // the first
	bars      int
	intensity float64 // how much of the band plays, and how loudly
	repeat    int     // how often this name came before
	last      bool    // the ending follows
	next      string  // the name of the next
}

// form lays sections over the bars: an introduction and an end when there are
// enough bars, verses and choruses in turn, and a bridge before the last ones.
func form(bars int) []part {
	unit := 4
	if bars < 24 {
		unit = 2
	}
	if bars > 120 {
		unit = 8
	}
	var out []part
	add := func(name string, n int) {
		if n > 0 {
			out = append(out, part{name: name, bars: n})
		}
	}
	intro, outro := 0, 0
	if bars >= 12 {
		intro = unit
	}
	if bars >= 20 {
		outro = unit
	}
	rest := bars - intro - outro
	add("intro", intro)
	size := 2 * unit
	count := max(1, int(math.Round(float64(rest)/float64(size))))
	if count > 1 && count%2 == 1 && count < 5 {
		count-- // end on a chorus
	}
	names := []string{"verse", "chorus", "verse", "chorus", "bridge", "chorus"}
	cycle := func(i int) string {
		switch {
		case count == 1:
			return "verse"
		case i == count-1:
			return "chorus"
		case i < len(names):
			return names[i]
		}
		return []string{"verse", "chorus", "bridge", "chorus"}[(i-len(names))%4]
	}
	for i := range count {
		n := rest / (count - i)
		if n > 2 {
			n -= n % 2
		}
		if i == count-1 {
			n = rest
		}
		add(cycle(i), n)
		rest -= n
	}
	add("outro", outro)
	forces := map[string]float64{"intro": 0.5, "verse": 0.72, "chorus": 1, "bridge": 0.62, "outro": 0.55}
	seen := map[string]int{}
	bar := 0
	for i := range out {
		p := &out[i]
		p.bar, p.repeat, p.intensity = bar, seen[p.name], forces[p.name]
		if p.name == "verse" && p.repeat > 0 {
			p.intensity = 0.8
		}
		seen[p.name]++
		bar += p.bars
		p.last = i == len(out)-1
		p.next = "ending"
		if !p.last {
			p.next = out[i+1].name
		}
	}
	return out
}
