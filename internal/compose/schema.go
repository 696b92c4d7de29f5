package compose

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/schema"
)

// maxProblems is how many problems one message to a model lists.
const maxProblems = 8

// problems are what is wrong with the answer of a model, by path.
func problems(s *schema.Schema, x answer) ([]string, error) {
	faults, err := s.Check(withoutBlanks(map[string]any(x)))
	var out []string
	for _, f := range faults[:min(len(faults), maxProblems)] {
		out = append(out, prose.Cut(f.Field(), 60)+" "+problem(f))
	}
	return out, err
}

func problem(f schema.Fault) string {
	switch f.Keyword {
	case "required":
		return "is required"
	case "additionalProperties":
		return "is not asked for"
	case "type":
		return "must be of the type " + f.Want
	case "enum":
		return "must be one of " + f.Want
	case "minItems", "minLength":
		if f.Limit == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %g %s, not %d", f.Limit, unit(f), f.Got)
	case "maxItems", "maxLength":
		return fmt.Sprintf("must have at most %g %s, not %d", f.Limit, unit(f), f.Got)
	case "minimum":
		return "must be at least " + prose.Number(f.Limit)
	case "maximum":
		return "must be at most " + prose.Number(f.Limit)
	}
	return "is not valid"
}

func unit(f schema.Fault) string {
	if strings.HasSuffix(f.Keyword, "Items") {
		return "items"
	}
	return "characters"
}

// withoutBlanks prepares a value for its schema: models write null for missing
// values, and blanks around texts.
func withoutBlanks(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutBlanks(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if member != nil {
				out[name] = withoutBlanks(member)
			}
		}
		return out
	}
	return v
}
