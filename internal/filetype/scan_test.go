package filetype_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
	"testing/iotest"

	_ "golang.org/x/image/webp"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worktest"
)

// A JPEG of many scans is refused where its first scan too many begins, however
// its bytes arrive; what encoders write passes unchanged.
func TestLimitScans(t *testing.T) {
	t.Parallel()
	for scans, want := range map[int]error{1: nil, filetype.MaxScans: nil, filetype.MaxScans + 1: filetype.ErrScans, 5000: filetype.ErrScans} {
		file := worktest.JPEG(64, 64, scans)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(file), "by bytes": iotest.OneByteReader(bytes.NewReader(file)), "halved": iotest.HalfReader(bytes.NewReader(file)),
		} {
			if _, _, err := image.Decode(filetype.LimitScans(r)); !errors.Is(err, want) {
				t.Errorf("%d scans, %s: %v, want %v", scans, name, err, want)
			}
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = byte(i * i)
	}
	var photo, drawing bytes.Buffer
	if err := jpeg.Encode(&photo, img, nil); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&drawing, img); err != nil {
		t.Fatal(err)
	}
	// Behind the end of a photo there may be anything: telephones put a clip there.
	behind := append(photo.Bytes(), bytes.Repeat([]byte{0xff, 0xda, 0, 2}, 100)...)
	// Within a segment there may be another picture, a small one for instance.
	within := append([]byte{0xff, 0xd8, 0xff, 0xe1, 1, 0x92}, bytes.Repeat([]byte{0xff, 0xda, 0, 2}, 100)...)
	within = append(within, photo.Bytes()[2:]...)
	many := append(drawing.Bytes(), bytes.Repeat([]byte{0xff, 0xda, 0, 2}, 100)...)
	for name, file := range map[string][]byte{"photo": photo.Bytes(), "behind": behind, "within": within, "png": drawing.Bytes(), "many": many} {
		got, _, err := image.Decode(filetype.LimitScans(bytes.NewReader(file)))
		if err != nil || got.Bounds() != img.Bounds() {
			t.Errorf("%s: %v", name, err)
		}
		all, err := io.ReadAll(filetype.LimitScans(iotest.OneByteReader(bytes.NewReader(file))))
		if err != nil || !bytes.Equal(all, file) {
			t.Errorf("%s: %d bytes of %d came through, %v", name, len(all), len(file), err)
		}
	}
}

// FuzzPicture decodes pictures as everything here does: when their size is known
// to be bearable, and with a limit to their scans. Pixels are the measure of the
// work, so their number bounds what is allocated.
func FuzzPicture(f *testing.F) {
	img := image.NewPaletted(image.Rect(0, 0, 20, 20), color.Palette{color.Black, color.White})
	var photo, drawing bytes.Buffer
	if err := jpeg.Encode(&photo, img, nil); err != nil {
		f.Fatal(err)
	}
	if err := png.Encode(&drawing, img); err != nil {
		f.Fatal(err)
	}
	f.Add(photo.Bytes())
	f.Add(drawing.Bytes())
	f.Add(worktest.JPEG(256, 256, 10))
	f.Add(worktest.JPEG(256, 256, 1000))
	f.Add(worktest.WebP(200, 100))
	f.Add(worktest.WebP(7680, 4320))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b"))
	f.Fuzz(func(t *testing.T, file []byte) {
		config, _, err := image.DecodeConfig(bytes.NewReader(file))
		if err != nil || config.Width*config.Height > 1<<16 {
			return
		}
		worktest.Limit(t, len(file), worktest.Bound{Base: 16 << 20, PerByte: 2000}, func() {
			got, _, err := image.Decode(filetype.LimitScans(bytes.NewReader(file)))
			if err == nil && got.Bounds().Dx()*got.Bounds().Dy() > 1<<16 {
				t.Errorf("%v was said to be %d by %d", got.Bounds(), config.Width, config.Height)
			}
		})
	})
}
