package workflow

import (
	"fmt"
	"maps"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// source is something that an argument of a step is filled with: an artifact
// of another step, or a piece of media from outside. Bindings, indices and
// URLs all become sources.
type source struct {
	Argument string       `json:"argument"` // its path, such as sourceImageIndex or keyframes[1].imageIndex
	Kind     catalog.Kind `json:"kind"`
	Step     int          `json:"step"` // whose artifact, or -1
	Artifact int          `json:"artifact,omitzero"`
	ID       string       `json:"id,omitempty"`    // of the artifact, when the caller named it
	File     int          `json:"file"`            // or which file, or -1
	Value    string       `json:"value,omitempty"` // the transform, when a value is handed over and not a file
	Bound    bool         `json:"bound,omitzero"`  // by dependsOn
	Optional bool         `json:"optional,omitzero"`
}

// name is the argument itself, without the rest of its path.
func (s source) name() string {
	for i, c := range s.Argument {
		if c == '[' {
			return s.Argument[:i]
		}
	}
	return s.Argument
}

// transform says what a binding hands over.
type transform struct {
	kind  catalog.Kind // of the source; empty for any
	by    string       // index, url or value
	value string       // the argument it is made for, when it is a value of a certain shape
}

// transforms are the values of a binding's transform.
var transforms = map[string]transform{
	"image_index":       {catalog.Image, "index", ""},
	"video_index":       {catalog.Video, "index", ""},
	"audio_index":       {catalog.Audio, "index", ""},
	"image_url":         {catalog.Image, "url", ""},
	"video_url":         {catalog.Video, "url", ""},
	"audio_url":         {catalog.Audio, "url", ""},
	"artifact_url":      {"", "url", ""},
	"artifact_data_uri": {"", "data", ""},
	"asset_ref":         {"", "value", ""},
	"subtitle_cues":     {catalog.JSON, "value", "cues"},
	"subtitle_srt":      {catalog.JSON, "value", "srt"},
	"overlay_items":     {catalog.JSON, "value", "overlays"},
}

// bind turns the bindings of a step into sources. It returns the arguments
// without those that are bound, and the names of those that are.
func (d *draft) bind(i int, tool *catalog.Tool) (map[string]any, []string, error) {
	s := &d.plan.Steps[i]
	args := maps.Clone(s.Arguments)
	var bound []string
	taken := map[string]bool{}
	for k, b := range s.DependsOn {
		at := func(name string) string { return stepField(i, fmt.Sprintf("dependsOn[%d].%s", k, name)) }
		t, ok := transforms[b.Transform]
		if !ok {
			return nil, nil, atelier.Refuse(at("transform"), "is %q, which is not a transform of this service.", b.Transform)
		}
		a, ok := tool.Argument(b.TargetArgument)
		if !ok {
			return nil, nil, atelier.Refuse(at("targetArgument"), "is %q, which %s does not take.", b.TargetArgument, tool.Name)
		}
		from, err := d.resolveBinding(i, atelier.Binding(b), t, at)
		if err != nil {
			return nil, nil, err
		}
		from.Argument, from.Bound, from.Optional = a.Name, true, !b.Required
		if from.Value, err = fits(b.Transform, t, tool, a, from.Kind); err != nil {
			return nil, nil, atelier.Refuse(at("transform"), "%v", err)
		}
		if from.File >= 0 && from.Value == "" { // a file whose address is the argument is not read
			d.plan.Files[from.File].Used = true
		}
		if !a.IsArray() || from.Value != "" {
			if taken[a.Name] {
				return nil, nil, atelier.Refuse(at("targetArgument"), "is %s, which another binding fills already.", a.Name)
			}
			taken[a.Name] = true
			delete(args, b.TargetArgument)
			delete(args, a.Name)
		}
		s.Sources = append(s.Sources, from)
		bound = append(bound, a.Name)
	}
	return args, bound, nil
}

// resolveBinding finds the source of a binding.
func (d *draft) resolveBinding(i int, b atelier.Binding, t transform, at func(string) string) (source, error) {
	kind := t.kind
	if kind == "" {
		kind = catalog.Kind(b.MediaType)
	}
	if b.SourceStepID == atelier.InputMedia {
		n, ok := d.upload(kind, b.SourceArtifactIndex)
		if !ok {
			return source{}, atelier.Refuse(at("sourceArtifactIndex"), "is %d, but media_references has %d of the kind %s.",
				b.SourceArtifactIndex, d.uploads(kind), orAny(kind))
		}
		return source{Kind: catalog.Kind(d.plan.Files[n].Kind), Step: -1, File: n}, nil
	}
	n := d.byID[b.SourceStepID]
	makes := d.plan.Steps[n]
	switch {
	case makes.Count == 0:
		return source{}, atelier.Refuse(at("sourceStepId"), "is %q, which makes nothing that could be bound.", makes.ID)
	case kind != "" && kind != makes.Kind:
		return source{}, atelier.Refuse(at("transform"), "is %s, but the step %q makes %s.", b.Transform, makes.ID, makes.Kind)
	case b.SourceArtifactIndex < 0 || b.SourceArtifactIndex >= makes.Count:
		return source{}, atelier.Refuse(at("sourceArtifactIndex"), "is %d, but the step %q makes %d.", b.SourceArtifactIndex, makes.ID, makes.Count)
	}
	return source{Kind: makes.Kind, Step: n, Artifact: b.SourceArtifactIndex, ID: b.SourceArtifactID, File: -1}, nil
}

func orAny(k catalog.Kind) string {
	if k == "" {
		return "asked for"
	}
	return string(k)
}

// fits says whether an argument can take what a transform hands over: as a
// file, or as a value, which it then names.
func fits(name string, t transform, tool *catalog.Tool, a *catalog.Argument, kind catalog.Kind) (value string, err error) {
	media := a.Media != "" && (a.Media == kind || a.Media == anyKind)
	switch {
	case t.by == "index" && media && !a.URL:
		return "", nil
	case t.by == "index":
		return "", fmt.Errorf("is %s, but %s does not take the index of %s", name, a.Name, kind)
	case t.by == "url" && media, t.by == "data" && media: // the file is handed over either way
		return "", nil
	case t.by == "data":
		return "", fmt.Errorf("is %s, but %s takes no file: bind artifact_url", name, a.Name)
	case t.value != "" && a.Name != t.value:
		return "", fmt.Errorf("is %s, which is made for the argument %s", name, t.value)
	case a.Media != "":
		return "", fmt.Errorf("is %s, but %s takes a file of the kind %s", name, a.Name, a.Media)
	case t.value == "" && (a.Type != "string" || a.Enum != nil || a.Pattern != "" || a.Name == tool.Models.Argument):
		return "", fmt.Errorf("is %s, but %s does not take any text", name, a.Name)
	}
	return name, nil
}

// address turns the handles among the arguments of a step into sources, before
// those that are bound: what a binding adds to a list comes last.
func (d *draft) address(i int, tool *catalog.Tool, args map[string]any) error {
	var direct []source
	_, err := MapMedia(tool, args, func(path string, kind catalog.Kind, v any) (any, error) {
		h, ok := readHandle(v)
		if !ok {
			return v, nil // the catalog has refused an invalid handle
		}
		s, err := d.resolveHandle(i, path, kind, h)
		direct = append(direct, s)
		return v, err
	})
	d.plan.Steps[i].Sources = append(direct, d.plan.Steps[i].Sources...)
	return err
}

// resolveHandle finds the source that a handle in the arguments of a step means.
func (d *draft) resolveHandle(i int, path string, kind catalog.Kind, h handle) (source, error) {
	field := stepField(i, "arguments."+path)
	if h.by == byURL {
		d.plan.Files = append(d.plan.Files, file{Kind: string(kind), URL: h.url, Used: true, field: field})
		return source{Argument: path, Kind: kind, Step: -1, File: len(d.plan.Files) - 1}, nil
	}
	if kind == anyKind {
		kind = ""
	}
	if h.by == byUpload {
		n, ok := d.upload(kind, h.index)
		if !ok {
			return source{}, atelier.Refuse(field, "addresses media that media_references does not have.")
		}
		d.plan.Files[n].Used = true
		return source{Argument: path, Kind: catalog.Kind(d.plan.Files[n].Kind), Step: -1, File: n}, nil
	}
	rest := h.index
	for n, s := range d.plan.Steps[:i] {
		if d.answers[n] == nil || s.Count == 0 || (kind != "" && s.Kind != kind) {
			continue
		}
		if rest < s.Count {
			return source{Argument: path, Kind: s.Kind, Step: n, Artifact: rest, File: -1}, nil
		}
		rest -= s.Count
	}
	return source{}, atelier.Refuse(field, "addresses a result that the steps before this one do not make.")
}

// upload finds the n-th piece of the request's media of a kind.
func (d *draft) upload(kind catalog.Kind, n int) (int, bool) {
	for k, m := range d.plan.Media {
		if kind != "" && m.Kind != string(kind) {
			continue
		}
		if n == 0 {
			return k, true
		}
		n--
	}
	return 0, false
}

func (d *draft) uploads(kind catalog.Kind) (n int) {
	for _, m := range d.plan.Media {
		if kind == "" || m.Kind == string(kind) {
			n++
		}
	}
	return n
}
