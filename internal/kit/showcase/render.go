package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/atelier-project/atelier/apitype"

	"github.com/atelier-project/atelier/internal/kit/cpu"
	"github.com/atelier-project/atelier/internal/worker"
)

// render makes one file with the CPU renderer, as a job does.
func render(ctx context.Context, tool, model, contentType string, seed int64, args map[string]any, to string) error {
	folder, err := os.MkdirTemp("", "atelier-showcase-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	out, err := cpu.Renderer{}.Render(ctx, worker.Task{
		Assignment: apitype.Assignment{ToolName: tool, ModelID: model, Arguments: args, Seed: seed, Artifacts: []apitype.AssignmentArtifact{{ID: "a0", ContentType: contentType}}},
		Folder:     folder, Files: map[string]string{}, Report: func(float64, string) {},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", args["prompt"], err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return copyFile(out[0].Path, to)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
