package kit

import (
	"context"
	"image"
	"io"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// ReadsAnyClip implements worker.Editor: without ffmpeg, only clips of the kit are read.
func (Renderer) ReadsAnyClip() bool { return film.Available() }

// ClipFacts implements worker.Editor.
func (Renderer) ClipFacts(ctx context.Context, path string) (worker.ClipFacts, error) {
	r, err := film.Open(ctx, path, film.Auto)
	if err != nil {
		return worker.ClipFacts{}, err
	}
	defer r.Close()
	return worker.ClipFacts{Width: r.Width, Height: r.Height, FPS: r.FPS, Den: r.Den, Frames: r.Frames}, nil
}

// EdgeFrames implements worker.Editor.
func (Renderer) EdgeFrames(ctx context.Context, path string, first, last int) (before, after image.Image, err error) {
	b, a, err := footage.EdgeFrames(ctx, path, film.Auto, first, last)
	if err != nil || a == nil {
		return b, nil, err
	}
	return b, a, nil
}

// Join implements worker.Editor.
func (Renderer) Join(ctx context.Context, w io.Writer, s worker.Splice) error {
	joined := footage.Splice{Source: s.Source, Part: s.Part, First: s.First, Last: s.Last, KeepSound: s.KeepSound}
	return joined.Write(ctx, w, film.Options{Format: s.Format, MaxBytes: s.MaxBytes, Tool: s.Tool, TempDir: s.Folder})
}

// Mask implements worker.Editor.
func (Renderer) Mask(ctx context.Context, mask image.Image, width, height int) (*image.Gray, error) {
	m, err := pixel.MaskOf(ctx, mask, width, height)
	if err != nil {
		return nil, err
	}
	return m.Gray(), nil
}

// FirstFrame reads the index of a clip of the kit, and returns the size of its frames and a function that decodes the
// first. It reads no more of the file, which has size bytes, and does not close it.
func (Renderer) FirstFrame(ctx context.Context, file io.ReaderAt, size int64) (bounds image.Point, decode func() (image.Image, error), err error) {
	clip, err := film.OpenBuiltIn(ctx, file, size)
	if err != nil {
		return image.Point{}, nil, err
	}
	return image.Pt(clip.Width, clip.Height), func() (image.Image, error) {
		frame, err := clip.Next()
		if err != nil {
			return nil, err
		}
		return frame.RGBA(nil), nil
	}, nil
}
