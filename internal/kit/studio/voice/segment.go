package voice

// segment is one sound of an utterance with its place in it.
type segment struct {
	*phoneme
	stress    int  // of vowels: 0 none, 1 the main one of the word, 2 a weaker one
	content   bool // the word carries meaning, unlike "the" or "of"
	first     bool // of its word
	last      bool // of its word
	final     bool // in the last syllable of its clause
	emphasis  bool // the word with the main accent of the clause
	seconds   float64
	start     float64
	syllables int // of its word
}

// target is a part of a segment with one articulatory target. A vowel has one, a
// plosive has its closure, its burst and its aspiration.
type target struct {
	*phoneme
	f                   [3]float64
	end                 [3]float64
	seconds             float64
	voice, breath, fric float64
	nasal               float64
	noise               [2]band // a copy: bursts bend theirs towards the next sound
	sharp               bool    // begins at once
}

// targetsOf splits the segments and sets when each starts.
func targetsOf(segs []segment) []target {
	var out []target
	var at float64
	done := 0
	for i := range segs {
		for ; done < len(out); done++ {
			at += out[done].seconds
		}
		segs[i].start = at
		s := segs[i]
		next, before := silence, silence
		if i+1 < len(segs) {
			next = segs[i+1].phoneme
		}
		if i > 0 {
			before = segs[i-1].phoneme
		}
		p := target{phoneme: s.phoneme, f: s.f, end: s.phoneme.end, seconds: s.seconds, voice: s.voice, breath: s.breath, fric: s.fric, noise: s.phoneme.noise}
		switch s.kind {
		case stop:
			out = append(out, plosive(s, p, before, next, i+1 < len(segs) && segs[i+1].stress > 0)...)
			continue
		case affricate:
			shut := p
			shut.seconds, shut.fric, shut.voice, shut.sharp = s.seconds*0.42, 0, murmur(s, before), true
			p.seconds, p.sharp = max(s.seconds*0.58, 0.055), true
			if s.voiced() {
				p.voice = 46
			}
			p.end = p.f
			out = append(out, shut, p)
			continue
		case breath:
			// The vocal tract already has the shape of the next sound.
			if next.kind != pause {
				p.f = next.f
			}
			p.end = p.f
		case nasal:
			if s.name == "NG" {
				p.f = locus(p.phoneme, next, before)
			}
			p.nasal, p.end = 1, p.f
		case diphthong:
		default:
			p.end = p.f
		}
		out = append(out, p)
	}
	return out
}

// plosive returns a closure, a burst, and for the voiceless ones a breath until the
// vocal folds start again.
func plosive(s segment, p target, before, next *phoneme, stressed bool) []target {
	p.f = locus(p.phoneme, next, before)
	p.end = p.f
	shut := p
	shut.breath, shut.fric, shut.voice, shut.sharp = 0, 0, murmur(s, before), true
	burst := p
	burst.seconds, burst.breath, burst.sharp = 0.012, 0, true
	burst.noise = burstNoise(p.phoneme, next)
	switch s.name {
	case "K":
		burst.seconds = 0.022
	case "T", "G":
		burst.seconds = 0.016
	}
	if next.kind == stop || next.kind == affricate {
		// Two plosives in a row have one release.
		shut.seconds = max(s.seconds-0.01, 0.03)
		burst.seconds, burst.fric = 0.008, burst.fric-10
		return []target{shut, burst}
	}
	if s.voiced() {
		shut.seconds = max(s.seconds-burst.seconds, 0.03)
		if next.kind != pause {
			burst.voice = 50
		}
		return []target{shut, burst}
	}
	puff := p
	puff.fric = 0
	puff.sharp = false
	switch {
	case next.kind == pause:
		puff.seconds, puff.breath = 0.035, p.breath-8
	case before.name == "S" && !s.first || next.kind == fricative:
		puff.seconds = 0.008 // "sp", "st" and "sk" have no breath
	case next.kind == glide:
		puff.seconds = 0.05
	case stressed:
		puff.seconds = 0.042
	default:
		puff.seconds = 0.022
	}
	if next.kind.vocalic() || next.kind == glide {
		for k := range puff.f {
			puff.end[k] = p.f[k] + 0.6*(next.f[k]-p.f[k])
		}
	}
	shut.seconds = max(s.seconds-burst.seconds-0.4*puff.seconds, 0.035)
	return []target{shut, burst, puff}
}

// murmur returns the level of the voice through a closed mouth.
func murmur(s segment, before *phoneme) float64 {
	if !s.voiced() {
		return 0
	}
	if before.kind == pause {
		return 38
	}
	return 46
}

// locus returns where the formants of a plosive point to. The tongue closes for
// "k" and "g" at a place that depends on the next vowel.
func locus(p, next, before *phoneme) [3]float64 {
	f := p.f
	v := next
	if !v.kind.vocalic() && v.kind != glide {
		v = before
	}
	if p.name != "K" && p.name != "G" && p.name != "NG" || v.kind == pause {
		return f
	}
	f2 := v.f[1]
	if v == before {
		f2 = v.end[1]
	}
	switch {
	case f2 > 1600:
		f[1], f[2] = min(f2+250, 2350), 2750
	default:
		f[1], f[2] = f2*1.12+150, 2150
	}
	return f
}

// burstNoise moves the burst of "k" and "g" to where the mouth is narrow.
func burstNoise(p, next *phoneme) [2]band {
	n := p.noise
	if (p.name == "K" || p.name == "G") && (next.kind.vocalic() || next.kind == glide) {
		n[0].hz = min(max(next.f[1]*1.12+150, 1100), 2900)
		if next.name == "R" {
			n[0].hz = 1700
		}
		n[0].width = n[0].hz / 4
		if n[0].hz < 1500 {
			n[0].db += 4 // low bursts are narrow and need a higher level
		}
	}
	return n
}
