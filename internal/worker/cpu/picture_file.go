package cpu

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"image"
	"image/draw"
	_ "image/gif" // inputs
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"github.com/HugoSmits86/nativewebp"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/probe"
	"github.com/atelier-project/atelier/internal/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxPicture bounds the pictures that are read: work on one takes a few copies of
// it in memory.
const maxPicture = 64_000_000

// maxWebP is the longest edge that the format can hold.
const maxWebP = 16383

// source is the picture a tool works on, by index or by address; nil when there
// is none and it is not needed.
func source(ctx context.Context, t worker.Task, needed bool) (image.Image, error) {
	for _, argument := range []string{"sourceImageIndex", "source_image_url"} {
		if img, err := open(ctx, t, argument); img != nil || err != nil {
			return img, err
		}
	}
	if needed {
		return nil, worker.Failf("%s needs a picture to work on.", t.ToolName)
	}
	return nil, nil
}

// open reads the picture of an input, turned as its camera says; nil when there
// is none. Its size is looked at before it is decoded.
func open(ctx context.Context, t worker.Task, argument string) (image.Image, error) {
	path, ok := t.Files[argument]
	if !ok {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	config, format, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return nil, worker.Failf("The input %s is not a picture that can be read: PNG, JPEG, GIF and WebP are.", argument)
	}
	if config.Width < 1 || config.Height < 1 || int64(config.Width)*int64(config.Height) > maxPicture {
		return nil, worker.Failf("The input %s is a picture of %d by %d pixels; at most %d million pixels are worked on.", argument, config.Width, config.Height, maxPicture/1_000_000)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bufio.NewReader(filetype.LimitScans(wanted{ctx, f})))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, filetype.ErrScans):
		return nil, worker.Failf("The input %s is a JPEG of more than %d scans; save it with fewer, or as PNG.", argument, filetype.MaxScans)
	case err != nil:
		return nil, worker.Failf("The input %s is a picture that cannot be read to its end.", argument)
	}
	if format == "jpeg" {
		img = pixel.Upright(img, probe.OrientationOf(f))
	}
	return img, nil
}

// wanted reads until its context ends.
type wanted struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (w wanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// quality is that of lossy files: the compression argument of the image models
// that have one, else good.
func quality(t worker.Task) int {
	return min(max(int(number(t, "gptImageOutputCompression", 92)), 1), 100)
}

// save writes a picture in the type of its artifact, with a quality for JPEG. WebP
// is written without loss.
func save(path, contentType string, img image.Image, quality int) error {
	var encode func(w io.Writer) error
	switch filetype.Canonical(contentType) {
	case "image/png":
		encode = func(w io.Writer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img) }
	case "image/jpeg":
		encode = func(w io.Writer) error { return jpeg.Encode(w, onWhite(img), &jpeg.Options{Quality: quality}) }
	case "image/webp":
		if b := img.Bounds(); max(b.Dx(), b.Dy()) > maxWebP {
			return worker.Failf("WebP holds at most %d pixels on an edge; ask for png or jpg.", maxWebP)
		}
		encode = func(w io.Writer) error {
			// The encoder does not look whether its writes succeed.
			var b bytes.Buffer
			if err := nativewebp.Encode(&b, img, nil); err != nil {
				return err
			}
			_, err := b.WriteTo(w)
			return err
		}
	default:
		return worker.Failf("The CPU renderer writes PNG, JPEG and WebP, not %s.", contentType)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	write := func() error { return encode(w) }
	if e, ok := img.(*pixel.Enlarged); ok {
		err = e.Read(write)
	} else {
		err = write()
	}
	if err != nil {
		f.Close()
		return err
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// onWhite is a picture as JPEG can hold it: transparency becomes white, not the
// black that dropping it would leave.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		if n, ok := img.(*image.NRGBA); ok {
			// Opaque pixels are the same in both forms, and the encoder is
			// quicker with this one.
			return &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
		}
		return img
	}
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, b.Min, draw.Over)
	return out
}
