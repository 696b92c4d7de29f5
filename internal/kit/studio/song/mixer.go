package song

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// block is how many frames are played at once. The tracks of a block are
// rendered in parallel, so a block is long enough to be worth a goroutine.
const block = 1 << 14

// event is a note in samples.
type event struct {
	start int
	left  float32
	right float32
	play  func() (noteVoice, error)
}

// track is one instrument: its events in order, its effects and its notes that
// still sound.
type track struct {
	name    string
	events  []event
	next    int
	playing []sounding
	gain    float32
	send    float32
	chorus  *sound.Chorus
	drive   float32
	filters [][2]*sound.Biquad
	ducked  bool
	l, r    []float32
	scratch []float32
	err     error
}

type sounding struct {
	noteVoice
	skip        int // frames of the block before it begins
	left, right float32
}

func newTrack(name string, p patch, dark float64) *track {
	t := &track{name: name, gain: sound.Decibel(p.gain), send: float32(p.send), drive: float32(p.drive),
		l: make([]float32, block), r: make([]float32, block), scratch: make([]float32, block)}
	if p.chorus {
		t.chorus = sound.NewChorus(Rate, 0.6, 2.2)
	}
	add := func(make func() *sound.Biquad) { t.filters = append(t.filters, [2]*sound.Biquad{make(), make()}) }
	if p.body > 0 {
		add(func() *sound.Biquad { return sound.Bell(Rate, p.body, 1.2, 3) })
	}
	if p.cut > 0 {
		add(func() *sound.Biquad { return sound.Lowpass(Rate, p.cut, 0.8) })
	}
	if p.drive > 2 {
		add(func() *sound.Biquad { return sound.Highpass(Rate, 90, 0.7) })
	}
	if dark > 0 {
		add(func() *sound.Biquad { return sound.Lowpass(Rate, 6500-4500*dark, 0.7) })
	}
	return t
}

// render plays n frames from a place in the song.
func (t *track) render(from, n int) {
	l, r := t.l[:n], t.r[:n]
	clear(l)
	clear(r)
	for t.next < len(t.events) && t.events[t.next].start < from+n {
		e := t.events[t.next]
		t.next++
		p, err := e.play()
		if err != nil {
			t.err = err
			return
		}
		t.playing = append(t.playing, sounding{noteVoice: p, skip: max(0, e.start-from), left: e.left, right: e.right})
	}
	keep := t.playing[:0]
	for _, s := range t.playing {
		out := t.scratch[:n-s.skip]
		clear(out)
		goesOn := s.render(out)
		sound.Add(l[s.skip:], out, s.left)
		sound.Add(r[s.skip:], out, s.right)
		if s.skip = 0; goesOn {
			keep = append(keep, s)
		}
	}
	t.playing = keep
	if t.drive > 0 {
		for i := range l {
			l[i] = saturate(l[i]*t.drive) * 0.6
			r[i] = saturate(r[i]*t.drive) * 0.6
		}
	}
	for _, f := range t.filters {
		f[0].Process(l)
		f[1].Process(r)
	}
	if t.chorus != nil {
		t.chorus.Process(l, r)
	}
	sound.Gain(l, t.gain)
	sound.Gain(r, t.gain)
}

// saturate saturates like an amplifier: soft at first, never above one.
func saturate(x float32) float32 {
	if x > 3 {
		return 1
	}
	if x < -3 {
		return -1
	}
	return x * (27 + x*x) / (27 + 9*x*x)
}

// mixer mixes the tracks.
type mixer struct {
	tracks []*track
	style  style
	kicks  []int // frames of the kicks that duck the mix
	echo   *sound.Echo
	room   *sound.Reverb
}

func newMixer(s style) *mixer {
	d := &mixer{style: s}
	d.room = sound.NewReverb(Rate, min(0.6+0.35*s.Room, 1.5), 0.6+1.1*s.Room, 0.35)
	if s.Echo > 0 {
		d.echo = sound.NewEcho(Rate, 45/s.bpm, 0.4)
	}
	return d
}

// mix plays the whole song into a clip.
func (d *mixer) mix(ctx context.Context, frames int, progress func(float64)) (*sound.Clip, error) {
	for _, t := range d.tracks {
		slices.SortStableFunc(t.events, func(a, b event) int { return a.start - b.start })
	}
	slices.Sort(d.kicks)
	c := sound.NewClip(Rate, 2, frames)
	press := sound.NewCompressor(Rate, -16, d.style.profile.press, 0.012, 0.16)
	shelf := [2]*sound.Biquad{sound.HighShelf(Rate, 4500, d.style.bright), sound.HighShelf(Rate, 4500, d.style.bright)}
	floor := [2]*sound.Biquad{sound.Highpass(Rate, 28, 0.7), sound.Highpass(Rate, 28, 0.7)}
	dust := newVinylNoise(d.style)
	l, r, send := make([]float32, block), make([]float32, block), make([]float32, block)
	for from := 0; from < frames; from += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(block, frames-from)
		if err := d.renderBlock(from, n); err != nil {
			return nil, err
		}
		l, r, send := l[:n], r[:n], send[:n]
		clear(l)
		clear(r)
		clear(send)
		for _, t := range d.tracks {
			if t.ducked && d.style.Duck > 0 {
				d.duck(t, from, n)
			}
			sound.Add(l, t.l[:n], 1)
			sound.Add(r, t.r[:n], 1)
			sound.Add(send, t.l[:n], t.send*0.5)
			sound.Add(send, t.r[:n], t.send*0.5)
		}
		if d.echo != nil {
			sound.Gain(send, float32(1+d.style.Echo))
			d.echo.Process(send, l, r)
		}
		d.room.Process(send, l, r)
		dust.add(l, r)
		for i, plane := range [][]float32{l, r} {
			sound.Gain(plane, 0.5)
			floor[i].Process(plane)
			shelf[i].Process(plane)
		}
		press.Process(l, r)
		for i := range n {
			c.PCM[2*(from+i)] = pcm.Quantise(sound.Soften(l[i]))
			c.PCM[2*(from+i)+1] = pcm.Quantise(sound.Soften(r[i]))
		}
		progress(float64(from+n) / float64(frames))
	}
	return c, nil
}

// renderBlock renders the tracks of one block in parallel.
func (d *mixer) renderBlock(from, n int) error {
	var wait sync.WaitGroup
	work := make(chan *track)
	for range min(runtime.GOMAXPROCS(0), len(d.tracks)) {
		wait.Go(func() {
			for t := range work {
				t.render(from, n)
			}
		})
	}
	for _, t := range d.tracks {
		work <- t
	}
	close(work)
	wait.Wait()
	for _, t := range d.tracks {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

// duck lowers a track at each kick and lets it recover: the sidechain pump of
// dance music.
func (d *mixer) duck(t *track, from, n int) {
	k, _ := slices.BinarySearch(d.kicks, from+1)
	k--
	for i := range n {
		for k+1 < len(d.kicks) && d.kicks[k+1] <= from+i {
			k++
		}
		if k < 0 {
			continue
		}
		since := float32(from+i-d.kicks[k]) / Rate
		if since < 0.35 {
			g := 1 - float32(d.style.Duck)*(1-since/0.35)*(1-since/0.35)
			t.l[i] *= g
			t.r[i] *= g
		}
	}
}

// vinylNoise is the noise of a vinyl record.
type vinylNoise struct {
	level float32
	hiss  *sound.Noise
	low   float32
	pops  *rand.Rand
	pop   float32
}

func newVinylNoise(s style) *vinylNoise {
	return &vinylNoise{level: float32(s.Dust), hiss: sound.NewNoise(s.seed ^ 77), pops: rand.New(rand.NewPCG(s.seed, 78))}
}

func (d *vinylNoise) add(l, r []float32) {
	if d.level == 0 {
		return
	}
	for i := range l {
		d.low += 0.2 * (d.hiss.Next() - d.low)
		x := d.low * 0.006
		if d.pops.IntN(9000) == 0 {
			d.pop = float32(0.03 + 0.05*d.pops.Float64())
		}
		x += d.pop * d.hiss.Next()
		d.pop *= 0.93
		l[i] += x * d.level
		r[i] += x * d.level
	}
}

// fadeOut fades the end of a clip along a curve that sounds even.
func fadeOut(c *sound.Clip, frames int) {
	n := c.Frames()
	frames = min(frames, n)
	for i := range frames {
		x := float64(frames-1-i) / float64(frames)
		g := math.Pow(x, 1.5)
		at := 2 * (n - frames + i)
		c.PCM[at] = int16(math.Round(float64(c.PCM[at]) * g))
		c.PCM[at+1] = int16(math.Round(float64(c.PCM[at+1]) * g))
	}
}
