package template

import (
	"regexp"

	"github.com/atelier-project/atelier"
)

// toolName is what a tool of a language model may be called.
var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// IsTool reports whether a template can be a tool of a language model, by its id.
func IsTool(t atelier.Template) bool { return toolName.MatchString(t.ID) }

// ToolDescription says to a language model what a template is for.
func ToolDescription(t atelier.Template) string {
	if t.Description == "" {
		return t.Name
	}
	return t.Name + ": " + t.Description
}

// ToolSchema is the schema of the inputs of a template that a language model fills. Media is the schema
// of an input that is a file.
func ToolSchema(t atelier.Template, media func(kind string) map[string]any) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, in := range t.Inputs {
		if in.Internal {
			continue
		}
		one := map[string]any{"type": "string"}
		switch {
		case in.Type.Media():
			one = media(string(in.Type))
		case len(in.Options) > 0:
			var values []any
			for _, o := range in.Options {
				values = append(values, o.Value)
			}
			one = map[string]any{"enum": values}
		case in.Type == atelier.InputNumber, in.Type == atelier.InputBoolean:
			one["type"] = string(in.Type)
		}
		if in.Multiple != nil {
			one = map[string]any{"type": "array", "items": one, "minItems": in.Multiple.Min, "maxItems": in.Multiple.Max}
		}
		if in.Description != "" {
			one["description"] = in.Description
		}
		properties[in.Name] = one
		if in.Required && in.Default == nil {
			required = append(required, in.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}
