package film

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/atelier-project/atelier/internal/studio/mp4"
)

// maxSound bounds what Listen reads: half an hour in stereo.
const maxSound = 30 * 60 * 48000 * 2

// Listen reads the sound of the clip at path, nil if it has none.
func Listen(ctx context.Context, path string, engine Engine) (*Sound, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	info, err := mp4.Probe(f)
	if err == nil && !info.HasAudio && !info.Fragmented {
		return nil, nil
	}
	if err == nil && engine != FFmpeg {
		sound, err := listenOwn(ctx, f, info.Audio())
		if err == nil || engine == Own {
			return sound, err
		}
	}
	if engine == Own {
		return nil, err
	}
	return listenFFmpeg(ctx, path)
}

// listenOwn reads the two kinds of sound that this room writes.
func listenOwn(ctx context.Context, f *os.File, track *mp4.Track) (*Sound, error) {
	if track == nil {
		return nil, errors.New("film: this sound cannot be read without ffmpeg")
	}
	out := &Sound{Rate: track.Rate, Channels: track.Channels}
	switch track.Codec {
	case mp4.FLAC:
		d, err := mp4.NewFLACDecoder(track.Config)
		if err != nil {
			return nil, err
		}
		out.Rate, out.Channels = d.Rate, d.Channels
		var buf []byte
		for i := 0; i < track.Len() && len(out.Samples) < maxSound; i++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if buf, err = track.Read(f, i, buf); err != nil {
				return nil, err
			}
			if out.Samples, err = d.Decode(out.Samples, buf); err != nil {
				return nil, err
			}
		}
	case mp4.PCM:
		if out.Channels < 1 || out.Channels > 2 {
			return nil, errors.New("film: this sound cannot be read without ffmpeg")
		}
		var buf []byte
		for i := 0; i < track.Len() && len(out.Samples) < maxSound; i++ {
			var err error
			if buf, err = track.Read(f, i, buf); err != nil {
				return nil, err
			}
			if len(buf) != 2*out.Channels {
				return nil, errors.New("film: this sound cannot be read without ffmpeg")
			}
			for k := 0; k < len(buf); k += 2 {
				out.Samples = append(out.Samples, int16(binary.LittleEndian.Uint16(buf[k:])))
			}
		}
	default:
		return nil, fmt.Errorf("film: sound in %q cannot be read without ffmpeg", track.Codec)
	}
	return out, nil
}

// listenFFmpeg reads any sound, as 48 kHz in stereo.
func listenFFmpeg(ctx context.Context, path string) (*Sound, error) {
	cmd := command(ctx, "-i", path, "-map", "0:a:0", "-ar", "48000", "-ac", "2", "-t", "1800", "-f", "s16le", "pipe:1")
	var raw bytes.Buffer
	cmd.Stdout = &raw
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, failure(cmd, err)
	}
	out := &Sound{Rate: 48000, Channels: 2}
	b := raw.Bytes()
	for k := 0; k+1 < len(b); k += 2 {
		out.Samples = append(out.Samples, int16(binary.LittleEndian.Uint16(b[k:])))
	}
	return out, nil
}
