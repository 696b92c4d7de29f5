package main

import (
	"context"
	"image"
)

var modelSheet = sheet{
	file: "models.jpg", title: "3D models", columns: 1,
	text: "The subject of a picture is cut out and inflated to a closed relief with the picture as its texture. The back is the front seen through,\n" +
		"as the picture does not show it.",
	exhibits: []exhibit{
		{"image_to_3d", "a picture, and its model turned by -60, -30, 30, 60 and 180 degrees", drawModel("a red apple, studio", 5)},
		{"image_to_3d", "another", drawModel("a brown teddy bear, studio", 3)},
	},
}

func drawModel(prompt string, seed int64) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		src, err := w.picture(ctx, prompt, seed, 512, 512)
		if err != nil {
			return nil, err
		}
		p, err := w.run(ctx, "image_to_3d", seed, args{"meshTargetFaces": 40000, "textureSize": 1024}, input{"sourceImageIndex", src})
		if err != nil {
			return nil, err
		}
		s, err := readSolid(p.Path)
		if err != nil {
			return nil, err
		}
		const space = 6
		side := (width - space*5) / 6
		img, err := src.picture()
		if err != nil {
			return nil, err
		}
		cell, err := fit(ctx, img, side, side)
		if err != nil {
			return nil, err
		}
		cells := []image.Image{cell}
		for _, turn := range []float64{-60, -30, 30, 60, 180} {
			// Drawn twice as large and shrunk, for smooth edges.
			cell, err := fit(ctx, s.render(2*side, turn, 12), side, side)
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell)
		}
		return stackRight(space, cells...), nil
	}
}
