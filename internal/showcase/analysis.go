package main

import (
	"context"
	"image"
)

var looking = sheet{
	file: "facts.jpg", title: "Facts", columns: 3,
	text: "Measured, not recognised: what an analysis cannot know it says under `limits`.",
	exhibits: []exhibit{
		{"analyze_image", "“What does it show?”, of the lighthouse", analysed},
		{"analyze_video", "“What happens?”, of two clips that were joined", watched},
		{"extract_metadata", "of the same clip", facts},
	},
}

const mostLines = 32

// told shows a document under the picture that it is about.
func told(width int, shown image.Image, doc piece) (image.Image, error) {
	text, err := doc.document()
	if err != nil {
		return nil, err
	}
	words, err := printed(width, mostLines, text)
	if err != nil {
		return nil, err
	}
	return under(8, shown, words), nil
}

func analysed(ctx context.Context, w *workshop, width int) (image.Image, error) {
	src, err := w.painted(ctx, "a lighthouse on a cliff by the sea, sunny day", 3, 512, 512)
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, "analyze_image", 1, args{"query": "What does it show?"}, given{"sourceImageIndex", src})
	if err != nil {
		return nil, err
	}
	img, err := src.picture()
	if err != nil {
		return nil, err
	}
	small, err := fitted(ctx, img, width, 144)
	if err != nil {
		return nil, err
	}
	return told(width, small, p)
}

// joined returns a clip of two scenes.
func joined(ctx context.Context, w *workshop) (piece, error) {
	return w.once("joined", func() (piece, error) {
		one, err := boat(ctx, w)
		if err != nil {
			return piece{}, err
		}
		two, err := w.filmed(ctx, "steam train crossing a bridge in autumn", 7, 3)
		if err != nil {
			return piece{}, err
		}
		return w.make(ctx, "stitch_video", 7, args{}, given{"videoIndices", one}, given{"videoIndices", two})
	})
}

func watched(ctx context.Context, w *workshop, width int) (image.Image, error) {
	return aboutClip(ctx, w, width, "analyze_video", args{"query": "What happens?"})
}

func facts(ctx context.Context, w *workshop, width int) (image.Image, error) {
	return aboutClip(ctx, w, width, "extract_metadata", args{"mediaType": "video"})
}

// aboutClip shows what a tool says of the clip of two scenes.
func aboutClip(ctx context.Context, w *workshop, width int, tool string, a args) (image.Image, error) {
	src, err := joined(ctx, w)
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, tool, 1, a, given{"sourceVideoIndex", src})
	if err != nil {
		return nil, err
	}
	row, err := strip(ctx, src, width, 3)
	if err != nil {
		return nil, err
	}
	return told(width, row, p)
}
