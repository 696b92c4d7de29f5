package footage

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// Splice is a clip that takes the place of a part of another one, or follows it: of the
// frames from First up to Last, which is not included.
type Splice struct {
	Source, Part string
	First, Last  int
	KeepSound    bool // of the whole source, also during the new part
}

// maxSound is how much of the sound of a clip is read, in seconds.
const maxSound = 30 * 60

// Write writes the joined clip. Its size, its rate, its length and its sound are not taken from
// the options.
func (s Splice) Write(ctx context.Context, w io.Writer, o film.Options) error {
	source, err := film.Open(ctx, s.Source, o.Engine)
	if err != nil {
		return err
	}
	defer source.Close()
	part, err := film.Open(ctx, s.Part, o.Engine)
	if err != nil {
		return err
	}
	defer part.Close()
	o.Width, o.Height = source.Width/2*2, source.Height/2*2
	o.FPS, o.Den, o.Frames = source.FPS, source.Den, max(source.Frames, s.Last)
	if o.Sound, err = s.sound(ctx, source.Facts, o.Engine); err != nil {
		return err
	}
	around, inside := &clipReader{Reader: source}, &clipReader{Reader: part}
	_, err = film.Write(ctx, w, o, func(i int) (image.Image, error) {
		if i < s.First || i >= s.Last {
			return around.frameAt(ctx, i, o.Width, o.Height)
		}
		return inside.frameAt(ctx, int((float64(i-s.First)+0.25)/source.Rate()*part.Rate()), o.Width, o.Height)
	}, nil)
	return err
}

// clipReader reads a clip forwards.
type clipReader struct {
	*film.Reader
	frame *film.Samples
	next  int
}

// frameAt returns a frame scaled to a size. After the end it returns the last one.
func (c *clipReader) frameAt(ctx context.Context, n, w, h int) (image.Image, error) {
	for c.next <= n {
		frame, err := c.Next()
		if errors.Is(err, io.EOF) && c.frame != nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("a frame cannot be read: %w", err)
		}
		c.frame = frame
		c.next++
	}
	if b := c.frame.Rect; b.Dx() == w && b.Dy() == h {
		return c.frame, nil
	}
	return pixel.Fit(ctx, c.frame.RGBA(nil), w, h)
}

// sound is that of a joined clip: the old sound before and after the new one, or
// all of the old.
func (s Splice) sound(ctx context.Context, source film.Facts, engine film.Engine) (*film.Sound, error) {
	old, err := film.ReadSound(ctx, s.Source, engine, maxSound)
	if err != nil {
		return nil, err
	}
	added, err := film.ReadSound(ctx, s.Part, engine, maxSound)
	if err != nil || old == nil && added == nil {
		return nil, err
	}
	rate := source.Rate()
	first, last, whole := float64(s.First)/rate, float64(s.Last)/rate, float64(max(source.Frames, s.Last))/rate
	out := make([]int16, 2*int(math.Round(whole*SoundRate)))
	extends := s.First >= source.Frames
	switch {
	case s.KeepSound && !extends:
		copySound(out, old, 0, 0, whole)
		return &film.Sound{Rate: SoundRate, Channels: 2, Samples: out}, nil
	case s.KeepSound || !extends:
		copySound(out, old, 0, 0, first)
		copySound(out, old, last, last, whole)
	}
	copySound(out, added, first, 0, last)
	return &film.Sound{Rate: SoundRate, Channels: 2, Samples: out}, nil
}

// copySound copies s, from the second from on, into out, from the second at until
// the second until.
func copySound(out []int16, s *film.Sound, at, from, until float64) {
	if s == nil || s.Channels < 1 {
		return
	}
	frames := len(s.Samples) / s.Channels
	for i := int(math.Round(at * SoundRate)); i < min(len(out)/2, int(math.Round(until*SoundRate))); i++ {
		x := (float64(i)/SoundRate - at + from) * float64(s.Rate)
		n := int(x)
		if n >= frames {
			return
		}
		part := x - float64(n)
		for side := range 2 {
			c := min(side, s.Channels-1)
			v := float64(s.Samples[n*s.Channels+c])
			if n+1 < frames {
				v += (float64(s.Samples[(n+1)*s.Channels+c]) - v) * part
			}
			out[2*i+side] = int16(math.Round(v))
		}
	}
}

// EdgeFrames returns the frames around the part of a clip from first up to last, which is not
// included: the one before it, or else the first of the clip, and the one after it, which is nil
// where the clip ends before. Clips are sometimes shorter than their header says.
func EdgeFrames(ctx context.Context, path string, engine film.Engine, first, last int) (before, after *image.RGBA, err error) {
	r, err := film.Open(ctx, path, engine)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var kept *film.Samples
	for n := 0; n < max(first, last+1, 1); n++ {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if n < first || n == 0 {
			kept = s.Copy(kept)
		}
		if n == last {
			after = s.RGBA(nil)
		}
	}
	if kept == nil {
		return nil, nil, errors.New("there is no frame in the clip")
	}
	return kept.RGBA(nil), after, nil
}
