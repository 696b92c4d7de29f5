package comfyui

import (
	"encoding/binary"
	"image"
	_ "image/gif" // sizes
	"image/jpeg"
	"image/png"
	"io"
	"os"

	_ "golang.org/x/image/webp" // sizes

	"github.com/atelier-project/atelier/internal/filetype"
)

// pictureSize is how large a picture is; zero when that is not known.
func pictureSize(path string) (int, int) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	c, kind, err := image.DecodeConfig(f)
	if err != nil {
		return 0, 0
	}
	if kind != "jpeg" {
		return c.Width, c.Height
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, 0
	}
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	if turned(head[:n]) {
		return c.Height, c.Width
	}
	return c.Width, c.Height
}

// turned reports whether a JPEG file is marked as rotated by 90 degrees, as
// photographs of telephones are. ComfyUI rotates them when it loads them.
func turned(head []byte) bool {
	for at := 2; at+4 <= len(head) && head[at] == 0xff; {
		marker, size := head[at+1], int(head[at+2])<<8|int(head[at+3])
		end := at + 2 + size
		if size < 2 || end > len(head) || marker == 0xda {
			return false
		}
		if segment := head[at+4 : end]; marker == 0xe1 && len(segment) > 14 && string(segment[:6]) == "Exif\x00\x00" {
			return orientation(segment[6:]) >= 5
		}
		at = end
	}
	return false
}

// orientation reads that of a picture from its TIFF tags; 1 is upright.
func orientation(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if string(tiff[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > int64(len(tiff)) {
		return 1
	}
	for n := range int64(order.Uint16(tiff[at:])) {
		entry := at + 2 + 12*n
		if entry+12 > int64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[entry:]) == 0x0112 {
			return int(order.Uint16(tiff[entry+8:]))
		}
	}
	return 1
}

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
