package analysis

import (
	"context"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
)

// shotFact is a shot: the part of a video between two cuts.
type shotFact struct {
	Start      float64        `json:"startSeconds"`
	End        float64        `json:"endSeconds"`
	Brightness float64        `json:"brightness"`
	Motion     float64        `json:"motion"`
	Camera     string         `json:"camera"`
	Gradual    bool           `json:"gradualStart,omitempty"`
	Palette    []pixel.Swatch `json:"palette"`
}

// shotDetector finds the shots of a video in small copies of its frames.
type shotDetector struct {
	rate       float64
	seen       int
	thumb      *footage.PlaneScaler
	small      *film.Samples
	rgba       *image.RGBA
	last       []uint8
	histograms [][48]float64 // histograms of the frames of the last second
	meanChange float64       // the mean change from frame to frame

	grey       *footage.Scaler
	lastGrey   *motion.Grey
	brightness []float64 // brightness and motion of each half second
	motion     []float64
	count      []float64
	shots      []*shot
}

// shot collects the measurements of one shot.
type shot struct {
	first, frames  int
	measured       int // frames that were measured
	gradual        bool
	bright, motion float64
	drift          motion.Drift
	drifts         float64
	samples        []*image.RGBA
}

// maxShotSamples is how many frames of a shot are kept for its palette.
const maxShotSamples = 6

func newShotDetector(r *task.Video) *shotDetector {
	w, h := r.Size()
	side := func(n int) image.Point {
		p := image.Pt(n, max(2, n*h/w/2*2))
		if h > w {
			p = image.Pt(max(2, n*w/h/2*2), n)
		}
		return p
	}
	k := &shotDetector{rate: r.Rate()}
	p := side(64)
	k.small, k.thumb = film.NewSamples(p.X, p.Y), footage.NewPlaneScaler(image.Pt(w, h), p, footage.Linear)
	g := side(motion.FlowSide)
	k.grey = footage.NewScaler(image.Pt(w, h), g, footage.Linear)
	return k
}

// addFrame measures a frame.
func (k *shotDetector) addFrame(s *film.Samples, i int) {
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
	if n := len(k.histograms); n > 0 {
		jump = distance(hist, k.histograms[n-1])
	}
	// A cut changes positions and colours at once, and far more than the frames
	// before.
	cut := k.last == nil || change > 0.10 && jump > 0.18 && change > 4*k.meanChange+0.02
	k.histograms = append(k.histograms, hist)
	switch {
	case cut:
		k.shots = append(k.shots, &shot{first: i})
		change, k.lastGrey, k.histograms = 0, nil, k.histograms[len(k.histograms)-1:]
	case len(k.histograms) > int(k.rate)+1 && distance(hist, k.histograms[0]) > 0.42:
		// Other colours than a second ago, without a cut: a gradual transition.
		first := i - len(k.histograms)/2
		before := k.shots[len(k.shots)-1]
		before.frames -= i - first
		k.shots = append(k.shots, &shot{first: first, frames: i - first, gradual: true})
		k.lastGrey, k.histograms = nil, k.histograms[len(k.histograms)-1:]
	case len(k.histograms) > int(k.rate)+1:
		k.histograms = k.histograms[1:]
	}
	k.meanChange += (change - k.meanChange) * 0.2
	k.last = append(k.last[:0], k.rgba.Pix...)
	shot := k.shots[len(k.shots)-1]
	shot.frames++
	shot.measured++
	shot.bright += bright
	shot.motion += change
	half := int(float64(i) / k.rate * 2)
	for len(k.brightness) <= half {
		k.brightness, k.motion, k.count = append(k.brightness, 0), append(k.motion, 0), append(k.count, 0)
	}
	k.brightness[half] += bright
	k.motion[half] += change
	k.count[half]++
	k.seen++
	if step := max(1, int(k.rate/4)); (i-shot.first)%step == 0 {
		k.trackCamera(s, shot)
	}
	if len(shot.samples) < maxShotSamples && (i-shot.first)%max(1, int(k.rate)) == 0 {
		page := image.NewRGBA(k.rgba.Rect)
		copy(page.Pix, k.rgba.Pix)
		shot.samples = append(shot.samples, page)
	}
}

// distance returns the distance of two colour histograms, from 0 to 1.
func distance(a, b [48]float64) (sum float64) {
	for i := range a {
		sum += math.Abs(a[i]-b[i]) / 6
	}
	return sum
}

// trackCamera measures the camera motion of the last quarter of a second.
func (k *shotDetector) trackCamera(s *film.Samples, shot *shot) {
	g := &motion.Grey{W: k.grey.To.X, H: k.grey.To.Y, Pix: make([]uint8, k.grey.To.X*k.grey.To.Y)}
	k.grey.Plane(g.Pix, g.W, s.Y, s.YStride, 1)
	if k.lastGrey != nil {
		f := motion.FlowOf(k.lastGrey, g)
		d := f.Drift()
		shot.drift.X += d.X
		shot.drift.Y += d.Y
		shot.drift.Zoom += d.Zoom
		shot.drifts++
	}
	k.lastGrey = g
}

// report adds the shots and the timeline to a report.
func (k *shotDetector) report(a *videoReport, detailed bool) {
	for i := range k.brightness {
		n := max(k.count[i], 1)
		a.Timeline = append(a.Timeline, timelinePoint{At: float64(i) / 2, Motion: round(k.motion[i]/n, 4), Brightness: round(k.brightness[i]/n, 3)})
	}
	colours := 5
	if detailed {
		colours = 8
	}
	for _, s := range k.shots {
		n := float64(max(s.measured, 1))
		a.Shots = append(a.Shots, shotFact{
			Start: round(float64(s.first)/k.rate, 3), End: round(float64(s.first+s.frames)/k.rate, 3),
			Brightness: round(s.bright/n, 3), Motion: round(s.motion/n, 4), Camera: s.camera(), Gradual: s.gradual, Palette: s.palette(colours),
		})
		a.Facts.Brightness += s.bright / float64(max(k.seen, 1))
		a.Facts.Motion += s.motion / float64(max(k.seen, 1))
	}
	a.Facts.Brightness, a.Facts.Motion = round(a.Facts.Brightness, 3), round(a.Facts.Motion, 4)
}

// camera returns the camera motion of a shot. The picture moves left when the
// camera pans right.
func (s *shot) camera() string {
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

// palette returns the main colours of the sampled frames.
func (s *shot) palette(n int) []pixel.Swatch {
	if len(s.samples) == 0 {
		return nil
	}
	b := s.samples[0].Rect
	sheet := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()*len(s.samples)))
	for i, page := range s.samples {
		copy(sheet.Pix[i*len(page.Pix):], page.Pix)
	}
	out, err := pixel.PaletteOf(context.Background(), sheet, n)
	if err != nil {
		return nil
	}
	return out
}

// addSound adds the measurements of the sound.
func addSound(a *videoReport, c *sound.Clip) {
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
