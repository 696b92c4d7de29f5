package draft

import (
	"math"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// Plan is what POST workflows takes as its input.
type Plan struct {
	Title string              `json:"title"`
	Steps []atelier.StepInput `json:"steps"`
}

// Check checks a plan against the catalog, as the workflow engine will, and returns the catalog's
// answer for each step. The error names the step.
type Check func(p Plan, uploaded catalog.Counts) ([]*catalog.Step, error)

// Input is an input of a template, as the template endpoint takes it.
type Input map[string]any

// Inputs are those of a template, in order.
type Inputs []Input

// MaxInputs is the most inputs of a template.
const MaxInputs = 16

// Name is the name of the input.
func (i Input) Name() string {
	s, _ := i["name"].(string)
	return s
}

// Kind is the type of the input.
func (i Input) Kind() string {
	s, _ := i["type"].(string)
	return s
}

// First is the first input of a type, or nil.
func (l Inputs) First(kind string) Input {
	for _, in := range l {
		if in.Kind() == kind {
			return in
		}
	}
	return nil
}

// StageArguments are the tool and the arguments of a stage, both by either of their names.
func StageArguments(stage Arguments) (tool string, args map[string]any) {
	if tool = stage.Text("tool"); tool == "" {
		tool = stage.Text("toolName")
	}
	if args = stage.Object("args"); args == nil {
		args = stage.Object("arguments")
	}
	return tool, args
}

// Tenths rounds seconds to a tenth.
func Tenths(seconds float64) float64 { return math.Round(seconds*10) / 10 }
