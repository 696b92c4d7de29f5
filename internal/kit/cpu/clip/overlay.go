package clip

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// Overlay draws texts and pictures over a clip, each at its place and for its
// time.
func Overlay(ctx context.Context, t task.Task) ([]worker.Output, error) {
	list, _ := t.Arguments["overlays"].([]any)
	if len(list) == 0 {
		return nil, worker.Failf("overlay_video needs something to lay over the video.")
	}
	return renderClips(ctx, t, "laying over", func(int, int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "sourceVideoIndex")
		if err != nil {
			return nil, err
		}
		var overlays []*overlay
		pixels := 0
		for i, item := range list {
			o, _ := item.(map[string]any)
			s, err := newOverlay(ctx, t, o, i, k.width, k.height)
			if err != nil {
				return k, err
			}
			if s.start >= r.Seconds() {
				return k, worker.Failf("Overlay %d begins at %g seconds, and the video lasts %.2f.", i, s.start, r.Seconds())
			}
			if pixels += s.img.Rect.Dx() * s.img.Rect.Dy(); pixels > maxOverlayPixels {
				return k, worker.Failf("The overlays have more than %d pixels altogether; use fewer or smaller ones.", maxOverlayPixels)
			}
			overlays = append(overlays, s)
		}
		k.frame = func(i int) (image.Image, error) {
			seconds := (float64(i) + 0.25) / r.Rate()
			var frame *image.RGBA
			for _, s := range overlays {
				alpha := s.alphaAt(seconds)
				if alpha == 0 {
					continue
				}
				if frame == nil {
					if frame, err = r.WritableRGBA(i); err != nil {
						return nil, err
					}
				}
				s.draw(frame, alpha)
			}
			if frame != nil {
				return frame, nil
			}
			return r.Samples(i)
		}
		k.note("overlays", len(overlays))
		k.sound, err = r.Sound(ctx)
		return k, err
	})
}

// maxOverlayPixels bounds the pixels of all overlays, which are kept in memory.
const maxOverlayPixels = 40_000_000

// overlay is a picture at a place in a clip.
type overlay struct {
	img        *image.NRGBA
	at         image.Point
	start, end float64
	fade       float64
	opacity    float64
}

// alphaAt returns the opacity of an overlay at a time, in 255ths.
func (s *overlay) alphaAt(seconds float64) uint8 {
	if seconds < s.start || seconds >= s.end {
		return 0
	}
	a := s.opacity
	if s.fade > 0 {
		a *= min(1, (seconds-s.start)/s.fade, (s.end-seconds)/s.fade)
	}
	return uint8(255*min(max(a, 0), 1) + 0.5)
}

func (s *overlay) draw(dst *image.RGBA, alpha uint8) {
	b := s.img.Rect.Add(s.at)
	if alpha == 255 {
		draw.Draw(dst, b, s.img, image.Point{}, draw.Over)
		return
	}
	draw.DrawMask(dst, b, s.img, image.Point{}, image.NewUniform(color.Alpha{A: alpha}), image.Point{}, draw.Over)
}

// newOverlay reads one overlay of the arguments.
func newOverlay(ctx context.Context, t task.Task, o map[string]any, i, w, h int) (*overlay, error) {
	num := func(name string, other float64) float64 {
		if v, ok := o[name].(float64); ok {
			return v
		}
		return other
	}
	s := &overlay{start: num("startSeconds", 0), end: num("endSeconds", math.Inf(1))}
	keys, _ := o["styling"].(map[string]any)
	look, err := readStyling(keys, fmt.Sprintf("overlays[%d].styling", i))
	if err != nil {
		return nil, err
	}
	s.fade, s.opacity = look.fade, look.opacity
	position, _ := o["position"].(string)
	switch kind, _ := o["kind"].(string); kind {
	case "text":
		words, _ := o["text"].(string)
		if position == "" {
			position = "bottom-center"
		}
		s.img, err = look.lettering(w, h, position).Write(words)
		if err != nil {
			return nil, task.Failure(err)
		}
	case "image":
		img, err := t.Picture(ctx, fmt.Sprintf("overlays[%d].sourceImageIndex", i))
		if err != nil {
			return nil, err
		}
		if img == nil {
			return nil, worker.Failf("The picture of overlay %d is missing.", i)
		}
		if position == "" {
			position = "top-right"
		}
		pw, ph := look.pictureSize(img.Bounds().Dx(), img.Bounds().Dy(), w, h)
		if pw < 1 || ph < 1 || pw > 8192 || ph > 8192 {
			return nil, worker.Failf("Overlay %d would be %d by %d pixels.", i, pw, ph)
		}
		if s.img, err = pixel.Resize(ctx, img, pw, ph); err != nil {
			return nil, task.Failure(err)
		}
	default:
		return nil, worker.Failf("Overlay %d is neither a text nor an image.", i)
	}
	s.at = anchor(position, s.img.Rect.Size(), w, h).Add(image.Pt(int(num("offsetX", 0)), int(num("offsetY", 0))))
	return s, nil
}

// anchor returns the top left corner of an overlay for a named position in a
// frame, with a margin.
func anchor(position string, size image.Point, w, h int) image.Point {
	margin := min(w, h) / 24
	p := image.Pt((w-size.X)/2, (h-size.Y)/2)
	switch position {
	case "top-left", "bottom-left":
		p.X = margin
	case "top-right", "bottom-right":
		p.X = w - size.X - margin
	}
	switch position {
	case "top-left", "top-center", "top-right", "top":
		p.Y = margin
	case "bottom-left", "bottom-center", "bottom-right", "bottom":
		p.Y = h - size.Y - margin
	}
	return p
}
