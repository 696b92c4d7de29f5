package sound

import "math"

// The ambiences. The numbers are chosen by ear.

func (s *ambience) wind() { s.addNoiseBed(180, 900, 1.6, 0.35, 0.5) }

// sea is surf: noise that swells and hisses, wave after wave.
func (s *ambience) sea() {
	period := s.between(5.5, 7.5)
	shift := s.unit()
	for ear, plane := range [][]float32{s.left, s.right} {
		noise, hiss := s.newNoise(), Highpass(s.rate, 2200, 0.7)
		body := Lowpass(s.rate, 520, 0.7)
		for i := range plane {
			t := float64(i)/float64(s.rate)/period + shift + 0.06*float64(ear)
			swell := math.Pow(0.5-0.5*math.Cos(2*math.Pi*t), 2)
			crest := math.Pow(0.5-0.5*math.Cos(2*math.Pi*(t-0.08)), 6)
			n := noise.Next()
			plane[i] += body.Next(n)*float32(0.25+0.75*swell) + hiss.Next(n)*float32(0.02+0.16*crest)
		}
	}
}

func (s *ambience) rain() {
	for _, plane := range [][]float32{s.left, s.right} {
		noise, high, low := s.newNoise(), Highpass(s.rate, 900, 0.7), Lowpass(s.rate, 7500, 0.7)
		level := s.randomCurve(0.4)
		for i := range plane {
			plane[i] += low.Next(high.Next(noise.Next())) * (0.09 + 0.05*level())
		}
	}
	s.randomly(38, func(at int) {
		hz, decay := s.between(900, 4200), s.between(90, 260)
		s.addEvent(at, 0.03, s.between(-1, 1), float32(s.between(0.02, 0.12)), func(t float64) float64 {
			return math.Exp(-decay*t) * math.Sin(2*math.Pi*hz*t)
		})
	})
}

// thunder rolls now and then: at once, and again after a few seconds.
func (s *ambience) thunder() {
	for at := s.between(0.2, 0.8); at*float64(s.rate) < float64(len(s.left)); at += s.between(5, 9) {
		for _, plane := range [][]float32{s.left, s.right} {
			noise, body, level := s.newNoise(), Lowpass(s.rate, 130, 0.9), s.randomCurve(9)
			for i := int(at * float64(s.rate)); i < len(plane); i++ {
				t := float64(i)/float64(s.rate) - at
				if t > 5 {
					break
				}
				loud := math.Min(t*6, 1) * math.Exp(-0.75*t)
				plane[i] += body.Next(noise.Next()) * float32(loud) * (0.6 + 2*level())
			}
		}
	}
}

func (s *ambience) fire() {
	s.addNoiseBed(90, 260, 0.8, 1.2, 0.55)
	s.randomly(16, func(at int) {
		hz, decay, noise := s.between(900, 5200), s.between(120, 700), s.newNoise()
		s.addEvent(at, 0.025, s.between(-0.7, 0.7), float32(s.between(0.03, 0.4)), func(t float64) float64 {
			return math.Exp(-decay*t) * (0.6*float64(noise.Next()) + 0.4*math.Sin(2*math.Pi*hz*t))
		})
	})
}

// stream is water over stones: bubbles of all sizes over a murmur.
func (s *ambience) stream() {
	s.addNoiseBed(350, 1100, 1.1, 1.5, 0.22)
	s.randomly(60, func(at int) {
		hz, rise, decay := s.between(380, 2100), s.between(0, 3000), s.between(30, 110)
		s.addEvent(at, 0.08, s.between(-1, 1), float32(s.between(0.01, 0.05)), func(t float64) float64 {
			return math.Exp(-decay*t) * math.Min(1, t*400) * math.Sin(2*math.Pi*(hz+rise*t)*t)
		})
	})
}

// birds sing short phrases, each bird from its own place.
func (s *ambience) birds() {
	s.addNoiseBed(300, 900, 0.7, 0.3, 0.05)
	s.randomly(1.4, func(at int) {
		place, hz, gain := s.between(-1, 1), s.between(2300, 4600), float32(s.between(0.03, 0.1))
		sweep, notes, length := s.between(-1400, 1400), 1+int(s.between(1, 5)), s.between(0.05, 0.13)
		trill := s.between(15, 45)
		for n := range notes {
			s.addEvent(at+int(float64(n)*length*1.5*float64(s.rate)), length, place, gain, func(t float64) float64 {
				x := t / length
				return math.Sin(math.Pi*x) * math.Sin(2*math.Pi*(hz+sweep*x/2+60*math.Sin(2*math.Pi*trill*t)/trill)*t)
			})
		}
	})
}

func (s *ambience) crickets() {
	s.addNoiseBed(200, 500, 0.7, 0.2, 0.05)
	for range 4 {
		hz, rate, place, gain := s.between(3900, 4900), s.between(2.1, 3.1), s.between(-1, 1), s.between(0.012, 0.035)
		l, r := Pan(place)
		shift := s.unit()
		for i := range s.left {
			t := float64(i) / float64(s.rate)
			beat := math.Mod(t*rate+shift, 1)
			if beat > 0.45 {
				continue
			}
			chirp := math.Sin(math.Pi*beat/0.45) * math.Pow(math.Sin(math.Pi*beat/0.45*3), 2)
			v := float32(gain * chirp * math.Sin(2*math.Pi*hz*t))
			s.left[i] += v * l
			s.right[i] += v * r
		}
	}
}

// city is a far rumble, and vehicles that pass.
func (s *ambience) city() {
	s.addNoiseBed(90, 320, 0.7, 0.3, 0.5)
	s.randomly(0.45, func(at int) {
		noise, body := s.newNoise(), Bandpass(s.rate, s.between(260, 620), 0.8)
		length, way := s.between(1.8, 3.2), 1.0
		if s.unit() < 0.5 {
			way = -1
		}
		for i := range int(length * float64(s.rate)) {
			k := at + i
			if k >= len(s.left) {
				break
			}
			x := float64(i) / float64(s.rate) / length
			l, r := Pan(way * (2*x - 1))
			v := body.Next(noise.Next()) * float32(0.4*math.Pow(math.Sin(math.Pi*x), 3))
			s.left[k] += v * l
			s.right[k] += v * r
		}
	})
}

// crowd is many voices; none can be understood.
func (s *ambience) crowd() {
	for range 14 {
		pitch, place, pace := s.between(95, 230), s.between(-1, 1), s.between(2.6, 4.6)
		first, second, loud := Bandpass(s.rate, s.between(420, 760), 4), Bandpass(s.rate, s.between(1100, 1900), 5), s.randomCurve(pace)
		speaks := s.randomCurve(0.5)
		saw := NewOscillator(s.unit())
		l, r := Pan(place)
		for i := range s.left {
			x := saw.Saw(float32(pitch) / float32(s.rate))
			level := loud()
			level *= level * max(0, speaks()-0.3)
			v := (first.Next(x) + 0.5*second.Next(x)) * level * 0.11
			s.left[i] += v * l
			s.right[i] += v * r
		}
	}
}

// engine is a motor at an even speed.
func (s *ambience) engine() {
	hz, saw, body := s.between(46, 68), NewOscillator(0), Lowpass(s.rate, 240, 1.1)
	sway := s.randomCurve(0.6)
	for i := range s.left {
		speed := float32(hz) * (1 + 0.05*(sway()-0.5)) / float32(s.rate)
		v := body.Next(saw.Saw(speed)) * 0.16
		s.left[i] += v
		s.right[i] += v
	}
	s.addNoiseBed(120, 300, 0.8, 0.5, 0.12)
}

func (s *ambience) room() { s.addNoiseBed(70, 160, 0.7, 0.2, 0.14) }

// space is a slow chord that glitters.
func (s *ambience) space() {
	root := s.between(52, 66)
	for _, k := range []float64{1, 1.5, 2, 2.52, 3.01, 4.02} {
		hz, level, place := root*k*s.between(0.997, 1.003), s.randomCurve(0.25), s.between(-0.8, 0.8)
		l, r := Pan(place)
		for i := range s.left {
			v := float32(math.Sin(2*math.Pi*hz*float64(i)/float64(s.rate))) * level() * float32(0.09/math.Sqrt(k))
			s.left[i] += v * l
			s.right[i] += v * r
		}
	}
	s.randomly(2, func(at int) {
		hz := root * 8 * (1 + math.Floor(s.between(0, 5))/2)
		s.addEvent(at, 1.2, s.between(-1, 1), 0.02, func(t float64) float64 { return math.Exp(-3*t) * math.Sin(2*math.Pi*hz*t) })
	})
}

func (s *ambience) underwater() {
	s.addNoiseBed(80, 260, 1, 0.4, 0.5)
	s.randomly(5, func(at int) {
		place, hz := s.between(-0.9, 0.9), s.between(260, 800)
		for n := range 1 + int(s.between(0, 4)) {
			s.addEvent(at+n*s.rate/14, 0.09, place, 0.06, func(t float64) float64 {
				return math.Sin(math.Pi*t/0.09) * math.Sin(2*math.Pi*(hz+3200*t)*t)
			})
		}
	})
}
