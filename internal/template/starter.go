package template

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

//go:embed data/*.yaml
var data embed.FS

// Starters are the templates that come with the service. They are data: each
// is a file, and the tests compile them all.
func Starters() ([]atelier.Template, error) {
	files, err := fs.Glob(data, "data/*.yaml")
	if err != nil {
		return nil, err
	}
	var out []atelier.Template
	for _, name := range files {
		text, err := data.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := ReadFile("template/"+name, text)
		if err != nil {
			return nil, err
		}
		is := &issues{}
		t := read(f, is)
		if is.failed() {
			return nil, fmt.Errorf("template/%s: %s", name, is.errors[0].Message)
		}
		t.Visibility, t.Version = atelier.VisibilityPublic, cmp.Or(t.Version, firstVersion)
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b atelier.Template) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

// PictureOf is the path of a starter's picture in the gallery of the catalog.
func PictureOf(id string) string { return "templates/" + id + ".jpg" }

// illustrated are the starters with the addresses of their pictures.
func (e *Engine) illustrated() ([]atelier.Template, error) {
	list, err := Starters()
	for i, t := range list {
		if _, err := fs.Stat(e.catalog.Gallery(), PictureOf(t.ID)); err == nil && e.opts.GalleryURL != "" {
			list[i].ThumbnailURL = e.opts.GalleryURL + PictureOf(t.ID)
		}
	}
	return list, err
}
