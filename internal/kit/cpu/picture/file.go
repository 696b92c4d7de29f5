package picture

import (
	"bufio"
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/webp"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// maxWebP is the longest edge that the format can hold.
const maxWebP = 16383

// quality returns the quality of lossy files: the compression argument of
// models that have one, or the default.
func quality(t task.Task) int {
	return min(max(int(t.Number("gptImageOutputCompression", 92)), 1), 100)
}

// writePicture writes a picture in the type of its artifact. WebP is lossless.
func writePicture(path, contentType string, img image.Image, quality int) error {
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
		encode = func(w io.Writer) error { return encodeWebP(w, img) }
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

// onWhite returns a picture without transparency for JPEG, on white; without
// it, transparent pixels would be black.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		if n, ok := img.(*image.NRGBA); ok {
			// Opaque pixels are the same in both types, and the encoder is faster
			// with this one.
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

// encodeWebP writes a picture as lossless WebP. Of some pictures the encoder makes files that no decoder reads, because
// a table of theirs is too deep: then the lowest bit of some blue values is changed, which changes the table.
func encodeWebP(w io.Writer, img image.Image) error {
	for every := 101; every > 1; every = every * 2 / 3 {
		var b bytes.Buffer // the encoder does not check for errors of its writer
		if err := nativewebp.Encode(&b, img, nil); err != nil {
			return err
		}
		if _, err := webp.Decode(bytes.NewReader(b.Bytes())); err == nil {
			_, err := b.WriteTo(w)
			return err
		}
		size := img.Bounds()
		changed := image.NewNRGBA(size)
		draw.Draw(changed, size, img, size.Min, draw.Src)
		for i := 2; i < len(changed.Pix); i += 4 * every {
			changed.Pix[i] ^= 1
		}
		img = changed
	}
	return worker.Failf("This picture cannot be written as WebP; ask for png or jpg.")
}
