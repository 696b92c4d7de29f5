package catalog

import "github.com/atelier-project/atelier/apitype"

// Entry is the public part of a generation model, with the JSON names of the API. The API
// adds the networks and workers that serve it now.
type Entry struct {
	ID          string         `json:"id" yaml:"id"`
	SID         int            `json:"sid" yaml:"sid"`
	Name        string         `json:"name" yaml:"name"`
	MediaType   string         `json:"mediaType" yaml:"mediaType"`
	TierID      string         `json:"tierId" yaml:"tierId"`
	Tags        []string       `json:"tags" yaml:"tags"`
	Attribution *Attribution   `json:"attribution" yaml:"attribution"`
	Parameters  map[string]any `json:"parameters,omitempty" yaml:"parameters"`
	// Weights are made of WeightNames and GPUMemory when the catalog is loaded.
	Weights *apitype.ModelWeights `json:"weights,omitempty" yaml:"-"`
}

// Attribution names the author of a model, where it is known.
type Attribution struct {
	Creator    string        `json:"creator" yaml:"creator"`
	CreatorURL string        `json:"creatorUrl" yaml:"creatorUrl"`
	Source     string        `json:"source" yaml:"source"`
	SourceURL  string        `json:"sourceUrl" yaml:"sourceUrl"`
	License    string        `json:"license,omitempty" yaml:"license"`
	LicenseURL string        `json:"licenseUrl,omitempty" yaml:"licenseUrl"`
	Sources    []Attribution `json:"sources,omitempty" yaml:"sources"`
	Label      string        `json:"label,omitempty" yaml:"label"`
}

// Model is one generation model: its public entry and what the service needs
// to route, validate and price a render on it.
type Model struct {
	Entry `yaml:",inline"`

	// Base names a partial entry of the same file set that this one is
	// decoded on top of.
	Base string `json:"-" yaml:"base"`
	// Removed removes an entry of the program's own data from the catalog.
	Removed bool `json:"-" yaml:"removed"`

	// Selectors maps a tool to the argument values that choose this model. A
	// tool with an empty list can use the model by catalog id only.
	Selectors map[string][]string `json:"-" yaml:"selectors"`
	// Legacy selectors are accepted as well, but not published.
	Legacy map[string][]string `json:"-" yaml:"legacy"`
	// Niche models are not named in the schemas that language models read.
	Niche bool `json:"-" yaml:"niche"`
	// When lists, for an argument, the values that this model supports.
	When map[string][]string `json:"-" yaml:"when"`

	Takes    Inputs    `json:"-" yaml:"takes"`
	Duration *Duration `json:"-" yaml:"duration"`
	Size     *Size     `json:"-" yaml:"size"`
	Price    Price     `json:"-" yaml:"price"`

	// WeightNames are the files that ComfyUI needs, each as the `file` of a WeightFile.
	WeightNames []string `json:"-" yaml:"weights"`
	// GPUMemory is how much memory it needs, where a public source says it.
	GPUMemory *apitype.GPUMemory `json:"-" yaml:"gpuMemory"`

	// CapacityClass overrides the tool's class when it is larger.
	CapacityClass string `json:"-" yaml:"capacityClass"`
	// ConcurrencyClass names the row of plan concurrency that limits how many
	// renders of this model one account runs at once.
	ConcurrencyClass string `json:"-" yaml:"concurrencyClass"`

	// Vendor is the outside service that renders it, empty for native models.
	Vendor string `json:"-" yaml:"vendor"`
	// VendorModelID is the vendor's own name for it.
	VendorModelID string `json:"-" yaml:"vendorModelId"`
	// Premium models are paid with Premium Spark and never covered by a plan.
	Premium bool `json:"-" yaml:"premium"`
	// FreeSpark says that free Spark may pay for it through the API.
	FreeSpark bool `json:"-" yaml:"freeSpark"`

	// LoraFamily names the family whose LoRAs it can load; personal LoRAs are
	// imported for a family.
	LoraFamily string `json:"-" yaml:"loraFamily"`
	// Loras says that it loads LoRAs of the public catalog without belonging
	// to a family.
	Loras bool `json:"-" yaml:"loras"`

	Keyframes bool `json:"-" yaml:"keyframes"` // accepts images at points in time of the clip
	LastFrame bool `json:"-" yaml:"lastFrame"` // can return the last frame of a clip
}

// LoadsLoras reports whether any LoRA can be used with the model.
func (m *Model) LoadsLoras() bool { return m.Loras || m.LoraFamily != "" }

// Serves reports whether the tool can use the model.
func (m *Model) Serves(tool string) bool {
	_, ok := m.Selectors[tool]
	return ok
}

// Selector returns the published name that chooses the model in a tool, or its
// catalog id when the tool has no name for it.
func (m *Model) Selector(tool string) string {
	if names := m.Selectors[tool]; len(names) > 0 {
		return names[0]
	}
	return m.ID
}
