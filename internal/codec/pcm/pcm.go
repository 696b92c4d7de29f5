package pcm

import (
	"errors"
	"fmt"
	"math"
)

// Limits of a recording. They are wider than anything made here, because
// recordings are also uploaded.
const (
	MinRate     = 1000
	MaxRate     = 384000
	MaxChannels = 8
)

// MaxSamples limits the samples, of all channels together, of an uploaded
// recording in memory: half an hour in stereo at 48 kHz.
const MaxSamples = 30 * 60 * 48000 * 2

// ErrTooLong reports that a recording has more frames than the caller allows.
var ErrTooLong = errors.New("the recording is too long")

// Sound is a recording. PCM holds the frames one after another, each with one
// sample per channel.
type Sound struct {
	Rate     int
	Channels int
	PCM      []int16
}

// Frames returns the length in samples of one channel.
func (s *Sound) Frames() int {
	if s.Channels <= 0 {
		return 0
	}
	return len(s.PCM) / s.Channels
}

// Check returns what is wrong with a recording that a caller assembled.
func (s *Sound) Check() error {
	switch {
	case s == nil:
		return fmt.Errorf("there is no clip")
	case s.Rate < MinRate || s.Rate > MaxRate:
		return fmt.Errorf("sample rate %d is outside %d to %d", s.Rate, MinRate, MaxRate)
	case s.Channels < 1 || s.Channels > MaxChannels:
		return fmt.Errorf("%d channels; 1 to %d are allowed", s.Channels, MaxChannels)
	case len(s.PCM)%s.Channels != 0:
		return fmt.Errorf("the last frame is incomplete")
	}
	return nil
}

// Quantise rounds a sample to 16 bits and keeps it in range. A sample that is
// not a number becomes silence, so that one bad filter cannot spoil a file.
func Quantise(x float32) int16 {
	v := float64(x) * 32767
	switch {
	case v != v:
		return 0
	case v >= 32767:
		return 32767
	case v <= -32767:
		return -32767
	}
	return int16(math.Round(v))
}
