package template_test

import (
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// The inputs of a template become the schema of a tool.
func TestToolSchema(t *testing.T) {
	t.Parallel()
	made := atelier.Template{ID: "wf_fox", Name: "Fox", Description: "A fox.", Inputs: []atelier.TemplateInput{
		{Name: "mood", Type: atelier.InputText, Required: true, Description: "How it feels."},
		{Name: "style", Type: atelier.InputSelect, Required: true, Default: "oil", Options: []atelier.InputOption{{Value: "oil"}, {Value: "ink"}}},
		{Name: "size", Type: atelier.InputNumber}, {Name: "loud", Type: atelier.InputBoolean},
		{Name: "faces", Type: atelier.InputImage, Required: true, Multiple: &atelier.Multiple{Min: 1, Max: 3}},
		{Name: "secret", Type: atelier.InputText, Required: true, Default: "x", Internal: true},
	}}
	got, err := wire.Marshal(template.ToolSchema(made, func(kind string) map[string]any { return map[string]any{"type": "integer", "title": kind} }))
	want := `{"properties":{"faces":{"items":{"title":"image","type":"integer"},"maxItems":3,"minItems":1,"type":"array"},"loud":{"type":"boolean"},` +
		`"mood":{"description":"How it feels.","type":"string"},"size":{"type":"number"},"style":{"enum":["oil","ink"]}},"required":["mood","faces"],"type":"object"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if about := template.ToolDescription(made); about != "Fox: A fox." {
		t.Errorf("the description is %q", about)
	}
	if !template.IsTool(made) || template.IsTool(atelier.Template{ID: "a fox"}) {
		t.Error("a tool is judged by its name")
	}
}
