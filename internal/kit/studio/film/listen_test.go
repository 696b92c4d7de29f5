package film_test

import (
	"slices"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// Sound of our own comes back as it was, from MP4 and from MOV; AAC comes back
// with ffmpeg, and about as loud.
func TestListen(t *testing.T) {
	t.Parallel()
	for _, engine := range engines(t) {
		for _, format := range []string{"mp4", "mov"} {
			o := film.Options{Width: 64, Height: 64, FPS: 10, Frames: 10, Format: format, Engine: engine, Sound: tone(48000, 1)}
			_, path := write(t, o)
			got, err := film.ReadSound(t.Context(), path, film.Auto, 60)
			if err != nil {
				t.Fatal(err)
			}
			if engine == film.BuiltIn {
				if !slices.Equal(got.Samples, o.Sound.Samples) || got.Rate != 48000 || got.Channels != 2 {
					t.Errorf("%s: %d samples of %d Hz came back, want %d", format, len(got.Samples), got.Rate, len(o.Sound.Samples))
				}
				continue
			}
			if loud := slices.Max(got.Samples); loud < 9000 {
				t.Errorf("%s: the loudest sample is %d", format, loud)
			}
			if _, err := film.ReadSound(t.Context(), path, film.BuiltIn, 60); err == nil {
				t.Error("AAC was read without ffmpeg")
			}
		}
	}
	_, path := write(t, film.Options{Width: 64, Height: 64, FPS: 10, Frames: 10, Format: "mp4", Engine: film.BuiltIn})
	if got, err := film.ReadSound(t.Context(), path, film.Auto, 60); got != nil || err != nil {
		t.Errorf("a silent clip has a sound: %v, %v", got != nil, err)
	}
}
