package edit_test

import (
	"errors"
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/edit"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestViews(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]edit.View{
		"from the left":                        {Yaw: -28, Zoom: 1},
		"from the right side, 45 degrees":      {Yaw: 45, Zoom: 1},
		"a high angle shot":                    {Pitch: 26, Zoom: 1},
		"low angle, slightly tilted":           {Pitch: -26, Roll: 5, Zoom: 1},
		"30 degrees from above":                {Pitch: 30, Zoom: 1},
		"bird's eye view from the left":        {Yaw: -28, Pitch: 42, Zoom: 1},
		"closer":                               {Zoom: 1.45},
		"tilt to the left by 12°":              {Roll: -12, Zoom: 1},
		"from the right by 300 degrees please": {Yaw: 60, Zoom: 1},
	} {
		got, err := edit.ReadView(text, 1)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	if _, err := edit.ReadView("from behind", 1); !errors.Is(err, edit.ErrBehind) {
		t.Errorf("from behind: %v", err)
	}
	for _, text := range []string{"purple", "", "eye level", "frontal view"} {
		if v, err := edit.ReadView(text, 1); err == nil {
			t.Errorf("%q was taken as %+v", text, v)
		}
	}
}

func TestTurnMovesCornersAndFillsTheFrame(t *testing.T) {
	t.Parallel()
	img := studiotest.Board(160, 120)
	for _, v := range []edit.View{{Yaw: -30, Zoom: 1}, {Pitch: 30, Zoom: 1}, {Yaw: 50, Pitch: -40, Roll: 20, Zoom: 1}, {Zoom: 0.6}, {Zoom: 1.5}} {
		out, err := edit.RenderView(t.Context(), img, v)
		if err != nil || out.Rect != img.Rect {
			t.Fatalf("%+v: %v, %v", v, out.Rect, err)
		}
		if !out.Opaque() {
			t.Errorf("%+v left holes", v)
		}
		if d := studiotest.PSNR(img, out); d > 30 {
			t.Errorf("%+v is hardly another view (%.1f dB)", v, d)
		}
	}
	// From the left the blue square on the left comes nearer and grows, from the
	// right it shrinks.
	size := func(yaw float64) float64 {
		out, err := edit.RenderView(t.Context(), img, edit.View{Yaw: yaw, Zoom: 1})
		if err != nil {
			t.Fatal(err)
		}
		return studiotest.Share(out, 0, 0.5, 0.4, 1, studiotest.Bluish)
	}
	if left, right := size(-25), size(25); left <= right {
		t.Errorf("the near square covers %.3f, the far one %.3f", left, right)
	}
}
