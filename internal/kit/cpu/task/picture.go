package task

import (
	"bufio"
	"context"
	"errors"
	"image"
	_ "image/gif" // inputs
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxPicture limits the pixels of a picture that is read: a tool holds several
// copies of it in memory.
const maxPicture = 64_000_000

// Source returns the picture that a tool works on, given by index or by URL; nil
// when there is none and it is not required.
func (t Task) Source(ctx context.Context, required bool) (image.Image, error) {
	for _, argument := range []string{"sourceImageIndex", "source_image_url"} {
		if img, err := t.Picture(ctx, argument); img != nil || err != nil {
			return img, err
		}
	}
	if required {
		return nil, worker.Failf("%s needs a picture to work on.", t.ToolName)
	}
	return nil, nil
}

// Picture reads the picture of an argument; nil when there is none.
func (t Task) Picture(ctx context.Context, argument string) (image.Image, error) {
	path, ok := t.Files[argument]
	if !ok {
		return nil, nil
	}
	return readPicture(ctx, path, argument)
}

// OpenPicture reads the picture at a path.
func (t Task) OpenPicture(ctx context.Context, path string) (image.Image, error) {
	return readPicture(ctx, path, "reference")
}

// readPicture decodes a picture, after a check of its size, and rotates it as its
// EXIF orientation says. The name is that of the input in error messages.
func readPicture(ctx context.Context, path, name string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	config, format, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return nil, worker.Failf("The input %s is not a picture that can be read: PNG, JPEG, GIF and WebP are.", name)
	}
	if config.Width < 1 || config.Height < 1 || int64(config.Width)*int64(config.Height) > maxPicture {
		return nil, worker.Failf("The input %s is a picture of %d by %d pixels; at most %d million pixels are worked on.", name, config.Width, config.Height, maxPicture/1_000_000)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bufio.NewReader(filetype.LimitScans(contextReader{ctx, f})))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, filetype.ErrScans):
		return nil, worker.Failf("The input %s is a JPEG of more than %d scans; save it with fewer, or as PNG.", name, filetype.MaxScans)
	case err != nil:
		return nil, worker.Failf("The input %s is a picture that cannot be read to its end.", name)
	}
	if format == "jpeg" {
		img = pixel.ApplyOrientation(img, probe.OrientationOf(f))
	}
	return img, nil
}

// contextReader fails when its context has ended.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (w contextReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}
