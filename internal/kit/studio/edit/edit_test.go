package edit_test

import (
	"image"
	"math"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/edit"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestReadEdits(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"make it brighter": "tone:",
		"make the picture slightly darker and warmer":    "tone: tone:",
		"black and white, please":                        "tone:",
		"make the car red":                               "recolour:car",
		"change the red car to blue":                     "recolour:red car",
		"turn the sky purple":                            "recolour:sky",
		"make the whole picture blue":                    "recolour:",
		"make the sky darker":                            "tone:sky",
		"blur the background":                            "blur:background",
		"replace the background with a beach at sunset":  "backdrop:",
		"make the background white":                      "backdrop:",
		"remove the background":                          "cutout:",
		"remove the red car":                             "remove:red car",
		"replace the fox with a cat":                     "replace:fox",
		"turn the dog into a cat":                        "replace:dog",
		"add a fox and a moon":                           "add:",
		"make it brighter and add a moon":                "tone: add:",
		"add snow":                                       "light:",
		"make it a rainy night in autumn":                "light:",
		"replace the sky with a starry night":            "light:",
		"as an oil painting":                             "style:",
		"make it look like a pencil sketch":              "style:",
		"make this dreamy":                               "style:",
		`write "Sale" on top`:                            "add:",
		"crop to 16:9":                                   "crop:",
		"crop to the subject":                            "crop:subject",
		"rotate 90 degrees left":                         "rotate:",
		"flip it upside down":                            "flip:",
		"zoom in":                                        "zoom:",
		"put her on a beach":                             "backdrop:",
		"put a hat on the cat":                           "add:",
		"sharpen and denoise":                            "sharpen: denoise:",
		"improve the quality":                            "enhance:",
		"increase contrast by 30%, then add a vignette.": "tone: tone:",
		"frobnicate the gizmo":                           "",
		"give this person a charcoal suit with a white shirt and combed hair":             "",
		"give her red hair, change the background to a studio. Keep the face and the age": "backdrop:",
		"dress him in a blue coat":                       "",
		"add a man in a blue suit":                       "add:",
		"give the cat a hat":                             "add:",
		"make it night but keep the colours as they are": "light:",
		"": "",
	} {
		edits, unknown := edit.ReadEdits(prompt)
		var got []string
		for _, e := range edits {
			got = append(got, string(e.Kind)+":"+e.Target)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %q, want %q", prompt, s, want)
		}
		if prompt == "frobnicate the gizmo" && len(unknown) == 0 {
			t.Errorf("%q: what was not understood is not told", prompt)
		}
	}
}

// A night that is asked for together with a moon has that one and no other, and
// what somebody is given is added without another of them.
func TestEditsAddOnce(t *testing.T) {
	t.Parallel()
	edits, _ := edit.ReadEdits("make it night, and add a big moon")
	if len(edits) != 2 || !strings.Contains(edits[0].String(), "without: moon") {
		t.Errorf("got %v, want a night without a moon of its own", edits)
	}
	edits, _ = edit.ReadEdits("give the cat a hat")
	if len(edits) != 1 || len(edits[0].Scene.Subjects) != 1 || edits[0].Scene.Subjects[0].Key != "hat" {
		t.Errorf("got %v, want a hat and no cat", edits)
	}
}

func TestEditsHaveTheirNumbers(t *testing.T) {
	t.Parallel()
	read := func(prompt string) edit.Edit {
		t.Helper()
		edits, _ := edit.ReadEdits(prompt)
		if len(edits) != 1 {
			t.Fatalf("%q: %d edits", prompt, len(edits))
		}
		return edits[0]
	}
	if little, much := read("slightly brighter").Tone.Light, read("much brighter").Tone.Light; little >= much || little <= 0 {
		t.Errorf("slightly %v, much %v", little, much)
	}
	if got := read("rotate by 15 degrees counterclockwise").Number; got != -15 {
		t.Errorf("rotate by %v", got)
	}
	if got := read("crop to a square").Number; got != 1 {
		t.Errorf("a square is %v", got)
	}
	if got := read(`add the text "HI" at the bottom`).Scene.Text; len(got) != 2 || got[0] != "" || got[1] != "HI" {
		t.Errorf("the text is %q", got)
	}
	if e := read("make it brighter"); e.Varied(1).Tone == e.Varied(2).Tone {
		t.Error("two seeds vary an edit alike")
	}
}

func FuzzReadEdits(f *testing.F) {
	for _, s := range []string{"make the car red", "crop to 16:9 and", `add "x`, "replace with", "change to to to", "remove", "%°:x9:9x"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		edits, _ := edit.ReadEdits(s)
		for _, e := range edits {
			_ = e.String()
		}
	})
}

// edited makes the edits of a prompt.
func edited(t *testing.T, img image.Image, prompt string, mask *pixel.Mask) *image.NRGBA {
	t.Helper()
	edits, _ := edit.ReadEdits(prompt)
	if len(edits) == 0 {
		t.Fatalf("%q was not understood", prompt)
	}
	d := edit.NewEditor(img, paint.Look{Texture: 1}, 5)
	d.Mask = mask
	for _, e := range edits {
		if err := d.Apply(t.Context(), e); err != nil {
			t.Fatalf("%q: %v", prompt, err)
		}
	}
	return d.Picture
}

func TestEditsDoWhatTheySay(t *testing.T) {
	t.Parallel()
	const w, h = 192, 144
	img := studiotest.Board(w, h)
	plain := studiotest.Brightness(img)
	if got := studiotest.Brightness(edited(t, img, "make it brighter", nil)); got < plain+0.05 {
		t.Errorf("brighter went from %.2f to %.2f", plain, got)
	}
	if got := studiotest.Brightness(edited(t, img, "much darker", nil)); got > plain-0.08 {
		t.Errorf("darker went from %.2f to %.2f", plain, got)
	}
	grey := func(r, g, b float64) bool { return math.Abs(r-g) < 0.02 && math.Abs(g-b) < 0.02 }
	if got := studiotest.Share(edited(t, img, "black and white", nil), 0, 0, 1, 1, grey); got < 0.999 {
		t.Errorf("only %.3f of it is grey", got)
	}
	blue := edited(t, img, "change the red ball to blue", nil)
	if got := studiotest.Share(blue, 0.4, 0.4, 0.6, 0.6, studiotest.Bluish); got < 0.95 {
		t.Errorf("%.2f of the ball became blue", got)
	}
	if blue.NRGBAAt(5, 5) != img.NRGBAAt(5, 5) {
		t.Error("the ground took part in the recolouring")
	}
	gone := edited(t, img, "remove the red ball", nil)
	if got := studiotest.Share(gone, 0.3, 0.3, 0.7, 0.7, studiotest.Reddish); got > 0.02 {
		t.Errorf("%.2f of the middle is still red", got)
	}
	white := edited(t, img, "make the background white", nil)
	if c := white.NRGBAAt(w/2, 4); c.R < 235 || c.G < 235 || c.B < 235 {
		t.Errorf("the background became %v", c)
	}
	cut := edited(t, img, "remove the background", nil)
	if a, b := cut.NRGBAAt(w/2, 4).A, cut.NRGBAAt(w/2, h/2).A; a != 0 || b != 255 {
		t.Errorf("alpha %d outside and %d inside", a, b)
	}
}

func TestEditsOfShape(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(120, 80)
	for prompt, want := range map[string]image.Point{
		"crop to a square": {80, 80}, "rotate 90 degrees": {80, 120}, "rotate by 10 degrees": {120, 80}, "flip it": {120, 80},
		"zoom in": {120, 80}, "zoom out": {120, 80}, "crop to 3:1": {120, 40},
	} {
		out := edited(t, img, prompt, nil)
		if got := out.Rect.Size(); got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
		if !out.Opaque() {
			t.Errorf("%q left empty corners", prompt)
		}
	}
	if got, want := edited(t, img, "flip it", nil).NRGBAAt(0, 7), img.NRGBAAt(119, 7); got != want {
		t.Errorf("the mirrored corner is %v, want %v", got, want)
	}
	if got, want := pixel.Rotate90(img, 1).NRGBAAt(79, 0), img.NRGBAAt(0, 0); got != want {
		t.Errorf("the turned corner is %v, want %v", got, want)
	}
	for orientation := 1; orientation <= 8; orientation++ {
		b := pixel.ApplyOrientation(img, orientation).Bounds()
		if (b.Dx() == 80) != (orientation >= 5) {
			t.Errorf("orientation %d: %v", orientation, b)
		}
	}
}

func TestAMaskLimitsAnEdit(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(96, 72)
	m := pixel.NewMask(96, 72)
	for y := range 72 {
		for x := range 48 {
			m.Pix[y*96+x] = 255
		}
	}
	out := edited(t, img, "make it much brighter and sepia", m)
	if out.NRGBAAt(70, 30) != img.NRGBAAt(70, 30) || out.NRGBAAt(10, 30) == img.NRGBAAt(10, 30) {
		t.Error("the mask did not hold")
	}
	d := edit.NewEditor(img, paint.Look{}, 1)
	d.Mask = m
	edits, _ := edit.ReadEdits("crop to a square")
	if err := d.Apply(t.Context(), edits[0]); err == nil {
		t.Error("a mask limited a crop")
	}
}
