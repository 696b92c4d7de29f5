package weights

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// family is what the rules know about the models of one family.
type family struct {
	title        string // what a user calls them
	model        *model
	isRef        bool // the half of H3 that makes videos from references
	requirements []string
}

// families are the values of loraFamily in the catalog.
var families = map[string]family{
	"krea-2":         {title: "Krea 2", model: krea2},
	"qwen-edit-2511": {title: "Qwen Image Edit 2511", model: qwenImage},
	"h3":             {title: "H3", model: h3},
	"h3-r2v": {
		title: "H3 reference to video", model: h3, isRef: true,
		requirements: []string{"Give at least one reference image or video."},
	},
}

// The models, by their tables of layers.
var (
	krea2     = newModel("Krea 2", "krea-2")
	qwenImage = newModel("Qwen Image", "qwen-image")
	h3        = newModel("H3", "h3")
)

// models are all of them.
var models = []*model{krea2, qwenImage, h3}

//go:embed data/*.txt
var tables embed.FS

// model is an architecture: the linear layers that a LoRA can change.
type model struct {
	title  string
	layers func() layerIndex
}

// layerIndex finds the sizes of a layer by its path, with dots and without. A layer
// has several where published checkpoints differ.
type layerIndex struct {
	dotted, flat map[string][]size
	names        map[string]string // of ComfyUI, by paths without dots
}

type size struct{ in, out int64 }

func (x layerIndex) find(p layerPath) []size {
	if p.flat {
		return x.flat[p.path]
	}
	return x.dotted[p.path]
}

func newModel(title, table string) *model {
	return &model{title: title, layers: sync.OnceValue(func() layerIndex { return readLayers(table) })}
}

// readLayers reads a table, which is part of the program: it panics if that is not
// valid, and the tests read them all.
func readLayers(table string) layerIndex {
	text, err := tables.ReadFile("data/" + table + ".txt")
	if err != nil {
		panic(err)
	}
	x := layerIndex{dotted: map[string][]size{}, flat: map[string][]size{}, names: map[string]string{}}
	prefix := originalPrefix
	for row := range strings.Lines(string(text)) {
		if row = strings.TrimSpace(row); row == "" || row[0] == '#' {
			continue
		}
		if row == "[diffusers]" {
			prefix = diffusersPrefix
			continue
		}
		var pattern string
		var s size
		if _, err := fmt.Sscan(row, &pattern, &s.in, &s.out); err != nil {
			panic(fmt.Sprintf("%s: %q: %v", table, row, err))
		}
		for _, path := range expand(pattern) {
			flat := strings.ReplaceAll(path, ".", "_")
			x.dotted[path] = append(x.dotted[path], s)
			x.flat[flat] = append(x.flat[flat], s)
			x.names[flat] = prefix + path
		}
	}
	return x
}

// expand writes out the numbers of a path.
func expand(path string) []string {
	before, rest, ok := strings.Cut(path, "{")
	if !ok {
		return []string{path}
	}
	count, after, _ := strings.Cut(rest, "}")
	n, err := strconv.Atoi(count)
	if err != nil {
		panic(path + ": " + err.Error())
	}
	out := make([]string, n)
	for i := range out {
		out[i] = before + strconv.Itoa(i) + after
	}
	return out
}
