package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

var videoSheet = sheet{
	file: "clips.jpg", title: "Clips", columns: 1,
	text: "Six moments of each clip, from its first frame to its last. All of them have sound unless it was turned off or the source had none.",
	exhibits: []exhibit{
		{"generate_video", "“a boat on the sea at sunset”", drawClip("a boat on the sea at sunset", 7, 3)},
		{"generate_video", "“steam train crossing a bridge in autumn”", drawClip("steam train crossing a bridge in autumn", 7, 3)},
		{"animate_photo", "“slow zoom in, snow falling”, from the picture of a fox", drawClipOfPicture("animate_photo", "a red fox in a snowy forest at dawn", 1, args{"prompt": "slow zoom in, snow falling", "duration": 3, "targetResolution": 480})},
		{"sound_to_video", "a drum loop moves a neon city", drawSoundDriven},
		{"video_to_video", "canny: the outlines kept, the rest repainted in “teal and gold, comic style”", drawChangedClip("video_to_video", "videoSourceIndex", args{"prompt": "teal and gold, comic style", "controlMode": "canny"})},
		{"video_to_video", "outpaint to 21:9", drawChangedClip("video_to_video", "videoSourceIndex", args{"prompt": "the sea at sunset", "controlMode": "outpaint", "outpaintAspectRatio": "21:9"})},
		{"extend_video", "two more seconds: “a storm comes up”", drawChangedClip("extend_video", "videoIndex", args{"prompt": "a storm comes up", "duration": 2})},
		{"replace_video_segment", "the second between 1 and 2: “a whale under the sea”", drawChangedClip("replace_video_segment", "videoIndex", args{"prompt": "a whale under the sea", "startSeconds": 1, "endSeconds": 2})},
		{"stitch_video", "two clips and a dissolve", drawStitched},
		{"orbit_video", "around the subject of a picture, by two of the seven views; the back has the colours of the front, as nobody has seen it", drawClipOfPicture("orbit_video", "a teapot, studio", 5, args{"angles": []any{"front-right quarter view", "back view"}})},
		{"dance_montage", "“spongebob”, to a tune composed for it", drawClipOfPicture("dance_montage", "a robot, studio", 3, args{"dance": "spongebob", "duration": 8})},
		{"upscale_video", "480 to 1080 lines; a detail of the first frame, before and after", drawUpscaledClip},
		{"overlay_video", "a title for two seconds, and a picture that remove_background cut out", drawOverlay},
		{"add_subtitles", "three lines of SRT", drawChangedClip("add_subtitles", "sourceVideoIndex", args{"style": args{"fontSizePct": 12}, "srt": "1\n00:00:00,000 --> 00:00:01,000\nThe sun goes down.\n\n2\n00:00:01,000 --> 00:00:02,000\nThe wind has turned,\n\n3\n00:00:02,000 --> 00:00:03,000\nand we sail home.\n"})},
	},
}

const moments = 6

// drawFrames shows moments of a clip in a row.
func drawFrames(ctx context.Context, p result, width, moments int) (image.Image, error) {
	r, err := film.Open(ctx, p.Path, film.BuiltIn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	const space = 6
	w := (width - space*(moments-1)) / moments
	h := w * r.Height / r.Width
	var cells []image.Image
	for n := 0; len(cells) < moments; n++ {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n < len(cells)*(r.Frames-1)/(moments-1) {
			continue
		}
		cell, err := fit(ctx, s.RGBA(nil), w, h)
		if err != nil {
			return nil, err
		}
		at, err := write("bold", 13, card, 0, fmt.Sprintf("%.1f s", float64(n)/r.Rate()))
		if err != nil {
			return nil, err
		}
		under, err := write("bold", 13, ink, 0, fmt.Sprintf("%.1f s", float64(n)/r.Rate()))
		if err != nil {
			return nil, err
		}
		paste(cell, under, 6, 5)
		paste(cell, at, 5, 4)
		cells = append(cells, cell)
	}
	return stackRight(space, cells...), nil
}

type drawFunc = func(context.Context, *toolRunner, int) (image.Image, error)

func drawClip(prompt string, seed int64, seconds float64) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		p, err := w.clip(ctx, prompt, seed, seconds)
		if err != nil {
			return nil, err
		}
		return drawFrames(ctx, p, width, moments)
	}
}

// drawClipOfPicture has a tool make a clip of a painted picture.
func drawClipOfPicture(tool, prompt string, seed int64, a args) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		src, err := w.picture(ctx, prompt, seed, 512, 512)
		if err != nil {
			return nil, err
		}
		p, err := w.run(ctx, tool, seed, a, input{"sourceImageIndex", src})
		if err != nil {
			return nil, err
		}
		return drawFrames(ctx, p, width, moments)
	}
}

// boatClip returns the clip that tools work on.
func boatClip(ctx context.Context, w *toolRunner) (result, error) {
	return w.clip(ctx, "a boat on the sea at sunset", 7, 3)
}

// drawChangedClip has a tool work on the clip of the boat.
func drawChangedClip(tool, argument string, a args) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		src, err := boatClip(ctx, w)
		if err != nil {
			return nil, err
		}
		p, err := w.run(ctx, tool, 7, a, input{argument, src})
		if err != nil {
			return nil, err
		}
		return drawFrames(ctx, p, width, moments)
	}
}

func drawSoundDriven(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	beat, err := w.compose(ctx, "energetic techno with drums", 2)
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, "sound_to_video", 7, args{"prompt": "isometric city at night, neon", "duration": 3, "targetResolution": 480}, input{"audioSourceIndex", beat})
	if err != nil {
		return nil, err
	}
	return drawFrames(ctx, p, width, moments)
}

func drawStitched(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	one, err := boatClip(ctx, w)
	if err != nil {
		return nil, err
	}
	two, err := w.clip(ctx, "steam train crossing a bridge in autumn", 7, 3)
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, "stitch_video", 7, args{"transition": args{"type": "dissolve", "durationSeconds": 2}}, input{"videoIndices", one}, input{"videoIndices", two})
	if err != nil {
		return nil, err
	}
	return drawFrames(ctx, p, width, moments)
}

func drawOverlay(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	src, err := boatClip(ctx, w)
	if err != nil {
		return nil, err
	}
	apple, err := w.picture(ctx, "a red apple, studio", 3, 256, 256)
	if err != nil {
		return nil, err
	}
	badge, err := w.run(ctx, "remove_background", 3, args{}, input{"sourceImageIndex", apple})
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, "overlay_video", 7, args{"overlays": []any{
		args{"kind": "text", "text": "SAILING HOME", "position": "top-center", "endSeconds": 2, "styling": args{"fontSize": 64, "color": "#ffffff"}},
		args{"kind": "image", "sourceImageIndex": 0, "position": "bottom-right"},
	}}, input{"sourceVideoIndex", src}, input{"overlays[1].sourceImageIndex", badge})
	if err != nil {
		return nil, err
	}
	return drawFrames(ctx, p, width, moments)
}

// drawUpscaledClip shows a detail of a clip before and after it was enlarged.
func drawUpscaledClip(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	src, err := w.clip(ctx, "steam train crossing a bridge in autumn", 7, 2)
	if err != nil {
		return nil, err
	}
	p, err := w.run(ctx, "upscale_video", 7, args{"targetResolution": 1080}, input{"sourceVideoIndex", src})
	if err != nil {
		return nil, err
	}
	var cells []image.Image
	side := (width - 6) / 2
	for _, c := range []result{src, p} {
		r, err := film.Open(ctx, c.Path, film.BuiltIn)
		if err != nil {
			return nil, err
		}
		s, err := r.Next()
		if err != nil {
			r.Close()
			return nil, err
		}
		img := s.RGBA(nil)
		r.Close()
		cell := blank(side, 300, card)
		for y := range 300 {
			for x := range side {
				// Plain pixels, so that each is seen as it is.
				cell.Set(x, y, img.At(img.Rect.Dx()*2/5+x*img.Rect.Dx()/4/side, img.Rect.Dy()*2/5+y*img.Rect.Dx()/4/side))
			}
		}
		cells = append(cells, cell)
	}
	return stackRight(6, cells...), nil
}
