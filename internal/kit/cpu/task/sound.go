package task

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/sound"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxFrames limits the length of a WAV file that is read.
const maxFrames = 10 * 60 * pcm.MaxRate

// Sound reads the recording in a file: WAV and FLAC with our own decoders, every
// other format, and the sound of videos, with package film.
func (t Task) Sound(ctx context.Context, path string) (*sound.Clip, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, filetype.HeadSize)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	switch filetype.Detect(head[:n]) {
	case "audio/wav":
		c, err := sound.ReadWAV(contextReader{ctx, f}, maxFrames)
		if err == nil && c.Duration().Seconds() > MaxSeconds {
			c = c.Cut(0, MaxSeconds*c.Rate)
		}
		return c, Failure(err)
	case "audio/flac":
		c, err := readFLAC(ctx, f)
		if err == nil || ctx.Err() != nil {
			return c, err
		}
	}
	s, err := film.ReadSound(ctx, path, t.Engine, MaxSeconds)
	if err != nil {
		return nil, Failure(err)
	}
	if s == nil || len(s.Samples) == 0 {
		return nil, worker.Failf("There is no sound in the recording.")
	}
	return footage.SoundOf(s), nil
}

// readFLAC reads at most MaxSeconds of a FLAC file.
func readFLAC(ctx context.Context, f io.Reader) (*sound.Clip, error) {
	r, err := flac.NewReader(f)
	if err != nil {
		return nil, err
	}
	c, err := r.ReadAll(ctx, min(MaxSeconds*r.Rate, pcm.MaxSamples/r.Channels))
	if errors.Is(err, pcm.ErrTooLong) {
		err = nil
	}
	return (*sound.Clip)(c), err
}
