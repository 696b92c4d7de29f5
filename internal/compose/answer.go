package compose

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/wire"
)

// answer is what a language model sent back: a JSON object that fits the tool's
// schema.
type answer map[string]any

func (x answer) text(name string) string {
	s, _ := x[name].(string)
	return strings.TrimSpace(s)
}

func (x answer) number(name string) float64 {
	f, _ := x[name].(float64)
	return f
}

func (x answer) list(name string) []any { return draft.ListOf(x[name]) }

func (x answer) texts(name string) (out []string) {
	for _, v := range x.list(name) {
		if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// plan is the steps of an answer. A binding that does not say so is required.
func (x answer) plan() (draft.Plan, error) {
	for _, v := range x.list("steps") {
		step, _ := v.(map[string]any)
		for _, b := range draft.ListOf(step["dependsOn"]) {
			if m, ok := b.(map[string]any); ok && m["required"] == nil {
				m["required"] = true
			}
		}
	}
	var p draft.Plan
	text, err := wire.Marshal(map[string]any(x))
	if err == nil {
		err = wire.Unmarshal(text, &p)
	}
	if err != nil {
		return p, improve("steps must be a list of { id, toolName, arguments, dependsOn }")
	}
	return p, nil
}

// unusable says what is wrong with the answer of a model, for the model and for the
// caller.
type unusable struct{ problem string }

func (u *unusable) Error() string { return u.problem }

// improve is the error of an answer that the model must correct.
func improve(format string, args ...any) error { return &unusable{fmt.Sprintf(format, args...)} }

// readAnswer finds the JSON object in the answer of a model: alone, between code
// fences, or in the middle of other text.
func readAnswer(text string) (answer, error) {
	text = strings.TrimSpace(text)
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, improve("the answer must be one JSON object")
	}
	var x answer
	if err := wire.Unmarshal([]byte(text[from:to+1]), &x); err != nil || x == nil {
		return nil, improve("the answer must be one valid JSON object and nothing else")
	}
	return x, nil
}
