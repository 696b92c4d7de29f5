package sound

import "math"

// Line is a delay line with fractional delays.
type Line struct {
	buf []float32
	at  int
}

// NewLine makes a line for delays of up to n samples.
func NewLine(n int) *Line { return &Line{buf: make([]float32, max(n, 1)+2)} }

// Push adds the newest sample.
func (l *Line) Push(x float32) {
	l.at++
	if l.at == len(l.buf) {
		l.at = 0
	}
	l.buf[l.at] = x
}

// Tap reads the sample n pushes ago, 0 being the newest.
func (l *Line) Tap(n int) float32 {
	i := l.at - n
	if i < 0 {
		i += len(l.buf)
	}
	return l.buf[i]
}

// Between reads between two samples.
func (l *Line) Between(n float32) float32 {
	i := int(n)
	f := n - float32(i)
	return l.Tap(i)*(1-f) + l.Tap(i+1)*f
}

// Chorus makes stereo of one plane: two copies with slowly varying delay, one
// for each side.
type Chorus struct {
	line         *Line
	phase, step  float32
	base, sweep  float32
	Dry, Wet     float32
	sideDistance float32
}

// NewChorus makes a chorus with a speed in Hz and a depth in milliseconds.
func NewChorus(rate int, hz, depth float64) *Chorus {
	ms := float32(rate) / 1000
	return &Chorus{
		line: NewLine(int((14 + 2*float32(depth)) * ms)), step: float32(hz / float64(rate)),
		base: 9*ms + float32(depth)*ms, sweep: float32(depth) * ms, Dry: 0.75, Wet: 0.5, sideDistance: 0.25,
	}
}

// Process reads left and right as one and writes both.
func (c *Chorus) Process(left, right []float32) {
	for i := range left {
		c.line.Push(0.5 * (left[i] + right[i]))
		l := c.line.Between(c.base + c.sweep*Sine(c.phase))
		q := c.phase + c.sideDistance
		if q >= 1 {
			q--
		}
		r := c.line.Between(c.base + c.sweep*Sine(q))
		left[i] = c.Dry*left[i] + c.Wet*l
		right[i] = c.Dry*right[i] + c.Wet*r
		if c.phase += c.step; c.phase >= 1 {
			c.phase--
		}
	}
}

// Echo is a ping-pong delay that loses treble with each repeat.
type Echo struct {
	left, right *Line
	n           int
	back        float32
	dark        [2]float32
}

// NewEcho repeats after some seconds and keeps back of each repeat.
func NewEcho(rate int, seconds, back float64) *Echo {
	n := max(1, int(math.Round(seconds*float64(rate))))
	return &Echo{left: NewLine(n), right: NewLine(n), n: n, back: float32(back)}
}

// Process adds the repeats of the send to left and right.
func (e *Echo) Process(send, left, right []float32) {
	for i, s := range send {
		l, r := e.left.Tap(e.n-1), e.right.Tap(e.n-1)
		e.dark[0] += 0.45 * (l - e.dark[0])
		e.dark[1] += 0.45 * (r - e.dark[1])
		e.left.Push(s + e.dark[1]*e.back + 1e-18)
		e.right.Push(e.dark[0])
		left[i] += e.dark[0]
		right[i] += e.dark[1]
	}
}
