package paint_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/studiotest"
)

func TestStylise(t *testing.T) {
	t.Parallel()
	src := studiotest.Checker(64, 64)
	for _, style := range []string{"watercolor", "pixel", "glass", "pencil", "noir"} {
		out, err := paint.Stylise(t.Context(), src, paint.Scene{Styles: []string{style}}, paint.Look{}, 1)
		if err != nil || out.Rect != src.Rect {
			t.Errorf("%s: %v", style, err)
		}
	}
}
