package main

import (
	"context"
	"fmt"
	"image"
	"maps"
)

var audioSheet = sheet{
	file: "sounds.jpg", title: "Music and speech", columns: 2,
	text: "The wave above its spectrum, from 50 Hz to 8 kHz.",
	exhibits: []exhibit{
		{"generate_music", "“calm piano lullaby”, 20 seconds", drawMusic("calm piano lullaby", 1)},
		{"generate_music", "“energetic techno with drums”, 20 seconds", drawMusic("energetic techno with drums", 2)},
		{"generate_music", "“slow blues with guitar”, 20 seconds", drawMusic("slow blues with guitar", 3)},
		{"generate_music", "“happy folk song with a voice”, singing two lines of lyrics", drawSong},
		{"generate_speech", "“Good morning. The ferry leaves at half past nine.”, in the voice serena", drawSpeech(args{"voice": "serena"})},
		{"generate_speech", "the same words, in a voice designed as “an old man with a deep, slow voice”", drawSpeech(args{"model": "design", "voiceDescription": "an old man with a deep, slow voice"})},
	},
}

func (w *toolRunner) compose(ctx context.Context, prompt string, seed int64) (result, error) {
	return w.once(fmt.Sprint("music ", prompt, seed), func() (result, error) {
		return w.run(ctx, "generate_music", seed, args{"prompt": prompt, "duration": 20})
	})
}

// drawSound shows a recording.
func drawSound(p result, err error, width int) (image.Image, error) {
	if err != nil {
		return nil, err
	}
	clip, err := p.sound()
	if err != nil {
		return nil, err
	}
	return drawWaveform(clip, width, 200)
}

func drawMusic(prompt string, seed int64) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		p, err := w.compose(ctx, prompt, seed)
		return drawSound(p, err, width)
	}
}

func drawSong(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
	p, err := w.run(ctx, "generate_music", 4, args{"prompt": "happy folk song with a voice", "duration": 20, "lyrics": "Over the hills and down to the sea\nThe wind in the sails is calling to me"})
	return drawSound(p, err, width)
}

func drawSpeech(voice args) drawFunc {
	return func(ctx context.Context, w *toolRunner, width int) (image.Image, error) {
		a := maps.Clone(voice)
		a["prompt"] = "Good morning. The ferry leaves at half past nine."
		p, err := w.run(ctx, "generate_speech", 5, a)
		return drawSound(p, err, width)
	}
}
