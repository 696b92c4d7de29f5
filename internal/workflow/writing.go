package workflow

import (
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// writing lists what a caller wrote in its own words among the arguments of a
// step: what the content filter reads. Choices, media and what must not be in
// the picture are left out.
func writing(tool *catalog.Tool, args map[string]any) []string {
	var out []string
	for _, a := range tool.Arguments {
		if strings.HasPrefix(strings.ToLower(a.Name), "negative") || a.Name == tool.Models.Argument {
			continue
		}
		out = append(out, prose(a, args[a.Name])...)
	}
	return out
}

func prose(a *catalog.Argument, v any) (out []string) {
	switch v := v.(type) {
	case string:
		if a.Enum == nil && a.Media == "" && a.Pattern == "" && v != "" {
			out = append(out, v)
		}
	case []any:
		for _, item := range v {
			if a.Items != nil {
				out = append(out, prose(a.Items, item)...)
			}
		}
	case map[string]any:
		for _, f := range a.Fields {
			out = append(out, prose(f, v[f.Name])...)
		}
	}
	return out
}
