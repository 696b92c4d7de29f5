package paint

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Request is everything that a picture depends on: the same request gives the
// same picture, byte for byte.
type Request struct {
	Prompt         string
	NegativePrompt string
	Model          string
	Width, Height  int
	Seed           int64

	// Start is an optional picture to start from; StartStrength from 0 to 1 is how
	// much of it stays.
	Start         image.Image
	StartStrength float64

	scene *Scene // instead of what the prompt says
}

// read returns the scene of a request.
func (r Request) read() Scene {
	if r.scene != nil {
		return *r.scene
	}
	scene := Read(r.Prompt)
	if r.NegativePrompt != "" {
		scene.Exclude(Read(r.NegativePrompt).Keys()...)
	}
	return scene
}

// Painted returns the visible part of a request that Paint or PaintAlone
// paints.
func (r Request) Painted(ctx context.Context, paint func(context.Context, Request, func(float64)) (*image.NRGBA, error)) (Scene, error) {
	scene := r.read()
	r.Width, r.Height = previewSize(r.Width, r.Height)
	if r.Start != nil && r.StartStrength > 0 {
		start, err := Preview(ctx, r.Start)
		if err != nil {
			return scene, err
		}
		r.Start = start
	}
	return scene.Painted(ctx, func(s Scene) ([]*image.NRGBA, error) {
		r.scene = &s
		img, err := paint(ctx, r, nil)
		return []*image.NRGBA{img}, err
	})
}

// Paint reads the prompt and paints it. Progress is called with numbers that
// rise from 0 to 1; it may be nil.
func Paint(ctx context.Context, r Request, progress func(fraction float64)) (*image.NRGBA, error) {
	scene := r.read()
	if r.Start != nil && r.StartStrength > 0 {
		return startFrom(ctx, scene, r, progress)
	}
	out, err := paintScene(ctx, scene, LookOf(r.Model), r.Width, r.Height, r.Seed, 0, progress)
	if err != nil {
		return nil, err
	}
	return out.NRGBA, nil
}

// PaintScene paints a scene at a time in seconds: frames at rising times make a
// clip.
func PaintScene(ctx context.Context, s Scene, look Look, w, h int, seed int64, seconds float64, progress func(fraction float64)) (*image.NRGBA, error) {
	r, err := paintScene(ctx, s, look, w, h, seed, seconds, progress)
	if err != nil {
		return nil, err
	}
	return r.NRGBA, nil
}

func paintScene(ctx context.Context, scene Scene, look Look, w, h int, seed int64, seconds float64, progress func(float64)) (*pixel.Raster, error) {
	if w < pixel.MinSide || h < pixel.MinSide || w > pixel.MaxSide || h > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	tell := func(from, to float64) func(float64) {
		if progress == nil {
			return nil
		}
		return func(f float64) { progress(from + (to-from)*f) }
	}
	s := newRenderer(scene, look, w, h, seed, max(seconds, 0))
	s.drawScene()
	out, err := s.Paint(ctx, tell(0, 0.6))
	if err != nil {
		return nil, err
	}
	out, err = s.finish(ctx, out, tell(0.6, 1))
	if err != nil {
		return nil, err
	}
	if progress != nil {
		progress(1)
	}
	return out, nil
}

// Keys returns the keys of everything in a scene, for use as a negative prompt.
func (s Scene) Keys() []string {
	var out []string
	for _, in := range [][]Thing{s.Subjects, s.Settings, s.Sky} {
		for _, t := range in {
			out = append(out, t.Key)
		}
	}
	out = append(append(append(out, s.Weather...), s.Styles...), s.Moods...)
	for _, c := range s.Palette {
		out = append(out, c.Name)
	}
	for _, w := range []string{s.Time, s.Season} {
		if w != "" {
			out = append(out, w)
		}
	}
	for _, w := range s.Unknown {
		if w == "lightning" || w == "smoke" {
			out = append(out, w)
		}
	}
	return out
}
