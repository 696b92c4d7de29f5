package comfyui

import (
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/filetype"
)

// maxPixels is the largest picture that is decoded to be converted.
const maxPixels = 256 << 20

// toJPEG converts a PNG file to a JPEG file.
func toJPEG(from, to string) error {
	return redraw(from, to, func(w io.Writer, img image.Image) error {
		return jpeg.Encode(w, img, &jpeg.Options{Quality: 92})
	})
}

// toPNG converts a JPEG file to a PNG file.
func toPNG(from, to string) error {
	return redraw(from, to, func(w io.Writer, img image.Image) error {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
	})
}

func redraw(from, to string, encode func(io.Writer, image.Image) error) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	c, _, err := image.DecodeConfig(in)
	if err != nil {
		return err
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return errTooLarge
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	img, _, err := image.Decode(filetype.LimitScans(in))
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := encode(out, img); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
