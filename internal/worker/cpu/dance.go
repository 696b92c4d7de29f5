package cpu

import (
	"context"
	"errors"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/studio/footage"
	"github.com/atelier-project/atelier/internal/studio/motion"
	"github.com/atelier-project/atelier/internal/studio/paint"
	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/studio/song"
	"github.com/atelier-project/atelier/internal/worker"
)

// danceMontage makes the figure of a picture dance: it is cut out, given a body, and bent
// and turned to the beat of a piece of music that is composed for it.
func danceMontage(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	name := text(t, "dance")
	steps, ok := motion.Dances[name]
	if !ok {
		return nil, worker.Failf("There is no dance %q.", name)
	}
	seconds := number(t, "duration", 15)
	if !(seconds > 0) || seconds > 60 {
		return nil, worker.Failf("A dance of %g seconds cannot be made.", seconds)
	}
	single := flag(t, "singleClip", false)
	return shoot(ctx, t, "dancing", func(_ int, seed int64) (*take, error) {
		source, err := dancer(ctx, t, seed)
		if err != nil {
			return nil, err
		}
		w, h, err := canvas(t, source.Bounds().Dx(), source.Bounds().Dy())
		if err != nil {
			return nil, err
		}
		k := &take{width: w, height: h, frames: max(1, int(math.Round(seconds*footage.FrameRate)))}
		floor, err := newFloor(ctx, source, steps, w, h, seed)
		if err != nil {
			return nil, err
		}
		clip, score, err := song.Compose(ctx, song.Request{
			Prompt: steps.Music, Seconds: max(song.MinSeconds, seconds), BPM: steps.Bpm, TimeSig: 4, Seed: seed, Model: "turbo",
		}, nil)
		if err != nil {
			return nil, plainly(err)
		}
		d := footage.NewDesk(k.seconds())
		d.Lay(footage.Cue{Clip: clip, Seconds: k.seconds(), Out: min(1, k.seconds()/4)})
		k.sound = d.Sound()
		k.frame = func(i int) (image.Image, error) { return floor.frame(float64(i)/footage.FrameRate, single), nil }
		k.note("dance", name)
		k.note("music", map[string]any{"genre": score.Genre, "bpm": score.BPM, "key": score.Key})
		k.note("method", "the figure as a relief that is bent to the beat; its limbs are not tracked, and the music is composed for it, not the song of that name")
		return k, nil
	})
}

// dancer is the picture of who dances: the one that was sent, or one painted of
// the words for it.
func dancer(ctx context.Context, t worker.Task, seed int64) (image.Image, error) {
	source, err := open(ctx, t, "sourceImageIndex")
	if err != nil || source != nil {
		return source, err
	}
	words := text(t, "imagePrompt")
	if words == "" {
		return nil, worker.Failf("dance_montage needs a picture of the dancer, or imagePrompt to describe one.")
	}
	scene := paint.Read(words)
	if len(scene.Subjects) == 0 {
		return nil, worker.Failf("Nobody who could dance is understood in imagePrompt. Name a person, an animal or a figure.")
	}
	scene.Subjects = scene.Subjects[:1]
	scene.Subjects[0].Count, scene.Subjects[0].On, scene.Subjects[0].HeldBy = 1, -1, -1
	scene.Settings, scene.Sky, scene.Weather = []paint.Thing{{Key: "studio", Count: 1, Size: 1, On: -1, HeldBy: -1}}, nil, nil
	// Painted a little larger than it will be seen.
	_, h, err := canvas(t, 4, 5)
	if err != nil {
		return nil, err
	}
	high := min(max(h*5/4, 200), 960)
	img, err := paint.PaintScene(ctx, scene, paint.LookOf(""), high*4/5, high, seed, 0, nil)
	return img, plainly(err)
}

// floor is where a figure dances.
type floor struct {
	steps  motion.Choreography
	body   *motion.Solid
	wide   float64
	tall   float64
	behind *image.RGBA
	out    *image.RGBA
	net    *motion.Lattice
	seed   uint64
}

func newFloor(ctx context.Context, source image.Image, steps motion.Choreography, w, h int, seed int64) (*floor, error) {
	f := &floor{steps: steps, out: image.NewRGBA(image.Rect(0, 0, w, h)), net: motion.NewLattice(w, h), seed: uint64(seed)}
	img, err := moderate(ctx, source, min(2*max(w, h), 1024))
	if err != nil {
		return nil, err
	}
	cut, score, err := pixel.Subject(ctx, img)
	if errors.Is(err, pixel.ErrNoSubject) || err == nil && score < motion.LeastPuppet {
		return nil, worker.Failf("No figure stands out clearly in the picture. Send one with a plain background, or describe the dancer as imagePrompt.")
	}
	if err != nil {
		return nil, err
	}
	if f.body, err = bodyOf(ctx, img, cut, w, h); err != nil {
		return nil, err
	}
	f.wide, f.tall = f.body.Extent()
	f.behind, err = backdrop(ctx, img, cut, w, h, seed)
	return f, err
}

// frame is the dance at a moment. A montage changes its view every two bars.
func (f *floor) frame(seconds float64, single bool) *image.RGBA {
	beat := seconds * f.steps.Bpm / 60
	shot := 0
	if !single {
		shot = int(beat / 8)
	}
	v := motion.Shots[shot%len(motion.Shots)]
	w, h := float64(f.out.Rect.Dx()), float64(f.out.Rect.Dy())
	pulse := math.Exp(-5 * math.Mod(beat, 1))
	if v.Stage {
		f.lights(beat, pulse)
	} else {
		lean := 1 - 0.02*pulse
		f.net.Bend(f.behind.Rect, func(x, y float64) (float64, float64) {
			return motion.View{X: 0.5, Y: 0.5, Size: lean * v.Near, Roll: 0}.Place(x, y, 1)
		})
		f.net.Draw(f.out, f.behind)
	}
	unit := min(v.Size*h, 0.42*w/float64(v.Troupe)/max(f.wide, 0.2))
	p := f.steps.Pose(beat)
	for i := range v.Troupe {
		x := w / 2
		if v.Troupe > 1 {
			x += (float64(i) - float64(v.Troupe-1)/2) * w * 0.3
		}
		f.perform(x, h*v.Foot, unit, p, v, i%2 == 1)
	}
	for i := range f.steps.Swarms {
		f.steps.Swarm(i, f.seed).Draw(f.out, seconds, 0.4+0.6*pulse)
	}
	flash := 1 + 0.10*pulse
	motion.Light{R: flash, G: flash, B: flash, Lift: 0}.Shine(f.out)
	return f.out
}

// perform draws the figure in a pose with its feet at a place.
func (f *floor) perform(x, foot, unit float64, p motion.Pose, v motion.Shot, mirrored bool) {
	tall := f.tall
	motion.Shadow(f.out, x+p.Step*unit, foot, unit*0.55*(1-0.5*p.Jump), unit*0.05)
	bend := func(q motion.Vector) motion.Vector {
		// up runs from 0 at the feet to 1 at the head.
		up := (q[1]/tall + 1) / 2
		hips := math.Exp(-12 * (up - 0.48) * (up - 0.48))
		out := q
		turn := p.Twist * (up - 0.35)
		s, c := math.Sincos(turn)
		out[0], out[2] = q[0]*c+q[2]*s, q[2]*c-q[0]*s
		// What sticks out at the shoulders is taken for arms.
		if side := math.Abs(q[0]); side > 0.28 && up > 0.42 && up < 0.86 {
			reach := footage.Ease((side - 0.28) / 0.4)
			wave := p.Left
			if q[0] > 0 {
				wave = p.Right
			}
			out[1] += reach * wave
		}
		out[1] = -tall + (out[1]+tall)*p.Squash
		out[0] = out[0]/math.Sqrt(p.Squash) + p.Sway*up*up + p.Hips*hips + p.Nod*footage.Ease((up-0.75)*4)
		return out
	}
	f.body.See(f.out, motion.Lens{Yaw: p.Yaw, Pitch: v.Pitch, X: x + p.Step*unit, Y: foot - unit*tall*math.Cos(v.Pitch) - p.Jump*unit, Size: unit, Mirror: mirrored}, bend)
}

// lights is a stage: a dark room, a floor and beams that move with the beat.
func (f *floor) lights(beat, pulse float64) {
	w, h := f.out.Rect.Dx(), f.out.Rect.Dy()
	tones := f.steps.Colours
	footage.Rows(h, func(y int) {
		v := float64(y) / float64(h)
		line := f.out.Pix[y*f.out.Stride:]
		floor := footage.Ease((v - 0.72) / 0.06)
		for x := range w {
			u := float64(x)/float64(w) - 0.5
			base := 0.10 + 0.05*(1-v) + 0.16*floor*(1-1.2*math.Abs(u))
			var c [3]float64
			for i, tone := range tones {
				// A beam hangs from the top and swings.
				swing := 0.35 * math.Sin(beat*math.Pi/4*(1+0.3*float64(i))+2.1*float64(i))
				at := (float64(i)+0.5)/float64(len(tones)) - 0.5 + swing*v
				wide := 0.035 + 0.13*v
				d := (u - at) / wide
				k := math.Exp(-d*d) * (0.30 + 0.35*pulse) * (1 - 0.5*v)
				k += 0.35 * floor * math.Exp(-d*d*0.4) * (0.5 + 0.5*pulse)
				for n := range 3 {
					c[n] += float64(tone[n]) / 255 * k
				}
			}
			p := line[4*x:]
			for n := range 3 {
				p[n] = uint8(255 * min(1, base*(0.5+0.5*float64(tones[0][n])/255)+c[n]))
			}
			p[3] = 255
		}
	})
}
