package motion

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// Choreography is a dance: its tempo, its music, the light, and its steps, two
// beats each.
type Choreography struct {
	Bpm     float64
	Music   string
	Colours [][3]uint8
	Swarms  []string
	moves   []move
}

// Swarm returns the i-th particle system around the dancer.
func (c Choreography) Swarm(i int, seed uint64) *Particles {
	return &Particles{kind: c.Swarms[i], count: 0.6, seed: seed + uint64(i)*31}
}

// Pose is the posture of a figure. Lengths are in units of half its height,
// angles in radians.
type Pose struct {
	Sway, Hips, Nod float64 // sideways: all of it, the hips, the head
	Twist, Yaw      float64
	Squash, Jump    float64
	Step            float64
	Left, Right     float64 // how far the arms are up
}

// move is a step: it changes a pose by its progress, from 0 to 1, and by the
// beat.
type move func(p *Pose, t, beat float64)

// The steps. Each is a well-known gesture, in the plainest form of it.
var (
	bounce move = func(p *Pose, _, beat float64) {
		p.Squash *= 1 - 0.07*math.Pow(math.Abs(math.Cos(math.Pi*beat)), 2)
	}
	rock move = func(p *Pose, _, beat float64) {
		p.Sway += 0.22 * math.Sin(math.Pi*beat)
		p.Nod -= 0.05 * math.Sin(math.Pi*beat)
	}
	shimmy move = func(p *Pose, _, beat float64) {
		p.Hips += 0.13 * math.Sin(2*math.Pi*beat)
		p.Twist += 0.3 * math.Sin(2*math.Pi*beat)
	}
	swing move = func(p *Pose, _, beat float64) {
		p.Twist += 0.9 * math.Sin(math.Pi*beat)
		p.Left, p.Right = p.Left+0.16*math.Sin(math.Pi*beat), p.Right-0.16*math.Sin(math.Pi*beat)
	}
	spin move = func(p *Pose, t, _ float64) { p.Yaw += 2 * math.Pi * footage.Ease(t) }
	hop  move = func(p *Pose, _, beat float64) {
		k := math.Abs(math.Sin(math.Pi * beat))
		p.Jump += 0.22 * k
		p.Squash *= 1 + 0.05*(k-0.6)
	}
	kick move = func(p *Pose, _, beat float64) {
		k := math.Max(0, math.Sin(math.Pi*beat))
		p.Jump += 0.07 * k
		p.Sway -= 0.16 * k
		p.Yaw += 0.45 * k
	}
	squat move = func(p *Pose, _, beat float64) {
		p.Squash *= 1 - 0.15*(0.5-0.5*math.Cos(math.Pi*beat))
		p.Left, p.Right = p.Left+0.1, p.Right+0.1
	}
	slide move = func(p *Pose, t, _ float64) {
		p.Step += 0.45 * math.Sin(2*math.Pi*t)
		p.Sway -= 0.1 * math.Cos(2*math.Pi*t)
	}
	wave move = func(p *Pose, _, beat float64) {
		p.Left += 0.2 * math.Sin(math.Pi*beat)
		p.Right += 0.2 * math.Sin(math.Pi*beat+math.Pi/2)
	}
	cheer move = func(p *Pose, _, beat float64) {
		k := 0.5 - 0.5*math.Cos(2*math.Pi*beat)
		p.Left, p.Right = p.Left+0.26*k, p.Right+0.26*k
	}
	strut move = func(p *Pose, t, beat float64) {
		p.Yaw += 0.7 * math.Sin(2*math.Pi*t)
		p.Hips += 0.10 * math.Sin(2*math.Pi*beat)
	}
	robot move = func(p *Pose, t, _ float64) {
		k := math.Floor(t*8) / 8
		p.Yaw += 0.8 * math.Sin(2*math.Pi*k)
		p.Sway += 0.12 * math.Sin(4*math.Pi*k)
		p.Left, p.Right = p.Left+0.18*math.Round(k*2), p.Right+0.18*(1-math.Round(k*2))
	}
)

// all combines moves.
func all(moves ...move) move {
	return func(p *Pose, t, beat float64) {
		for _, m := range moves {
			m(p, t, beat)
		}
	}
}

// Pose returns the dance at a beat. The figure stands still for an instant between
// steps, so that one flows into the next.
func (c Choreography) Pose(beat float64) Pose {
	const long = 4 // beats of a step
	p := Pose{Squash: 1}
	n := int(beat / long)
	t := math.Mod(beat, long) / long
	bounce(&p, t, beat)
	q := Pose{Squash: 1}
	c.moves[n%len(c.moves)](&q, t, beat)
	soft := footage.Ease(t*12) * footage.Ease((1-t)*12)
	p.Sway, p.Hips, p.Nod, p.Step = p.Sway+q.Sway*soft, p.Hips+q.Hips*soft, p.Nod+q.Nod*soft, p.Step+q.Step*soft
	p.Twist, p.Jump = p.Twist+q.Twist*soft, p.Jump+q.Jump*soft
	p.Left, p.Right = p.Left+q.Left*soft, p.Right+q.Right*soft
	p.Squash *= 1 + (q.Squash-1)*soft
	p.Yaw += q.Yaw // turns end where they began
	return p
}

// Dances are the dances by name.
var Dances = map[string]Choreography{
	"rasputin":                    {126, "disco folk in a minor key, driving, 126 bpm, strings", [][3]uint8{{220, 60, 60}, {250, 190, 70}, {180, 60, 200}}, []string{"sparkles"}, []move{all(squat, kick), all(hop, cheer), kick, all(squat, wave), spin}},
	"big-guy":                     {112, "funky upbeat pop with bass, 112 bpm", [][3]uint8{{70, 150, 250}, {120, 230, 150}}, nil, []move{all(rock, hop), shimmy, all(strut, wave), all(squat, rock)}},
	"keep-it-gangsta":             {94, "hip hop beat with deep bass, 94 bpm", [][3]uint8{{120, 60, 230}, {60, 200, 250}}, nil, []move{all(rock, squat), all(swing, rock), slide, all(shimmy, wave)}},
	"this-is-america":             {120, "gospel trap with choir and hand drums, 120 bpm", [][3]uint8{{230, 200, 160}, {200, 120, 70}}, []string{"dust"}, []move{all(shimmy, rock), all(wave, hop), all(strut, shimmy), all(swing, squat)}},
	"chinese-new-year":            {132, "festive traditional percussion, bright, 132 bpm", [][3]uint8{{240, 50, 40}, {255, 205, 60}}, []string{"confetti"}, []move{all(hop, cheer), all(wave, rock), spin, all(cheer, shimmy)}},
	"spongebob":                   {138, "happy ukulele surf pop, 138 bpm", [][3]uint8{{250, 225, 60}, {80, 190, 240}}, []string{"bubbles"}, []move{all(hop, wave), all(rock, cheer), all(shimmy, hop), spin}},
	"chanel":                      {122, "elegant deep house, 122 bpm", [][3]uint8{{235, 235, 235}, {190, 170, 130}}, nil, []move{strut, all(strut, wave), all(slide, shimmy), all(strut, swing)}},
	"crystal-light-aerobics-1988": {128, "synthwave aerobics, energetic, 128 bpm", [][3]uint8{{250, 80, 190}, {80, 230, 230}, {250, 210, 90}}, []string{"sparkles"}, []move{all(hop, cheer), all(swing, rock), all(kick, wave), all(squat, cheer), all(slide, hop)}},
	"plastic-dream-sequence":      {104, "dreamy synth pop, 104 bpm", [][3]uint8{{180, 130, 250}, {120, 200, 250}, {250, 160, 210}}, []string{"sparkles"}, []move{robot, all(slide, wave), all(robot, rock), spin}},
}

// Shot is one view of a montage.
type Shot struct {
	Size   float64 // of the figure relative to the frame
	Foot   float64 // where its feet are
	Pitch  float64
	Near   float64 // how much of the background is seen
	Stage  bool
	Troupe int
}

// Shots are the views, in the order of a montage. A single clip stays in the
// first.
var Shots = []Shot{
	{0.40, 0.94, 0.04, 0.95, false, 1},
	{0.40, 0.92, 0.04, 1, true, 1},
	{0.58, 1.16, -0.06, 0.8, false, 1},
	{0.26, 0.88, 0.10, 1, true, 3},
	{0.44, 0.96, -0.18, 0.9, true, 1},
	{0.34, 0.92, 0.22, 1, false, 1},
}
