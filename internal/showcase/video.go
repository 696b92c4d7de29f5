package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/atelier-project/atelier/internal/studio/film"
)

var filming = sheet{
	file: "clips.jpg", title: "Clips", columns: 1,
	text: "Six moments of each clip, from its first frame to its last. All of them have sound unless it was turned off or the source had none.",
	exhibits: []exhibit{
		{"generate_video", "“a boat on the sea at sunset”", filmed("a boat on the sea at sunset", 7, 3)},
		{"generate_video", "“steam train crossing a bridge in autumn”", filmed("steam train crossing a bridge in autumn", 7, 3)},
		{"animate_photo", "“slow zoom in, snow falling”, from the picture of a fox", fromPicture("animate_photo", "a red fox in a snowy forest at dawn", 1, args{"prompt": "slow zoom in, snow falling", "duration": 3, "targetResolution": 480})},
		{"sound_to_video", "a drum loop moves a neon city", toSound},
		{"video_to_video", "canny: the outlines kept, the rest repainted in “teal and gold, comic style”", fromClip("video_to_video", "videoSourceIndex", args{"prompt": "teal and gold, comic style", "controlMode": "canny"})},
		{"video_to_video", "outpaint to 21:9", fromClip("video_to_video", "videoSourceIndex", args{"prompt": "the sea at sunset", "controlMode": "outpaint", "outpaintAspectRatio": "21:9"})},
		{"extend_video", "two more seconds: “a storm comes up”", fromClip("extend_video", "videoIndex", args{"prompt": "a storm comes up", "duration": 2})},
		{"replace_video_segment", "the second between 1 and 2: “a whale under the sea”", fromClip("replace_video_segment", "videoIndex", args{"prompt": "a whale under the sea", "startSeconds": 1, "endSeconds": 2})},
		{"stitch_video", "two clips and a dissolve", stitched},
		{"orbit_video", "around the subject of a picture, by two of the seven views; the back has the colours of the front, as nobody has seen it", fromPicture("orbit_video", "a teapot, studio", 5, args{"angles": []any{"front-right quarter view", "back view"}})},
		{"dance_montage", "“spongebob”, to a tune composed for it", fromPicture("dance_montage", "a robot, studio", 3, args{"dance": "spongebob", "duration": 8})},
		{"upscale_video", "480 to 1080 lines; a detail of the first frame, before and after", largerClip},
		{"overlay_video", "a title for two seconds, and a picture that remove_background cut out", overlaid},
		{"add_subtitles", "three lines of SRT", fromClip("add_subtitles", "sourceVideoIndex", args{"style": args{"fontSizePct": 12}, "srt": "1\n00:00:00,000 --> 00:00:01,000\nThe sun goes down.\n\n2\n00:00:01,000 --> 00:00:02,000\nThe wind has turned,\n\n3\n00:00:02,000 --> 00:00:03,000\nand we sail home.\n"})},
	},
}

const moments = 6

// strip shows moments of a clip in a row.
func strip(ctx context.Context, p piece, width, moments int) (image.Image, error) {
	r, err := film.Open(ctx, p.Path, film.Own)
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
		cell, err := fitted(ctx, s.RGBA(nil), w, h)
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
		put(cell, under, 6, 5)
		put(cell, at, 5, 4)
		cells = append(cells, cell)
	}
	return beside(space, cells...), nil
}

type show = func(context.Context, *workshop, int) (image.Image, error)

func filmed(prompt string, seed int64, seconds float64) show {
	return func(ctx context.Context, w *workshop, width int) (image.Image, error) {
		p, err := w.filmed(ctx, prompt, seed, seconds)
		if err != nil {
			return nil, err
		}
		return strip(ctx, p, width, moments)
	}
}

// fromPicture has a tool make a clip of a painted picture.
func fromPicture(tool, prompt string, seed int64, a args) show {
	return func(ctx context.Context, w *workshop, width int) (image.Image, error) {
		src, err := w.painted(ctx, prompt, seed, 512, 512)
		if err != nil {
			return nil, err
		}
		p, err := w.make(ctx, tool, seed, a, given{"sourceImageIndex", src})
		if err != nil {
			return nil, err
		}
		return strip(ctx, p, width, moments)
	}
}

// boat returns the clip that tools work on.
func boat(ctx context.Context, w *workshop) (piece, error) {
	return w.filmed(ctx, "a boat on the sea at sunset", 7, 3)
}

// fromClip has a tool work on the clip of the boat.
func fromClip(tool, argument string, a args) show {
	return func(ctx context.Context, w *workshop, width int) (image.Image, error) {
		src, err := boat(ctx, w)
		if err != nil {
			return nil, err
		}
		p, err := w.make(ctx, tool, 7, a, given{argument, src})
		if err != nil {
			return nil, err
		}
		return strip(ctx, p, width, moments)
	}
}

func toSound(ctx context.Context, w *workshop, width int) (image.Image, error) {
	beat, err := w.played(ctx, "energetic techno with drums", 2)
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, "sound_to_video", 7, args{"prompt": "isometric city at night, neon", "duration": 3, "targetResolution": 480}, given{"audioSourceIndex", beat})
	if err != nil {
		return nil, err
	}
	return strip(ctx, p, width, moments)
}

func stitched(ctx context.Context, w *workshop, width int) (image.Image, error) {
	one, err := boat(ctx, w)
	if err != nil {
		return nil, err
	}
	two, err := w.filmed(ctx, "steam train crossing a bridge in autumn", 7, 3)
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, "stitch_video", 7, args{"transition": args{"type": "dissolve", "durationSeconds": 2}}, given{"videoIndices", one}, given{"videoIndices", two})
	if err != nil {
		return nil, err
	}
	return strip(ctx, p, width, moments)
}

func overlaid(ctx context.Context, w *workshop, width int) (image.Image, error) {
	src, err := boat(ctx, w)
	if err != nil {
		return nil, err
	}
	apple, err := w.painted(ctx, "a red apple, studio", 3, 256, 256)
	if err != nil {
		return nil, err
	}
	badge, err := w.make(ctx, "remove_background", 3, args{}, given{"sourceImageIndex", apple})
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, "overlay_video", 7, args{"overlays": []any{
		args{"kind": "text", "text": "SAILING HOME", "position": "top-center", "endSeconds": 2, "styling": args{"fontSize": 64, "color": "#ffffff"}},
		args{"kind": "image", "sourceImageIndex": 0, "position": "bottom-right"},
	}}, given{"sourceVideoIndex", src}, given{"overlays[1].sourceImageIndex", badge})
	if err != nil {
		return nil, err
	}
	return strip(ctx, p, width, moments)
}

// largerClip shows a detail of a clip before and after it was enlarged.
func largerClip(ctx context.Context, w *workshop, width int) (image.Image, error) {
	src, err := w.filmed(ctx, "steam train crossing a bridge in autumn", 7, 2)
	if err != nil {
		return nil, err
	}
	p, err := w.make(ctx, "upscale_video", 7, args{"targetResolution": 1080}, given{"sourceVideoIndex", src})
	if err != nil {
		return nil, err
	}
	var cells []image.Image
	side := (width - 6) / 2
	for _, c := range []piece{src, p} {
		r, err := film.Open(ctx, c.Path, film.Own)
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
	return beside(6, cells...), nil
}
