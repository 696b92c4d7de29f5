package main

import (
	"context"
	"fmt"
	"image"
	"maps"
)

var sounding = sheet{
	file: "sounds.jpg", title: "Music and speech", columns: 2,
	text: "The wave above its spectrum, from 50 Hz to 8 kHz.",
	exhibits: []exhibit{
		{"generate_music", "“calm piano lullaby”, 20 seconds", music("calm piano lullaby", 1)},
		{"generate_music", "“energetic techno with drums”, 20 seconds", music("energetic techno with drums", 2)},
		{"generate_music", "“slow blues with guitar”, 20 seconds", music("slow blues with guitar", 3)},
		{"generate_music", "“happy folk song with a voice”, singing two lines of lyrics", sung},
		{"generate_speech", "“Good morning. The ferry leaves at half past nine.”, in the voice serena", spoken(args{"voice": "serena"})},
		{"generate_speech", "the same words, in a voice designed as “an old man with a deep, slow voice”", spoken(args{"model": "design", "voiceDescription": "an old man with a deep, slow voice"})},
	},
}

func (w *workshop) played(ctx context.Context, prompt string, seed int64) (piece, error) {
	return w.once(fmt.Sprint("music ", prompt, seed), func() (piece, error) {
		return w.make(ctx, "generate_music", seed, args{"prompt": prompt, "duration": 20})
	})
}

// listened shows a piece of sound.
func listened(p piece, err error, width int) (image.Image, error) {
	if err != nil {
		return nil, err
	}
	clip, err := p.sound()
	if err != nil {
		return nil, err
	}
	return heard(clip, width, 200)
}

func music(prompt string, seed int64) show {
	return func(ctx context.Context, w *workshop, width int) (image.Image, error) {
		p, err := w.played(ctx, prompt, seed)
		return listened(p, err, width)
	}
}

func sung(ctx context.Context, w *workshop, width int) (image.Image, error) {
	p, err := w.make(ctx, "generate_music", 4, args{"prompt": "happy folk song with a voice", "duration": 20, "lyrics": "Over the hills and down to the sea\nThe wind in the sails is calling to me"})
	return listened(p, err, width)
}

func spoken(voice args) show {
	return func(ctx context.Context, w *workshop, width int) (image.Image, error) {
		a := maps.Clone(voice)
		a["prompt"] = "Good morning. The ferry leaves at half past nine."
		p, err := w.make(ctx, "generate_speech", 5, a)
		return listened(p, err, width)
	}
}
