package picture

import (
	"context"
	"image"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/edit"
	"github.com/atelier-project/atelier/internal/worker"
)

// Refine improves a picture: by its prompt, and then its noise, contrast and
// sharpness.
func Refine(ctx context.Context, t task.Task) ([]worker.Output, error) {
	prompt := t.Text("prompt")
	edits, unknown := edit.ReadEdits(prompt)
	if len(edits) == 0 {
		return nil, worker.Failf("Nothing in %q is understood as an improvement; it can enhance, sharpen, denoise and add contrast, and beyond that %s.", prompt, edit.EditHelp)
	}
	img, err := croppedSource(ctx, t)
	if err != nil {
		return nil, err
	}
	better := edit.Edit{Kind: edit.EditEnhance, Amount: 0.8}
	plain := func(e edit.Edit) bool {
		// A picture that was softened on request must not be sharpened after it.
		return e.Kind == edit.EditBlur || e.Kind == edit.EditSoften || e.Kind == edit.EditStyle || e.Kind == edit.EditEnhance || e.Kind == edit.EditCutout
	}
	if !slices.ContainsFunc(edits, plain) {
		edits = append(edits, better)
	}
	return renderPictures(ctx, t, "refining", func(seed int64, progress func(float64)) (image.Image, map[string]any, error) {
		out, meta, err := applyEdits(ctx, t, img, edits, nil, seed, progress)
		if err != nil {
			return nil, nil, err
		}
		if len(unknown) > 0 {
			meta["notUnderstood"] = unknown
		}
		out, err = scaleUp(ctx, t, out)
		return out, meta, err
	})
}
