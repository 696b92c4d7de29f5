package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/studio/picture"
	"github.com/atelier-project/atelier/internal/studio/song"
)

// pictures are the prompts of the contact sheet, with the models that paint
// them.
var pictures = [][2]string{
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

// clips are the prompts of the strips of frames.
var clips = []string{"a boat on the sea at sunset", "whale under the sea", "a house in the snow at night", "steam train crossing a bridge in autumn"}

// songs are the prompts of the waveforms.
var songs = []string{"calm piano lullaby", "energetic techno", "slow blues with guitar", "happy chiptune"}

func sheets(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, make1 := range map[string]func(context.Context) (image.Image, error){
		"pictures.jpg": contactSheet, "clips.jpg": frameStrips, "songs.jpg": waveforms,
	} {
		img, err := make1(ctx)
		if err != nil {
			return err
		}
		if err := saveJPEG(filepath.Join(folder, name), img); err != nil {
			return err
		}
	}
	return nil
}

func saveJPEG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(f, img, &jpeg.Options{Quality: 88}); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// contactSheet paints sixteen prompts, four by four.
func contactSheet(ctx context.Context) (image.Image, error) {
	const side = 360
	sheet := image.NewNRGBA(image.Rect(0, 0, 4*side, 4*side))
	for i, p := range pictures {
		img, err := picture.Paint(ctx, picture.Request{Prompt: p[0], Model: p[1], Width: side, Height: side, Seed: int64(i + 1)}, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p[0], err)
		}
		draw.Draw(sheet, image.Rect(i%4*side, i/4*side, (i%4+1)*side, (i/4+1)*side), img, image.Point{}, draw.Src)
	}
	return sheet, nil
}

// frameStrips shows six moments of each clip in a row.
func frameStrips(ctx context.Context) (image.Image, error) {
	const w, h, moments = 256, 144, 6
	sheet := image.NewNRGBA(image.Rect(0, 0, moments*w, len(clips)*h))
	for row, prompt := range clips {
		scene, look := picture.Read(prompt), picture.LookOf("ltx25")
		for i := range moments {
			img, err := picture.PaintScene(ctx, scene, look, w, h, 7, float64(i), nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", prompt, err)
			}
			draw.Draw(sheet, image.Rect(i*w, row*h, (i+1)*w, (row+1)*h), img, image.Point{}, draw.Src)
		}
	}
	return sheet, nil
}

// waveforms draws the loudness of each song over its time.
func waveforms(ctx context.Context) (image.Image, error) {
	const w, h = 1440, 160
	sheet := image.NewNRGBA(image.Rect(0, 0, w, len(songs)*h))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(color.NRGBA{250, 248, 242, 255}), image.Point{}, draw.Src)
	ink := color.NRGBA{168, 58, 40, 255}
	for row, prompt := range songs {
		clip, _, err := song.Compose(ctx, song.Request{Prompt: prompt, Seconds: 20, Seed: int64(row + 1)}, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", prompt, err)
		}
		mono := clip.Mono()
		for x := range w {
			part := mono[x*len(mono)/w : (x+1)*len(mono)/w]
			var low, high float64
			for _, v := range part {
				low, high = math.Min(low, float64(v)), math.Max(high, float64(v))
			}
			middle := row*h + h/2
			for y := middle - int(high*h*0.48); y <= middle-int(low*h*0.48); y++ {
				sheet.Set(x, y, ink)
			}
		}
	}
	return sheet, nil
}
