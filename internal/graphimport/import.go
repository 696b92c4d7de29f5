package graphimport

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Answers are what an operator decides. What is empty is guessed.
type Answers struct {
	Name  string // the id of the model, and the name of the files
	Title string // of the model, for people
	Tool  string
	SID   int // a number that no other model of the catalog has
	// Set says where arguments go: such as prompt to 6.text, or size to 5.width,5.height. The value - says that an
	// argument goes nowhere.
	Set map[string]string
}

// Result is what an import has made.
type Result struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Tool     string        `json:"tool"`
	Format   string        `json:"format"`         // of the workflow: api or editor
	Type     string        `json:"type"`           // of what it makes: a media type
	Size     string        `json:"size,omitempty"` // as the workflow has it, such as 1024x768
	Inputs   []Input       `json:"inputs"`
	Needs    []string      `json:"needs"` // arguments with a file that every job must bring
	Files    []File        `json:"files"`
	Missing  []MissingNode `json:"missing"`
	Findings []Finding     `json:"findings"`
	Settable []Settable    `json:"settable"` // what Answers.Set can name
	Places   []Place       `json:"places"`   // what Answers.Set can give a place

	Graph   string `json:"graph"`
	Mapping string `json:"mapping"`
	Catalog string `json:"catalog"`
}

// File is a model file that the graph loads.
type File struct {
	Target string `json:"target"`
	Folder string `json:"folder"` // below ComfyUI's models; empty when only the node knows
	Name   string `json:"name"`
	From   string `json:"from,omitempty"`
}

// Place is an argument of a tool, and the kind of the inputs that it can go to.
type Place struct {
	Argument string `json:"argument"`
	Kind     string `json:"kind"` // as that of Settable, or size: two inputs with numbers
}

// Settable is an input whose value is in the node.
type Settable struct {
	Target string `json:"target"`
	Node   string `json:"node"`
	Kind   string `json:"kind"` // text, number, or that of a file: image, video or audio
	Value  string `json:"value"`
}

// plainName is the form of the name of a model.
var plainName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,63}$`)

// Import makes a model of a workflow. Without nodes only the API format can be read, and less is known about it.
// Its error is for the operator.
func Import(workflow []byte, nodes *Nodes, a Answers) (*Result, error) {
	if len(workflow) > MaxBytes {
		return nil, fmt.Errorf("the workflow is larger than %d bytes", MaxBytes)
	}
	if a.Name != "" && (!plainName.MatchString(a.Name) || strings.Contains(a.Name, "..")) {
		return nil, errors.New("name: must be lower-case letters, digits, dots, - and _, at most 64, and begin with a letter or a digit")
	}
	say := &findings{}
	c, format, err := read(workflow, nodes, say)
	if err != nil {
		return nil, err
	}
	if id := c.graph.circle(); id != "" {
		return nil, fmt.Errorf("node %s: depends on itself", id)
	}
	t := tracer{c.graph, nodes}
	out := &Result{Name: cmp.Or(a.Name, "my_model"), Format: format, Inputs: []Input{}, Needs: []string{}, Files: []File{}}
	out.Title = shorten(cmp.Or(a.Title, titleOf(out.Name)))
	d := &detector{tracer: t, say: say, found: found{slots: map[string]slot{}}}
	results, err := d.decide(a)
	if err != nil {
		return nil, err
	}
	out.Tool, out.Type = d.purpose.tool, results[0].mime
	d.findTexts()
	d.findNumbers()
	d.loaders = d.loaded()
	chosen, err := d.chooseFiles(a.Set, d.loaders)
	if err != nil {
		return nil, err
	}
	d.findFiles(slices.Clone(d.loaders), chosen)
	d.findSize()
	d.findLength()
	d.findLoras()
	if d.purpose.tool == "upscale_image" {
		d.scale(results)
	}
	if err := d.correct(a.Set); err != nil {
		return nil, err
	}
	if d.purpose.tool == "generate_image" && len(d.found.files) > 0 {
		d.strength()
	}
	d.prune(results)
	out.Inputs, out.Settable, out.Places = d.found.list, d.settables(), d.purpose.places()
	if s := d.found.size; s != nil {
		out.Size = fmt.Sprintf("%dx%d", s.w, s.h)
	}
	for _, f := range d.found.files {
		if f.required {
			out.Needs = append(out.Needs, append(f.from, f.name)[0])
		}
	}
	out.Files = d.modelFiles(c.origins)
	out.Missing = lacking(d.graph, c.origins, nodes)
	if out.Missing == nil {
		out.Missing = []MissingNode{}
	}
	out.Findings = append([]Finding{}, *say...)
	text, err := json.MarshalIndent(d.graph, "", "  ")
	if err != nil {
		return nil, err
	}
	if len(text) >= MaxBytes { // a worker reads no larger one
		return nil, fmt.Errorf("the values of the workflow make a graph of more than %d bytes", MaxBytes)
	}
	out.Graph = string(text) + "\n"
	out.Mapping = d.mapping(out, results)
	out.Catalog = d.entry(out, a.SID)
	return out, nil
}

// read reads a workflow in either format.
func read(workflow []byte, nodes *Nodes, say *findings) (*converted, string, error) {
	var raw map[string]json.RawMessage
	if err := decode(workflow, &raw); err != nil {
		return nil, "", fmt.Errorf("the file is not a workflow that ComfyUI has saved, which is a JSON object: %w", err)
	}
	if raw["nodes"] != nil {
		var d drawing
		if err := decode(workflow, &d); err != nil {
			return nil, "", fmt.Errorf("the file is not a workflow of ComfyUI's editor: %w", err)
		}
		c, err := convert(&d, nodes, say)
		return c, "editor", err
	}
	if inner := raw["prompt"]; inner != nil && raw["class_type"] == nil {
		var wrapped map[string]json.RawMessage
		if decode(inner, &wrapped) == nil {
			raw = wrapped
		}
	}
	if len(raw) == 0 {
		return nil, "", errors.New("the file holds no nodes")
	}
	g, err := readGraph(raw)
	return &converted{graph: g}, "api", err
}

// titleOf is the name of a model for people.
func titleOf(name string) string {
	words := strings.Fields(strings.NewReplacer("_", " ", "-", " ").Replace(name))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// NameOf is a name for the model of a workflow's file.
func NameOf(file string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	base = strings.TrimSuffix(base, ".json")
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9.-]+`).ReplaceAllString(base, "_"), "_.-")
	name = strings.ReplaceAll(name, "..", ".")
	name = strings.TrimRight(name[:min(len(name), 64)], "_.-")
	return cmp.Or(name, "my_model")
}

// decide chooses the result and the tool, and puts saving nodes in their place.
func (d *detector) decide(a Answers) ([]result, error) {
	all := d.results()
	if len(all) == 0 {
		return nil, errors.New("the workflow saves nothing that the service can hand out: it needs a node such as SaveImage, SaveVideo, SaveAudio or SaveGLB that is not muted")
	}
	if a.Tool != "" {
		p, ok := purposeOf(a.Tool)
		if !ok {
			return nil, fmt.Errorf("tool: must be one of %s", strings.Join(Tools(), ", "))
		}
		d.purpose = p
	}
	kinds := []string{"video", "model", "audio", "image"}
	if d.purpose.tool != "" {
		kinds = []string{d.purpose.makes}
	}
	var best result
	for _, kind := range kinds {
		r, others := d.choose(all, kind)
		if r.node == "" {
			continue
		}
		if best = r; others > 0 {
			d.say.add(r.node, fmt.Sprintf("only this node's file is the result; other nodes that save or show %s: %d", plural(kind), others))
		}
		break
	}
	if best.node == "" {
		return nil, fmt.Errorf("tool: %s makes %s, and the workflow saves none", d.purpose.tool, plural(d.purpose.makes))
	}
	results, err := d.save(best, d.say)
	if err != nil {
		return nil, err
	}
	d.used = d.graph.needs(results[0].node)
	if d.purpose.tool == "" {
		d.purpose = d.guess(best.kind)
	}
	return results, nil
}

func plural(kind string) string {
	return map[string]string{"image": "images", "video": "videos", "audio": "audio", "model": "3D models"}[kind]
}

// guess is the tool that a graph is probably for.
func (d *detector) guess(kind string) purpose {
	has := map[string]bool{}
	for _, l := range d.loaded() {
		if l.role == "reference" {
			has["reference"] = true
			continue
		}
		has[l.kind] = true
	}
	positive, _ := d.prompts()
	has["words"] = len(positive) > 0
	tool := ""
	switch {
	case kind == "model":
		tool = "image_to_3d"
	case kind == "audio" && d.isAny("TTS", "Speech", "Voice", "Chatterbox", "F5"):
		tool = "generate_speech"
	case kind == "audio":
		tool = "generate_music"
	case kind == "video" && has["video"] && !has["words"]:
		tool = "upscale_video"
	case kind == "video" && has["video"]:
		tool = "video_to_video"
	case kind == "video" && has["audio"]:
		tool = "sound_to_video"
	case kind == "video" && (has["image"] || has["reference"]):
		tool = "animate_photo"
	case kind == "video":
		tool = "generate_video"
	case !has["image"] && !has["reference"]:
		tool = "generate_image"
	case has["words"]:
		tool = "edit_image"
	case d.isAny("RemoveBackground", "BackgroundRemoval", "Rembg", "RMBG", "BiRefNet"):
		tool = "remove_background"
	case d.isAny("Upscale"):
		tool = "upscale_image"
	default:
		tool = "edit_image"
	}
	p, _ := purposeOf(tool)
	return p
}

// isAny reports whether the class of a node that is used has one of the parts.
func (d *detector) isAny(parts ...string) bool {
	return slices.ContainsFunc(d.nodesUsed(), func(id string) bool {
		class := strings.ToLower(d.graph[id].Class)
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(class, strings.ToLower(p)) })
	})
}
