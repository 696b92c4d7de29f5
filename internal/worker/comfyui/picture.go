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

// readPicture decodes a picture.
func readPicture(path string) (image.Image, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c, _, err := image.DecodeConfig(in)
	if err != nil {
		return nil, err
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return nil, errTooLarge
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(filetype.LimitScans(in))
	return img, err
}

// isEmptySelection reports whether a picture selects nothing: a cut-out that is transparent
// everywhere, or a mask that is black everywhere.
func isEmptySelection(path string) (bool, error) {
	img, err := readPicture(path)
	if err != nil {
		return false, err
	}
	if cut, is := img.(*image.NRGBA); is {
		for i := 3; i < len(cut.Pix); i += 4 {
			if cut.Pix[i] != 0 {
				return false, nil
			}
		}
		return true, nil
	}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if red, green, blue, _ := img.At(x, y).RGBA(); red|green|blue != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

func redraw(from, to string, encode func(io.Writer, image.Image) error) error {
	img, err := readPicture(from)
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
