package graphimport

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// correct puts arguments where the operator says.
func (d *detector) correct(set map[string]string) error {
	for _, argument := range sortedKeys(set) {
		at := set[argument]
		if slices.Contains(d.purpose.fileArguments(), argument) {
			continue // see chooseFiles
		}
		if argument == "size" && d.purpose.hasSize() {
			if err := d.chooseSize(at); err != nil {
				return err
			}
			continue
		}
		if argument != "seed" && !d.purpose.has(argument) {
			var has []string
			for _, s := range d.purpose.places() {
				has = append(has, s.Argument)
			}
			return fmt.Errorf("set.%s: the tool %s has %s", shorten(argument), d.purpose.tool, listed(has))
		}
		var to []target
		var spots []spot
		for one := range strings.SplitSeq(at, ",") {
			if at == "-" {
				break
			}
			s, err := d.spotAt(argument, one)
			if err != nil {
				return err
			}
			to, spots = append(to, s.target), append(spots, s)
		}
		d.found.list = slices.DeleteFunc(d.found.list, func(i Input) bool { return i.Argument == argument })
		if argument == "seed" {
			d.found.seeds = to
		} else if s := d.found.slots[argument]; len(to) == 0 {
			delete(d.found.slots, argument)
		} else {
			s.to, s.required = to, argument == "prompt"
			d.found.slots[argument] = s
		}
		if len(to) > 0 {
			d.note(argument, "as you chose", spots...)
		}
	}
	return nil
}

func ownValues(n *node) (out []string) {
	for _, name := range sortedKeys(n.Inputs) {
		if _, linked := linkOf(n.Inputs[name]); !linked {
			out = append(out, shorten(name))
		}
	}
	return out
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// strength lets a job say how much of its picture remains, when the graph begins with one.
func (d *detector) strength() {
	for _, id := range d.nodesUsed() {
		s, ok := d.settable(id, "denoise", isNumber)
		if !ok {
			continue
		}
		if f, err := s.value.(json.Number).Float64(); err != nil || f >= 1 || s.node != id {
			continue
		}
		d.found.slots["starting_image_strength"] = slot{to: []target{s.target}, extra: ", with: " + d.found.files[0].name + ", times: -1, plus: 1, min: 0.05"}
		d.note("starting_image_strength", "what is not sampled again remains", s)
		return
	}
}

// scale makes the result as large as it was ordered: a model enlarges by its own factor.
func (d *detector) scale(results []result) {
	save := d.graph[results[0].node]
	from, input, ok := d.media(save, "image")
	if !ok || len(d.found.files) == 0 {
		return
	}
	d.graph[addedSize] = &node{Class: "ImageScale", Meta: &meta{"As large as ordered"}, Inputs: map[string]any{
		"image": from.value(), "upscale_method": "lanczos", "width": json.Number("2048"), "height": json.Number("2048"), "crop": "disabled",
	}}
	for _, r := range results {
		d.graph[r.node].Inputs[input] = link{addedSize, 0}.value()
	}
	d.used[addedSize] = true
	d.found.size = &size{
		to: []sizeTarget{{target{addedSize, "width"}, target{addedSize, "height"}, 1}}, w: 2048, h: 2048, multiple: 1, most: 16384,
		follow: d.found.files[0].name, exact: true,
	}
	d.note("scale", "the result is scaled to the size that was ordered", spot{target: target{addedSize, "width"}}, spot{target: target{addedSize, "height"}})
}

// prune removes the nodes that neither the result nor a file of a job needs.
func (d *detector) prune(results []result) {
	keep := map[string]bool{}
	for _, r := range results {
		for id := range d.graph.needs(r.node) {
			keep[id] = true
		}
	}
	for _, f := range d.found.files {
		for _, t := range f.to {
			keep[t.node] = true
		}
	}
	dropped := 0
	for id := range d.graph {
		if !keep[id] {
			delete(d.graph, id)
			dropped++
		}
	}
	if dropped > 0 {
		d.say.add("", fmt.Sprintf("nodes that do not lead to the result, and are left out: %d", dropped))
	}
}

// settables are the inputs that an operator can name.
func (d *detector) settables() []Settable {
	out := []Settable{}
	files := map[target]string{}
	for _, l := range d.loaders {
		files[l.target] = l.kind
	}
	for _, id := range sortedIDs(d.graph) {
		n := d.graph[id]
		for _, name := range sortedKeys(n.Inputs) {
			kind := ""
			switch n.Inputs[name].(type) {
			case string:
				kind = "text"
			case json.Number:
				kind = "number"
			}
			if kind == "" || strings.HasPrefix(id, "atelier-") || len(out) >= 500 {
				continue
			}
			if file := files[target{id, name}]; file != "" {
				kind = file
			}
			title := n.Class
			if n.title() != "" {
				title = n.title() + " (" + n.Class + ")"
			}
			out = append(out, Settable{target{id, name}.String(), shorten(title), kind, shorten(formatValue(n.Inputs[name]))})
		}
	}
	return out
}

// modelFiles are the model files that the graph loads.
func (d *detector) modelFiles(origins map[string]properties) []File {
	type known struct{ url, directory string }
	published := map[string]known{}
	for _, id := range sortedKeys(origins) {
		for _, m := range origins[id].Models {
			if strings.HasPrefix(m.URL, "https://") && len(m.URL) < 500 && !strings.ContainsAny(m.URL, " \n\"") {
				published[path.Base(slashed(m.Name))] = known{strings.TrimSuffix(m.URL, "?download=true"), m.Directory}
			}
		}
	}
	out := []File{}
	for _, id := range sortedIDs(d.graph) {
		n := d.graph[id]
		for _, name := range sortedKeys(n.Inputs) {
			text, ok := n.Inputs[name].(string)
			folder := folders[n.Class+"."+name]
			base := path.Base(slashed(text))
			isFile := strings.Contains(base, ".") && slices.Contains([]string{".safetensors", ".ckpt", ".pt", ".pth", ".gguf", ".bin", ".sft", ".onnx"}, strings.ToLower(path.Ext(base)))
			if !ok || text == "" || !isFile {
				continue
			}
			out = append(out, File{target{id, name}.String(), folder, shorten(text), published[base].url})
		}
	}
	return out
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
