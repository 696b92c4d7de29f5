package sound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ErrNeedsFFmpeg reports that a format can only be written or read with ffmpeg,
// and that there is none on the PATH.
var ErrNeedsFFmpeg = errors.New("ffmpeg is needed for this format: install it and put it on the PATH, or ask for wav")

// encodeTime bounds one run of ffmpeg. Ten minutes of stereo take it seconds.
const encodeTime = 2 * time.Minute

// encoders are ffmpeg's options by format. Bit exact output keeps the version
// of ffmpeg out of the file.
var encoders = map[string][]string{
	"mp3":  {"-codec:a", "libmp3lame", "-q:a", "2", "-f", "mp3"},
	"flac": {"-codec:a", "flac", "-f", "flac"},
}

// Encode writes a clip as "wav", "mp3" or "flac".
func Encode(ctx context.Context, c *Clip, format string, w io.Writer) error {
	format = strings.ToLower(format)
	if format == "wav" || format == "" {
		return WriteWAV(w, c)
	}
	if format == "flac" && c.Channels <= 2 {
		return WriteFLAC(w, c)
	}
	options, known := encoders[format]
	if !known {
		return fmt.Errorf("encode: the format %q is not known: ask for wav, mp3 or flac", format)
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return fmt.Errorf("encode %s: %w", format, ErrNeedsFFmpeg)
	}
	// Both formats keep their length in a header that is filled in last, which
	// needs a file rather than a pipe.
	dir, err := os.MkdirTemp("", "sound")
	if err != nil {
		return fmt.Errorf("encode %s: %w", format, err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "out."+format)

	in, feed := io.Pipe()
	go func() { feed.CloseWithError(WriteWAV(feed, c)) }()
	defer in.Close()
	args := append([]string{"-f", "wav", "-i", "pipe:0", "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact"}, options...)
	if _, err := runFFmpeg(ctx, in, append(args, name)...); err != nil {
		return fmt.Errorf("encode %s: %w", format, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("encode %s: %w", format, err)
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// Decode reads a recording of at most maxFrames frames: WAV and FLAC by itself,
// any other format through ffmpeg.
func Decode(ctx context.Context, data []byte, maxFrames int) (*Clip, error) {
	if len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WAVE" {
		return ReadWAV(bytes.NewReader(data), maxFrames)
	}
	if bytes.HasPrefix(data, []byte("fLaC")) {
		return ReadFLAC(bytes.NewReader(data), maxFrames)
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, fmt.Errorf("decode: %w", ErrNeedsFFmpeg)
	}
	// A playlist inside the data must not make ffmpeg open files or addresses.
	out, err := runFFmpeg(ctx, bytes.NewReader(data), "-protocol_whitelist", "pipe", "-i", "pipe:0", "-vn", "-ac", "2", "-ar", "44100",
		"-t", fmt.Sprintf("%.3f", float64(maxFrames)/44100+1), "-f", "wav", "-codec:a", "pcm_s16le", "pipe:1")
	if err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return ReadWAV(bytes.NewReader(out), maxFrames)
}

func runFFmpeg(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, encodeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ffmpeg", append([]string{"-hide_banner", "-loglevel", "error", "-nostdin", "-y"}, args...)...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("ffmpeg: %w: %.200s", err, strings.TrimSpace(complaint.String()))
	}
	return out.Bytes(), nil
}
