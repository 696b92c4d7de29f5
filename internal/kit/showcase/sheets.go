package main

import (
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// exhibit is a result of one tool.
type exhibit struct {
	tool    string
	caption string // the arguments, in words
	show    func(ctx context.Context, w *toolRunner, width int) (image.Image, error)
}

// sheet is the results of a family of tools, on one picture.
type sheet struct {
	file     string
	title    string
	text     string
	columns  int
	exhibits []exhibit
}

// allSheets are the sheets, in the order of the page.
var allSheets = []sheet{pictureSheet, editSheet, videoSheet, audioSheet, modelSheet, analysisSheet, manifestSheet}

// sheets writes every sheet to a folder, and the page that shows them.
func sheets(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	offer, err := catalog.Load("")
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "atelier-showcase-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	w := &toolRunner{catalog: offer, folder: temp, kept: map[string]result{}}
	for _, s := range allSheets {
		img, err := s.draw(ctx, w)
		if err != nil {
			return err
		}
		if err := saveJPEG(filepath.Join(folder, s.file), img); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "README.md"), []byte(page()), 0o644)
}

// draw runs the tools of a sheet and lays their results out.
func (s sheet) draw(ctx context.Context, w *toolRunner) (image.Image, error) {
	width := columnWidth(s.columns)
	var panels []image.Image
	for _, e := range s.exhibits {
		content, err := e.show(ctx, w, width-2*gap)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.tool, err)
		}
		p, err := panel(width, e.tool, e.caption, content)
		if err != nil {
			return nil, err
		}
		panels = append(panels, p)
	}
	return layOut(s.columns, panels), nil
}

func saveJPEG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(f, img, &jpeg.Options{Quality: 82}); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// page returns the README that shows the sheets. It says in words what each picture
// shows, for those who do not see it and for those who search.
func page() string {
	var b strings.Builder
	b.WriteString("# What the CPU renderer makes\n\n" +
		"One result of every tool that a workflow can use, made without a neural model, a GPU or a network, and shown as it came;\n" +
		"long documents are cut off at “…”. The pictures that tools work on here were painted by `generate_image`. Written by `make showcase`.\n")
	for _, s := range allSheets {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n![%s](%s)\n\n", s.title, s.text, s.title, s.file)
		for _, e := range s.exhibits {
			fmt.Fprintf(&b, "- `%s`: %s\n", e.tool, e.caption)
		}
	}
	return b.String()
}
