package graphimport

import (
	"fmt"
	"slices"
	"strings"
)

// fileInput is a file of a job and where it goes.
type fileInput struct {
	name     string // in the mapping
	from     []string
	each     string
	kind     string
	role     string // source, last, mask, control or reference
	to       []target
	required bool
	links    map[string]string // inputs that are linked only when the file is given, and what to
}

// loaded is a node that reads a file of a job.
type loaded struct {
	spot
	kind   string
	role   string
	isMask bool // the mask of the picture's own transparency is used, too
}

// loaded finds the nodes that read files of jobs.
func (d *detector) loaded() (out []loaded) {
	readers := d.graph.readers()
	for _, id := range d.nodesUsed() {
		n := d.graph[id]
		input, kind := loaders[n.Class][0], loaders[n.Class][1]
		if input == "" {
			if k := d.nodes.kind(n.Class); k != nil {
				if i := slices.IndexFunc(k.fields, func(f field) bool { return f.uploads != "" }); i >= 0 {
					input, kind = k.fields[i].name, k.fields[i].uploads
				}
			}
		}
		if input == "" {
			continue
		}
		s, ok := d.settable(id, input, isText)
		if !ok || s.node != id {
			continue
		}
		l := loaded{spot: s, kind: kind, role: "source"}
		if kind == "image" {
			picture := d.readBy(readers, link{id, 0})
			mask := d.readBy(readers, link{id, 1})
			l.isMask = mask
			switch {
			case n.Class == "LoadImageMask", !picture && mask:
				l.role = "mask"
			default:
				l.role = d.role(d.feeds(link{id, 0}, readers))
			}
		}
		out = append(out, l)
	}
	return out
}

// readBy reports whether a node that the result depends on reads an output.
func (d *detector) readBy(readers map[link][]reader, l link) bool {
	return slices.ContainsFunc(readers[l], func(r reader) bool { return d.used[r.node] })
}

// role says what a picture is for, by the inputs that it reaches.
func (d *detector) role(feeds []reader) string {
	role := "source"
	for _, r := range feeds {
		if !d.used[r.node] {
			continue
		}
		class, input := d.graph[r.node].Class, strings.ToLower(r.input)
		switch {
		case strings.Contains(input, "end_") || strings.Contains(input, "last") || strings.HasSuffix(input, "_end"):
			return "last"
		case strings.Contains(input, "start_image") || strings.Contains(input, "first"):
			return "source"
		case class == "ImageToMask":
			role = "mask"
		case strings.Contains(class, "ControlNet") || strings.Contains(input, "control"):
			role = "control"
		case role == "source" && (strings.Contains(class, "CLIPVisionEncode") || strings.Contains(class, "IPAdapter") || strings.Contains(input, "reference")):
			role = "reference"
		case strings.Contains(class, "VAEEncode") || strings.Contains(class, "ImgToVideo") || strings.Contains(class, "ImageToVideo"):
			return "source"
		}
	}
	return role
}

// findFiles gives the files of a job their places.
func (d *detector) findFiles(all []loaded, chosen chosenFiles) {
	p := d.purpose
	order := map[string]int{"source": 0, "control": 1, "reference": 2, "last": 3, "mask": 4}
	slices.SortStableFunc(all, func(a, b loaded) int { return order[a.role] - order[b.role] })
	given := map[string]int{}
	images := slices.DeleteFunc(slices.Clone(p.images), func(a string) bool { return !chosen.takes(a) })
	for _, l := range all {
		f := fileInput{kind: l.kind, role: l.role, to: []target{l.target}, required: true}
		argument := chosen.at[l.target]
		switch {
		case argument != "":
		case l.kind == "video":
			argument = p.video
		case l.kind == "audio":
			argument = p.audio
		case l.role == "mask":
			if p.tool == "edit_image" {
				argument = "mask_image_url"
			}
		case l.role == "last" && slices.Contains(images, "endImageIndex"):
			argument = "endImageIndex"
		case len(images) > 0:
			argument = images[0]
		}
		if argument == "" || given[argument] > 0 || chosen.at[l.target] == "" && !chosen.takes(argument) {
			d.say.add(l.node, fmt.Sprintf("the tool %s has no place for another %s: %s stays as the workflow has it, and the file %q must be in ComfyUI's input folder",
				p.tool, l.kind, l.target, shorten(formatValue(l.value))))
			continue
		}
		given[argument]++
		images = slices.DeleteFunc(images, func(a string) bool { return a == argument })
		d.place(&f, argument, l)
		d.found.files = append(d.found.files, f)
		why := map[string]string{"source": "the result is made from it", "last": "the result ends on it", "mask": "what is changed", "control": "it guides the result", "reference": "the result refers to it"}[l.role]
		if chosen.at[l.target] != "" {
			why = "as you chose"
		}
		d.note(argument, why, l.spot)
		if l.isMask && l.role != "mask" && p.tool == "edit_image" && chosen.takes("mask_image_url") {
			d.addMask(l)
		}
	}
}

// place names a file in the mapping.
func (d *detector) place(f *fileInput, argument string, l loaded) {
	f.name = argument
	if base, n, numbered := strings.Cut(argument, "#"); numbered {
		f.name, f.from = map[string]string{"1": "second", "2": "third"}[n], []string{argument}
		if links := d.optional(l.node); len(links) > 0 {
			f.required, f.links = false, links
		}
		_ = base
	}
	if d.purpose.tool == "animate_photo" {
		switch argument {
		case "sourceImageIndex":
			f.name, f.from, f.each = "first", []string{"sourceImageIndex"}, "sourceImageIndices"
		case "endImageIndex":
			f.name, f.from, f.each = "last", []string{"endImageIndex"}, "endImageIndices"
		}
	}
}

// optional are the links to a node that may be left out; none if one of them may not.
func (d *detector) optional(id string) map[string]string {
	out := map[string]string{}
	for _, r := range d.graph.readers()[link{id, 0}] {
		f, known := d.nodes.kind(d.graph[r.node].Class).field(r.input)
		if !known || f.required {
			return nil
		}
		out[r.node+"."+r.input] = id
	}
	return out
}

// addMask lets a job bring a mask, where the workflow takes that of the picture's transparency.
func (d *detector) addMask(l loaded) {
	links := map[string]string{}
	for _, r := range d.graph.readers()[link{l.node, 1}] {
		if d.used[r.node] {
			links[r.node+"."+r.input] = addedMask
		}
	}
	if len(links) == 0 || d.graph[addedMask] != nil {
		return
	}
	d.graph[addedMask] = &node{Class: "LoadImageMask", Inputs: map[string]any{"image": "", "channel": "red"}, Meta: &meta{"Mask of the job"}}
	t := target{addedMask, "image"}
	d.found.files = append(d.found.files, fileInput{name: "mask_image_url", kind: "image", role: "mask", to: []target{t}, links: links})
	d.note("mask_image_url", "what is changed; without it the transparent part of the picture is", spot{target: t, value: ""})
}
