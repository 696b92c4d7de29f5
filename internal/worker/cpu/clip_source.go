package cpu

import (
	"context"
	"errors"
	"image"
	"io"

	"github.com/atelier-project/atelier/internal/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// reel is a clip that is read: forwards, one frame at a time.
type reel struct {
	*film.Reader
	path  string
	frame *film.Samples // the one that is shown
	at    int           // its number, -1 before the first
	ended bool
	rgba  *image.RGBA
	fresh bool // rgba shows the frame
}

// unreel opens the clip of an argument. It must be closed.
func unreel(ctx context.Context, t worker.Task, argument string) (*reel, error) {
	path, ok := t.Files[argument]
	if !ok {
		return nil, worker.Failf("%s needs a video.", t.ToolName)
	}
	return openReel(ctx, path)
}

func openReel(ctx context.Context, path string) (*reel, error) {
	r, err := film.Open(ctx, path, engineOf(ctx))
	if err != nil {
		return nil, plainly(err)
	}
	if r.Width*r.Height > maxSource || r.Width < 16 || r.Height < 16 || r.Seconds() > maxSeconds {
		r.Close()
		return nil, worker.Failf("The CPU renderer works on clips of up to %d seconds and from 16 by 16 to %d pixels a frame, not of %.0f seconds and %d by %d.",
			maxSeconds, maxSource, r.Seconds(), r.Width, r.Height)
	}
	return &reel{Reader: r, path: path, at: -1}, nil
}

// size is that of the frames, made even.
func (r *reel) size() (int, int) { return r.Width / 2 * 2, r.Height / 2 * 2 }

// seek goes forward to a frame. Behind the last one it stays there: clips are
// sometimes shorter than they say.
func (r *reel) seek(n int) error {
	for r.at < n && !r.ended {
		s, err := r.Next()
		if errors.Is(err, io.EOF) && r.frame != nil {
			r.ended = true
			return nil
		}
		if errors.Is(err, io.EOF) {
			return worker.Failf("There is no frame in the video that could be read.")
		}
		if err != nil {
			return plainly(err)
		}
		r.frame, r.fresh = s, false
		r.at++
	}
	return nil
}

// moment is the number of the frame that is seen at a time.
func (r *reel) moment(seconds float64) int {
	return min(max(int(seconds*r.Rate()+1e-6), 0), r.Frames-1)
}

// samples is a frame as the codec has it, of even size; it is valid until the
// next one.
func (r *reel) samples(n int) (*film.Samples, error) {
	if err := r.seek(n); err != nil {
		return nil, err
	}
	s := r.frame
	if w, h := r.size(); w != r.Width || h != r.Height {
		cut := *s.YCbCr
		cut.Rect = image.Rect(0, 0, w, h)
		s = &film.Samples{YCbCr: &cut}
	}
	return s, nil
}

// look is a frame in colours; it is valid until the next one.
func (r *reel) look(n int) (*image.RGBA, error) {
	s, err := r.samples(n)
	if err != nil {
		return nil, err
	}
	if !r.fresh {
		r.rgba, r.fresh = s.RGBA(r.rgba), true
	}
	return r.rgba, nil
}

// hear is the sound of a clip, nil when it has none.
func (r *reel) hear(ctx context.Context) (*film.Sound, error) {
	if !r.Sound {
		return nil, nil
	}
	s, err := film.Listen(ctx, r.path, engineOf(ctx), maxSeconds)
	return s, plainly(err)
}

// like is a take of the same size, rate and length as a clip.
func (r *reel) like() *take {
	w, h := r.size()
	return &take{width: w, height: h, fps: r.FPS, den: r.Den, frames: r.Frames}
}
