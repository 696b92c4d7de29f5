package graphimport

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// text writes a value of YAML: JSON's texts are texts of YAML too.
func text(s string) string {
	out, _ := json.Marshal(strings.ToValidUTF8(s, "?")) // a text has a JSON form
	return string(out)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func list(targets []target) string {
	var out []string
	for _, t := range targets {
		out = append(out, text(t.String()))
	}
	if len(out) == 1 {
		return out[0]
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// mapping writes the mapping of the graph.
func (d *detector) mapping(r *Result, results []result) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Made from a workflow of ComfyUI by atelier graph import.")
	line("about: %s", text(r.Title))
	line("tools: [%s]", r.Tool)
	line("models: [{ id: %s }]", text(r.Name))
	if len(d.found.slots) > 0 {
		line("slots:")
		for _, name := range sortedKeys(d.found.slots) {
			s := d.found.slots[name]
			more := s.extra
			if s.required {
				more += ", required: true"
			}
			if f := s.frames; f != nil {
				more += fmt.Sprintf(", default: 5, frames: { fps: %s, base: 1, step: %d, max: %d }", number(f.fps), f.step, f.most)
			}
			line("  %s: { to: %s%s }", name, list(s.to), more)
		}
	}
	if len(d.found.seeds) > 0 {
		line("seed: %s", list(d.found.seeds))
	}
	d.writeSize(line)
	d.writeFiles(line)
	if d.purpose.tool == "upscale_image" {
		line("only: { targetLongestEdge: [] }")
	}
	if d.purpose.tool == "animate_photo" {
		roles := "start"
		if slices.ContainsFunc(d.found.files, func(f fileInput) bool { return f.name == "last" }) {
			roles = "both"
		}
		line("only: { frameRole: [%s], keyframes: [] }", roles)
	}
	if len(d.found.loras) > 0 {
		var points []string
		for _, p := range d.found.loras {
			point := "{ model: " + text(p.model)
			if p.clip != "" {
				point += ", clip: " + text(p.clip)
			}
			points = append(points, point+" }")
		}
		line("loras: [%s]", strings.Join(points, ", "))
	}
	line("outputs:")
	for _, o := range results {
		line("  - { node: %s, type: %s }", text(o.node), o.mime)
	}
	d.writeModels(r, line)
	return b.String()
}

func (d *detector) writeSize(line func(string, ...any)) {
	s := d.found.size
	if s == nil {
		return
	}
	line("size:")
	line("  to:")
	for _, t := range s.to {
		scale := ""
		if t.scale != 1 && t.scale > 0 {
			scale = ", scale: " + number(t.scale)
		}
		line("    - { width: %s, height: %s%s }", text(t.width.String()), text(t.height.String()), scale)
	}
	if d.purpose.makes == "video" {
		line("  short: %d", min(s.w, s.h))
	} else {
		line("  edge: %d", max(s.multiple, int(math.Round(math.Sqrt(float64(s.w)*float64(s.h))/float64(s.multiple)))*s.multiple))
	}
	if ratio := float64(s.w) / float64(s.h); ratio <= 8 && ratio >= 1.0/8 {
		line("  ratio: %q", fmt.Sprintf("%d:%d", s.w, s.h))
	}
	line("  multiple: %d", s.multiple)
	line("  min: %d", min(256, s.w, s.h))
	line("  max: %d", s.most)
	if s.follow != "" {
		line("  follow: %s", text(s.follow))
	}
	if s.exact {
		line("  exact: true")
	}
}

func (d *detector) writeFiles(line func(string, ...any)) {
	if len(d.found.files) == 0 {
		return
	}
	line("inputs:")
	for _, f := range d.found.files {
		more := ""
		if len(f.from) > 0 {
			more += ", from: [" + text(f.from[0]) + "]"
		}
		if f.each != "" {
			more += ", each: " + f.each
		}
		if f.required {
			more += ", required: true"
		}
		if len(f.links) > 0 {
			var links []string
			for _, at := range sortedKeys(f.links) {
				links = append(links, text(at)+": "+text(f.links[at]))
			}
			more += ", links: { " + strings.Join(links, ", ") + " }"
		}
		line("  %s: { kind: %s, to: %s%s }", f.name, f.kind, list(f.to), more)
	}
}

func (d *detector) writeModels(r *Result, line func(string, ...any)) {
	first := true
	for _, f := range r.Files {
		if f.Folder == "" {
			continue
		}
		if first {
			line("files:")
			first = false
		}
		from := ""
		if f.From != "" {
			from = ", from: " + text(f.From)
		}
		line("  %s: { folder: %s%s }", text(f.Target), f.Folder, from)
	}
}

// entry writes the catalog entry of the model.
func (d *detector) entry(r *Result, sid int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Made from a workflow of ComfyUI by atelier graph import. The price is a suggestion.")
	line("models:")
	line("  - id: %s", text(r.Name))
	line("    sid: %d", max(1, sid))
	for _, l := range d.purpose.entry {
		line("    %s", l)
	}
	line("    name: %s", text(r.Title))
	line("    tierId: %s", text(r.Name))
	line("    tags: [community]")
	line("    selectors: { %s: [%s] }", r.Tool, text(Selector(r.Name)))
	line("    price: %s", d.purpose.price)
	if takes := d.takes(); takes != "" {
		line("    takes: { %s }", takes)
	}
	if s := d.found.size; s != nil && d.purpose.makes == "image" && !s.exact {
		line("    size: { min: %d, max: %d, default: %d, multiple: %d }", min(256, s.w, s.h), s.most,
			min(max(s.multiple, int(math.Round(math.Sqrt(float64(s.w)*float64(s.h))/float64(s.multiple)))*s.multiple), s.most), max(1, s.multiple))
	}
	if d.purpose.makes == "video" {
		d.writeDuration(line)
		d.writeResolution(line)
	}
	if len(d.found.loras) > 0 {
		line("    loras: false # true lets it load LoRAs of the public catalog")
	}
	if d.purpose.tool == "upscale_image" || d.purpose.tool == "remove_background" {
		line("    parameters: { task: %s }", map[string]string{"upscale_image": "upscale", "remove_background": "background-removal"}[d.purpose.tool])
	}
	return b.String()
}

// writeDuration writes how long clips are.
func (d *detector) writeDuration(line func(string, ...any)) {
	most, grid := 10.0, ""
	if s, ok := d.found.slots["duration"]; ok && s.frames != nil {
		most = math.Max(2, math.Floor(float64(s.frames.most)/s.frames.fps))
		grid = fmt.Sprintf(", fps: %s, frames: { base: 1, step: %d }", number(s.frames.fps), max(1, s.frames.step))
	}
	line("    duration: { min: 1, max: %s, default: %s%s }", number(most), number(math.Min(5, most)), grid)
}

// writeResolution has clips be as large as in the workflow unless a caller asks for another size.
func (d *detector) writeResolution(line func(string, ...any)) {
	s := d.found.size
	if s == nil {
		return
	}
	short := min(s.w, s.h)
	name := slices.MinFunc([]int{480, 544, 720, 768, 1080, 1440}, func(a, b int) int { return abs(a-short) - abs(b-short) })
	line("    size: { resolutions: [{ name: %d, short: %d, default: true }] }", name, short)
}

func abs(n int) int { return max(n, -n) }

// Selector is the name by which callers choose a model.
func Selector(name string) string {
	return strings.Trim(strings.NewReplacer("_", "-", ".", "-").Replace(name), "-")
}

// takes says which files of a job the model takes.
func (d *detector) takes() string {
	least, most, clips, sounds := 0, 0, 0, 0
	for _, f := range d.found.files {
		switch {
		case f.role == "mask":
		case f.kind == "video":
			clips++
		case f.kind == "audio":
			sounds++
		default:
			most++
			if f.required {
				least++
			}
		}
	}
	var out []string
	switch {
	case most == 0:
		if d.purpose.tool == "generate_image" {
			out = append(out, "images: 0")
		}
	case least == most:
		out = append(out, fmt.Sprintf("images: %d", most))
	default:
		out = append(out, fmt.Sprintf("images: %d..%d", least, most))
	}
	if clips > 0 {
		out = append(out, "videos: 1")
	}
	if sounds > 0 {
		out = append(out, "audio: 1")
	}
	return strings.Join(out, ", ")
}
