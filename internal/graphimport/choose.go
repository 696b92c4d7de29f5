package graphimport

import (
	"fmt"
	"slices"
	"strings"
)

// fileArguments are the arguments of a tool that name files.
func (p purpose) fileArguments() (out []string) {
	out = slices.Clone(p.images)
	for _, a := range []string{p.video, p.audio} {
		if a != "" {
			out = append(out, a)
		}
	}
	if p.tool == "edit_image" {
		out = append(out, "mask_image_url")
	}
	return out
}

// kindOf is the kind of file that an argument names.
func (p purpose) kindOf(argument string) string {
	switch argument {
	case p.video:
		return "video"
	case p.audio:
		return "audio"
	}
	return "image"
}

// hasSize reports whether an operator can say where the size of the result is set.
func (p purpose) hasSize() bool {
	return (p.makes == "image" || p.makes == "video") && !slices.Contains([]string{"upscale_image", "remove_background", "upscale_video"}, p.tool)
}

// numbers are the arguments that are numbers.
var numbers = []string{"guidance", "starting_image_strength", "duration", "bpm"}

// places are the arguments that an operator can give a place.
func (p purpose) places() (out []Place) {
	for _, a := range p.arguments {
		kind := "text"
		if slices.Contains(numbers, a) {
			kind = "number"
		}
		out = append(out, Place{a, kind})
	}
	out = append(out, Place{"seed", "number"})
	if p.hasSize() {
		out = append(out, Place{"size", "size"})
	}
	for _, a := range p.fileArguments() {
		out = append(out, Place{a, p.kindOf(a)})
	}
	return out
}

// chosenFiles are the arguments with files that the operator decides: the loader of each, or none.
type chosenFiles struct {
	decided map[string]bool
	at      map[target]string
}

// takes reports whether a guess may give an argument to a loader.
func (c chosenFiles) takes(argument string) bool { return !c.decided[argument] }

// chooseFiles reads where the operator says that files go.
func (d *detector) chooseFiles(set map[string]string, all []loaded) (chosenFiles, error) {
	c := chosenFiles{map[string]bool{}, map[target]string{}}
	for _, argument := range sortedKeys(set) {
		if !slices.Contains(d.purpose.fileArguments(), argument) {
			continue
		}
		c.decided[argument] = true
		at := strings.TrimSpace(set[argument])
		if at == "-" {
			continue
		}
		kind := d.purpose.kindOf(argument)
		var known []string
		found := false
		for _, l := range all {
			if l.kind != kind {
				continue
			}
			known = append(known, l.target.String())
			if l.target.String() == at {
				found = true
				if other := c.at[l.target]; other != "" {
					return c, fmt.Errorf("set.%s: %s is where %s goes", argument, shorten(at), other)
				}
				c.at[l.target] = argument
			}
		}
		if !found {
			return c, fmt.Errorf("set.%s: %q is not an input with a file of this kind (%s); the workflow has %s", argument, shorten(at), kind, listed(known))
		}
	}
	return c, nil
}

// chooseSize puts the size where the operator says: the inputs of its width and its height.
func (d *detector) chooseSize(at string) error {
	d.found.list = slices.DeleteFunc(d.found.list, func(i Input) bool { return i.Argument == "size" })
	d.found.size = nil
	if strings.TrimSpace(at) == "-" {
		return nil
	}
	width, height, ok := strings.Cut(at, ",")
	if !ok {
		return fmt.Errorf("set.size: %q is not the inputs of width and height, such as 5.width,5.height", shorten(at))
	}
	w, err := d.spotAt("size", width)
	if err != nil {
		return err
	}
	h, err := d.spotAt("size", height)
	if err != nil {
		return err
	}
	if !isNumber(w.value) || !isNumber(h.value) || w.target == h.target {
		return fmt.Errorf("set.size: %q is not two inputs with numbers, of width and height", shorten(at))
	}
	wide, tall := intOf(w.value), intOf(h.value)
	if wide < 16 || tall < 16 || wide > 16384 || tall > 16384 {
		return fmt.Errorf("set.size: the workflow has %dx%d there, which is no size of a picture: it must be 16 to 16384", wide, tall)
	}
	d.found.size = &size{to: []sizeTarget{{w.target, h.target, 1}}, w: wide, h: tall, multiple: 8, most: max(2048, wide, tall), follow: d.followed()}
	d.note("size", "as you chose", w, h)
	return nil
}

// followed is the file whose proportions the result has; empty without one.
func (d *detector) followed() string {
	if i := slices.IndexFunc(d.found.files, func(f fileInput) bool { return f.kind == "image" && f.role != "mask" }); i >= 0 {
		return d.found.files[i].name
	}
	return ""
}

// spotAt is the input of a node that an operator names, which must have a value.
func (d *detector) spotAt(argument, at string) (spot, error) {
	id, input, ok := strings.Cut(strings.TrimSpace(at), ".")
	n := d.graph[id]
	if !ok || n == nil {
		return spot{}, fmt.Errorf("set.%s: %q is not the input of a node, such as 6.text", argument, shorten(at))
	}
	v, there := n.Inputs[input]
	if _, linked := linkOf(v); !there || linked {
		return spot{}, fmt.Errorf("set.%s: node %s (%s) has no value %s to set; it has %s", argument, id, shorten(n.Class), shorten(input), listed(ownValues(n)))
	}
	if !d.used[id] {
		return spot{}, fmt.Errorf("set.%s: the result does not depend on node %s (%s)", argument, id, shorten(n.Class))
	}
	return spot{target{id, input}, v, n.title()}, nil
}
