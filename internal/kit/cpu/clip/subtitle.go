package clip

import (
	"context"
	"image"
	"image/color"
	"math"

	"github.com/atelier-project/atelier/internal/kit/codec/srt"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/worker"
)

// AddSubtitles burns subtitles into a clip.
func AddSubtitles(ctx context.Context, t task.Task) ([]worker.Output, error) {
	lines, err := captions(t)
	if err != nil {
		return nil, err
	}
	return renderClips(ctx, t, "subtitling", func(int, int64) (*output, error) {
		r, k, err := openVideo(ctx, t, "sourceVideoIndex")
		if err != nil {
			return nil, err
		}
		style, err := newCaptionStyle(t, k.width, k.height)
		if err != nil {
			return k, err
		}
		shown := 0
		for _, c := range lines {
			// A text that cannot be written fails before any work is done.
			if err := style.letters.Check(c.Text); err != nil {
				return k, task.Failure(err)
			}
			if c.Start < r.Seconds() {
				shown++
			}
		}
		if shown == 0 {
			return k, worker.Failf("The video lasts %.2f seconds, and every subtitle begins after that.", r.Seconds())
		}
		k.frame = func(i int) (image.Image, error) {
			seconds := (float64(i) + 0.25) / r.Rate()
			var now []srt.Caption
			for _, c := range lines {
				if seconds >= c.Start && seconds < c.End {
					now = append(now, c)
				}
			}
			if len(now) == 0 {
				return r.Samples(i)
			}
			frame, err := r.WritableRGBA(i)
			if err != nil {
				return nil, err
			}
			return frame, style.draw(frame, now)
		}
		k.note("subtitles", shown)
		k.sound, err = r.Sound(ctx)
		return k, err
	})
}

// captions reads the subtitles of a job.
func captions(t task.Task) ([]srt.Caption, error) {
	if s := t.Text("srt"); s != "" {
		c, err := srt.Parse(s)
		return c, task.Failure(err)
	}
	list, _ := t.Arguments["cues"].([]any)
	var out []srt.Caption
	for i, item := range list {
		o, _ := item.(map[string]any)
		c := srt.Caption{End: math.Inf(1)}
		c.Start, _ = o["startSeconds"].(float64)
		if e, ok := o["endSeconds"].(float64); ok {
			c.End = e
		}
		c.Text, _ = o["text"].(string)
		if !(c.Start < c.End) || c.Start < 0 {
			return nil, worker.Failf("Subtitle %d ends at %g, before it begins at %g.", i, c.End, c.Start)
		}
		out = append(out, c)
	}
	if len(out) > 0 {
		return out, nil
	}
	if t.Flag("auto_transcribe", false) {
		return nil, worker.Failf("The CPU renderer cannot write down speech: send cues or srt, or connect a worker with a speech model.")
	}
	return nil, worker.Failf("add_subtitles needs cues or srt.")
}

// captionStyle draws subtitles. It caches those of the last frame, because they
// stay for many frames.
type captionStyle struct {
	letters  paint.Lettering
	position string
	w, h     int
	cache    map[string]*image.NRGBA
}

func newCaptionStyle(t task.Task, w, h int) (*captionStyle, error) {
	style, _ := t.Arguments["style"].(map[string]any)
	p := &captionStyle{w: w, h: h, position: "bottom", letters: paint.Lettering{Width: w * 9 / 10, Colour: color.NRGBA{255, 255, 255, 255}, Outline: color.NRGBA{0, 0, 0, 255}}}
	pct := 6.0
	if v, ok := style["fontSizePct"].(float64); ok {
		pct = v
	}
	p.letters.Size = max(6, float64(h)*pct/100)
	p.letters.Border = max(1, p.letters.Size*0.08)
	for name, to := range map[string]*color.NRGBA{"color": &p.letters.Colour, "outlineColor": &p.letters.Outline} {
		if s, ok := style[name].(string); ok {
			c, ok := parseColour(s)
			if !ok {
				return nil, worker.Failf("style.%s must be a colour such as #FFFFFF, not %q.", name, s)
			}
			*to = c
		}
	}
	if s, ok := style["position"].(string); ok {
		if s != "bottom" && s != "top" && s != "center" {
			return nil, worker.Failf("style.position must be bottom, top or center, not %q.", s)
		}
		p.position = s
	}
	return p, nil
}

// maxCaptionHeights limits the subtitles of one frame, in heights of the frame.
// What does not fit is cut off, but takes memory.
const maxCaptionHeights = 4

// draw writes the subtitles of one time below each other.
func (p *captionStyle) draw(frame *image.RGBA, now []srt.Caption) error {
	set := map[string]*image.NRGBA{}
	high := 0
	for _, c := range now {
		img := p.cache[c.Text]
		if img == nil {
			var err error
			if img, err = p.letters.Write(c.Text); err != nil {
				return task.Failure(err)
			}
		}
		set[c.Text] = img
		if high += img.Rect.Dy(); high > maxCaptionHeights*p.h {
			return worker.Failf("The subtitles that are shown at the same time do not fit into the picture: %d of its heights are not enough.", maxCaptionHeights)
		}
	}
	p.cache = set
	y := anchor(p.position, image.Pt(0, high), p.w, p.h).Y
	for _, c := range now {
		img := set[c.Text]
		s := overlay{img: img, at: image.Pt((p.w-img.Rect.Dx())/2, y)}
		s.draw(frame, 255)
		y += img.Rect.Dy()
	}
	return nil
}
