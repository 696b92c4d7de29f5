package comfyui

import (
	"context"
	"encoding/json"
	"net/http"
)

// nodeInfo is the inputs of a kind of node.
type nodeInfo struct {
	required map[string]spec
	optional map[string]spec
}

// input is what an input takes.
func (n nodeInfo) input(name string) spec {
	if s, ok := n.required[name]; ok {
		return s
	}
	return n.optional[name]
}

// spec is what an input takes.
type spec struct {
	kind     string
	options  []string // the values it is chosen from; nil when it is free
	standard any      // its default
}

// inputSpec reads the two forms of an input: its options and settings, and its
// type and settings with options among them.
func inputSpec(raw json.RawMessage) (s spec) {
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return s
	}
	var settings struct {
		Default any   `json:"default"`
		Options []any `json:"options"`
	}
	if len(parts) > 1 {
		_ = json.Unmarshal(parts[1], &settings) // invalid settings are ignored
	}
	var options []any
	switch {
	case json.Unmarshal(parts[0], &s.kind) == nil:
		if s.kind == "COMBO" {
			options = settings.Options
		}
	case json.Unmarshal(parts[0], &options) == nil:
		s.kind = "COMBO"
	}
	for _, o := range options {
		s.options = append(s.options, formatValue(o))
	}
	s.standard = settings.Default
	if s.standard == nil && len(options) > 0 {
		s.standard = options[0]
	}
	return s
}

// readNodes asks a ComfyUI for its nodes, and keeps those that graphs use. There may be
// thousands.
func (l *Library) readNodes(ctx context.Context, a *api) (map[string]nodeInfo, error) {
	var all map[string]json.RawMessage
	if err := a.call(ctx, http.MethodGet, "/object_info", nil, &all); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, odd("GET /object_info", []byte("{}"), nil, "there are no nodes")
	}
	specs := func(in map[string]json.RawMessage) map[string]spec {
		out := make(map[string]spec, len(in))
		for name, raw := range in {
			out[name] = inputSpec(raw)
		}
		return out
	}
	nodes := map[string]nodeInfo{}
	for _, m := range l.mappings {
		for _, n := range m.graph {
			text, there := all[n.Class]
			if !there || nodes[n.Class].required != nil {
				continue
			}
			var info struct {
				Input struct {
					Required map[string]json.RawMessage `json:"required"`
					Optional map[string]json.RawMessage `json:"optional"`
				} `json:"input"`
			}
			if err := readAnswer("GET /object_info for the node "+n.Class, text, &info); err != nil {
				return nil, err
			}
			nodes[n.Class] = nodeInfo{specs(info.Input.Required), specs(info.Input.Optional)}
		}
	}
	return nodes, nil
}
