package film

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// An Engine encodes and decodes.
type Engine string

// The engines. The zero value is ffmpeg when it is on the PATH, and else our
// own.
const (
	Auto    Engine = ""
	FFmpeg  Engine = "ffmpeg"
	BuiltIn Engine = "own"
)

// Sound is interleaved samples of 16 bits.
type Sound struct {
	Rate     int
	Channels int // one or two
	Samples  []int16
}

// Options says what clip to make.
type Options struct {
	Width, Height int // even, as 4:2:0 wants it
	FPS           int
	Den           int // divides FPS, as in 30000 over 1001; one if zero
	Frames        int
	Sound         *Sound
	MaxBytes      int64  // bound of the file, none if zero
	Format        string // "mp4", which is the default, or "mov"
	Engine        Engine
	Quality       int    // QP of the own engine and CRF of ffmpeg; a good one if zero
	Tool          string // which renderer made the clip; it stands in the file
	Comment       string
	TempDir       string // of what waits to be written; that of the system if empty
}

// Info describes the file that was written.
type Info struct {
	Engine   Engine
	Codec    string // as a browser's type attribute has it: avc1.42C01E
	Audio    string // fLaC, mp4a.40.2, sowt or nothing
	Bytes    int64
	Duration time.Duration
	Keys     int // key frames, where known
}

// ErrTooLarge is returned when a clip does not fit into MaxBytes at any
// quality.
var ErrTooLarge = errors.New("film: the clip does not fit into its bound")

func (o *Options) check() error {
	switch {
	case o.Width < 16 || o.Height < 16 || o.Width > 8192 || o.Height > 8192:
		return fmt.Errorf("film: a clip of %dx%d cannot be made", o.Width, o.Height)
	case o.Width%2 != 0 || o.Height%2 != 0:
		return fmt.Errorf("film: the size of a clip must be even, not %dx%d", o.Width, o.Height)
	case o.FPS < 1 || o.Den < 1 || o.Den > 1_000_000 || o.FPS > 120*o.Den:
		return fmt.Errorf("film: %d/%d frames a second cannot be made", o.FPS, o.Den)
	case o.Frames < 1:
		return errors.New("film: a clip needs at least one frame")
	case o.Format != "" && o.Format != "mp4" && o.Format != "mov":
		return fmt.Errorf("film: clips are mp4 or mov, not %q", o.Format)
	}
	if s := o.Sound; s != nil && (s.Rate < 8000 || s.Rate > 192000 || s.Channels < 1 || s.Channels > 2 || len(s.Samples)%s.Channels != 0) {
		return fmt.Errorf("film: sound of %d Hz with %d channels cannot be written", s.Rate, s.Channels)
	}
	return nil
}

// rate returns frames a second.
func (o *Options) rate() float64 { return float64(o.FPS) / float64(o.Den) }

// seconds returns the length of the pictures.
func (o *Options) seconds() float64 { return float64(o.Frames) * float64(o.Den) / float64(o.FPS) }

// soundFrames returns how many frames of sound the clip holds. Sound ends with the
// pictures; a second of silence behind them would be a second of a frozen
// frame.
func (o *Options) soundFrames() int {
	s := o.Sound
	return min(len(s.Samples)/s.Channels, int(int64(o.Frames)*int64(o.Den)*int64(s.Rate)/int64(o.FPS)))
}

// Write makes a clip. frame is called for 0 to Frames-1 in order, and may use
// the same image again and again; Samples are coded as they are. progress, if
// not nil, is called with numbers from 0 to 1.
func Write(ctx context.Context, w io.Writer, o Options, frame func(i int) (image.Image, error), progress func(float64)) (Info, error) {
	if o.Format == "" {
		o.Format = "mp4"
	}
	if o.Den == 0 {
		o.Den = 1
	}
	if err := o.check(); err != nil {
		return Info{}, err
	}
	if o.Sound != nil && len(o.Sound.Samples) == 0 {
		o.Sound = nil
	}
	if progress == nil {
		progress = func(float64) {}
	}
	engine := o.Engine.resolve()
	dir, err := os.MkdirTemp(o.TempDir, "film-")
	if err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	defer os.RemoveAll(dir)
	var info Info
	switch engine {
	case BuiltIn:
		info, err = writeBuiltIn(ctx, w, o, dir, frame, progress)
	case FFmpeg:
		info, err = writeFFmpeg(ctx, w, o, dir, frame, progress)
	default:
		return Info{}, fmt.Errorf("film: there is no engine %q", engine)
	}
	if err != nil {
		return Info{}, err
	}
	info.Engine = engine
	info.Duration = time.Duration(o.seconds() * float64(time.Second))
	progress(1)
	return info, nil
}

// ffmpegChecked caches what the ffmpeg at a path can do: the check takes a while, and
// its result does not change.
var ffmpegChecked sync.Map

// Available reports whether an ffmpeg that can write H.264 is on the PATH; some
// are built without.
func Available() bool {
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		return false
	}
	if able, ok := ffmpegChecked.Load(path); ok {
		return able.(bool)
	}
	text, err := exec.Command(path, "-hide_banner", "-v", "error", "-encoders").Output()
	able := err == nil && bytes.Contains(text, []byte(" libx264 "))
	ffmpegChecked.Store(path, able)
	return able
}

// resolve chooses the engine that Auto stands for.
func (e Engine) resolve() Engine {
	switch {
	case e != Auto:
		return e
	case Available():
		return FFmpeg
	}
	return BuiltIn
}
