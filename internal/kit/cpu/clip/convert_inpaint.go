package clip

import (
	"context"
	"image"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/motion"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// inpaint replaces what a mask selects: by the painted prompt, or by the
// surroundings when the prompt names nothing that can be painted.
func (c *conversion) inpaint(ctx context.Context, t task.Task) error {
	given, err := t.Picture(ctx, "maskImageIndex")
	if err != nil {
		return err
	}
	if given == nil {
		return worker.Failf("Inpainting needs a mask: a picture that is white where the video is to be replaced.")
	}
	m, err := pixel.MaskOf(ctx, given, c.w, c.h)
	if err != nil {
		return task.Failure(err)
	}
	if m.Share() < 0.0005 {
		return worker.Failf("The mask selects nothing: white is replaced.")
	}
	if m.Share() > 0.995 {
		return worker.Failf("The mask selects everything; make a new video instead.")
	}
	patch := footage.NewInpainter(m)
	var p *painter
	words := motion.NormalizeText(c.prompt)
	if remove := motion.HasPhrase(words, "remove", "erase", "delete", "clean", "without", "nothing", "empty"); !remove && !c.scene.Empty() {
		p = newPainter(ctx, t, c.prompt, max(16, patch.Box.Dx()/2*2), max(16, patch.Box.Dy()/2*2), c.seed)
		if err := p.noteUnderstood(c.out, c.prompt); err != nil {
			return err
		}
		c.out.note("method", "the mask shows the painted prompt, in the light of its surroundings")
	} else {
		c.out.note("method", "the mask is filled from what lies mirrored behind its borders")
	}
	c.mapFrames(func(img *image.RGBA, i int) (*image.RGBA, error) {
		if p == nil {
			patch.Fill(img)
			return img, nil
		}
		// The painted part takes some of the light around it.
		around := footage.MeanIn(img, patch.Box)
		painted, err := p.frameAt(c.seconds(i), 0)
		if err != nil {
			return nil, err
		}
		own := footage.MeanIn(painted, painted.Rect)
		var l motion.Light
		for k, to := range []*float64{&l.R, &l.G, &l.B} {
			*to = 1 + 0.3*(min(max(around[k]/max(own[k], 8), 0.5), 2)-1)
		}
		l.Apply(painted)
		patch.Paste(img, painted)
		return img, nil
	})
	return nil
}
