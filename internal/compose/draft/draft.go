package draft

import "github.com/atelier-project/atelier/internal/catalog"

// The kinds of failure that the composition tools know.
const (
	ParameterInvalid = "PARAMETER_INVALID"
	InputIncomplete  = "USER_INPUT_INCOMPLETE"
	ModelUnavailable = "MODEL_UNAVAILABLE"
	PlanInvalid      = "WORKFLOW_VALIDATION_FAILED"
)

// Refusal is why nothing was written.
type Refusal struct {
	Kind   string // one of the constants
	Reason string
	Next   string // a token, with the argument's name behind a colon
}

// Family is the style of prompts that a model needs.
type Family string

// The families.
const (
	Sentences Family = "natural"
	Tags      Family = "tags"
	Pony      Family = "pony"
	Video     Family = "video"
	Editing   Family = "editing"
	Music     Family = "music"
)

// Prompt is a draft of enhance_prompt.
type Prompt struct {
	Model   *catalog.Model // that it is for; nil when the catalog has none of that name
	Family  Family
	Mode    string // preserve, expand, compress, validate or payload
	Subject string // the kind of thing that it is about
	Assets  []Asset

	Text     string
	Negative string
	Issues   []string // of the caller's prompt, in the mode validate
	Warnings []string
}

// Asset is a piece of media that a prompt refers to.
type Asset struct{ Kind, Label, Role string }

// Script is a draft of compose_script.
type Script struct {
	Title    string  `json:"title"`
	Type     string  `json:"script_type"`
	Seconds  float64 `json:"duration_seconds"`
	Aspect   string  `json:"aspect_ratio"`
	Platform string  `json:"platform,omitempty"`
	Style    string  `json:"style,omitempty"`
	Notes    string  `json:"notes,omitempty"`
	Scenes   []Scene `json:"scenes"`

	Label    string   `json:"-"` // the type in words
	Dialogue bool     `json:"-"` // people speak in it
	Warnings []string `json:"-"`
}

// Scene is one scene of a script.
type Scene struct {
	Number int     `json:"scene"`
	Beat   string  `json:"beat"`
	Start  float64 `json:"start_seconds"`
	End    float64 `json:"end_seconds"`
	Visual string  `json:"visual"`
	Camera string  `json:"camera"`
	Audio  string  `json:"audio,omitempty"`
	Spoken string  `json:"spoken,omitempty"`
	Text   string  `json:"on_screen_text,omitempty"`
}

// Workflow is a draft of compose_workflow.
type Workflow struct {
	Plan     Plan
	Answers  []*catalog.Step // of the catalog, for each step
	Fits     bool            // into the capacity that is allowed
	Warnings []string
	Refusal  *Refusal // the plan is empty then

	Title   string         // for a plan without one
	Uploads catalog.Counts // that the brief needs
}

// Template is a draft of compose_workflow_template.
type Template struct {
	Document map[string]any // inputs, stages and tags
	Fits     bool           // into the capacity that is allowed
	Warnings []string
	Refusal  *Refusal // the document is nil then

	Category string // for a template without one
}
