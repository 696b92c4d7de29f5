package catalog

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Function is a tool as chat models see it: the content of a function tool.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Function returns the tool's name, description and argument schema.
func (t *Tool) Function() Function {
	return Function{Name: t.Name, Description: t.Description, Parameters: t.function()}
}

// prepare makes the schemas that are built on first use: a service start does
// not pay for forty of them, and most nodes never need them all.
func (t *Tool) prepare() {
	t.function = sync.OnceValue(func() json.RawMessage {
		s := t.schema()
		if a := t.Models.Argument; a != "" && len(t.published) > 0 {
			enum := make([]any, len(t.published))
			for i, name := range t.published {
				enum[i] = name
			}
			s["properties"].(map[string]any)[a].(map[string]any)["enum"] = enum
		}
		b, err := json.Marshal(s)
		if err != nil {
			panic(fmt.Sprintf("catalog: schema of %s: %v", t.Name, err))
		}
		return b
	})
	t.compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		url := "atelier:tool/" + t.Name
		s := t.schema()
		// Required arguments are checked before: one may be bound later, and
		// an empty one does not count.
		delete(s, "required")
		if err := c.AddResource(url, s); err != nil {
			return nil, err
		}
		return c.Compile(url)
	})
}

// schema is the closed schema of the tool's arguments.
func (t *Tool) schema() map[string]any {
	s := map[string]any{"type": "object"}
	closed(s, t.Arguments)
	return s
}
