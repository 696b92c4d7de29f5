package atelier

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Template is a saved, parameterized plan that compiles into a workflow.
type Template struct {
	ID                     string            `json:"id"`
	Version                string            `json:"version"`
	Name                   string            `json:"name"`
	Description            string            `json:"description,omitempty"`
	Brief                  string            `json:"brief,omitempty"`
	Category               TemplateCategory  `json:"category"`
	Stability              TemplateStability `json:"stability"`
	Author                 TemplateAuthor    `json:"author"`
	Visibility             Visibility        `json:"visibility"`
	Inputs                 []TemplateInput   `json:"inputs"`
	Stages                 []Stage           `json:"stages"`
	ExposeToLLM            bool              `json:"exposeToLLM"`
	LLMPriority            float64           `json:"llmPriority"` // lower is stronger
	Tags                   []string          `json:"tags"`
	ReviewFocus            []string          `json:"reviewFocus,omitzero"`
	Graph                  Verbatim          `json:"graph,omitempty"`
	PreviewArtifacts       Verbatim          `json:"previewArtifacts,omitempty"`
	Metadata               Verbatim          `json:"metadata,omitempty"`
	EstimatedCapacityUnits *EstimateRange    `json:"estimatedCapacityUnits,omitempty"`
	EstimatedCredits       *EstimateRange    `json:"estimatedCredits,omitempty"`
	ThumbnailURL           string            `json:"thumbnailUrl,omitempty"`
	ClonedFromTemplateID   string            `json:"clonedFromTemplateId,omitempty"`
	CreatedAt              string            `json:"createdAt,omitempty"` // as it was written when the template came from elsewhere
	UpdatedAt              string            `json:"updatedAt,omitempty"`

	// Others are fields that this service does not know. It keeps them for clients
	// that do.
	Others map[string]Verbatim `json:"-"`
}

// MarshalJSON writes the template with its Others.
func (t Template) MarshalJSON() ([]byte, error) {
	type plain Template
	p := plain(t)
	p.Inputs, p.Stages, p.Tags = orEmpty(p.Inputs), orEmpty(p.Stages), orEmpty(p.Tags)
	out, err := json.Marshal(p)
	if err != nil || len(t.Others) == 0 {
		return out, err
	}
	b := bytes.NewBuffer(bytes.TrimSuffix(out, []byte("}")))
	for _, name := range slices.Sorted(maps.Keys(t.Others)) {
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.WriteByte(',')
		b.Write(key)
		b.WriteByte(':')
		b.Write(t.Others[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// TemplateCategory says what a template is for.
type TemplateCategory string

// TemplateCustom is the category of templates that name none.
const TemplateCustom TemplateCategory = "custom"

// Values lists the categories for the OpenAPI document.
func (TemplateCategory) Values() []string {
	return []string{"portrait", "video-social", "makeover", "cinematic", "music", "analysis", "custom", "other"}
}

// TemplateStability says how mature a template is.
type TemplateStability string

// TemplateExperimental is the stability of templates that name none.
const TemplateExperimental TemplateStability = "experimental"

// Values lists the stabilities for the OpenAPI document.
func (TemplateStability) Values() []string { return []string{"experimental", "beta", "production"} }

// Visibility says who sees a template.
type Visibility string

// A private template is visible to its owner. Public ones are visible to all
// accounts; the operator publishes them.
const (
	VisibilityPrivate Visibility = "private"
	VisibilityPublic  Visibility = "public"
)

// Values lists the visibilities for the OpenAPI document.
func (Visibility) Values() []string {
	return []string{string(VisibilityPrivate), string(VisibilityPublic)}
}

// DefaultLLMPriority is the priority of templates that name none.
const DefaultLLMPriority = 100

// TemplateAuthor is the author of a template. The zero value is the service itself.
type TemplateAuthor struct {
	UserID      string
	DisplayName string
}

// SystemAuthor is how the author of the service's own templates is written.
const SystemAuthor = "system"

// MarshalJSON writes an account as an object and the service as a word.
func (a TemplateAuthor) MarshalJSON() ([]byte, error) {
	if a.UserID == "" {
		return json.Marshal(SystemAuthor)
	}
	return json.Marshal(map[string]string{"userId": a.UserID, "displayName": a.DisplayName})
}

// EstimateRange is a range of cost.
type EstimateRange struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Verbatim is JSON that is kept and sent as it was written.
type Verbatim []byte

// MarshalJSON writes it as it is.
func (v Verbatim) MarshalJSON() ([]byte, error) {
	if v == nil {
		return []byte("null"), nil
	}
	return v, nil
}

// InputType is the type of a template's input.
type InputType string

// The types of inputs.
const (
	InputImage   InputType = "image"
	InputAudio   InputType = "audio"
	InputVideo   InputType = "video"
	InputText    InputType = "text"
	InputNumber  InputType = "number"
	InputSelect  InputType = "select"
	InputBoolean InputType = "boolean"
)

// Values lists the types for the OpenAPI document.
func (InputType) Values() []string {
	return []string{"image", "audio", "video", "text", "number", "select", "boolean"}
}

// Media reports whether values of the type are files.
func (t InputType) Media() bool { return t == InputImage || t == InputAudio || t == InputVideo }

// TemplateInput is a value that a template asks for when it is started.
type TemplateInput struct {
	Name        string
	Type        InputType
	Required    bool
	Description string
	Default     any
	Options     []InputOption
	Multiple    *Multiple // a list of values, or nil for one
	Internal    bool      // the user is not asked for it: it always has its default
	Schema      map[string]any
	Raw         Verbatim // the input as its author wrote it
}

// InputOption is one of the values that an input may have.
type InputOption struct {
	Value any // a string, a number or a boolean
	Label string
}

// Multiple bounds a list of values.
type Multiple struct{ Min, Max int }

// MarshalJSON writes what the author wrote.
func (i TemplateInput) MarshalJSON() ([]byte, error) { return i.Raw.MarshalJSON() }

// Stage is a part of a template that compiles into steps. The template engine reads
// the rest of it from Raw.
type Stage struct {
	ID    string
	Label string
	Raw   Verbatim // the stage as its author wrote it
}

// MarshalJSON writes what the author wrote.
func (s Stage) MarshalJSON() ([]byte, error) { return s.Raw.MarshalJSON() }
