package catalog

import (
	"maps"

	"github.com/atelier-project/atelier/internal/schema"
	"github.com/atelier-project/atelier/internal/wire"
)

// Tool is something a workflow step, a chat model or a direct call can run.
type Tool struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	// Brief is the description for models with a short context, and Main the arguments
	// they see besides the required ones.
	Brief string   `yaml:"brief"`
	Main  []string `yaml:"main"`
	// Core tools come first for a model whose context cannot hold all tools, and so do
	// those that the user asks for, by the words of the name and the description or by
	// these.
	Core  bool     `yaml:"core"`
	Words []string `yaml:"words"`
	// Runs says where the tool runs: "worker" for renders, "service" for media composition
	// and analysis, "session" for tools that only read or change the session, "sync" for
	// the tools that answer in the same request.
	Runs string `yaml:"runs"`
	// Asks names the argument with a question for the user. A workflow pauses at a
	// step with such a tool until its user resumes it.
	Asks string `yaml:"asks"`
	// Family is the smallest chat tool family that has it.
	Family string `yaml:"family"`

	CapacityClass string `yaml:"capacityClass"`
	// Price is the tool's own; a tool without one costs what its model costs.
	Price *Price `yaml:"price"`
	// Factors multiply the model's price for this tool's arguments.
	Factors []Factor `yaml:"factors"`

	Arguments []*Argument       `yaml:"arguments"`
	Aliases   map[string]string `yaml:"aliases"` // other spellings of an argument
	Refused   map[string]string `yaml:"refused"` // names that are no longer accepted, and what to use instead
	Rules     []Rule            `yaml:"rules"`
	Needs     []Need            `yaml:"needs"`

	// Example are arguments that the tool accepts, for readers of the reference.
	Example map[string]any `yaml:"example"`

	Models   ModelChoice `yaml:"models"`
	Length   LengthRule  `yaml:"length"`
	Produces *Production `yaml:"produces"`

	byName    map[string]*Argument
	selectors map[string][]*Model // selector, published or legacy, to its models
	published []string            // selectors in the order of the data
	offered   []string            // those that language models see
	serving   map[string]*Model   // catalog id to model
	compiled  func() (*schema.Schema, error)
	function  func() wire.Raw
	compact   func() wire.Raw
}

// Durable reports whether the tool may be a workflow step.
func (t *Tool) Durable() bool { return t.Runs != "sync" }

// Synchronous reports whether the tool answers in the request that calls it.
func (t *Tool) Synchronous() bool { return t.Runs == "sync" }

// Pure reports whether the tool needs neither a worker nor media work: it only
// reads or changes the session.
func (t *Tool) Pure() bool { return t.Runs == "session" }

// Immediate reports whether a step with the tool is done without a job: the tool
// only reads or changes the session, and makes nothing.
func (t *Tool) Immediate() bool { return t.Pure() && t.Produces == nil }

// Free reports whether the tool never costs money.
func (t *Tool) Free() bool { return t.Price != nil && t.Price.Free }

// Argument finds an argument by name or alias.
func (t *Tool) Argument(name string) (*Argument, bool) {
	if to, ok := t.Aliases[name]; ok {
		name = to
	}
	a, ok := t.byName[name]
	return a, ok
}

// Selectors lists the published values of the tool's model argument.
func (t *Tool) Selectors() []string { return t.published }

// MediaArguments lists the arguments that address media.
func (t *Tool) MediaArguments() []*Argument {
	var list []*Argument
	for _, a := range t.Arguments {
		if a.Media != "" || a.nested() != nil {
			list = append(list, a)
		}
	}
	return list
}

// nested returns the field of an array of objects that addresses media, such
// as keyframes[].imageIndex.
func (a *Argument) nested() *Argument {
	if a.Items == nil {
		return nil
	}
	for _, f := range a.Items.Fields {
		if f.Media != "" {
			return f
		}
	}
	return nil
}

// ModelChoice is how a tool gets its model. A tool without models has none.
type ModelChoice struct {
	// Argument is the one that names a model; empty when the tool chooses.
	Argument string `yaml:"argument"`
	// AnyInputs means that the tool prepares media for the model itself, so that the
	// caller's media is not counted against the model's limits.
	AnyInputs bool `yaml:"anyInputs"`
	// Defaults choose when the caller named none: the first that applies.
	Defaults []Default `yaml:"defaults"`
	// Unless names an argument that makes a model unnecessary.
	Unless string `yaml:"unless"`
	// Tiers are the selectors that a tier of quality (fast, hq, pro) chooses when a chat
	// run names no model. A tier that is not listed leaves the choice to Defaults.
	Tiers map[string]string `yaml:"tiers"`
}

// WithTier adds to arguments that name no model the one of a tier.
func (t *Tool) WithTier(args map[string]any, tier string) map[string]any {
	name, selector := t.Models.Argument, t.Models.Tiers[tier]
	if name == "" || selector == "" || args[name] != nil && args[name] != "" {
		return args
	}
	args = maps.Clone(args)
	args[name] = selector
	return args
}

// QualityTiers are the tiers of quality that a chat run can ask for.
var QualityTiers = []string{"fast", "hq", "pro"}

// Default is a default model.
type Default struct {
	Selector string              `yaml:"selector"`
	When     map[string][]string `yaml:"when"`  // arguments with these values
	Given    []string            `yaml:"given"` // any of these arguments given
	With     []Kind              `yaml:"with"`  // any media of these kinds
	Reason   string              `yaml:"reason"`
}

// LengthRule says where the length of a tool's result comes from. The first part that is
// set decides.
type LengthRule struct {
	Argument string  `yaml:"argument"` // the argument that asks for seconds
	From     string  `yaml:"from"`     // the span between two arguments
	To       string  `yaml:"to"`
	Source   string  `yaml:"source"`  // the argument whose media is as long, when not asked
	Each     string  `yaml:"each"`    // a list with Seconds for each entry
	Seconds  float64 `yaml:"seconds"` // of one entry, or when nothing else is known
	Count    int     `yaml:"count"`   // entries when the list is absent
	// Composed results are made from several renders, so the model's own range does not
	// apply.
	Composed bool `yaml:"composed"`
}

// Production is what one run of a tool makes.
type Production struct {
	Kind Kind `yaml:"kind"`
	// Format is the file format when the caller chose none; FormatArgument is
	// where the caller chooses.
	Format         string `yaml:"format"`
	FormatArgument string `yaml:"formatArgument"`
	// Large switches to another format above a value of an argument.
	Large *LargeFormat `yaml:"large"`
	// Count is the argument with the number of outputs; FanOut arguments list one entry
	// for each output instead.
	Count string `yaml:"count"`
	// Scale is an argument that multiplies the edges of the source.
	Scale string `yaml:"scale"`
	// Ordered lists what a result has as it was asked for: size, length or both. Other
	// results follow their source.
	Ordered []string `yaml:"ordered"`
}

// The values of Production.Ordered.
const (
	orderedSize   = "size"
	orderedLength = "length"
)

// LargeFormat is the format of results too large for the usual one.
type LargeFormat struct {
	Argument string  `yaml:"argument"`
	Above    float64 `yaml:"above"`
	Format   string  `yaml:"format"`
}

// contentTypes are the formats that results come in.
var contentTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
	"mp4": "video/mp4", "mov": "video/quicktime",
	"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac",
	"glb": "model/gltf-binary", "json": "application/json", "txt": "text/plain",
}
