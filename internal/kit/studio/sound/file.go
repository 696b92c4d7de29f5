package sound

import (
	"io"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/codec/wav"
)

// WriteWAV writes a clip as a WAV file of 16 bits.
func WriteWAV(w io.Writer, c *Clip) error { return wav.Write(w, (*pcm.Sound)(c), wav.PCM16) }

// ReadWAV reads a WAV file of at most maxFrames frames.
func ReadWAV(r io.Reader, maxFrames int) (*Clip, error) {
	s, err := wav.Read(r, maxFrames)
	return (*Clip)(s), err
}

// WriteFLAC writes a clip of one or two channels as a FLAC file.
func WriteFLAC(w io.Writer, c *Clip) error { return flac.Write(w, (*pcm.Sound)(c)) }
