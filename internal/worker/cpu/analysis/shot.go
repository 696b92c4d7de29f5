package analysis

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/motion"
	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/studio/sound"
	"github.com/atelier-project/atelier/internal/worker/cpu/task"
)

// shotFact is a part of a clip between two cuts.
type shotFact struct {
	Start      float64        `json:"startSeconds"`
	End        float64        `json:"endSeconds"`
	Brightness float64        `json:"brightness"`
	Motion     float64        `json:"motion"`
	Camera     string         `json:"camera"`
	Gradual    bool           `json:"gradualStart,omitempty"`
	Palette    []pixel.Swatch `json:"palette"`
}

// watcher looks at the frames of a clip, small.
type watcher struct {
	rate  float64
	seen  int
	thumb *footage.PlaneScaler
	small *film.Samples
	rgba  *image.RGBA
	last  []uint8
	past  [][48]float64 // histograms of the frames of the last second
	calm  float64       // the usual change from frame to frame

	grey  *footage.Scaler
	map0  *motion.Greys
	tick  []float64 // brightness and motion of each half second
	stir  []float64
	count []float64
	shots []*passage
}

// passage is a shot while it lasts.
type passage struct {
	first, frames int
	looked        int // frames that were measured
	gradual       bool
	bright, stir  float64
	drift         motion.Drift
	drifts        float64
	album         []*image.RGBA
}

// albumSize is how many frames of a shot are kept for its colours.
const albumSize = 6

func newWatcher(r *task.Video) *watcher {
	w, h := r.Size()
	side := func(n int) image.Point {
		p := image.Pt(n, max(2, n*h/w/2*2))
		if h > w {
			p = image.Pt(max(2, n*w/h/2*2), n)
		}
		return p
	}
	k := &watcher{rate: r.Rate()}
	p := side(64)
	k.small, k.thumb = film.NewSamples(p.X, p.Y), footage.NewPlaneScaler(image.Pt(w, h), p, footage.Soft)
	g := side(motion.FlowSide)
	k.grey = footage.NewScaler(image.Pt(w, h), g, footage.Soft)
	return k
}

// see looks at a frame.
func (k *watcher) see(s *film.Samples, i int) {
	k.thumb.Frame(k.small, s)
	k.rgba = k.small.RGBA(k.rgba)
	bright, change, jump := 0.0, 0.0, 0.0
	var hist [48]float64
	n := float64(len(k.rgba.Pix) / 4)
	for p := 0; p < len(k.rgba.Pix); p += 4 {
		bright += float64(footage.Lightness(k.rgba.Pix[p:])) / 255 / n
		for c := range 3 {
			v := k.rgba.Pix[p+c]
			hist[c*16+int(v)/16] += 1 / n
			if k.last != nil {
				change += math.Abs(float64(v)-float64(k.last[p+c])) / 255 / 3 / n
			}
		}
	}
	if n := len(k.past); n > 0 {
		jump = distance(hist, k.past[n-1])
	}
	// A cut changes where things are and which colours there are, at once and far
	// more than the frames before did.
	cut := k.last == nil || change > 0.10 && jump > 0.18 && change > 4*k.calm+0.02
	k.past = append(k.past, hist)
	switch {
	case cut:
		k.shots = append(k.shots, &passage{first: i})
		change, k.map0, k.past = 0, nil, k.past[len(k.past)-1:]
	case len(k.past) > int(k.rate)+1 && distance(hist, k.past[0]) > 0.42:
		// Other colours than a second ago, without a cut: a transition.
		first := i - len(k.past)/2
		before := k.shots[len(k.shots)-1]
		before.frames -= i - first
		k.shots = append(k.shots, &passage{first: first, frames: i - first, gradual: true})
		k.map0, k.past = nil, k.past[len(k.past)-1:]
	case len(k.past) > int(k.rate)+1:
		k.past = k.past[1:]
	}
	k.calm += (change - k.calm) * 0.2
	k.last = append(k.last[:0], k.rgba.Pix...)
	shot := k.shots[len(k.shots)-1]
	shot.frames++
	shot.looked++
	shot.bright += bright
	shot.stir += change
	half := int(float64(i) / k.rate * 2)
	for len(k.tick) <= half {
		k.tick, k.stir, k.count = append(k.tick, 0), append(k.stir, 0), append(k.count, 0)
	}
	k.tick[half] += bright
	k.stir[half] += change
	k.count[half]++
	k.seen++
	if step := max(1, int(k.rate/4)); (i-shot.first)%step == 0 {
		k.follow(s, shot)
	}
	if len(shot.album) < albumSize && (i-shot.first)%max(1, int(k.rate)) == 0 {
		page := image.NewRGBA(k.rgba.Rect)
		copy(page.Pix, k.rgba.Pix)
		shot.album = append(shot.album, page)
	}
}

// distance returns how far apart the colours of two frames are, from 0 to 1.
func distance(a, b [48]float64) (sum float64) {
	for i := range a {
		sum += math.Abs(a[i]-b[i]) / 6
	}
	return sum
}

// follow measures how the camera moved since a quarter of a second ago.
func (k *watcher) follow(s *film.Samples, shot *passage) {
	g := &motion.Greys{W: k.grey.To.X, H: k.grey.To.Y, Pix: make([]uint8, k.grey.To.X*k.grey.To.Y)}
	k.grey.Plane(g.Pix, g.W, s.Y, s.YStride, 1)
	if k.map0 != nil {
		f := motion.FlowOf(k.map0, g)
		d := f.Drift()
		shot.drift.X += d.X
		shot.drift.Y += d.Y
		shot.drift.Zoom += d.Zoom
		shot.drifts++
	}
	k.map0 = g
}

// finish writes down what was seen.
func (k *watcher) finish(a *viewing, detailed bool) {
	for i := range k.tick {
		n := max(k.count[i], 1)
		a.Timeline = append(a.Timeline, moment{At: float64(i) / 2, Motion: round(k.stir[i]/n, 4), Brightness: round(k.tick[i]/n, 3)})
	}
	colours := 5
	if detailed {
		colours = 8
	}
	for _, s := range k.shots {
		n := float64(max(s.looked, 1))
		a.Shots = append(a.Shots, shotFact{
			Start: round(float64(s.first)/k.rate, 3), End: round(float64(s.first+s.frames)/k.rate, 3),
			Brightness: round(s.bright/n, 3), Motion: round(s.stir/n, 4), Camera: s.camera(), Gradual: s.gradual, Palette: s.palette(colours),
		})
		a.Facts.Brightness += s.bright / float64(max(k.seen, 1))
		a.Facts.Motion += s.stir / float64(max(k.seen, 1))
	}
	a.Facts.Brightness, a.Facts.Motion = round(a.Facts.Brightness, 3), round(a.Facts.Motion, 4)
}

// camera names the steady motion of a shot. The picture goes left when the camera
// goes right.
func (s *passage) camera() string {
	if s.drifts == 0 {
		return "still"
	}
	perSecond := 4 / s.drifts
	x, y, zoom := s.drift.X*perSecond, s.drift.Y*perSecond, s.drift.Zoom*perSecond
	switch most := max(math.Abs(x), math.Abs(y), math.Abs(zoom)/2); {
	case most < 0.02:
		return "still"
	case most == math.Abs(zoom)/2 && zoom > 0:
		return "moves in"
	case most == math.Abs(zoom)/2:
		return "moves out"
	case most == math.Abs(x) && x < 0:
		return "pans right"
	case most == math.Abs(x):
		return "pans left"
	case y < 0:
		return "tilts down"
	}
	return "tilts up"
}

// palette returns the colours of some frames of a shot together.
func (s *passage) palette(n int) []pixel.Swatch {
	if len(s.album) == 0 {
		return nil
	}
	b := s.album[0].Rect
	sheet := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()*len(s.album)))
	for i, page := range s.album {
		copy(sheet.Pix[i*len(page.Pix):], page.Pix)
	}
	out, err := pixel.PaletteOf(context.Background(), sheet, n)
	if err != nil {
		return nil
	}
	return out
}

// listen adds what is heard.
func listen(a *viewing, c *sound.Clip) {
	levels := c.Loudness(2)
	silent, loudest := 0, 0
	for i, l := range levels {
		if l < 0.003 {
			silent++
		}
		if l > levels[loudest] {
			loudest = i
		}
		if i < len(a.Timeline) {
			a.Timeline[i].Loudness = round(l, 4)
		}
	}
	a.Facts.Sound = &soundFact{
		LUFS: round(c.LUFS(), 1), Peak: round(c.Peak(), 3), SilentShare: round(float64(silent)/float64(len(levels)), 3),
		Channels: c.Channels, Rate: c.Rate, LoudestSecond: float64(loudest) / 2,
	}
}
