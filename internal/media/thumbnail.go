package media

import (
	"bufio"
	"context"
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

// Decode decodes a stored picture in the turn of its account, and calls use with it. A
// picture that cannot be decoded, or would take too much memory, is a refusal with
// CodeInvalidRequest.
func (e *Engine) Decode(ctx context.Context, w atelier.Wallet, file io.ReadSeeker, use func(image.Image) error) error {
	config, format, err := inspectHeader(file)
	if err != nil {
		return err
	}
	memory := int64(config.Width) * int64(config.Height) * bytesPerPixel(config, format)
	return e.InTurn(ctx, w, memory, func() error {
		if err := rewind(file); err != nil {
			return err
		}
		picture, _, err := image.Decode(filetype.LimitScans(bufio.NewReader(contextReader{ctx, file})))
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return atelier.Refuse("file", "is a picture that cannot be read to its end.")
		}
		return use(picture)
	})
}

// InTurn calls decode in the turn of an account, with so much memory. More than decoding
// may take is a refusal with CodeInvalidRequest.
func (e *Engine) InTurn(ctx context.Context, w atelier.Wallet, memory int64, decode func() error) error {
	if memory > mostPictureMemory {
		return atelier.Refuse("file", "takes too much memory to decode.")
	}
	leave, err := e.pool.enter(ctx, string(w), memory)
	if err != nil {
		return err
	}
	defer leave()
	return decode()
}
