package voice

import "math"

// side is how formants move from one target to the next: the value at the
// border as a share of the way from the left to the right, and how long the
// move takes on either side.
type side struct {
	share, first float64 // of F2 and F3, and of F1
	left, right  float64 // seconds
}

// border returns how far a consonant reaches into a vowel. A plosive is
// recognised mostly by the formant transition in the vowel next to it.
func border(a, b *target) side {
	va, vb := a.kind.vocalic(), b.kind.vocalic()
	switch {
	case a.kind == pause || b.kind == pause:
		if a.kind == pause {
			return side{share: 1, first: 1, left: 0.01, right: 0.01}
		}
		return side{share: 0, first: 0, left: 0.01, right: 0.01}
	case a.phoneme == b.phoneme:
		return side{share: 0.5, first: 0.5, left: 0.01, right: 0.015}
	case va && vb:
		return side{0.5, 0.5, 0.05, 0.05}
	case va && b.name == "R":
		return side{0.75, 0.6, 0.11, 0.02} // r changes half of the vowel before it
	case va && b.kind == glide:
		return side{0.6, 0.6, 0.07, 0.03}
	case a.kind == glide && vb:
		return side{0.35, 0.35, 0.02, 0.075}
	case va && b.kind == nasal:
		return side{0.65, 0.3, 0.05, 0.01}
	case a.kind == nasal && vb:
		return side{0.35, 0.7, 0.01, 0.05}
	case va && (b.kind == stop || b.kind == affricate):
		return side{0.62, 0.55, 0.055, 0.01}
	case (a.kind == stop || a.kind == affricate) && vb:
		if a.breath > 0 {
			return side{0.2, 0.5, 0.01, 0.045} // the breath already made most of the way
		}
		return side{0.38, 0.4, 0.01, 0.05}
	case va && b.kind == fricative:
		return side{0.6, 0.5, 0.05, 0.02}
	case a.kind == fricative && vb:
		return side{0.4, 0.5, 0.02, 0.05}
	case a.kind == stop && b.kind == glide:
		return side{0.7, 0.5, 0.01, 0.03}
	case a.kind == breath || b.kind == breath:
		return side{0.5, 0.5, 0.03, 0.03}
	}
	return side{0.5, 0.5, 0.02, 0.02}
}

// track turns targets into frames. The melody is added by the caller.
func track(ps []target) []frame {
	var total float64
	starts := make([]float64, len(ps)+1)
	for i := range ps {
		starts[i] = total
		total += ps[i].seconds
	}
	starts[len(ps)] = total
	frames := make([]frame, int(math.Ceil(total*frameRate)))
	sides := make([]side, len(ps)+1)
	for i := 1; i < len(ps); i++ {
		sides[i] = border(&ps[i-1], &ps[i])
	}
	at := 0
	for n := range frames {
		t := float64(n) / frameRate
		for at+1 < len(ps) && t >= starts[at+1] {
			at++
		}
		p := &ps[at]
		f := &frames[n]
		f.b, f.noise = p.b, p.noise
		shape(f, ps, sides, at, t-starts[at])
		f.voice = ramp(ps, at, t-starts[at], func(p *target) float64 { return p.voice })
		f.breath = ramp(ps, at, t-starts[at], func(p *target) float64 { return p.breath })
		f.fric = ramp(ps, at, t-starts[at], func(p *target) float64 { return p.fric })
		f.nasal = nasality(ps, at, t-starts[at])
		// Noise that fades out across a border keeps its own colour.
		if p.fric == 0 && at > 0 && f.fric > 0 {
			f.noise = ps[at-1].noise
		} else if p.fric == 0 && at+1 < len(ps) && f.fric > 0 {
			f.noise = ps[at+1].noise
		}
	}
	return frames
}

// shape sets the formants t seconds into a target: from the border on the left
// to the target's value and on to the border on the right. In a short target
// the two moves meet before the value is reached, as in fast speech.
func shape(f *frame, ps []target, sides []side, at int, t float64) {
	p := &ps[at]
	in, out := sides[at].right, sides[at+1].left
	if at == 0 {
		in = 0
	}
	if at == len(ps)-1 {
		out = 0
	}
	if sum := in + out; sum > p.seconds {
		in, out = in*p.seconds/sum, out*p.seconds/sum
	}
	for k := range 3 {
		aim := p.f[k]
		if p.end[k] != p.f[k] {
			// A diphthong holds both of its ends for a while.
			aim += (p.end[k] - p.f[k]) * ease((t/p.seconds-0.2)/0.6)
		}
		value := aim
		if t < in {
			edge := mixAt(&ps[at-1], p, sides[at], k)
			value = edge + (aim-edge)*ease(t/in)
		} else if rest := p.seconds - t; rest < out {
			edge := mixAt(p, &ps[at+1], sides[at+1], k)
			value = edge + (aim-edge)*ease(rest/out)
		}
		f.f[k] = value
	}
}

func mixAt(a, b *target, s side, k int) float64 {
	share := s.share
	if k == 0 {
		share = s.first
	}
	return a.end[k] + (b.f[k]-a.end[k])*share
}

func ease(x float64) float64 {
	x = min(max(x, 0), 1)
	return x * x * (3 - 2*x)
}

// ramp moves a level across borders: at once into bursts and closures, over some
// milliseconds elsewhere.
func ramp(ps []target, at int, t float64, of func(*target) float64) float64 {
	p := &ps[at]
	now := of(p)
	if at > 0 && !p.sharp {
		before := of(&ps[at-1])
		span := min(0.02, p.seconds/2)
		if t < span && before != now {
			return mixDecibels(before, now, 0.5+0.5*t/span)
		}
	}
	if at+1 < len(ps) && !ps[at+1].sharp {
		after := of(&ps[at+1])
		span := min(0.02, p.seconds/2)
		if rest := p.seconds - t; rest < span && after != now {
			return mixDecibels(after, now, 0.5+0.5*rest/span)
		}
	}
	return now
}

// mixDecibels mixes two levels in dB; off is read as far down, not as zero.
func mixDecibels(a, b, share float64) float64 {
	const floor = 18
	v := max(a, floor) + (max(b, floor)-max(a, floor))*share
	if v <= floor+1 {
		return 0
	}
	return v
}

// nasality returns how far the nasal tract is open: early and late around nasals.
func nasality(ps []target, at int, t float64) float64 {
	p := &ps[at]
	if p.nasal > 0 {
		return 1
	}
	if !p.kind.vocalic() && p.kind != glide {
		return 0
	}
	const reach = 0.04
	var open float64
	if at > 0 && ps[at-1].nasal > 0 {
		open = max(open, 0.7*(1-t/reach))
	}
	if at+1 < len(ps) && ps[at+1].nasal > 0 {
		open = max(open, 0.7*(1-(p.seconds-t)/reach))
	}
	return open
}
