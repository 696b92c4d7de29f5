package main

import (
	"context"
	"image"
)

var analysisSheet = sheet{
	file: "facts.jpg", title: "Facts", columns: 3,
	text: "Measured, not recognised: what an analysis cannot know it says under `limits`.",
	exhibits: []exhibit{
		{"analyze_image", "“What does it show?”, of the lighthouse", drawImageAnalysis},
		{"analyze_video", "“What happens?”, of two clips that were joined", drawVideoAnalysis},
		{"extract_metadata", "of the same clip", drawMetadata},
	},
}

const mostLines = 32

// drawDocument shows a document under the picture that it is about.
func drawDocument(width int, shown image.Image, doc result) (image.Image, error) {
	text, err := doc.document()
	if err != nil {
		return nil, err
	}
	words, err := drawText(width, mostLines, text)
	if err != nil {
		return nil, err
	}
	return stackDown(8, shown, words), nil
}

func drawImageAnalysis(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	src, err := w.picture(ctx, "a lighthouse on a cliff by the sea, sunny day", 3, 512, 512)
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, "analyze_image", 1, args{"query": "What does it show?"}, input{"sourceImageIndex", src})
	if err != nil {
		return nil, err
	}
	img, err := src.picture()
	if err != nil {
		return nil, err
	}
	small, err := fit(ctx, img, width, 144)
	if err != nil {
		return nil, err
	}
	return drawDocument(width, small, p)
}

// twoSceneClip returns a clip of two scenes.
func twoSceneClip(ctx context.Context, w *toolRunner) (result, error) {
	return w.once("joined", func() (result, error) {
		one, err := boatClip(ctx, w)
		if err != nil {
			return result{}, err
		}
		two, err := w.clip(ctx, "steam train crossing a bridge in autumn", 7, 3)
		if err != nil {
			return result{}, err
		}
		return w.run(ctx, "stitch_video", 7, args{}, input{"videoIndices", one}, input{"videoIndices", two})
	})
}

func drawVideoAnalysis(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	return drawClipReport(ctx, w, width, "analyze_video", args{"query": "What happens?"})
}

func drawMetadata(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	return drawClipReport(ctx, w, width, "extract_metadata", args{"mediaType": "video"})
}

// drawClipReport shows what a tool says of the clip of two scenes.
func drawClipReport(ctx context.Context, w *toolRunner, width int, tool string, a args) (image.Image, error) {
	src, err := twoSceneClip(ctx, w)
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, tool, 1, a, input{"sourceVideoIndex", src})
	if err != nil {
		return nil, err
	}
	row, err := drawFrames(ctx, src, width, 3)
	if err != nil {
		return nil, err
	}
	return drawDocument(width, row, p)
}
