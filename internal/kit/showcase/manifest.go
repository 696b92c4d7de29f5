package main

import (
	"context"
	"fmt"
	"image"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/manifest"
)

var manifestSheet = sheet{
	file: "session.jpg", title: "Questions, endings and assets", columns: 3,
	text: "These tools make no media, and no renderer sees them. The five that keep assets were called; the first two are not run for this page:\n" +
		"shown are their arguments and the state in which the service leaves such a step.",
	exhibits: []exhibit{
		{"ask_clarifying_question", "the step waits until the workflow is resumed", drawQuestion},
		{"finalize_response", "the step completes; its words stay in the workflow", drawFinalized},
		{"create_asset_manifest", "two assets, with what must not change", drawAssetCall("create_asset_manifest", args{"assets": assets})},
		{"inspect_asset", "by the user's name for it", drawAssetCall("inspect_asset", args{"user_label": "the hero"})},
		{"label_asset", "another description for one", drawAssetCall("label_asset", args{"asset_id": "asset_coast", "description": "the coast in the evening"})},
		{"map_assets_for_model", "how the H3 reference model wants to hear of them", drawAssetCall("map_assets_for_model", args{"model_id": h3Model})},
		{"validate_asset_references", "a prompt that names one of the two", drawAssetCall("validate_asset_references", args{"model_id": h3Model, "prompt": "Image 1 walks along the shore"})},
	},
}

const h3Model = "minimax-h3-ref2va-fp8_r2v_turbo"

var assets = []any{
	args{"asset_id": "asset_hero", "user_label": "the hero", "type": "image", "description": "a woman with red hair", "must_preserve": []any{"her face"}, "url": "https://example.com/hero.png"},
	args{"asset_id": "asset_coast", "user_label": "the coast", "type": "image", "avoid": []any{"people"}, "url": "https://example.com/coast.png"},
}

// drawAssetCall calls a tool on the manifest of the two assets.
func drawAssetCall(tool string, a args) drawFunc {
	return func(_ context.Context, w *toolRunner, width int) (image.Image, error) {
		if _, err := w.step(tool, a); err != nil {
			return nil, err
		}
		_, m, err := manifest.Call(w.catalog, manifest.Manifest{}, "create_asset_manifest", args{"assets": assets})
		if err != nil {
			return nil, err
		}
		answer, _, err := manifest.Call(w.catalog, m, tool, a)
		if err != nil {
			return nil, err
		}
		text, err := indented(answer)
		if err != nil {
			return nil, err
		}
		return drawText(width, mostLines, text)
	}
}

// step returns the arguments of a call without a renderer, as the catalog
// resolves them.
func (w *toolRunner) step(tool string, a args) (args, error) {
	step, err := w.catalog.Step(tool, a, catalog.Facts{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	return step.Arguments, nil
}

func drawQuestion(_ context.Context, w *toolRunner, width int) (image.Image, error) {
	a, err := w.step("ask_clarifying_question", args{"question": "Shall the ship be a sailing ship or a steamer?", "reason": "Both would fit the story."})
	if err != nil {
		return nil, err
	}
	return status(width, args{"arguments": a, "status": atelier.StatusWaitingForUser, "waitingReason": atelier.WaitQuestion})
}

func drawFinalized(_ context.Context, w *toolRunner, width int) (image.Image, error) {
	a, err := w.step("finalize_response", args{"outcome": "success", "summary": "A clip of six seconds with music."})
	if err != nil {
		return nil, err
	}
	return status(width, args{"arguments": a, "status": atelier.StatusCompleted})
}

func status(width int, step args) (image.Image, error) {
	text, err := indented(step)
	if err != nil {
		return nil, err
	}
	return drawText(width, mostLines, text)
}
