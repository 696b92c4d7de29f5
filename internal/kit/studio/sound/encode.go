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

// ErrNeedsFFmpeg is returned for a format that needs ffmpeg when there is none
// on the PATH.
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
