package film

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/codec/flac"
	"github.com/atelier-project/atelier/internal/codec/mp4"
	"github.com/atelier-project/atelier/internal/codec/pcm"
)

// ReadSound reads the sound of the clip at path, nil if it has none, up to a
// number of seconds.
func ReadSound(ctx context.Context, path string, engine Engine, seconds int) (*Sound, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	info, err := probe(f)
	if errors.Is(err, mp4.ErrOverlap) { // no engine reads it
		return nil, fmt.Errorf("film: this clip cannot be read: %w", mp4.ErrOverlap)
	}
	if err == nil && !info.HasAudio && !info.Fragmented {
		return nil, nil
	}
	if err == nil && engine != FFmpeg {
		heard, err := readSoundBuiltIn(ctx, f, info.Audio(), seconds)
		if err == nil || engine == BuiltIn {
			return heard, err
		}
	}
	if engine == BuiltIn {
		return nil, err
	}
	return readSoundFFmpeg(ctx, path, seconds)
}

// readSoundBuiltIn reads the two kinds of sound that this package writes.
func readSoundBuiltIn(ctx context.Context, f *os.File, track *mp4.Track, seconds int) (*Sound, error) {
	foreign := errors.New("film: this sound cannot be read without ffmpeg")
	if track == nil {
		return nil, foreign
	}
	out := &Sound{Rate: track.Rate, Channels: track.Channels}
	var buf []byte
	var next func(i int) (samples int, err error) // appends sample i, and maybe others behind it
	switch track.Codec {
	case mp4.FLAC:
		d, err := flac.NewDecoder(track.AudioConfig())
		if err != nil {
			return nil, err
		}
		out.Rate, out.Channels = d.Rate, d.Channels
		next = func(i int) (int, error) {
			if buf, err = track.Read(f, i, buf); err == nil {
				out.Samples, err = d.Decode(out.Samples, buf)
			}
			return 1, err
		}
	case mp4.PCM:
		next = func(i int) (n int, err error) {
			if buf, n, err = track.ReadRun(f, i, buf); err == nil && len(buf) != n*2*out.Channels {
				err = foreign
			}
			for k := 0; k+1 < len(buf); k += 2 {
				out.Samples = append(out.Samples, int16(binary.LittleEndian.Uint16(buf[k:])))
			}
			return n, err
		}
	default:
		return nil, fmt.Errorf("film: sound in %q cannot be read without ffmpeg", track.Codec)
	}
	if out.Channels < 1 || out.Channels > 2 || out.Rate < pcm.MinRate || out.Rate > pcm.MaxRate {
		return nil, foreign
	}
	limit := min(seconds*out.Rate*out.Channels, pcm.MaxSamples)
	for i := 0; i < track.Len() && len(out.Samples) < limit; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := next(i)
		if err != nil {
			return nil, err
		}
		i += n
	}
	out.Samples = out.Samples[:min(len(out.Samples), limit)]
	return out, nil
}

// readSoundFFmpeg reads any sound, as 48 kHz in stereo.
func readSoundFFmpeg(ctx context.Context, path string, seconds int) (*Sound, error) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, errors.New("film: this sound cannot be read without ffmpeg")
	}
	from, err := input(path)
	if err != nil {
		return nil, err
	}
	cmd := command(ctx, append(from, "-map", "0:a:0", "-ar", "48000", "-ac", "2", "-t", strconv.Itoa(min(seconds, maxLength)), "-f", "s16le", "pipe:1")...)
	out := &Sound{Rate: 48000, Channels: 2}
	in := sampleWriter{sound: out}
	cmd.Stdout = &in
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if text := stderrOf(cmd); strings.Contains(text, "matches no streams") {
			return nil, nil
		}
		return nil, failure(cmd, err)
	}
	out.Samples = out.Samples[:len(out.Samples)/2*2]
	return out, nil
}

// sampleWriter decodes samples from the bytes written to it.
type sampleWriter struct {
	sound *Sound
	half  []byte // the first byte of a sample whose second has not arrived
}

// Write implements io.Writer.
func (s *sampleWriter) Write(b []byte) (int, error) {
	n := len(b)
	if len(s.half) > 0 && n > 0 {
		s.sound.Samples = append(s.sound.Samples, int16(uint16(s.half[0])|uint16(b[0])<<8))
		s.half, b = nil, b[1:]
	}
	for ; len(b) > 1; b = b[2:] {
		s.sound.Samples = append(s.sound.Samples, int16(binary.LittleEndian.Uint16(b)))
	}
	s.half = append(s.half, b...)
	return n, nil
}
