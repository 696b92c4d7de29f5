package comfyui

import (
	"fmt"
	"strconv"
	"strings"
)

// mapping says which jobs a graph renders and where their arguments go. It is a
// YAML file beside the graph.
type mapping struct {
	About string `yaml:"about"` // for people
	// Base is the name of another mapping that this one is written on top of.
	Base string `yaml:"base"`
	// Graph is the file of the graph; by default that of the mapping's name.
	Graph  string         `yaml:"graph"`
	Models []mappingModel `yaml:"models"`
	Tools  []string       `yaml:"tools"`

	Slots   map[string]slot      `yaml:"slots"`
	Size    *size                `yaml:"size"`
	Seed    targets              `yaml:"seed"`
	Inputs  map[string]fileInput `yaml:"inputs"`
	Loras   []loraPoint          `yaml:"loras"`
	Outputs []output             `yaml:"outputs"`
	// Only lists the values of arguments that the graph supports; an empty list
	// means that the argument must not be given.
	Only map[string][]any `yaml:"only"`
	// Weights are the times that nodes take in relation to others, where the estimate
	// of the progress is wrong: a sampler has 30, most others have 1.
	Weights map[string]float64 `yaml:"weights"`
	// Files are the model files that nodes load.
	Files map[target]modelFile `yaml:"files"`

	name  string // of the file, without its extension
	file  string // for messages
	graph graph
	// taken are the pairs of model and tool that an operator's graphs serve
	// instead.
	taken map[[2]string]bool
}

// mappingModel is a model that a graph renders, and its differences.
type mappingModel struct {
	ID    string              `yaml:"id"`
	Set   map[target]any      `yaml:"set"`   // values of inputs that differ from the graph
	Files map[target][]string `yaml:"files"` // other names for model files
	Links map[target]source   `yaml:"links"` // links that differ from the graph
}

// readers are the nodes that read model files.
func (m *mapping) readers() map[string]bool {
	out := map[string]bool{}
	for t := range m.Files {
		out[t.node] = true
	}
	return out
}

// slot says where an argument goes.
type slot struct {
	From     []string `yaml:"from"`     // the arguments it takes, the first that is given; by default its name
	To       targets  `yaml:"to"`       // the inputs it sets
	Each     string   `yaml:"each"`     // a list argument with an entry for each artifact; it takes precedence
	Required bool     `yaml:"required"` // the job fails without it
	With     string   `yaml:"with"`     // only when this input file is given
	Default  any      `yaml:"default"`  // when nothing is given; without it the graph's own value stays

	// Count is an argument that limits how many of the things that a text names are
	// found; without it all are. See countEach.
	Count string `yaml:"count"`

	// Format is what the text of the argument is: a musical key. It is written as the node
	// lists it.
	Format string `yaml:"format"`

	Values map[string]any `yaml:"values"` // other names for values
	Times  *float64       `yaml:"times"`  // factor
	Plus   float64        `yaml:"plus"`   // added after the factor
	Round  float64        `yaml:"round"`  // to a multiple of this
	Min    *float64       `yaml:"min"`
	Max    *float64       `yaml:"max"`
	Frames *frames        `yaml:"frames"` // seconds become frames
}

// frames turns seconds into a number of frames on the grid that a model can
// make: base, base + step, base + 2 step, …
type frames struct {
	FPS  float64 `yaml:"fps"`
	Base int     `yaml:"base"`
	Step int     `yaml:"step"`
	Max  int     `yaml:"max"`
}

// fileInput says where a file of the job goes.
type fileInput struct {
	From     []string          `yaml:"from"`     // the arguments that may name it; by default its own name
	To       targets           `yaml:"to"`       // inputs of nodes that load it
	Kind     string            `yaml:"kind"`     // image, video or audio
	Each     string            `yaml:"each"`     // a list argument with a file for each artifact
	Required bool              `yaml:"required"` // the job fails without it
	Links    map[target]source `yaml:"links"`    // links that exist only when it is given
}

// loraPoint is an output after which LoRAs are loaded.
type loraPoint struct {
	Model source  `yaml:"model"`
	Clip  *source `yaml:"clip"`
}

// output is a node whose file is an artifact.
type output struct {
	Node string `yaml:"node"`
	Type string `yaml:"type"`
	// Selects is the argument that says what the picture selects, as a mask or a cut-out.
	// One that selects nothing fails the job.
	Selects string `yaml:"selects"`
}

// modelFile is a file that ComfyUI must have.
type modelFile struct {
	Folder string   `yaml:"folder"` // below ComfyUI's models
	Names  []string `yaml:"names"`  // acceptable names, the best first; * and ? match; {model} is the model's id
	From   string   `yaml:"from"`   // where people get it
}

// target is an input of a node, written node.input.
type target struct{ node, input string }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *target) UnmarshalText(text []byte) error {
	node, input, ok := strings.Cut(string(text), ".")
	if !ok || node == "" || input == "" {
		return fmt.Errorf("must be the id of a node and the name of an input with a dot between them, such as 6.text, not %q", text)
	}
	*t = target{node, input}
	return nil
}

func (t target) String() string { return t.node + "." + t.input }

// targets are one or several inputs that get the same value.
type targets []target

// UnmarshalText implements encoding.TextUnmarshaler: a single target needs no
// list.
func (t *targets) UnmarshalText(text []byte) error {
	var one target
	if err := one.UnmarshalText(text); err != nil {
		return err
	}
	*t = targets{one}
	return nil
}

// source is an output of a node, written node for its first one and node.1 for
// its second.
type source link

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *source) UnmarshalText(text []byte) error {
	node, number, ok := strings.Cut(string(text), ".")
	if node == "" {
		return fmt.Errorf("must be the id of a node, not %q", text)
	}
	*s = source{node: node}
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return fmt.Errorf("must be the id of a node and perhaps the number of an output, such as 4.1, not %q", text)
	}
	s.output = n
	return nil
}

func (s source) String() string { return fmt.Sprintf("%s.%d", s.node, s.output) }

// orName is a list of arguments, or the one with the name.
func orName(from []string, name string) []string {
	if len(from) == 0 {
		return []string{name}
	}
	return from
}
