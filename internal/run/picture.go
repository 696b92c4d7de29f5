package run

import (
	"context"
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/llm"
)

// A model that sees is shown the newest pictures of a conversation that are objects of its
// account, made smaller. Its tools can read all of them.
const (
	shownPictures = 8
	pictureBytes  = 256 << 10 // of one, at most
)

// pictureMemory is what the pictures of a run with a number of files take at most.
func pictureMemory(files int) int64 { return int64(min(files, shownPictures)) * pictureBytes }

// showPictures adds the data of pictures to the messages of the run. One that cannot be
// read is left as it is.
func (x *execution) showPictures(ctx context.Context, messages []llm.Message) error {
	if !x.engine.chats.SeesImages(x.request.Model) {
		return nil
	}
	left := shownPictures
	for i, m := range slices.Backward(x.request.Messages) {
		for j, p := range slices.Backward(m.Parts) {
			key, stored := strings.CutPrefix(p.Image, storedURL)
			if !stored || left == 0 {
				continue
			}
			left--
			data, err := x.engine.opts.Media.Picture(ctx, x.row.Wallet, key, llm.MaxImageEdge, pictureBytes)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				x.engine.opts.Log.Debug("picture is not shown to the model", "run", x.row.ID, "key", key, "error", err)
				continue
			}
			image := &messages[i].Content[j].Image
			image.Type, image.Data = "image/jpeg", data
		}
	}
	return nil
}
