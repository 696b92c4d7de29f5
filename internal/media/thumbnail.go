package media

import (
	"bufio"
	"context"
	"errors"
	"image"
	"io"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/filetype"
)

// thumbnailSizes are the sizes of thumbnails that are kept beside a result.
var thumbnailSizes = []int{320, 640}

// Thumbnail is the key of the thumbnail of a result. It extends the key of the result, so
// that the sweeper knows what it belongs to.
func Thumbnail(key string, size int) string {
	return key + thumbnailMark + strconv.Itoa(size) + ".jpg"
}

const thumbnailMark = "-thumbnail-"

// Thumbnails are the keys that the thumbnails of a result can have.
func Thumbnails(key string) (keys []string) {
	for _, size := range thumbnailSizes {
		keys = append(keys, Thumbnail(key, size))
	}
	return keys
}

// ofThumbnail is the key of the result that a thumbnail belongs to; of any other object
// it is the key itself.
func ofThumbnail(key string) string {
	if i := strings.LastIndex(key, thumbnailMark); isResult(key) && i >= 0 {
		return key[:i]
	}
	return key
}

// mostPictureMemory is the memory that decoding a picture in this process may take, when
// its pixels are used.
const mostPictureMemory = 256 << 20

// Decode decodes a stored picture in the turn of its account, and calls use with it. One
// that takes much memory is decoded outside this process and made smaller there, so that
// its longer edge has at most edge pixels. A picture that cannot be decoded, or takes
// too much memory, is a refusal with CodeInvalidRequest.
func (e *Engine) Decode(ctx context.Context, w atelier.Wallet, file io.ReadSeeker, edge int, use func(image.Image) error) error {
	config, format, err := inspectHeader(file)
	if err != nil {
		return err
	}
	memory := int64(config.Width) * int64(config.Height) * bytesPerPixel(config, format)
	apart := memory > mostPictureMemory && e.opts.DecodeLarge != nil
	decode := func() error {
		if err := rewind(file); err != nil {
			return err
		}
		var picture image.Image
		content := bufio.NewReader(contextReader{ctx, file})
		if apart {
			picture, err = e.opts.DecodeLarge(ctx, content, edge)
		} else {
			picture, err = DecodePicture(content)
		}
		switch {
		case err == nil:
			return use(picture)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case apart && !errors.Is(err, ErrUnreadable) && !errors.Is(err, filetype.ErrScans):
			return orRetry(err, "The picture cannot be read now: ask for it again in a few seconds.")
		}
		return errUnreadable()
	}
	if apart {
		return e.takeTurn(ctx, w, memory, decode)
	}
	return e.InTurn(ctx, w, memory, decode)
}

// InTurn calls decode in the turn of an account, with so much memory. More than decoding
// may take is a refusal with CodeInvalidRequest.
func (e *Engine) InTurn(ctx context.Context, w atelier.Wallet, memory int64, decode func() error) error {
	if memory > mostPictureMemory {
		return atelier.Refuse("file", "takes too much memory to decode.")
	}
	return e.takeTurn(ctx, w, memory, decode)
}

func (e *Engine) takeTurn(ctx context.Context, w atelier.Wallet, memory int64, decode func() error) error {
	leave, err := e.pool.enter(ctx, string(w), memory)
	if err != nil {
		return orRetry(err, "Too many files are being read now: ask for this one again in a few seconds.")
	}
	defer leave()
	return decode()
}
