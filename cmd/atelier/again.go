package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/mediameta"
)

// againKinds are what files that say what they were made with hold, for each kind that can be made again.
var againKinds = map[string]struct {
	kind  catalog.Kind
	words string
}{
	"image": {catalog.Image, "pictures"}, "video": {catalog.Video, "clips"}, "music": {catalog.Audio, "recordings"}, "speech": {catalog.Audio, "recordings"},
}

// Validate reports what is missing on the command line.
func (g *generateCommand) Validate() error {
	switch {
	case g.Again == "" && g.Prompt == "":
		return errors.New(`expected "<prompt>"`)
	case g.Count != nil && *g.Count > 1 && g.Out == "-":
		return errors.New("--count: several results do not go to standard output")
	case g.JSON && g.Out == "-":
		return errors.New("--json and -o - would both write to standard output")
	case g.Again != "" && againKinds[g.Kind].kind == "":
		return fmt.Errorf("--again does not go with %s: settings are in pictures, clips and recordings", g.Kind)
	}
	return nil
}

// readSettings reads what the file of --again was made with, and names the tool that made it.
// A model that is not in the catalog is reported, and the tool's default renders.
func (g *generateCommand) readSettings(known *catalog.Catalog, errs io.Writer) (string, error) {
	f, err := os.Open(string(g.Again))
	if err != nil {
		return "", fmt.Errorf("--again: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("--again: %w", err)
	}
	s, err := mediameta.Read(f, info.Size())
	switch {
	case errors.Is(err, mediameta.ErrNone):
		return "", fmt.Errorf("--again: %s does not say what it was made with", g.Again)
	case errors.Is(err, mediameta.ErrFormat):
		return "", fmt.Errorf("--again: %s is not a PNG, JPEG, WebP, MP4, MOV, MP3, WAV or FLAC, or it is damaged", g.Again)
	case err != nil:
		return "", fmt.Errorf("--again: %w", err)
	}
	tool, ok := known.Tool(s.Tool)
	if wanted := againKinds[g.Kind]; !ok || tool.Produces == nil || tool.Produces.Kind != wanted.kind {
		return "", fmt.Errorf("--again: %s was made with %q, which is not a tool that makes %s", g.Again, s.Tool, wanted.words)
	}
	for _, need := range tool.Needs {
		switch {
		case need.Argument != "sourceImageIndex":
			return "", fmt.Errorf("--again: %s was made from other files with %s: make it again in the console, which takes them", g.Again, s.Tool)
		case g.Image == "":
			return "", fmt.Errorf("--again: %s was made from another picture with %s: name that picture with --image", g.Again, s.Tool)
		}
	}
	g.settings = map[string]any{}
	for name, value := range s.Arguments {
		if a, ok := tool.Argument(name); ok && a.Media == "" && name != tool.Produces.FormatArgument { // which -o chooses
			g.settings[name] = value
		}
	}
	if g.Prompt == "" {
		said, _ := s.Arguments["prompt"].(string)
		g.Prompt = prompt(said)
	}
	if _, takes := tool.Argument("seed"); takes && g.Seed == nil {
		g.Seed = s.Seed
	}
	if _, takes := tool.Argument("loras"); takes && g.Lora == nil {
		for _, l := range s.Loras {
			g.Lora = append(g.Lora, loraUse{id: l.ID, strength: &l.Strength})
		}
	}
	switch takes := tool.Models.Argument != ""; {
	case !takes || g.Model != "" || s.Model == "":
	case len(known.ModelsNamed(s.Model)) == 0:
		fmt.Fprintf(errs, "The model %q of %s is not known: the default model renders.\n", s.Model, g.Again)
	default:
		g.Model = s.Model
	}
	return s.Tool, nil
}
