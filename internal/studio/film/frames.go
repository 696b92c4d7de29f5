package film

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"iter"
	"os"

	"github.com/atelier-project/atelier/internal/studio/h264"
	"github.com/atelier-project/atelier/internal/studio/mp4"
)

// Frames reads the frames of the clip at path in order. The image is used
// again for the next frame; the first error ends the iteration.
func Frames(ctx context.Context, path string, engine Engine) iter.Seq2[*image.RGBA, error] {
	engine = engine.resolve()
	return func(yield func(*image.RGBA, error) bool) {
		var err error
		keep := func(img *image.RGBA) bool { return yield(img, nil) }
		switch engine {
		case Own:
			err = framesOwn(ctx, path, keep)
		case FFmpeg:
			err = framesFFmpeg(ctx, path, keep)
		default:
			err = fmt.Errorf("film: there is no engine %q", engine)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// errEnough says that the caller wants no more frames.
var errEnough = errors.New("film: enough")

// framesOwn decodes clips of our own.
func framesOwn(ctx context.Context, path string, keep func(*image.RGBA) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("film: %w", err)
	}
	defer f.Close()
	info, err := mp4.Probe(f)
	if err != nil {
		return err
	}
	track := info.Video()
	if track == nil || info.Fragmented {
		return errors.New("film: this clip cannot be read without ffmpeg")
	}
	sps, pps, err := track.ParameterSets()
	if err != nil {
		return fmt.Errorf("film: this clip cannot be read without ffmpeg: %w", err)
	}
	decoder, err := h264.NewDecoder(sps, pps)
	if err != nil {
		return fmt.Errorf("film: this clip cannot be read without ffmpeg: %w", err)
	}
	var buf []byte
	var img *image.RGBA
	for i := range track.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if buf, err = track.Read(f, i, buf); err != nil {
			return err
		}
		samples, err := decoder.Decode(buf)
		if err != nil {
			return fmt.Errorf("film: frame %d: %w", i, err)
		}
		img = h264.ToRGBA(img, samples)
		if !keep(img) {
			return errEnough
		}
	}
	return nil
}

// framesFFmpeg decodes anything. PPM says the size with every frame, so no
// other program has to be asked for it.
func framesFFmpeg(ctx context.Context, path string, keep func(*image.RGBA) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := command(ctx, "-i", path, "-map", "0:v:0", "-sws_flags", "bicubic+accurate_rnd+full_chroma_int", "-pix_fmt", "rgb24", "-c:v", "ppm", "-f", "image2pipe", "pipe:1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("film: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("film: %w", err)
	}
	r := bufio.NewReaderSize(out, 1<<16)
	err = readPPM(r, keep)
	if err != nil {
		stop()
	}
	werr := cmd.Wait()
	switch {
	case errors.Is(err, errEnough):
		return err
	case werr != nil && !errors.Is(werr, context.Canceled) && ctx.Err() == nil:
		return failure(cmd, werr)
	case err != nil:
		return err
	}
	return context.Cause(ctx)
}

func readPPM(r *bufio.Reader, keep func(*image.RGBA) bool) error {
	var img *image.RGBA
	var row []byte
	for {
		var w, h, top int
		if _, err := r.Peek(1); err == io.EOF {
			return nil
		}
		if _, err := fmt.Fscanf(r, "P6\n%d %d\n%d\n", &w, &h, &top); err != nil {
			return fmt.Errorf("film: ffmpeg's frames: %w", err)
		}
		if w < 1 || h < 1 || w > 16384 || h > 16384 || top != 255 {
			return fmt.Errorf("film: ffmpeg's frames are %dx%d", w, h)
		}
		if img == nil || img.Rect.Dx() != w || img.Rect.Dy() != h {
			img, row = image.NewRGBA(image.Rect(0, 0, w, h)), make([]byte, 3*w)
		}
		for y := range h {
			if _, err := io.ReadFull(r, row); err != nil {
				return fmt.Errorf("film: ffmpeg's frames: %w", err)
			}
			line := img.Pix[y*img.Stride:]
			for x := range w {
				line[4*x], line[4*x+1], line[4*x+2], line[4*x+3] = row[3*x], row[3*x+1], row[3*x+2], 255
			}
		}
		if !keep(img) {
			return errEnough
		}
	}
}

// describe reads from the file which codec it holds.
func (i *Info) describe(f *os.File) {
	info, err := mp4.Probe(f)
	if err != nil {
		return
	}
	if t := info.Video(); t != nil {
		if c := t.Config; len(c) > 3 {
			i.Codec = fmt.Sprintf("avc1.%02X%02X%02X", c[1], c[2], c[3])
		}
		for k := range t.Len() {
			if s, err := t.Sample(k); err == nil && s.Key {
				i.Keys++
			}
		}
	}
}
