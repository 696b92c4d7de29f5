package media

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/color"
	_ "image/gif" // decoders of what may be uploaded
	_ "image/jpeg"
	_ "image/png"
	"io"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/wire"
	_ "golang.org/x/image/webp"
)

// MaxPixels is how many pixels an uploaded picture may have.
const MaxPixels = atelier.MaxPixels

// inspect checks a file that an account has uploaded: by its first bytes, and a
// picture also by decoding it, in the account's turn.
func (e *Engine) inspect(ctx context.Context, account, contentType string, file io.ReadSeeker) error {
	picture, err := inspectType(contentType, file)
	if err != nil || !picture {
		return err
	}
	config, format, err := inspectHeader(file)
	if err != nil {
		return err
	}
	pixels := int64(config.Width) * int64(config.Height)
	if err := e.allowances.decode(account, pixels, e.opts.Now()); err != nil {
		return err
	}
	memory := pixels * bytesPerPixel(config, format)
	leave, err := e.pool.enter(ctx, account, memory)
	if err != nil {
		return orRetry(err, "Too many pictures are being checked now: upload it again in a few seconds.")
	}
	defer leave()
	if err := rewind(file); err != nil {
		return err
	}
	apart := memory > smallPicture && e.opts.DecodeLarge != nil
	wanted := bufio.NewReader(contextReader{ctx, file})
	if apart {
		_, err = e.opts.DecodeLarge(ctx, wanted, 0)
	} else {
		err = e.opts.Decode(wanted)
	}
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, filetype.ErrScans) {
			return atelier.Refuse("file", "is a JPEG of more than %d scans: save it with fewer, or as PNG.", filetype.MaxScans)
		}
		if apart && !errors.Is(err, ErrUnreadable) {
			return orRetry(err, "The picture cannot be checked now: upload it again in a few seconds, or a smaller one.")
		}
		return errUnreadable()
	}
	return nil
}

func errUnreadable() error {
	return atelier.Refuse("file", "is a picture that cannot be read to its end.")
}

// ErrUnreadable is what DecodeLarge returns for a picture that cannot be decoded.
var ErrUnreadable = errors.New("the picture cannot be decoded")

// DecodePicture decodes a picture.
func DecodePicture(r io.Reader) (image.Image, error) {
	picture, _, err := image.Decode(filetype.LimitScans(r))
	return picture, err
}

// bytesPerPixel is how much memory the decoder of a format takes for a pixel, at
// most: a progressive JPEG keeps its coefficients, an interlaced PNG each of its
// passes.
func bytesPerPixel(config image.Config, format string) int64 {
	deep := config.ColorModel == color.RGBA64Model || config.ColorModel == color.NRGBA64Model
	if format == "jpeg" || deep {
		return 16
	}
	return 8
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (w contextReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

// inspectType checks a file by its first bytes, or as a whole where it is text,
// and reports whether it is a picture.
func inspectType(contentType string, file io.ReadSeeker) (picture bool, err error) {
	head := make([]byte, filetype.HeadSize)
	if err := rewind(file); err != nil {
		return false, err
	}
	n, err := io.ReadFull(file, head)
	if err != nil && n == 0 {
		return false, atelier.Refuse("file", "is empty.")
	}
	switch contentType {
	case "application/json":
		return false, inspectJSON(file)
	case "text/plain":
		return false, inspectText(file)
	}
	detected := filetype.Detect(head[:n])
	if !filetype.Fits(contentType, detected) {
		if detected == "" {
			return false, atelier.Refuse("file", "is not %s: its content has an unsupported type.", contentType)
		}
		return false, atelier.Refuse("file", "is not %s: its content is %s.", contentType, detected)
	}
	return filetype.Kind(contentType) == "image", nil
}

// inspectJSON checks that a file is one JSON value, without holding it.
func inspectJSON(file io.ReadSeeker) error {
	if err := rewind(file); err != nil {
		return err
	}
	values := 0
	for d := wire.NewDecoder(bufio.NewReader(file)); ; {
		_, err := d.ReadToken()
		if err == io.EOF && values == 1 {
			return nil
		}
		if err == nil && d.StackDepth() == 0 { // the end of a value
			values++
		}
		if err != nil || values > 1 || d.StackDepth() > 100 {
			return atelier.Refuse("file", "is not one valid JSON value.")
		}
	}
}

// inspectText checks that a file is text in UTF-8.
func inspectText(file io.ReadSeeker) error {
	if err := rewind(file); err != nil {
		return err
	}
	for r := bufio.NewReader(file); ; {
		c, size, err := r.ReadRune()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if (c == utf8.RuneError && size == 1) || c == 0 {
			return atelier.Refuse("file", "is not text in UTF-8.")
		}
	}
}

// inspectHeader reads the header of a picture and refuses one that has more than
// MaxPixels.
func inspectHeader(file io.ReadSeeker) (config image.Config, format string, err error) {
	if err := rewind(file); err != nil {
		return config, "", err
	}
	config, format, err = image.DecodeConfig(bufio.NewReader(file))
	if err != nil {
		return config, "", atelier.Refuse("file", "is not a picture that can be read.")
	}
	if config.Width < 1 || config.Height < 1 || int64(config.Width)*int64(config.Height) > MaxPixels {
		return config, "", atelier.Refuse("file", "is a picture of %d by %d pixels; the limit is %d pixels.", config.Width, config.Height, MaxPixels)
	}
	return config, format, nil
}

func rewind(file io.Seeker) error {
	_, err := file.Seek(0, io.SeekStart)
	return err
}
