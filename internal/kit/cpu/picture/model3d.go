package picture

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/kit/cpu/task"
	"github.com/atelier-project/atelier/internal/kit/studio/mesh"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/worker"
)

// To3D makes a mesh from a picture.
func To3D(ctx context.Context, t task.Task) ([]worker.Output, error) {
	source, err := t.Picture(ctx, "sourceImageIndex")
	if err == nil && source == nil {
		source, err = t.Picture(ctx, "source_image_url")
	}
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, worker.Failf("image_to_3d needs a picture.")
	}
	slot := t.Artifacts[0]
	t.Report(0.1, "sculpting")
	meta := map[string]any{"method": "the subject as an inflated relief with the picture as its texture; its back is a copy of the front, because the picture does not show the back"}
	switch m, _, err := pixel.Subject(ctx, source); {
	case err == nil:
		if source, err = pixel.Cutout(ctx, source, m); err != nil {
			return nil, task.Failure(err)
		}
	case errors.Is(err, pixel.ErrNoSubject):
		meta["subject"] = "none stands out clearly: what differs from the picture's border was taken for it, or else the whole picture as a tablet"
	default:
		return nil, task.Failure(err)
	}
	data, err := mesh.Model(ctx, source, mesh.Options{
		Faces: int(t.Number("meshTargetFaces", 0)), TextureSize: int(t.Number("textureSize", 0)), NormalMapSize: int(t.Number("normalMapSize", 0)),
	})
	if err != nil {
		return nil, task.Failure(err)
	}
	if left := ignoredArguments(t); len(left) > 0 {
		meta["leftOut"] = left
	}
	path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return []worker.Output{{ID: slot.ID, Path: path, Seed: t.Seed, Metadata: meta}}, nil
}

// ignoredArguments lists the views and sizes that have no effect: a relief is
// made from one picture.
func ignoredArguments(t task.Task) (out []string) {
	for _, side := range []string{"left", "back", "right"} {
		for _, name := range []string{side + "ViewImageIndex", side + "_view_image_url"} {
			if t.Files[name] != "" {
				out = append(out, name+": a relief is made of the front view alone")
			}
		}
	}
	if t.Arguments["ambientOcclusionSize"] != nil {
		out = append(out, "ambientOcclusionSize: no ambient occlusion map is made")
	}
	if t.Arguments["shapeResolution"] != nil {
		out = append(out, "shapeResolution: a relief is as detailed as meshTargetFaces lets it be")
	}
	return out
}
