package cpu_test

import (
	"bytes"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/kit/cpu"
)

// at returns a pixel as it is written, in 8 bits.
func at(img image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}

func TestEditImage(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	o, out := shown(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": "change the red ball to blue"}))
	if c := at(out, 48, 36); c.B <= c.R+20 {
		t.Errorf("the ball is %v, want blue; %v", c, o.Metadata)
	}
	if c, want := at(out, 5, 5), img.NRGBAAt(5, 5); c != want {
		t.Errorf("the ground became %v, was %v", c, want)
	}
	if _, out = shown(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": "brighter", "width": 100.0, "height": 100.0})); out.Bounds().Dx() != 100 || out.Bounds().Dy() != 100 {
		t.Errorf("the size is %v", out.Bounds())
	}
	if _, out = shown(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": "brighter", "aspectRatio": "1:1"})); out.Bounds().Dx() != out.Bounds().Dy() {
		t.Errorf("the shape is %v", out.Bounds())
	}
	if _, out = shown(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": "brighter", "gptImageBackground": "transparent"})); at(out, 48, 2).A != 0 || at(out, 48, 36).A != 255 {
		t.Errorf("alpha %d outside, %d inside", at(out, 48, 2).A, at(out, 48, 36).A)
	}
	o, _ = shown(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": "make it warmer, blorp the flonk"}))
	if o.Metadata["notUnderstood"] == nil {
		t.Errorf("what was not understood is not told: %v", o.Metadata)
	}
}

func TestEditsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	for prompt, want := range map[string]string{
		"blorp the flonk":        "brighter", // says what it can do
		"make her hair red":      "hair",
		"remove the purple tree": "purple tree",
	} {
		if said := refusal(t, on(t, "edit_image", "image/png", img, map[string]any{"prompt": prompt})); !strings.Contains(said, want) {
			t.Errorf("%q: %s", prompt, said)
		}
	}
	even := image.NewGray(image.Rect(0, 0, 64, 64))
	refusal(t, on(t, "edit_image", "image/png", even, map[string]any{"prompt": "replace the background with a beach"}))
}

// Clothes cannot be changed, and nobody is painted instead who wears them: the
// step says what it left undone.
func TestClothesAreLeftAsTheyAre(t *testing.T) {
	t.Parallel()
	k := task(t, "edit_image", "", "image/png", map[string]any{"prompt": "Give this person a tailored suit. Make it brighter."})
	k.Files["sourceImageIndex"] = file(t, pngOf(t, scene(96, 64)))
	out, _ := render(t, k)
	if left, _ := out.Metadata["notUnderstood"].([]string); len(left) != 1 || !strings.Contains(left[0], "suit") {
		t.Errorf("the metadata is %v, want the suit among what was not understood", out.Metadata)
	}
	k.Arguments["prompt"] = "dress her in a red gown"
	if _, err := (cpu.Renderer{}).Render(t.Context(), k); err == nil || !strings.Contains(err.Error(), "what somebody wears") {
		t.Errorf("got %v, want a refusal that speaks of clothes", err)
	}
}

func TestEditWithinAMask(t *testing.T) {
	t.Parallel()
	img := scene(96, 72)
	mask := image.NewGray(image.Rect(0, 0, 48, 36)) // of another size, as masks come
	for y := range 36 {
		for x := range 24 {
			mask.SetGray(x, y, color.Gray{255})
		}
	}
	k := on(t, "edit_image", "image/png", img, map[string]any{"prompt": "make it blue"})
	k.Files["mask_image_url"] = file(t, pngOf(t, mask))
	_, out := shown(t, k)
	if at(out, 90, 10) != img.NRGBAAt(90, 10) || at(out, 10, 10) == img.NRGBAAt(10, 10) {
		t.Errorf("outside %v was %v, inside %v was %v", at(out, 90, 10), img.NRGBAAt(90, 10), at(out, 10, 10), img.NRGBAAt(10, 10))
	}
	k.Files["mask_image_url"] = file(t, pngOf(t, image.NewGray(image.Rect(0, 0, 8, 8))))
	refusal(t, k)
}

// Each variation has a seed of its own and is another picture; the same seed is
// the same one.
func TestVariations(t *testing.T) {
	t.Parallel()
	for tool, prompt := range map[string]string{"edit_image": "brighter", "refine_result": "more contrast", "restore_photo": "restore it"} {
		k := on(t, tool, "image/png", scene(64, 48), map[string]any{"prompt": prompt})
		k.Artifacts = []apitype.AssignmentArtifact{{ID: "a0", ContentType: "image/png"}, {ID: "a1", ContentType: "image/png"}}
		out, err := cpu.Renderer{}.Render(t.Context(), k)
		if err != nil || len(out) != 2 || out[0].Seed != 7 || out[1].Seed != 8 {
			t.Fatalf("%s: %+v, %v", tool, out, err)
		}
		first, second := contents(t, out[0].Path), contents(t, out[1].Path)
		if bytes.Equal(first, second) {
			t.Errorf("%s: both variations are the same", tool)
		}
		again := on(t, tool, "image/png", scene(64, 48), map[string]any{"prompt": prompt})
		again.Seed = 8
		if _, data := render(t, again); !bytes.Equal(data, second) {
			t.Errorf("%s: the seed of a variation makes another picture", tool)
		}
	}
}

func TestRefineResult(t *testing.T) {
	t.Parallel()
	o, _ := shown(t, on(t, "refine_result", "image/png", scene(80, 60), map[string]any{"prompt": "more detail", "scale": 1.5}))
	if o.Width != 120 || o.Height != 90 {
		t.Errorf("it is %d by %d, want 120 by 90", o.Width, o.Height)
	}
	refusal(t, on(t, "refine_result", "image/png", scene(80, 60), map[string]any{"prompt": "blorp"}))
}
