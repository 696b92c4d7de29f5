package replicate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/atelier-project/atelier/internal/catalog"
)

// Document is the OpenAPI document of a version: the schemas of its input and its output.
type Document struct {
	OpenAPI    string     `json:"openapi"`
	Info       Info       `json:"info"`
	Paths      struct{}   `json:"paths"`
	Components Components `json:"components"`
}

// Info names a document.
type Info struct {
	Title   string `json:"title"`
	Version string `json:"version"`
}

// Components has the schemas of a document.
type Components struct {
	Schemas Schemas `json:"schemas"`
}

// Schemas are those of a version.
type Schemas struct {
	Input  Property `json:"Input"`
	Output Property `json:"Output"`
}

// Property is the JSON Schema of a value.
type Property struct {
	Type        string              `json:"type"`
	Title       string              `json:"title,omitzero"`
	Description string              `json:"description,omitzero"`
	Format      string              `json:"format,omitzero"`
	Default     any                 `json:"default,omitzero"`
	Enum        []any               `json:"enum,omitzero"`
	Minimum     *float64            `json:"minimum,omitzero"`
	Maximum     *float64            `json:"maximum,omitzero"`
	MinLength   int                 `json:"minLength,omitzero"`
	MaxLength   int                 `json:"maxLength,omitzero"`
	Pattern     string              `json:"pattern,omitzero"`
	MinItems    int                 `json:"minItems,omitzero"`
	MaxItems    int                 `json:"maxItems,omitzero"`
	Items       *Property           `json:"items,omitzero"`
	Required    []string            `json:"required,omitzero"`
	Properties  map[string]Property `json:"properties,omitzero"`
	Order       *int                `json:"x-order,omitzero"`
}

// input is a field of the input of a model.
type input struct {
	name     string
	argument string       // of the tool
	media    catalog.Kind // empty unless it takes the address of media
	isURL    bool         // the argument takes the address itself
	required bool
	schema   Property
}

func newDocument(inputs []input, output Property) Document {
	in := Property{Type: "object", Title: "Input", Properties: map[string]Property{}}
	for i, f := range inputs {
		f.schema.Title, f.schema.Order = title(f.name), &i
		in.Properties[f.name] = f.schema
		if f.required {
			in.Required = append(in.Required, f.name)
		}
	}
	return Document{OpenAPI: "3.0.2", Info: Info{"Cog", "0.1.0"}, Components: Components{Schemas{Input: in, Output: output}}}
}

func title(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// toolInputs are the fields of a tool, with the bounds of a model of the catalog if there is one.
func toolInputs(tool *catalog.Tool, of *catalog.Model) (list []input) {
	for _, a := range tool.Arguments {
		f := input{name: fieldName(tool, a), argument: a.Name, media: a.Media, isURL: a.URL, required: a.Required, schema: schemaOf(a)}
		switch {
		case a.Name == tool.Models.Argument, hasNestedMedia(a):
			continue
		case a.URL && slices.ContainsFunc(tool.Arguments, func(o *catalog.Argument) bool {
			return o.Media != "" && !o.URL && fieldName(tool, o) == withoutSource(strings.TrimSuffix(snake(a.Name), "_url"))
		}):
			continue // the other argument takes the address too
		}
		if of != nil {
			f.bound(tool, of)
		}
		list = append(list, f)
	}
	for _, n := range tool.Needs {
		or := slices.ContainsFunc(list, func(f input) bool { return slices.Contains(n.Unless, f.argument) })
		for i := range list {
			if list[i].argument == n.Argument && !or {
				list[i].required = true
			}
		}
	}
	return list
}

// bound sets what the model of the catalog takes.
func (f *input) bound(tool *catalog.Tool, of *catalog.Model) {
	set := func(lo, hi, byDefault float64) {
		f.schema.Minimum, f.schema.Maximum = &lo, &hi
		if byDefault > 0 {
			f.schema.Default = byDefault
		}
	}
	if d := of.Duration; d != nil && f.argument == tool.Length.Argument {
		set(d.Min, d.Max, d.Default)
	}
	if s := of.Size; s != nil && s.Max > 0 && (f.argument == "width" || f.argument == "height") {
		set(float64(s.Min), float64(s.Max), 0)
	}
}

func hasNestedMedia(a *catalog.Argument) bool {
	return a.Items != nil && slices.ContainsFunc(a.Items.Fields, func(f *catalog.Argument) bool { return f.Media != "" })
}

// fieldName is the name of an argument as clients of Replicate's API would expect it.
func fieldName(tool *catalog.Tool, a *catalog.Argument) string {
	switch name := snake(a.Name); {
	case a.Name == tool.Produces.Count:
		return "num_outputs"
	case a.Media == "" || a.URL:
		return name
	case strings.HasSuffix(name, "_indices"):
		return withoutSource(strings.TrimSuffix(name, "_indices")) + "s"
	default:
		return withoutSource(strings.TrimSuffix(name, "_index"))
	}
}

// withoutSource is source_image and audio_source as image and audio.
func withoutSource(name string) string {
	name = strings.TrimPrefix(name, "source_")
	if kind := strings.TrimSuffix(name, "_source"); kind == "audio" || kind == "video" {
		return kind
	}
	return name
}

// snake is a name in lower case, with underscores between its words.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// schemaOf is the schema of an argument.
func schemaOf(a *catalog.Argument) Property {
	p := Property{
		Type: a.Type, Description: a.Text, Default: a.Default, Enum: a.Enum, Minimum: a.Min, Maximum: a.Max, MinLength: a.MinLength, MaxLength: a.MaxLength,
		Pattern: a.Pattern, MinItems: a.MinItems, MaxItems: a.MaxItems,
	}
	if a.Help != "" {
		p.Description = a.Help
	}
	if a.Items != nil {
		items := schemaOf(a.Items)
		p.Items = &items
	}
	for _, f := range a.Fields {
		if p.Properties == nil {
			p.Properties = map[string]Property{}
		}
		p.Properties[f.Name] = schemaOf(f)
		if f.Required {
			p.Required = append(p.Required, f.Name)
		}
	}
	if a.Media == "" {
		return p
	}
	address := Property{Type: "string", Format: "uri"}
	if a.IsArray() {
		return Property{Type: "array", Description: p.Description, MinItems: a.MinItems, MaxItems: a.MaxItems, Items: &address}
	}
	address.Description = p.Description
	return address
}

// languageInputs are the fields of a language model.
var languageInputs = []input{
	{name: "prompt", required: true, schema: Property{Type: "string", Description: "What the model is asked."}},
	{name: "system_prompt", schema: Property{Type: "string", Description: "Instructions that come before the prompt."}},
	{name: "max_tokens", schema: Property{Type: "integer", Description: "The longest answer.", Minimum: number(1)}},
	{name: "temperature", schema: Property{Type: "number", Description: "How freely it answers.", Minimum: number(0), Maximum: number(2)}},
	{name: "top_p", schema: Property{Type: "number", Description: "The share of likely words that it chooses from.", Minimum: number(0), Maximum: number(1)}},
}

func number(n float64) *float64 { return &n }
