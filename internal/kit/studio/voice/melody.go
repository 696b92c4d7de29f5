package voice

import "math"

// pitchBend is a rise or fall of the voice around a moment, in semitones.
type pitchBend struct{ at, width, size float64 }

// melody sets the pitch contour of a clause: a declining line, a rise on every
// stressed syllable, and a final contour by the punctuation.
func melody(frames []frame, segs []segment, mark rune, t Timbre) {
	if len(frames) == 0 {
		return
	}
	// The pause at the end has no pitch.
	length := float64(len(frames)) / frameRate
	for i := len(segs) - 1; i >= 0 && segs[i].kind == pause; i-- {
		length = segs[i].start
	}
	var bends []pitchBend
	last := -1
	for i, s := range segs {
		if s.kind.vocalic() && s.stress == 1 && (s.content || last < 0) {
			last = i
		}
	}
	count := 0
	for i, s := range segs {
		if !s.kind.vocalic() || s.stress == 0 {
			continue
		}
		size := 0.8
		switch {
		case s.content && s.stress == 1 && count == 0:
			size = 3.4
		case s.content && s.stress == 1:
			size = 2.6 - 0.15*float64(min(count, 5)) + 0.6*float64(count%2)
		case s.stress == 2:
			size = 1
		}
		if i == last {
			size = 2.8
			if mark == '?' {
				size = -2
			} else if mark == '!' {
				size = 4.5
			}
		}
		if s.content && s.stress == 1 {
			count++
		}
		bends = append(bends, pitchBend{at: s.start + s.seconds*0.4, width: 0.13 + s.seconds*0.4, size: size})
	}
	lastStart := length
	if last >= 0 {
		lastStart = segs[last].start + segs[last].seconds*0.3
	}
	for n := range frames {
		at := min(float64(n)/frameRate, length)
		semis := 0.9 - 3.4*at/max(length, 1.2) // declination
		for _, b := range bends {
			if d := math.Abs(at-b.at) / b.width; d < 1 {
				semis += b.size * (0.5 + 0.5*math.Cos(math.Pi*d))
			}
		}
		if at > lastStart {
			share := ease((at - lastStart) / max(length-lastStart, 0.05))
			switch mark {
			case '?':
				semis += 9 * share
			case ',', ';', ':':
				semis += 2.2 * share
			default:
				semis -= 3 * share
			}
		}
		hz := t.Pitch * math.Exp2(semis*t.Range/12)
		if t.Machine {
			hz = t.Pitch
		}
		frames[n].hz = hz
	}
}
