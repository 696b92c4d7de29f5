package voice

import "strings"

// segmentsOf turns a clause into segments: the words one after another, with
// assimilation between them, and a pause.
func segmentsOf(c clause) []segment {
	var segs []segment
	words := make([][]phone, 0, len(c.words))
	for i, w := range c.words {
		p := append([]phone(nil), pronounce(w)...)
		if w == "the" && i+1 < len(c.words) && isVowel(c.words[i+1][0]) && c.words[i+1][0] != 'u' {
			p = sounds("DH", "IY")
		}
		if len(p) > 0 {
			words = append(words, p)
		}
	}
	emphasised := len(words) - 1
	for emphasised > 0 && !stressed(words[emphasised]) {
		emphasised--
	}
	for i, p := range words {
		content := stressed(p)
		if i == emphasised && !content {
			// One word must be stressed, even in "to be".
			for k := range p {
				if p[k].kind.vocalic() {
					p[k].stress, content = 1, true
					break
				}
			}
		}
		syllables, lastVowel := 0, -1
		for k := range p {
			if p[k].kind.vocalic() {
				syllables, lastVowel = syllables+1, k
			}
		}
		for k := range p {
			segs = append(segs, segment{
				phoneme: p[k].phoneme, stress: p[k].stress, content: content, syllables: syllables,
				first: k == 0, last: k == len(p)-1,
				final:    i == len(words)-1 && k >= lastVowel,
				emphasis: i == emphasised,
			})
		}
	}
	coarticulate(segs)
	return segs
}

func stressed(p []phone) bool {
	for _, s := range p {
		if s.stress == 1 {
			return true
		}
	}
	return false
}

// coarticulate applies the assimilations of fluent American speech.
func coarticulate(segs []segment) {
	for i := range segs {
		s := &segs[i]
		next := silence
		if i+1 < len(segs) {
			next = segs[i+1].phoneme
		}
		switch {
		case s.name == "L" && !next.kind.vocalic() && next.name != "Y":
			s.phoneme = phonemes["LL"] // the dark l of "ball"
		case s.name == "UW" && i > 0 && strings.Contains(" T D N S Z L CH JH SH TH Y DX ", " "+segs[i-1].name+" "):
			s.phoneme = phonemes["UX"] // the tongue is still in front, as in "new"
		case s.name == "AO" && next.name == "R":
			s.phoneme = phonemes["OR"] // "four" is rounder than "fall"
		case (s.name == "T" || s.name == "D") && i > 0 && !s.first && segs[i-1].kind.vocalic() && next.kind.vocalic() && segs[i+1].stress == 0:
			s.phoneme = phonemes["DX"] // the tap of "water"
		}
	}
}

// pauseAfter returns the seconds of silence behind a clause.
func pauseAfter(mark rune) float64 {
	switch mark {
	case ',', ';', ':':
		return 0.2
	}
	return 0.38
}
