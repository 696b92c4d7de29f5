package cpu

import (
	"context"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/studio/mesh"
	"github.com/atelier-project/atelier/internal/worker"
)

// sculpt makes a mesh of a picture.
func sculpt(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	source, err := open(t, "sourceImageIndex")
	if err == nil && source == nil {
		source, err = open(t, "source_image_url")
	}
	if err != nil {
		return nil, err
	}
	if source == nil {
		return nil, worker.Failf("image_to_3d needs a picture.")
	}
	slot := t.Artifacts[0]
	t.Report(0.1, "sculpting")
	data, err := mesh.Model(ctx, source, mesh.Options{Faces: int(number(t, "meshTargetFaces", 0)), TextureSize: int(number(t, "textureSize", 0))})
	if err != nil {
		return nil, plainly(err)
	}
	path := filepath.Join(t.Folder, slot.ID+filetype.Extension(slot.ContentType))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	return []worker.Output{{ID: slot.ID, Path: path, Seed: t.Seed}}, nil
}
