package film

import (
	"context"
	"fmt"
	"image"
	"io"
	"iter"
	"os"

	"github.com/atelier-project/atelier/internal/codec/mp4"
)

// Frames reads the frames of the clip at path in order. The image is used
// again for the next frame; the first error ends the iteration.
func Frames(ctx context.Context, path string, engine Engine) iter.Seq2[*image.RGBA, error] {
	return func(yield func(*image.RGBA, error) bool) {
		r, err := Open(ctx, path, engine)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		var img *image.RGBA
		for {
			s, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			img = s.RGBA(img)
			if !yield(img, nil) {
				return
			}
		}
	}
}

// probe reads the index of an open file.
func probe(f *os.File) (mp4.Info, error) {
	st, err := f.Stat()
	if err != nil {
		return mp4.Info{}, fmt.Errorf("film: %w", err)
	}
	return mp4.Probe(f, st.Size())
}

// describe reads from the file which codec it holds.
func (i *Info) describe(f *os.File) {
	info, err := probe(f)
	if err != nil {
		return
	}
	if t := info.Video(); t != nil {
		if c := t.Config; len(c) > 3 {
			i.Codec = fmt.Sprintf("avc1.%02X%02X%02X", c[1], c[2], c[3])
		}
		for k := range t.Len() {
			if s, err := t.Sample(k); err == nil && s.Key {
				i.Keys++
			}
		}
	}
}
