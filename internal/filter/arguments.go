package filter

import (
	"context"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// CheckArguments checks the free text in the arguments of a tool.
func (f *Filter) CheckArguments(ctx context.Context, tool *catalog.Tool, args map[string]any) (Verdict, error) {
	text := Prose(tool, args)
	if text == "" {
		return Verdict{}, nil
	}
	return f.Check(ctx, text)
}

// Prose is the free text in the arguments of a tool, which is what CheckArguments reads.
// Choices, media and negative prompts are left out.
func Prose(tool *catalog.Tool, args map[string]any) string {
	var texts []string
	for _, a := range tool.Arguments {
		if strings.HasPrefix(strings.ToLower(a.Name), "negative") || a.Name == tool.Models.Argument {
			continue
		}
		texts = appendProse(texts, a, args[a.Name])
	}
	return strings.Join(texts, "\n")
}

// appendProse adds the free text of one argument.
func appendProse(out []string, a *catalog.Argument, v any) []string {
	switch v := v.(type) {
	case string:
		if a.Enum == nil && a.Media == "" && a.Pattern == "" && v != "" {
			out = append(out, v)
		}
	case []any:
		for _, item := range v {
			if a.Items != nil {
				out = appendProse(out, a.Items, item)
			}
		}
	case map[string]any:
		for _, field := range a.Fields {
			out = appendProse(out, field, v[field.Name])
		}
	}
	return out
}
