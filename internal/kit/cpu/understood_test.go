package cpu_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/worktest"
)

// What is not painted is not claimed, in a picture and in a clip.
func TestNotUnderstood(t *testing.T) {
	t.Parallel()
	worktest.NeedFull(t)
	for prompt, want := range map[string][]string{
		"a man with a beard":                  {"beard"},
		"a living room":                       {"living room"},
		"a sofa":                              {"sofa"},
		"a sad robot":                         {"sad"},
		"a fire":                              {"fire"},
		"a red fox in a snowy forest at dawn": nil,
	} {
		args := map[string]any{"prompt": prompt, "width": 96.0, "height": 64.0}
		out, err := cpu.Renderer{}.Render(t.Context(), task(t, "generate_image", "", "image/png", args))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := out[0].Metadata["notUnderstood"].([]string); !slices.Equal(got, want) || out[0].Metadata["understood"] == "" {
			t.Errorf("picture of %q: not understood is %q, want %q, of %v", prompt, got, want, out[0].Metadata)
		}
	}
	for prompt, want := range map[string][]string{
		// The camera follows the zoom, and the traffic is heard.
		"zoom in on a sad robot walking by a zorp, traffic": {"zorp", "sad"},
		"a fire": {"fire"}, // heard, and not seen
	} {
		args := map[string]any{"prompt": prompt, "duration": 0.2, "width": 96.0, "height": 64.0}
		out, _ := renderClip(t, film.BuiltIn, job(t, "generate_video", "", args, nil))
		if got, _ := out.Metadata["notUnderstood"].([]string); !slices.Equal(got, want) {
			t.Errorf("clip of %q: not understood is %q, want %q, of %v", prompt, got, want, out.Metadata)
		}
	}
}

// Every clip says in what its sound is coded, and whom that may leave in silence.
func TestSoundOfClipsIsNamed(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, e film.Engine) {
		out, _ := renderClip(t, e, job(t, "generate_video", "", map[string]any{"prompt": "the sea", "duration": 0.2, "width": 64.0, "height": 48.0}, nil))
		want := map[film.Engine]string{film.BuiltIn: "flac", film.FFmpeg: "aac"}[e]
		notes, _ := out.Metadata["notes"].([]string)
		warned := slices.ContainsFunc(notes, func(s string) bool { return strings.Contains(s, "Safari") })
		if out.Metadata["audioCodec"] != want || warned != (e == film.BuiltIn) {
			t.Errorf("%s: the sound is %v, want %s; notes %q", e, out.Metadata["audioCodec"], want, notes)
		}
	})
}
