package main

import (
	"context"
	"image"
)

var pictureSheet = sheet{
	file: "pictures.jpg", title: "Pictures from words", columns: 1,
	text:     "A prompt is read with a lexicon, set on a stage and painted. What it does not know, it says in the artifact's metadata.",
	exhibits: []exhibit{{"generate_image", "sixteen prompts, each for one of the image models: from a red fox in a snowy forest at dawn to a mandala in gold and teal", contactSheet}},
}

// prompts are those of the contact sheet, with the models that paint them.
var prompts = [][2]string{
	{"a red fox in a snowy forest at dawn", "z_image_turbo_bf16"},
	{"portrait of an astronaut, oil painting", "z_image_bf16"},
	{"isometric city at night, neon", "krea2_turbo_fp8_scaled"},
	{"three yellow ducks on a blue lake, watercolor", "qwen_image_2512_fp8"},
	{"a lighthouse in a storm", "z_image_turbo_bf16"},
	{"pixel art castle", "dreamshaper-xl"},
	{"stained glass rose", "chroma1-hd_fp8_scaled"},
	{"low poly mountains at sunset", "krea2_turbo_fp8_scaled"},
	{"a teapot and two cups, still life", "chroma-v.46-flash_fp8"},
	{"whale under the sea", "qwen_image_2512_fp8"},
	{"robot playing guitar, comic style", "dreamshaper-xl"},
	{"minimalist black cat", "z_image_turbo_bf16"},
	{"ukiyo-e wave with a boat", "chroma1-hd_fp8_scaled"},
	{"desert with cactus and a big moon", "dark_beast_krea2_fp8"},
	{"steam train crossing a bridge in autumn", "z_image_bf16"},
	{"abstract geometric mandala in gold and teal", "krea2_turbo_fp8_scaled"},
}

// contactSheet paints the prompts, four in a row.
func contactSheet(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	const space, painted = 8, 352
	side := (width - 3*space) / 4
	var rows []image.Image
	for i := 0; i < len(prompts); i += 4 {
		var row []image.Image
		for k, p := range prompts[i : i+4] {
			made, err := w.run(ctx, "generate_image", int64(i+k+1), args{"prompt": p[0], "model": p[1], "width": painted, "height": painted})
			if err != nil {
				return nil, err
			}
			img, err := made.picture()
			if err != nil {
				return nil, err
			}
			small, err := fit(ctx, img, side, side)
			if err != nil {
				return nil, err
			}
			words, err := write("italic", 13, soft, side, p[0])
			if err != nil {
				return nil, err
			}
			row = append(row, stackDown(2, small, words))
		}
		rows = append(rows, stackRight(space, row...))
	}
	return stackDown(space, rows...), nil
}
