package graphimport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxNodesBytes is the longest list of nodes that is read: every node of every extension.
const MaxNodesBytes = 64 << 20

// Nodes are the kinds of nodes that a ComfyUI has. There may be thousands, so each is read when it is
// asked for. It is not safe for concurrent use.
type Nodes struct {
	raw  map[string]json.RawMessage
	read map[string]*kind
}

// ReadNodes reads what a ComfyUI answers to GET /object_info.
func ReadNodes(data []byte) (*Nodes, error) {
	n := &Nodes{read: map[string]*kind{}}
	if len(data) > MaxNodesBytes {
		return nil, fmt.Errorf("the list of nodes is longer than %d bytes", MaxNodesBytes)
	}
	if err := json.Unmarshal(data, &n.raw); err != nil || len(n.raw) == 0 {
		return nil, errors.New("the list of nodes is not what ComfyUI answers to GET /object_info")
	}
	return n, nil
}

// kind is what one kind of node takes and gives.
type kind struct {
	fields   []field // in the order of the widgets
	outputs  []string
	isOutput bool
	module   string // the Python module, which names the package of a custom node
}

// field is an input of a kind of node.
type field struct {
	name     string
	kind     string
	standard any // its default
	step     float64
	least    float64
	most     float64
	required bool
	isLink   bool             // never a widget
	control  bool             // a second widget says what becomes of the value after a run
	uploads  string           // image, video or audio: it names an uploaded file
	cases    map[string]block // of a choice that brings further inputs
}

// block is the inputs that a choice brings with it.
type block []field

// settings are what a field says beside its type.
type settings struct {
	Default    any             `json:"default"`
	Options    json.RawMessage `json:"options"`
	Step       float64         `json:"step"`
	Min        float64         `json:"min"`
	Max        float64         `json:"max"`
	ForceInput bool            `json:"forceInput"`
	Control    any             `json:"control_after_generate"`
	Image      bool            `json:"image_upload"`
	Video      bool            `json:"video_upload"`
	Audio      bool            `json:"audio_upload"`
}

// kind is a kind of node; nil when the ComfyUI does not have it.
func (n *Nodes) kind(class string) *kind {
	if n == nil {
		return nil
	}
	k, known := n.read[class]
	if raw, there := n.raw[class]; !known && there {
		k = readKind(raw)
		n.read[class] = k
	}
	return k
}

func readKind(raw json.RawMessage) *kind {
	var in struct {
		Input  map[string]json.RawMessage `json:"input"`
		Order  map[string][]string        `json:"input_order"`
		Output []any                      `json:"output"`
		Ends   bool                       `json:"output_node"`
		Module string                     `json:"python_module"`
	}
	_ = json.Unmarshal(raw, &in) // what cannot be read is not known
	k := &kind{isOutput: in.Ends, module: in.Module, fields: readFields(in.Input, in.Order, 0)}
	for _, o := range in.Output {
		text, _ := o.(string)
		k.outputs = append(k.outputs, text)
	}
	return k
}

// readFields reads inputs in their order: input_order, or that of the JSON object.
func readFields(sections map[string]json.RawMessage, order map[string][]string, depth int) (out []field) {
	if depth > 3 {
		return nil
	}
	for _, section := range []string{"required", "optional"} {
		var fields map[string]json.RawMessage
		if json.Unmarshal(sections[section], &fields) != nil {
			continue
		}
		names := order[section]
		if len(names) == 0 {
			names = keysOf(sections[section])
		}
		for _, name := range names {
			if raw, ok := fields[name]; ok {
				f := readField(name, raw, depth)
				f.required = section == "required"
				out = append(out, f)
			}
		}
	}
	return out
}

func readField(name string, raw json.RawMessage, depth int) field {
	f := field{name: name}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return f
	}
	var s settings
	if len(parts) > 1 {
		d := json.NewDecoder(bytes.NewReader(parts[1]))
		d.UseNumber()
		_ = d.Decode(&s)
	}
	var options []json.RawMessage
	if json.Unmarshal(parts[0], &f.kind) != nil && json.Unmarshal(parts[0], &options) == nil {
		f.kind = "COMBO"
	} else {
		_ = json.Unmarshal(s.Options, &options)
	}
	f.standard, f.step, f.least, f.most, f.isLink = s.Default, s.Step, s.Min, s.Max, s.ForceInput
	f.control = s.Control != nil && s.Control != false
	switch {
	case s.Image:
		f.uploads = "image"
	case s.Video:
		f.uploads = "video"
	case s.Audio:
		f.uploads = "audio"
	}
	if f.kind == "COMFY_DYNAMICCOMBO_V3" {
		f.cases = map[string]block{}
		for _, o := range options {
			var c struct {
				Key    string                     `json:"key"`
				Inputs map[string]json.RawMessage `json:"inputs"`
			}
			if json.Unmarshal(o, &c) == nil {
				f.cases[c.Key] = readFields(c.Inputs, nil, depth+1)
			}
			if f.standard == nil {
				f.standard = c.Key
			}
		}
	}
	if f.kind == "COMBO" && f.standard == nil && len(options) > 0 {
		_ = decode(options[0], &f.standard)
	}
	return f
}

// widgets are the types whose values are set at the node itself.
var widgets = []string{"INT", "FLOAT", "STRING", "BOOLEAN", "COMBO", "COMFY_DYNAMICCOMBO_V3"}

func (f field) isWidget() bool { return !f.isLink && slices.Contains(widgets, f.kind) }

// field is an input of a kind, also one that a choice brings with it.
func (k *kind) field(name string) (field, bool) {
	if k == nil {
		return field{}, false
	}
	fields := block(k.fields)
	for {
		if i := slices.IndexFunc(fields, func(f field) bool { return f.name == name }); i >= 0 {
			return fields[i], true
		}
		head, rest, nested := strings.Cut(name, ".")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == head })
		if !nested || i < 0 {
			return field{}, false
		}
		name = rest
		var inner block
		for _, key := range sortedKeys(fields[i].cases) {
			inner = append(inner, fields[i].cases[key]...)
		}
		fields = inner
	}
}

// gives is the type of an output; empty when it is not known.
func (k *kind) gives(output int) string {
	if k == nil || output >= len(k.outputs) {
		return ""
	}
	return k.outputs[output]
}

// keysOf are the names of a JSON object in their order.
func keysOf(raw json.RawMessage) (out []string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			break
		}
		out = append(out, name)
	}
	return out
}
