package main

import (
	"context"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
)

var editSheet = sheet{
	file: "edits.jpg", title: "Pictures from pictures", columns: 2,
	text: "Before on the left, after on the right.",
	exhibits: []exhibit{
		{"edit_image", "“make it night, and add a big moon”", drawEdited("edit_image", "a red barn in a green meadow with trees, summer", 5, args{"prompt": "make it night, and add a big moon"})},
		{"edit_image", "“replace the background with a beach at sunset”", drawEdited("edit_image", "a brown dog, studio", 2, args{"prompt": "replace the background with a beach at sunset"})},
		{"apply_style", "“watercolour”", drawEdited("apply_style", "a lighthouse on a cliff by the sea, sunny day", 3, args{"prompt": "watercolour"})},
		{"apply_style", "“pencil sketch”", drawEdited("apply_style", "a sailing ship on the sea, clouds", 4, args{"prompt": "pencil sketch"})},
		{"restore_photo", "“remove the scratches, restore the faded colours”, of a print that was faded, spotted and scratched for this page", drawRestored},
		{"refine_result", "“sharper, warmer light, more contrast”", drawEdited("refine_result", "a mountain lake with a cabin, misty morning", 6, args{"prompt": "sharper, warmer light, more contrast"})},
		{"change_angle", "“from the left and slightly above”: the picture is turned as a plane; sides that it does not show stay unseen", drawEdited("change_angle", "a red sports car in front of a city", 7, args{"description": "from the left and slightly above"})},
		{"upscale_image", "four times as large; a detail, before with plain pixels", drawUpscaled},
		{"remove_background", "the subject alone; what is white on snow is taken for snow", drawEdited("remove_background", "a red fox in a snowy forest at dawn", 1, args{})},
		{"remove_background", "the same, where subject and background differ", drawEdited("remove_background", "a brown dog in a park", 2, args{})},
		{"segment_image", "“the blue bird”, with applyMask", drawEdited("segment_image", "a blue bird on a branch", 2, args{"text": "the blue bird", "applyMask": true})},
		{"segment_image", "“the yellow ducks”, with applyMask: something of their reflections is taken along", drawEdited("segment_image", "three yellow ducks on a blue lake", 4, args{"text": "the yellow ducks", "applyMask": true})},
	},
}

// drawEdited paints a picture and has a tool work on it.
func drawEdited(tool, prompt string, seed int64, a args) func(context.Context, *toolRunner, int) (image.Image, error) {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		before, err := w.picture(ctx, prompt, seed, 512, 512)
		if err != nil {
			return nil, err
		}
		after, err := w.run(ctx, tool, seed, a, input{"sourceImageIndex", before})
		if err != nil {
			return nil, err
		}
		return sideBySide(ctx, width, before, after)
	}
}

// sideBySide shows two pictures side by side.
func sideBySide(ctx context.Context, width int, pieces ...result) (image.Image, error) {
	const space = 8
	side := (width - space*(len(pieces)-1)) / len(pieces)
	var imgs []image.Image
	for _, p := range pieces {
		img, err := p.picture()
		if err != nil {
			return nil, err
		}
		small, err := fit(ctx, img, side, side)
		if err != nil {
			return nil, err
		}
		imgs = append(imgs, small)
	}
	return stackRight(space, imgs...), nil
}

// drawRestored damages a picture and has it repaired.
func drawRestored(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	good, err := w.picture(ctx, "a farmhouse with a garden and trees, summer day", 8, 512, 512)
	if err != nil {
		return nil, err
	}
	img, err := good.picture()
	if err != nil {
		return nil, err
	}
	old, err := w.saveSource("old.png", agePhoto(img))
	if err != nil {
		return nil, err
	}
	after, err := w.run(ctx, "restore_photo", 8, args{"prompt": "remove the scratches, restore the faded colours", "quality": "hq"}, input{"sourceImageIndex", old})
	if err != nil {
		return nil, err
	}
	return sideBySide(ctx, width, old, after)
}

// drawUpscaled shows a detail of a small picture and of the large one made of it.
func drawUpscaled(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	before, err := w.picture(ctx, "portrait of a grey cat with green eyes", 9, 256, 256)
	if err != nil {
		return nil, err
	}
	after, err := w.run(ctx, "upscale_image", 9, args{"scale": 4}, input{"sourceImageIndex", before})
	if err != nil {
		return nil, err
	}
	side := (width - 8) / 2
	small, err := before.picture()
	if err != nil {
		return nil, err
	}
	large, err := after.picture()
	if err != nil {
		return nil, err
	}
	// The same part of both, a third of the picture.
	left, right := blank(side, side, card), image.NewNRGBA(image.Rect(0, 0, 340, 340))
	for y := range side {
		for x := range side {
			left.Set(x, y, small.At(85+x*85/side, 60+y*85/side))
		}
	}
	draw.Draw(right, right.Rect, large, image.Pt(340, 240), draw.Src)
	shown, err := fit(ctx, right, side, side)
	if err != nil {
		return nil, err
	}
	return stackRight(8, left, shown), nil
}

// saveSource writes a picture that no tool made.
func (w *toolRunner) saveSource(name string, img image.Image) (result, error) {
	var p result
	p.Path, p.Width, p.Height = filepath.Join(w.folder, name), img.Bounds().Dx(), img.Bounds().Dy()
	f, err := os.Create(p.Path)
	if err != nil {
		return p, err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close()
		return p, err
	}
	return p, f.Close()
}
