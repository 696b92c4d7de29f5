package sound

import "math"

const reverbLines = 8

// reverbMillis are the lengths of the lines, without common factors, so that
// their echoes do not add up to a pitch.
var reverbMillis = [reverbLines]float64{29.7, 37.1, 41.1, 43.7, 53.3, 61.9, 67.7, 73.1}

// Reverb is a feedback delay network: eight delay lines mixed by a Hadamard
// matrix, each low-passed and attenuated for the decay time. Two allpasses
// before it diffuse the first echoes.
type Reverb struct {
	lines   [reverbLines][]float32 // ring buffers
	at      [reverbLines]int
	gain    [reverbLines]float32
	dark    [reverbLines]float32
	damp    float32
	blur    [2]*Line
	blurLen [2]int
	pre     *Line
	preLen  int
	low     *Biquad
}

// NewReverb returns a reverb. Size is about 0.5 for a chamber and 1.5 for a
// hall, seconds the time to fall by 60 dB, damp how much treble each echo
// loses, from 0 to below 1.
func NewReverb(rate int, size, seconds, damp float64) *Reverb {
	v := &Reverb{damp: float32(1 - damp), low: Highpass(rate, 140, 0.7)}
	for i, ms := range reverbMillis {
		n := int(ms * size * float64(rate) / 1000)
		v.lines[i] = make([]float32, max(n, 1))
		v.gain[i] = float32(math.Pow(10, -3*float64(n)/(seconds*float64(rate))))
	}
	for i, ms := range []float64{4.7, 7.9} {
		v.blurLen[i] = int(ms * float64(rate) / 1000)
		v.blur[i] = NewLine(v.blurLen[i])
	}
	v.preLen = int(0.012 * size * float64(rate))
	v.pre = NewLine(v.preLen)
	return v
}

// Process adds the reverb of the send to left and right.
func (v *Reverb) Process(send, left, right []float32) {
	const spread = 0.35355339 // one over the square root of eight
	var x [reverbLines]float32
	for i, s := range send {
		v.pre.Push(v.low.Next(s) + 1e-18)
		in := v.pre.Tap(v.preLen)
		for k, line := range v.blur {
			old := line.Tap(v.blurLen[k] - 1)
			mid := in - 0.6*old
			line.Push(mid)
			in = old + 0.6*mid
		}
		for k, line := range v.lines {
			d := v.dark[k]
			d += v.damp * (line[v.at[k]] - d)
			v.dark[k] = d
			x[k] = d * v.gain[k]
		}
		left[i] += 0.5 * (x[0] + x[2] + x[4] + x[6])
		right[i] += 0.5 * (x[1] + x[3] + x[5] + x[7])
		hadamard(&x)
		feed := 0.5 * in
		for k, line := range v.lines {
			line[v.at[k]] = x[k]*spread + feed
			feed = -feed
			if v.at[k]++; v.at[k] == len(line) {
				v.at[k] = 0
			}
		}
	}
}

// hadamard multiplies by the Hadamard matrix, in three rounds of sums and
// differences.
func hadamard(x *[reverbLines]float32) {
	a, b, c, d := x[0]+x[1], x[0]-x[1], x[2]+x[3], x[2]-x[3]
	e, f, g, h := x[4]+x[5], x[4]-x[5], x[6]+x[7], x[6]-x[7]
	a, c, b, d = a+c, a-c, b+d, b-d
	e, g, f, h = e+g, e-g, f+h, f-h
	x[0], x[4], x[1], x[5] = a+e, a-e, b+f, b-f
	x[2], x[6], x[3], x[7] = c+g, c-g, d+h, d-h
}
