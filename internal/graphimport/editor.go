package graphimport

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
)

// drawing is a workflow in the format of ComfyUI's editor, or one of its subgraphs.
type drawing struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Nodes   []*drawn   `json:"nodes"`
	Links   []wire     `json:"links"`
	Inputs  []terminal `json:"inputs"`  // of a subgraph
	Outputs []terminal `json:"outputs"` // of a subgraph

	Definitions struct {
		Subgraphs []*drawing `json:"subgraphs"`
	} `json:"definitions"`
}

// terminal is an input or an output of a subgraph.
type terminal struct {
	Name string `json:"name"`
}

// The ids under which links name the inputs and the outputs of the subgraph that they are in.
const (
	insideInputs  = "-10"
	insideOutputs = "-20"
)

// drawn is a node in the editor.
type drawn struct {
	ID      ident      `json:"id"`
	Type    string     `json:"type"`
	Mode    int        `json:"mode"`
	Title   string     `json:"title"`
	Inputs  []socket   `json:"inputs"`
	Outputs []socket   `json:"outputs"`
	Values  any        `json:"widgets_values"`
	Props   properties `json:"properties"`
}

// Modes of a node.
const (
	muted    = 2
	bypassed = 4
)

// socket is a place for links at a node.
type socket struct {
	Name   string       `json:"name"`
	Type   any          `json:"type"`
	Link   *json.Number `json:"link"`
	Widget *struct {
		Name string `json:"name"`
	} `json:"widget"`
}

func (s socket) kind() string { t, _ := s.Type.(string); return t }

// properties are what the editor notes about a node.
type properties struct {
	Registry string `json:"cnr_id"` // the package in ComfyUI's registry
	Github   string `json:"aux_id"` // the package as owner/repository
	Version  string `json:"ver"`
	Models   []struct {
		Name      string `json:"name"`
		URL       string `json:"url"`
		Directory string `json:"directory"`
	} `json:"models"`
	Shown [][]any `json:"proxyWidgets"` // widgets of inner nodes that a subgraph shows
}

// UnmarshalJSON reads properties leniently: extensions keep what they like there.
func (p *properties) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	for name, to := range map[string]any{"cnr_id": &p.Registry, "aux_id": &p.Github, "ver": &p.Version, "models": &p.Models, "proxyWidgets": &p.Shown} {
		if text, ok := raw[name]; ok {
			_ = json.Unmarshal(text, to)
		}
	}
	return nil
}

// ident is the id of a node: a number, or a text.
type ident string

// UnmarshalJSON reads either.
func (i *ident) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data)
	}
	if !plainID.MatchString(text) {
		return errors.New("the id of a node is neither a number nor a short word")
	}
	*i = ident(text)
	return nil
}

var plainID = regexp.MustCompile(`^-?[\w-]{1,60}$`)

// wire is a link in the editor: a list of six values, or an object.
type wire struct {
	id         string
	from, to   string
	output, at int
}

// UnmarshalJSON reads either form. What is not a link is left out.
func (w *wire) UnmarshalJSON(data []byte) error {
	var o struct {
		ID     json.Number `json:"id"`
		From   ident       `json:"origin_id"`
		Output int         `json:"origin_slot"`
		To     ident       `json:"target_id"`
		At     int         `json:"target_slot"`
	}
	if strings.HasPrefix(string(data), "[") {
		var parts []json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil || len(parts) < 5 {
			return nil
		}
		for i, to := range []any{&o.ID, &o.From, &o.Output, &o.To, &o.At} {
			if json.Unmarshal(parts[i], to) != nil {
				return nil
			}
		}
	} else if json.Unmarshal(data, &o) != nil {
		return nil
	}
	*w = wire{id: o.ID.String(), from: string(o.From), to: string(o.To), output: o.Output, at: o.At}
	return nil
}
