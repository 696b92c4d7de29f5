package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/studio/film"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/template"
)

// starterSubjects are the prompts of the pictures that starters are shown with, by starter
// and input. The others take subject.
var starterSubjects = map[string]string{
	"wf_first_to_last_frame first": "a lighthouse on a cliff at noon",
	"wf_first_to_last_frame last":  "a lighthouse on a cliff at night",
	"wf_picture_report picture":    "a harbour with boats and houses at sunset",
	"wf_product_shot_set product":  "a teapot, studio",
	"wf_product_turntable object":  "a red apple, studio",
	"wf_style_gallery picture":     "a sailing boat on the sea at sunset",
}

const subject = "portrait of a woman with a red scarf"

// The size of the pictures of starters, in the shape of the console's cards.
const starterWidth, starterHeight = 480, 270

// starterPictures runs every template that comes with the service once and makes a picture of
// its results.
func starterPictures(ctx context.Context, folder string) error {
	offer, err := catalog.Load("")
	if err != nil {
		return err
	}
	list, err := template.Starters()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "atelier-showcase-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	w := &toolRunner{catalog: offer, folder: work, kept: map[string]result{}}
	for _, t := range list {
		img, err := w.starter(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.ID, err)
		}
		to := filepath.Join(folder, template.PictureOf(t.ID))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := saveSmallJPEG(to, img); err != nil {
			return err
		}
	}
	return nil
}

// saveSmallJPEG writes a picture with the best quality that keeps it small: a page shows many.
func saveSmallJPEG(path string, img image.Image) error {
	var b bytes.Buffer
	for quality := 82; ; quality -= 6 {
		b.Reset()
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
			return err
		}
		if b.Len() <= 25_000 {
			return os.WriteFile(path, b.Bytes(), 0o644)
		}
	}
}

// starter runs a template with its defaults and shows the results that no other step takes.
func (w *toolRunner) starter(ctx context.Context, t atelier.Template) (image.Image, error) {
	var given []result
	inputs := map[string]any{}
	for _, in := range t.Inputs {
		if in.Name == "seconds" {
			inputs[in.Name] = in.Schema["minimum"] // a frame is all that is shown
		}
		if !in.Required || in.Type != atelier.InputImage {
			continue
		}
		p, err := w.picture(ctx, cmp.Or(starterSubjects[t.ID+" "+in.Name], subject), 5, 768, 768)
		if err != nil {
			return nil, err
		}
		given, inputs[in.Name] = append(given, p), "https://example.com/"+in.Name+".png"
	}
	plan, err := template.Compile(ctx, w.catalog, t, template.Request{Inputs: inputs})
	if err != nil {
		return nil, err
	}
	made, taken := map[string]result{}, map[string]bool{}
	for _, s := range plan.Steps {
		var from []input
		for _, name := range slices.Sorted(maps.Keys(s.Arguments)) {
			if n, ok := s.Arguments[name].(float64); ok && n < 0 { // one of the request's media
				from = append(from, input{name, given[int(-n)-1]})
				delete(s.Arguments, name)
			}
		}
		for _, b := range s.DependsOn {
			from, taken[b.SourceStepID] = append(from, input{b.TargetArgument, made[b.SourceStepID]}), true
		}
		if made[s.ID], err = w.run(ctx, s.ToolName, 5, s.Arguments, from...); err != nil {
			return nil, err
		}
	}
	var shown []image.Image
	for _, s := range plan.Steps {
		if taken[s.ID] {
			continue
		}
		img, err := made[s.ID].show(ctx)
		if err != nil {
			return nil, err
		}
		if img != nil {
			shown = append(shown, img)
		}
	}
	if len(shown) == 0 { // a report about a picture
		img, err := given[0].picture()
		if err != nil {
			return nil, err
		}
		shown = append(shown, img)
	}
	return mosaic(ctx, shown)
}

// show returns what a result looks like: a picture, the middle of a clip, a mesh from one
// side, nil for the others.
func (p result) show(ctx context.Context) (image.Image, error) {
	switch filepath.Ext(p.Path) {
	case ".png", ".jpg":
		return p.picture()
	case ".glb":
		s, err := readSolid(p.Path)
		if err != nil {
			return nil, err
		}
		return s.render(starterHeight, 30, 15), nil
	case ".mp4":
		r, err := film.Open(ctx, p.Path, film.BuiltIn)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		for range r.Frames / 2 {
			if _, err := r.Next(); err != nil {
				return nil, err
			}
		}
		s, err := r.Next()
		if err != nil {
			return nil, err
		}
		return s.RGBA(nil), nil
	}
	return nil, nil
}

// mosaic fills a card with up to four pictures: in a row, or in two rows when there are four.
func mosaic(ctx context.Context, pictures []image.Image) (image.Image, error) {
	pictures = pictures[:min(len(pictures), 4)]
	columns, rows := len(pictures), 1
	if columns == 4 {
		columns, rows = 2, 2
	}
	const space = 4
	w, h := (starterWidth-space*(columns-1))/columns, (starterHeight-space*(rows-1))/rows
	out := blank(starterWidth, starterHeight, card)
	for i, img := range pictures {
		b := img.Bounds()
		k := max(float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy()))
		nw, nh := max(w, int(float64(b.Dx())*k+0.5)), max(h, int(float64(b.Dy())*k+0.5))
		large, err := pixel.Resize(ctx, img, nw, nh)
		if err != nil {
			return nil, err
		}
		top := (h - nh) / 2
		if b.Dy() > b.Dx() { // a person from head to foot
			top /= 2
		}
		cell := blank(w, h, card)
		paste(cell, large, (w-nw)/2, top)
		paste(out, cell, i%columns*(w+space), i/columns*(h+space))
	}
	return out, nil
}
