package task

import (
	"context"
	"errors"
	"image"
	"io"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worker"
)

// Limits of the videos and recordings that are read. Larger ones would take hours
// and gigabytes.
const (
	MaxVideoPixels = 4096 * 2304 // of a frame
	MaxSeconds     = 600
)

// Video is an input video. Its frames are read forwards, one at a time.
type Video struct {
	*film.Reader
	Ended bool // there are no more frames

	path      string
	engine    film.Engine
	frame     *film.Samples // the current one
	index     int           // of the current one, -1 before the first
	rgba      *image.RGBA
	rgbaValid bool // rgba shows the current frame
}

// Video opens the video of an argument. The caller closes it.
func (t Task) Video(ctx context.Context, argument string) (*Video, error) {
	path, ok := t.Files[argument]
	if !ok {
		return nil, worker.Failf("%s needs a video.", t.ToolName)
	}
	return t.OpenVideo(ctx, path)
}

// OpenVideo opens the video at a path. The caller closes it.
func (t Task) OpenVideo(ctx context.Context, path string) (*Video, error) {
	r, err := film.Open(ctx, path, t.Engine)
	if err != nil {
		return nil, Failure(err)
	}
	if r.Width*r.Height > MaxVideoPixels || r.Width < 16 || r.Height < 16 || r.Seconds() > MaxSeconds {
		r.Close()
		return nil, worker.Failf("The CPU renderer works on clips of up to %d seconds and from 16 by 16 to %d pixels a frame, not of %.0f seconds and %d by %d.",
			MaxSeconds, MaxVideoPixels, r.Seconds(), r.Width, r.Height)
	}
	return &Video{Reader: r, path: path, engine: t.Engine, index: -1}, nil
}

// Size returns the size of the frames, rounded down to even numbers.
func (v *Video) Size() (int, int) { return v.Width / 2 * 2, v.Height / 2 * 2 }

// seek reads up to a frame. At the end it stays at the last frame: some files
// hold fewer frames than they declare.
func (v *Video) seek(n int) error {
	for v.index < n && !v.Ended {
		s, err := v.Next()
		if errors.Is(err, io.EOF) && v.frame != nil {
			v.Ended = true
			return nil
		}
		if errors.Is(err, io.EOF) {
			return worker.Failf("There is no frame in the video that could be read.")
		}
		if err != nil {
			return Failure(err)
		}
		v.frame, v.rgbaValid = s, false
		v.index++
	}
	return nil
}

// IndexAt returns the number of the frame that is shown at a time.
func (v *Video) IndexAt(seconds float64) int {
	return min(max(int(seconds*v.Rate()+1e-6), 0), v.Frames-1)
}

// Samples returns a frame in the codec's colour space and of even size. It is
// valid until the next call.
func (v *Video) Samples(n int) (*film.Samples, error) {
	if err := v.seek(n); err != nil {
		return nil, err
	}
	s := v.frame
	if w, h := v.Size(); w != v.Width || h != v.Height {
		cut := *s.YCbCr
		cut.Rect = image.Rect(0, 0, w, h)
		s = &film.Samples{YCbCr: &cut}
	}
	return s, nil
}

// RGBA returns a frame in RGB. It is valid until the next call.
func (v *Video) RGBA(n int) (*image.RGBA, error) {
	s, err := v.Samples(n)
	if err != nil {
		return nil, err
	}
	if !v.rgbaValid {
		v.rgba, v.rgbaValid = s.RGBA(v.rgba), true
	}
	return v.rgba, nil
}

// WritableRGBA is RGBA for a caller that draws on the frame.
func (v *Video) WritableRGBA(n int) (*image.RGBA, error) {
	img, err := v.RGBA(n)
	v.rgbaValid = false
	return img, err
}

// Sound returns the sound of the video, nil when it has none.
func (v *Video) Sound(ctx context.Context) (*film.Sound, error) {
	if !v.Reader.Sound {
		return nil, nil
	}
	s, err := film.ReadSound(ctx, v.path, v.engine, MaxSeconds)
	return s, Failure(err)
}
