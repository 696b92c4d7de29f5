package cpu_test

import (
	"image"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/footage"
	"github.com/atelier-project/atelier/internal/worker"
)

// A LoRA tints a picture: in colours that follow from its file, or from its id where the
// file is not known, and more the stronger it is. Its file is not downloaded.
func TestLorasTintPictures(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1/never"
	source := scene(96, 64)
	with := func(loras ...apitype.AssignmentLora) *image.RGBA {
		t.Helper()
		k := on(t, "edit_image", "image/png", source, map[string]any{"prompt": "make it brighter"})
		k.Loras = loras
		o, img := shown(t, k)
		left, _ := o.Metadata["leftOut"].([]string)
		if noted := strings.Contains(strings.Join(left, " "), "loras: they need a neural model; here each only tints"); noted != (len(loras) > 0) {
			t.Errorf("with %v, left out: %v", loras, left)
		}
		return footage.ToRGBA(img)
	}
	fox := func(strength float64) apitype.AssignmentLora {
		return apitype.AssignmentLora{ID: "personal-1", URL: nowhere, Strength: strength, SHA256: strings.Repeat("a1", 32)}
	}
	public := apitype.AssignmentLora{ID: "rim-light", Strength: 1}
	plain, full := with(), with(fox(1))
	for name, c := range map[string]struct {
		a, b *image.RGBA
		same bool
	}{
		"a LoRA and none":                {full, plain, false},
		"one twice":                      {full, with(fox(1)), true},
		"the same file under another id": {full, with(apitype.AssignmentLora{ID: "personal-2", Strength: 1, SHA256: fox(1).SHA256}), true},
		"another file":                   {full, with(apitype.AssignmentLora{ID: "personal-1", URL: nowhere, Strength: 1, SHA256: strings.Repeat("b2", 32)}), false},
		"a public one and none":          {with(public), plain, false},
		"two public ones":                {with(public), with(apitype.AssignmentLora{ID: "golden-hour", Strength: 1}), false},
		"both and one of them":           {with(public, fox(1)), full, false},
		"strength 0 and none":            {with(fox(0)), plain, true},
		"a strength and its opposite":    {with(apitype.AssignmentLora{ID: "rim-light", Strength: -1}), with(public), false},
		"a negative strength and none":   {with(apitype.AssignmentLora{ID: "rim-light", Strength: -1}), plain, false},
	} {
		if d := differ(c.a, c.b); (d == 0) != c.same || !c.same && d < 3 {
			t.Errorf("%s: they differ by %.2f", name, d)
		}
	}
	weaker := 0.0
	for _, strength := range []float64{0.2, 0.5, 1, 8} {
		d := differ(with(fox(strength)), plain)
		if d < weaker+1 {
			t.Errorf("strength %v changes it by %.2f, a weaker one by %.2f", strength, d, weaker)
		}
		weaker = d
	}
}

// The same holds for the frames of clips, which a camera or a codec may have made.
func TestLorasTintClips(t *testing.T) {
	t.Parallel()
	lora := []apitype.AssignmentLora{{ID: "rim-light", Strength: 1}}
	source := testClip{w: 64, h: 48, fps: 8, frames: 8, draw: plain(grey)}.encodeWith(t, film.BuiltIn)
	for tool, k := range map[string]func() worker.Task{
		"generate_video": func() worker.Task {
			return job(t, "generate_video", "", map[string]any{"prompt": "a boat", "duration": 1.0, "width": 64.0, "height": 48.0, "generateAudio": false}, nil)
		},
		"video_to_video": func() worker.Task {
			return job(t, "video_to_video", "", map[string]any{"prompt": "clean", "controlMode": "detailer", "generateAudio": false}, map[string]string{"videoSourceIndex": source})
		},
	} {
		_, plain := renderClip(t, film.BuiltIn, k())
		tinted := k()
		tinted.Loras = lora
		o, frames := renderClip(t, film.BuiltIn, tinted)
		if len(frames) != len(plain) || differ(frames[0], plain[0]) < 3 || differ(frames[len(frames)-1], plain[len(plain)-1]) < 3 {
			t.Errorf("%s: %d frames that look like those without the LoRA", tool, len(frames))
		}
		if notes, _ := o.Metadata["notes"].([]string); !strings.Contains(strings.Join(notes, " "), "the LoRAs are not loaded: they need a neural model; here each only tints") {
			t.Errorf("%s: notes: %v", tool, notes)
		}
	}
}
