package template

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// Fields are the fields of a template as a caller sends them: JSON by name. In a
// change, null removes a field.
type Fields map[string]wire.Raw

// Limits of a template besides its size.
const (
	maxName   = 200
	maxInputs = 16
	maxStages = 64
	maxNest   = 32 // levels of JSON in one field
)

var (
	idForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`) // of inputs and artifacts
)

// known are the fields of a template.
var known = []string{
	"id", "version", "name", "description", "brief", "category", "stability", "author", "visibility", "inputs", "stages", "exposeToLLM",
	"llmPriority", "tags", "reviewFocus", "graph", "previewArtifacts", "metadata", "estimatedCapacityUnits", "estimatedCredits",
	"thumbnailUrl", "clonedFromTemplateId", "createdAt", "updatedAt",
}

// read makes a template of its fields and reports mistakes in each of them.
// Mistakes in their combination are found by check.
func read(f Fields, is *issues) (t atelier.Template) {
	o := object{members: map[string]any{}, issues: is}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		var v any
		switch err := wire.Unmarshal(f[name], &v); {
		case err != nil:
			is.fail("invalid_json", shorten(name, 64), "is not valid JSON.")
		case nests(v, maxNest):
			is.fail("too_deep", shorten(name, 64), "nests deeper than %d levels.", maxNest)
		default:
			o.members[name] = v
		}
	}
	o.others(known)
	t.ID, t.Version, t.ClonedFromTemplateID = o.text("id", 0), o.text("version", 0), o.text("clonedFromTemplateId", 0)
	if t.ID != "" && !idForm.MatchString(t.ID) {
		is.fail("invalid_id", "id", "must be 1 to 128 letters, digits, dots, dashes or underscores.")
	}
	t.Name, t.Description, t.Brief = o.text("name", maxName), o.text("description", 0), o.text("brief", 0)
	if _, text := o.members["name"].(string); !o.has("name") || (text && strings.TrimSpace(t.Name) == "") {
		is.fail("missing_name", "name", "is required.")
	}
	t.Category = atelier.TemplateCategory(o.choice("category", string(atelier.TemplateCustom), t.Category.Values()))
	t.Stability = atelier.TemplateStability(o.choice("stability", string(atelier.TemplateExperimental), t.Stability.Values()))
	t.Visibility = atelier.Visibility(o.choice("visibility", string(atelier.VisibilityPrivate), t.Visibility.Values()))
	t.Author = o.author()
	t.ExposeToLLM, t.LLMPriority = o.flag("exposeToLLM", false), o.number("llmPriority", atelier.DefaultLLMPriority)
	t.Tags, t.ReviewFocus, t.ThumbnailURL = o.texts("tags"), o.texts("reviewFocus"), o.web("thumbnailUrl")
	t.EstimatedCapacityUnits, t.EstimatedCredits = o.estimate("estimatedCapacityUnits"), o.estimate("estimatedCredits")
	t.CreatedAt, t.UpdatedAt = o.moment("createdAt"), o.moment("updatedAt")
	t.Graph, t.Metadata = o.verbatim("graph", f), o.verbatim("metadata", f)
	t.Inputs, t.Stages = o.inputs(f), o.stages(f)
	o.previews()
	if o.has("previewArtifacts") {
		t.PreviewArtifacts = atelier.Verbatim(f["previewArtifacts"])
	}
	for name := range o.members {
		if !slices.Contains(known, name) {
			if t.Others == nil {
				t.Others = map[string]atelier.Verbatim{}
			}
			t.Others[name] = atelier.Verbatim(f[name])
		}
	}
	return t
}

// author reads the author of a template. Callers do not send one; stored documents
// have one.
func (o object) author() (a atelier.TemplateAuthor) {
	if m, ok := o.members["author"].(map[string]any); ok {
		a.UserID, _ = m["userId"].(string)
		a.DisplayName, _ = m["displayName"].(string)
	}
	return a
}

func (o object) estimate(name string) *atelier.EstimateRange {
	in, ok := o.object(name)
	if !ok {
		return nil
	}
	e := &atelier.EstimateRange{Min: in.number("min", 0), Max: in.number("max", 0)}
	if !in.has("min") || !in.has("max") || e.Min < 0 || e.Max < e.Min {
		o.issues.fail("invalid_value", o.path(name), "must have min and max, from 0, with min at most max.")
	}
	return e
}

func (o object) moment(name string) string {
	s := o.text(name, 0)
	if s == "" {
		return ""
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		o.issues.fail("invalid_value", o.path(name), "must be a time such as 2026-01-31T12:00:00Z.")
	}
	return s
}

// verbatim keeps an object as it was written.
func (o object) verbatim(name string, f Fields) atelier.Verbatim {
	if _, ok := o.object(name); !ok {
		return nil
	}
	return atelier.Verbatim(f[name])
}

// items are the parts of an array, read and as they were written.
func (o object) items(name string, f Fields) ([]any, []wire.Raw) {
	list := o.list(name)
	var raw []wire.Raw
	if list != nil && wire.Unmarshal(f[name], &raw) != nil { // it was read a moment ago
		return nil, nil
	}
	return list, raw
}

func (o object) stages(f Fields) []atelier.Stage {
	list, raw := o.items("stages", f)
	if len(list) > maxStages {
		o.issues.fail("too_many_stages", "stages", "must have at most %d items.", maxStages)
		return nil
	}
	var out []atelier.Stage
	for i, v := range list {
		s, ok := o.issues.object(v, index("stages", i))
		if !ok {
			continue
		}
		id, _ := s.members["id"].(string)
		label, _ := s.members["label"].(string)
		out = append(out, atelier.Stage{ID: id, Label: label, Raw: atelier.Verbatim(raw[i])})
	}
	return out
}

// previews checks the preview media of a template.
func (o object) previews() {
	for i, v := range o.list("previewArtifacts") {
		p, ok := o.issues.object(v, index("previewArtifacts", i))
		if !ok {
			continue
		}
		p.text("stageId", 0)
		p.text("label", 0)
		p.web("posterUrl")
		if p.choice("mediaType", "", []string{"image", "video"}) == "" && !p.has("mediaType") {
			o.issues.fail("invalid_value", p.path("mediaType"), "must be image or video.")
		}
		if p.web("url") == "" {
			o.issues.fail("invalid_value", p.path("url"), "is required.")
		}
	}
}
