package remote

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // masks
	"io"
	"maps"
	"mime/multipart"
	"net/textproto"
	"os"
	"slices"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/worker"
)

// form is the body of an edit. It has the same bytes each time it is sent: a vendor
// may compare repeated requests.
type form struct {
	fields   map[string]any
	pictures []file
	mask     string // path; empty for none
	boundary string
}

func (f form) contentType() string { return "multipart/form-data; boundary=" + f.boundary }

// check refuses files that a vendor does not accept.
func (f form) check() error {
	for _, p := range f.pictures {
		if kind := filetype.DetectFile(p.path); !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, kind) {
			return worker.Failf("The vendor works on PNG, JPEG and WebP, not on %s.", kind)
		}
	}
	return multipart.NewWriter(io.Discard).SetBoundary(f.boundary)
}

// open streams the form.
func (f form) open() (io.ReadCloser, error) {
	in, feed := io.Pipe()
	w := multipart.NewWriter(feed)
	if err := w.SetBoundary(f.boundary); err != nil {
		return nil, err
	}
	go func() { feed.CloseWithError(f.fill(w)) }()
	return in, nil
}

func (f form) fill(w *multipart.Writer) error {
	for _, name := range slices.Sorted(maps.Keys(f.fields)) {
		if err := w.WriteField(name, fmt.Sprint(f.fields[name])); err != nil {
			return err
		}
	}
	for i, p := range f.pictures {
		if err := add(w, "image[]", fmt.Sprintf("image-%d", i), p.path); err != nil {
			return err
		}
	}
	if f.mask != "" {
		if err := add(w, "mask", "mask", f.mask); err != nil {
			return err
		}
	}
	return w.Close()
}

func add(w *multipart.Writer, field, name, path string) error {
	kind := filetype.DetectFile(path)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename=%q`, field, name+filetype.Extension(kind))}, "Content-Type": {kind}})
	if err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(part, in)
	return err
}

// maxMask bounds a picture that is decoded.
const maxMask = 64 << 20

// decodePicture reads a picture that is not too large.
func decodePicture(f io.ReadSeeker) (image.Image, error) {
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return nil, err
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxMask/c.Height {
		return nil, errors.New("the picture is too large")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(filetype.LimitScans(f))
	return img, err
}

// cutMask turns a mask into that of the images API: a picture of the size of the
// source, transparent where it is to be changed. The service's masks are white
// there, and so is this one, for servers that read the brightness.
func cutMask(ctx context.Context, editor worker.Editor, mask, source, to string) (string, error) {
	f, err := os.Open(mask)
	if err != nil {
		return "", err
	}
	defer f.Close()
	img, err := decodePicture(f)
	if err != nil {
		return "", worker.Failf("The mask cannot be read; send a PNG, JPEG or WebP file: %s", toSentence(worker.PublicReason(err)))
	}
	size := worker.Output{Path: source}
	size.Measure()
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxMask/size.Height {
		return "", worker.Failf("The size of the image cannot be read.")
	}
	m, err := editor.Mask(ctx, img, size.Width, size.Height)
	if err != nil {
		return "", worker.Failf("The mask cannot be used: %s", toSentence(worker.PublicReason(err)))
	}
	if !slices.ContainsFunc(m.Pix, func(v uint8) bool { return v >= 128 }) {
		return "", worker.Failf("The mask selects nothing: the area to change must be white.")
	}
	out := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
	for y := range size.Height {
		for x := range size.Width {
			v := m.GrayAt(x, y).Y
			out.SetNRGBA(x, y, color.NRGBA{v, v, v, 255 - v})
		}
	}
	return to, writePNG(to, out)
}
