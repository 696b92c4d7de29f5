package media

import (
	"context"
	"image"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/thumbnail"
)

// Picture is a stored picture of an account as a JPEG, whose longer edge has at most edge
// pixels and which has at most the given number of bytes. Of one that compresses badly, fewer
// details are kept. A picture that cannot be decoded is a refusal with CodeInvalidRequest.
func (e *Engine) Picture(ctx context.Context, w atelier.Wallet, key string, edge, bytes int) (file []byte, err error) {
	content, _, err := e.blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	err = e.Decode(ctx, w, content, edge, func(picture image.Image) error {
		small := thumbnail.Reduce(picture, edge)
		file, err = thumbnail.JPEG(small, 85)
		for err == nil && len(file) > bytes && edge > 16 {
			edge = edge * 3 / 4
			small = thumbnail.Reduce(small, edge)
			file, err = thumbnail.JPEG(small, 60)
		}
		return err
	})
	return file, err
}
