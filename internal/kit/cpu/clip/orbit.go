package clip

import (
	"cmp"
	"context"
	"errors"
	"image"
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// viewAngles are the named views, in degrees from the front.
var viewAngles = map[string]float64{
	"front-right quarter view": 45, "right side view": 90, "back-right quarter view": 135, "back view": 180,
	"back-left quarter view": 225, "left side view": 270, "front-left quarter view": 315,
}

// defaultViews are shown when the job names none.
var defaultViews = []string{"front-right quarter view", "back-right quarter view", "back-left quarter view", "front-left quarter view"}

// viewSeconds is the time between two views.
const viewSeconds = 3

// heights are the elevations of the camera, in degrees.
var heights = map[string]float64{"low-angle shot": -16, "eye-level shot": 0, "elevated shot": 18, "high-angle shot": 36}

// distances are the sizes of the subject relative to the frame.
var distances = map[string]float64{"close-up": 0.58, "medium shot": 0.38, "wide shot": 0.25}

// Orbit moves a camera around the subject of a picture: the subject is cut out
// and made a solid, before the filled background.
func Orbit(ctx context.Context, t task.Task) ([]worker.Output, error) {
	source, err := t.Picture(ctx, "sourceImageIndex")
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, worker.Failf("orbit_video needs a picture.")
	}
	names := t.Texts("angles")
	if len(names) == 0 {
		names = defaultViews
	}
	path := []float64{0}
	for _, n := range names {
		to, ok := viewAngles[n]
		if !ok {
			return nil, worker.Failf("There is no view %q.", n)
		}
		from := path[len(path)-1]
		// The shorter direction, and to the right when both are equal.
		step := math.Mod(to-from, 360)
		if step > 180 {
			step -= 360
		}
		if step <= -180 {
			step += 360
		}
		path = append(path, from+step)
	}
	elevation, ok := heights[cmp.Or(t.Text("elevation"), "eye-level shot")]
	if !ok {
		return nil, worker.Failf("There is no elevation %q.", t.Text("elevation"))
	}
	size, ok := distances[cmp.Or(t.Text("distance"), "medium shot")]
	if !ok {
		return nil, worker.Failf("There is no distance %q.", t.Text("distance"))
	}
	return renderClips(ctx, t, "circling", func(_ int, seed int64) (*output, error) {
		w, h, err := frameSize(t, source.Bounds().Dx(), source.Bounds().Dy())
		if err != nil {
			return nil, err
		}
		k := &output{width: w, height: h, frames: len(names) * viewSeconds * footage.FrameRate}
		prompt := t.Text("prompt")
		if err := k.addDialogue(ctx, t, len(names), prompt, seed); err != nil {
			return nil, err
		}
		s, method, err := newTurntable(ctx, source, w, h, seed)
		if err != nil {
			return nil, err
		}
		effect := motion.EffectOf(prompt, seed)
		k.frame = func(i int) (image.Image, error) {
			seconds := float64(i) / footage.FrameRate
			leg := min(int(seconds/viewSeconds), len(names)-1)
			part := footage.Ease((seconds - float64(leg*viewSeconds)) / (viewSeconds - 0.3))
			yaw := path[leg] + (path[leg+1]-path[leg])*part
			img := s.Frame(yaw*math.Pi/180, elevation*math.Pi/180*footage.Ease(seconds/1.5), size)
			effect.Draw(img, seconds, seconds/k.seconds())
			return img, nil
		}
		k.note("views", names)
		k.note("method", method)
		return k, nil
	})
}

// newTurntable makes a turntable of the subject of a picture, and returns the
// method.
func newTurntable(ctx context.Context, source image.Image, w, h int, seed int64) (s *motion.Turntable, method string, err error) {
	method = "the subject as an inflated relief; its back has the colours of its front, because the picture does not show the back"
	img, err := shrinkTo(ctx, source, min(2*max(w, h), 1024))
	if err != nil {
		return nil, "", err
	}
	cut, _, err := pixel.Subject(ctx, img)
	switch {
	case errors.Is(err, pixel.ErrNoSubject):
		cut = nil
		method = "the whole picture as a rounded tablet: no subject stands out in it"
	case err != nil:
		return nil, "", err
	}
	body, err := solidOf(ctx, img, cut, w, h)
	if err != nil {
		return nil, "", err
	}
	behind, err := backgroundOf(ctx, img, cut, w, h, seed)
	if err != nil {
		return nil, "", err
	}
	return motion.NewTurntable(body, behind, w, h), method, nil
}

// shrinkTo shrinks a picture to a longest side.
func shrinkTo(ctx context.Context, img image.Image, side int) (image.Image, error) {
	b := img.Bounds()
	k := float64(side) / float64(max(b.Dx(), b.Dy()))
	if k >= 1 {
		return img, nil
	}
	return pixel.Resize(ctx, img, max(16, int(float64(b.Dx())*k)), max(16, int(float64(b.Dy())*k)))
}

// backgroundOf returns the picture without its subject, blurred.
func backgroundOf(ctx context.Context, img image.Image, cut *pixel.Mask, w, h int, seed int64) (*image.RGBA, error) {
	back := image.Image(footage.ToRGBA(img))
	if cut != nil {
		small, err := shrinkTo(ctx, footage.ToRGBA(img), 320)
		if err != nil {
			return nil, err
		}
		b := small.Bounds()
		filled, err := pixel.Fill(ctx, small, cut.Resize(b.Dx(), b.Dy()).Dilate(6), seed, nil)
		switch {
		case err == nil:
			back = filled
		case !errors.Is(err, pixel.ErrTooMuch): // the subject fills the picture: blur the whole
			return nil, err
		}
	}
	fitted, err := footage.Cover(ctx, back, w, h)
	if err != nil {
		return nil, err
	}
	soft, err := pixel.Blur(ctx, fitted, float64(min(w, h))*0.012)
	if err != nil {
		return nil, err
	}
	return footage.ToRGBA(soft), nil
}

// addDialogue adds speech: a line for each view, or one for one of them.
func (k *output) addDialogue(ctx context.Context, t task.Task, segments int, prompt string, seed int64) error {
	lines := t.Texts("dialogues")
	if len(lines) == 0 && t.Text("dialogue") != "" {
		lines = make([]string, segments)
		at := int(t.Number("dialogueSegment", 0))
		if at >= segments {
			return worker.Failf("There is no view %d to speak in; the orbit has %d.", at, segments)
		}
		lines[at] = t.Text("dialogue")
	}
	if len(lines) > segments {
		return worker.Failf("There are %d lines of dialogue for %d views.", len(lines), segments)
	}
	speaks := slices.ContainsFunc(lines, func(s string) bool { return s != "" })
	if !speaks && prompt == "" {
		return nil
	}
	d := footage.NewMixer(k.seconds())
	var heard []string
	if prompt != "" {
		var err error
		if d, heard, err = (soundtrack{prompt: prompt, seconds: k.seconds(), seed: seed}).mix(ctx, t); err != nil {
			return err
		}
	}
	free := 0.0
	for i, line := range lines {
		if line == "" {
			continue
		}
		clip, who, err := speak(ctx, line, "", seed)
		if err != nil {
			return err
		}
		at := max(float64(i*viewSeconds)+0.2, free)
		long := clip.Duration().Seconds()
		if at+long > k.seconds()+0.05 {
			return worker.Failf("The dialogue of view %d takes %.1f seconds, and only %.1f are left; make it shorter or pass more views.", i, long, k.seconds()-at)
		}
		d.Duck(at, at+long, 0.35)
		d.Add(footage.Cue{Clip: clip, At: at})
		heard = append(heard, "voice: "+who)
		free = at + long + 0.2
	}
	k.sound = d.Sound()
	k.note("heard", heard)
	return nil
}

// solidOf makes a mesh of the subject of a picture, fine enough for frames of w
// by h. cut selects the subject; without it, package mesh finds it.
func solidOf(ctx context.Context, img image.Image, cut *pixel.Mask, w, h int) (*motion.Solid, error) {
	if cut != nil {
		out, err := pixel.Cutout(ctx, img, cut)
		if err != nil {
			return nil, err
		}
		img = out
	}
	data, err := mesh.Model(ctx, img, mesh.Options{Faces: min(max(w*h/20, 3000), 16000), TextureSize: min(max(w, h, 128), 1024), NormalMapSize: 16})
	if err != nil {
		return nil, task.Failure(err)
	}
	return motion.NewSolid(ctx, data)
}
