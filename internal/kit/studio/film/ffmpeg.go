package film

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/internal/kit/codec/h264"
)

// soundRate is what AAC gets, in bits a second.
const soundRate = 160_000

// writeFFmpeg pipes the frames into ffmpeg. They are converted here, so that
// both engines have the same colours and the pipe carries half as much.
func writeFFmpeg(ctx context.Context, w io.Writer, o Options, dir string, frame func(int) (image.Image, error), progress func(float64)) (Info, error) {
	out := filepath.Join(dir, "clip."+o.Format)
	args := []string{"-f", "rawvideo", "-pix_fmt", "yuv420p", "-video_size", fmt.Sprintf("%dx%d", o.Width, o.Height), "-framerate", fmt.Sprintf("%d/%d", o.FPS, o.Den), "-i", "pipe:0"}
	if o.Sound != nil {
		path := filepath.Join(dir, "sound")
		if err := writeSamples(path, o); err != nil {
			return Info{}, err
		}
		args = append(args, "-f", "s16le", "-ar", strconv.Itoa(o.Sound.Rate), "-ac", strconv.Itoa(o.Sound.Channels), "-i", path)
	}
	quality := o.Quality
	if quality == 0 {
		quality = 18
	}
	rate := o.videoRate(1)
	args = append(args, encodeArgs(o, quality, rate, false)...)
	cmd := command(ctx, append(args, out)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	ferr := feed(ctx, in, o, frame, progress)
	in.Close()
	werr := cmd.Wait()
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	if werr != nil {
		return Info{}, failure(cmd, werr)
	}
	if ferr != nil {
		return Info{}, ferr
	}
	return o.deliver(ctx, w, out, dir)
}

// feed writes every frame. When the pipe breaks, the message of ffmpeg is the
// better reason, so that error is dropped.
func feed(ctx context.Context, in io.Writer, o Options, frame func(int) (image.Image, error), progress func(float64)) error {
	var convert h264.Converter
	for i := range o.Frames {
		if err := ctx.Err(); err != nil {
			return err
		}
		img, err := frame(i)
		if err != nil {
			return err
		}
		if s := img.Bounds().Size(); s.X != o.Width || s.Y != o.Height {
			return fmt.Errorf("film: a frame of %dx%d in a clip of %dx%d", s.X, s.Y, o.Width, o.Height)
		}
		var planes *image.YCbCr
		if s, ok := img.(*Samples); ok {
			planes = s.YCbCr
		} else {
			planes = convert.YCbCr(img)
		}
		if err := writePlanes(in, planes); err != nil {
			return fmt.Errorf("film: ffmpeg stopped reading: %w", err)
		}
		progress(float64(i+1) / float64(o.Frames+1))
	}
	return nil
}

func writePlanes(w io.Writer, m *image.YCbCr) error {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	buf := make([]byte, 0, width*height*3/2)
	for y := range height {
		buf = append(buf, m.Y[y*m.YStride:][:width]...)
	}
	for y := range height / 2 {
		buf = append(buf, m.Cb[y*m.CStride:][:width/2]...)
	}
	for y := range height / 2 {
		buf = append(buf, m.Cr[y*m.CStride:][:width/2]...)
	}
	_, err := w.Write(buf)
	return err
}

// videoRate returns how many bits a second the pictures may take, or zero. The
// buffer of one second is filled once, hence the second more.
func (o *Options) videoRate(part float64) int64 {
	if o.MaxBytes == 0 {
		return 0
	}
	seconds := o.seconds()
	bits := float64(o.MaxBytes-4096-32*int64(o.Frames)) * 8 * part
	if o.Sound != nil {
		bits -= soundRate * 1.1 * seconds
	}
	return max(int64(bits/(seconds+1)), 1000)
}

// encodeArgs returns the options behind the inputs. A fixed number of threads and
// the bitexact flags make the clip the same every time.
func encodeArgs(o Options, quality int, rate int64, copySound bool) []string {
	args := []string{"-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-c:v", "libx264", "-preset", "veryfast", "-threads", "2",
		"-crf", strconv.Itoa(quality), "-pix_fmt", "yuv420p", "-g", strconv.Itoa(max(1, 2*o.FPS/o.Den)),
		"-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-chroma_sample_location", "center"}
	if rate > 0 {
		args = append(args, "-maxrate", strconv.FormatInt(rate, 10), "-bufsize", strconv.FormatInt(rate, 10))
	}
	if o.Sound != nil {
		if copySound {
			args = append(args, "-c:a", "copy")
		} else {
			args = append(args, "-c:a", "aac", "-b:a", strconv.Itoa(soundRate), "-flags:a", "+bitexact")
		}
	}
	if o.Tool != "" {
		// The tag of the encoder is ffmpeg's own, and bitexact clips have none.
		args = append(args, "-metadata", "artist="+o.Tool)
	}
	if o.Comment != "" {
		args = append(args, "-metadata", "comment="+o.Comment)
	}
	return append(args, "-movflags", "+faststart", "-f", o.Format)
}

// deliver copies the clip out, after making it smaller should it still be too
// large.
func (o *Options) deliver(ctx context.Context, w io.Writer, path, dir string) (Info, error) {
	for try := 0; ; try++ {
		st, err := os.Stat(path)
		if err != nil {
			return Info{}, fmt.Errorf("film: %w", err)
		}
		if o.MaxBytes == 0 || st.Size() <= o.MaxBytes {
			break
		}
		if try == 3 {
			return Info{}, fmt.Errorf("%w of %d bytes: it takes %d", ErrTooLarge, o.MaxBytes, st.Size())
		}
		smaller := filepath.Join(dir, fmt.Sprintf("smaller%d.%s", try, o.Format))
		args := append([]string{"-i", path}, encodeArgs(*o, 28+6*try, o.videoRate(0.8-0.25*float64(try)), true)...)
		cmd := command(ctx, append(args, smaller)...)
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return Info{}, ctx.Err()
			}
			return Info{}, failure(cmd, err)
		}
		path = smaller
	}
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	info := Info{Codec: "avc1", Audio: ""}
	if o.Sound != nil {
		info.Audio = "mp4a.40.2"
	}
	info.describe(f)
	if info.Bytes, err = io.Copy(w, f); err != nil {
		return Info{}, fmt.Errorf("film: %w", err)
	}
	return info, nil
}

// command returns an ffmpeg command that prints only errors, reads no keys, and
// is killed when the context ends.
func command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "ffmpeg", append([]string{"-hide_banner", "-nostdin", "-v", "error", "-y"}, args...)...)
	cmd.WaitDelay = 2 * time.Second
	cmd.Stderr = &excerpt{}
	return cmd
}

// failure returns the last error message of ffmpeg.
func failure(cmd *exec.Cmd, err error) error {
	text := stderrOf(cmd)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return fmt.Errorf("film: ffmpeg failed: %w: %s", err, text)
}

func stderrOf(cmd *exec.Cmd) string {
	b, ok := cmd.Stderr.(*excerpt)
	if !ok {
		return ""
	}
	return strings.TrimSpace(string(b.bytes()))
}

// excerptSize is how much is kept of the beginning, and of the end.
const excerptSize = 64 << 10

// excerpt keeps the beginning and the end of ffmpeg's messages: for a damaged
// file it prints one for every frame.
type excerpt struct{ head, tail []byte }

// Write implements io.Writer.
func (e *excerpt) Write(b []byte) (int, error) {
	n := min(len(b), excerptSize-len(e.head))
	e.head = append(e.head, b[:n]...)
	e.tail = append(e.tail, b[n:]...)
	if more := len(e.tail) - excerptSize; more > excerptSize {
		e.tail = append(e.tail[:0], e.tail[more:]...)
	}
	return len(b), nil
}

func (e *excerpt) bytes() []byte { return slices.Concat(e.head, e.tail) }

// writeSamples spools the sound, cut to the length of the pictures.
func writeSamples(path string, o Options) error {
	total := o.soundFrames() * o.Sound.Channels
	buf := make([]byte, 0, 2*total)
	for _, v := range o.Sound.Samples[:total] {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(v))
	}
	if err := os.WriteFile(path, buf, 0o600); err != nil {
		return fmt.Errorf("film: %w", err)
	}
	return nil
}
