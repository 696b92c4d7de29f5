package voice

// timing gives every segment of a clause its length. It starts from the usual
// length of the sound and shortens or stretches the part above the shortest, as
// Klatt described for American English.
func timing(segs []segment, pace float64) {
	for i := range segs {
		s := &segs[i]
		if s.kind == pause {
			continue
		}
		share := 1.0
		before, next := silence, silence
		if i > 0 {
			before = segs[i-1].phoneme
		}
		if i+1 < len(segs) {
			next = segs[i+1].phoneme
		}
		if s.kind.vocalic() {
			switch {
			case s.final:
				share *= 1.25
			case s.stress == 0:
				share *= 0.5
			default:
				share *= 0.78
			}
			if !s.content && s.stress > 0 && !s.final {
				share *= 0.7
			}
			if s.emphasis && s.stress == 1 {
				share *= 1.12
			}
			if s.syllables > 1 {
				share *= 0.86
			}
			if !s.last {
				share *= beforeConsonant(next)
			}
		} else {
			// Consonants in clusters and inside words are quick.
			if !s.first && !s.final {
				share *= 0.85
			}
			if s.kind == glide && before.kind.vocalic() {
				share *= 1.1 // the r of "dark" is half of the vowel
			} else if !next.kind.vocalic() && next.kind != pause && !s.last {
				share *= 0.7
			}
			if !before.kind.vocalic() && before.kind != pause && !s.first {
				share *= 0.7
			}
			if s.final && s.last {
				share *= 1.2
			}
		}
		s.seconds = ((s.usual-s.shortest)*share + s.shortest*min(1, 0.6+0.4*share)) / pace
	}
}

// beforeConsonant returns how the end of a syllable changes its vowel: "bead" is
// longer than "beat".
func beforeConsonant(next *phoneme) float64 {
	switch {
	case next.kind == stop && !next.voiced():
		return 0.75
	case next.kind == affricate && !next.voiced():
		return 0.75
	case next.kind == fricative && next.voiced():
		return 1.3
	case next.kind == stop:
		return 1.15
	case next.kind == nasal:
		return 0.9
	}
	return 1
}
