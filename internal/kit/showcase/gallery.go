package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/yamldoc"
)

// gallery makes the files that gallery.yaml of a catalog folder lists, and the pictures of
// the templates that come with the service.
func gallery(ctx context.Context, folder string) error {
	name := filepath.Join(folder, "gallery.yaml")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var list struct {
		Samples []catalog.Sample `yaml:"samples"`
	}
	if err := yamldoc.Decode(name, data, &list); err != nil {
		return err
	}
	for _, s := range list.Samples {
		args := map[string]any{"prompt": s.PositivePrompt, "width": float64(s.Width), "height": float64(s.Height), "duration": 4.0}
		if err := render(ctx, "generate_image", s.ModelID, "image/jpeg", s.Seed, args, filepath.Join(folder, "gallery", s.File)); err != nil {
			return err
		}
		if s.VideoFile == "" {
			continue
		}
		if err := render(ctx, "generate_video", s.ModelID, "video/mp4", s.Seed, args, filepath.Join(folder, "gallery", s.VideoFile)); err != nil {
			return err
		}
	}
	return starterPictures(ctx, filepath.Join(folder, "gallery"))
}
