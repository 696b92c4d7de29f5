package workflow

import (
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
)

// plan is what was accepted. It never changes.
type plan struct {
	Title    string          `json:"title,omitempty"`
	Steps    []planStep      `json:"steps"`
	Media    []mediaDocument `json:"media,omitempty"`
	Files    []file          `json:"files,omitempty"`
	Capacity int             `json:"capacity"`
	Uploaded catalog.Counts  `json:"uploaded"`
	Template *TemplateRef    `json:"template,omitempty"`
	Remake   *RemakeRef      `json:"remake,omitempty"` // of the step that its only step makes again
}

// planStep is one step of a plan.
type planStep struct {
	ID         string            `json:"id"`
	ToolName   string            `json:"toolName"`
	Arguments  map[string]any    `json:"arguments"`
	DependsOn  []bindingDocument `json:"dependsOn,omitempty"`
	Normalized map[string]any    `json:"normalized"`
	Sources    []source          `json:"sources,omitempty"`
	Generated  catalog.Counts    `json:"generated"`       // results of the steps before it, which indices address
	After      *int              `json:"after,omitempty"` // the step that has the list of assets before it
	Kind       catalog.Kind      `json:"kind,omitempty"`
	Count      int               `json:"count,omitzero"`
	Model      string            `json:"model,omitempty"`
	Routing    catalog.Routing   `json:"routing"`
	Cost       catalog.Cost      `json:"cost"`
	Price      costDocument      `json:"price"`
	Units      int               `json:"units"`
	Flagged    []string          `json:"flagged,omitempty"`  // what the content filter found
	Personal   []loraDocument    `json:"personal,omitempty"` // personal LoRAs that it loads

	// Provisional means that the price may change when media is fetched whose size is not
	// known yet.
	Provisional bool `json:"provisional,omitzero"`

	answer *catalog.Step // the catalog's answer when the plan was made, if the step has no sources
}

// loraDocument is a LoRA of a planned step.
type loraDocument struct {
	ID       string  `json:"id"`
	Strength float64 `json:"strength"`
}

// file is a piece of media from outside: one of the request's references, or
// a URL among the arguments.
type file struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
	Used bool   `json:"used,omitzero"` // by any step

	field string // where the request names it
}

// TemplateRef names the template that a workflow was made from.
type TemplateRef struct {
	ID      string         `json:"id"`
	Version string         `json:"version"`
	Inputs  map[string]any `json:"inputs,omitempty"`
}

// draft is a plan in the making.
type draft struct {
	catalog *catalog.Catalog
	plan    plan
	byID    map[string]int
	answers []*catalog.Step // what the catalog says of each step, once it was asked
	awaits  []bool          // the steps that take media, or what is made of it, that is still to be fetched

	find  func(file) (fileState, error)
	files map[int]fileState // that were found

	isOfTemplate bool            // a template made the plan
	warnings     []atelier.Issue // of that template
}

// compile checks a plan and derives everything that follows from it. find says what is
// known about a file. The error is an *atelier.Error that names the field by its path in
// the request, or one of find.
func compile(c *catalog.Catalog, title string, steps []atelier.StepInput, media []atelier.MediaReference, find func(file) (fileState, error)) (*draft, error) {
	if len(steps) == 0 {
		return nil, atelier.Refuse("input.steps", "is required and must hold at least one step.")
	}
	if len(steps) > atelier.MaxSteps {
		return nil, atelier.Refuse("input.steps", "must hold at most %d steps, not %d.", atelier.MaxSteps, len(steps))
	}
	d := &draft{
		catalog: c, byID: map[string]int{}, answers: make([]*catalog.Step, len(steps)), awaits: make([]bool, len(steps)), find: find, files: map[int]fileState{},
	}
	d.plan.Title = title
	for _, m := range media {
		d.addMedia(m)
	}
	for i, s := range steps {
		if _, taken := d.byID[s.ID]; taken {
			return nil, atelier.Refuse(stepField(i, "id"), "is %q, which another step has already.", s.ID)
		}
		d.byID[s.ID] = i
		if s.Arguments == nil {
			s.Arguments = map[string]any{}
		}
		d.plan.Steps = append(d.plan.Steps, planned(s))
	}
	if err := d.attachReferences(); err != nil {
		return nil, err
	}
	order, err := d.sortSteps()
	if err != nil {
		return nil, err
	}
	keeper := -1
	for _, i := range order {
		if err := d.ask(i); err != nil {
			return nil, err
		}
		if d.answers[i].Tool.Pure() && d.plan.Steps[i].Count > 0 {
			if keeper >= 0 {
				before := keeper
				d.plan.Steps[i].After = &before
			}
			keeper = i
		}
	}
	for n := range d.plan.Files { // also those that no step uses
		if _, err := d.file(n); err != nil {
			return nil, err
		}
	}
	d.plan.Capacity = catalog.Capacity(d.answers)
	return d, nil
}

// file is what is known about a file of the plan.
func (d *draft) file(n int) (f fileState, err error) {
	f, known := d.files[n]
	if !known {
		if f, err = d.find(d.plan.Files[n]); err == nil {
			d.files[n] = f
		}
	}
	return f, err
}

func stepField(i int, name string) string { return fmt.Sprintf("input.steps[%d].%s", i, name) }

// sortSteps sorts the steps so that each comes after those its bindings name, and
// otherwise as they were written. Indices address only earlier steps, so that they make
// no circle either.
func (d *draft) sortSteps() ([]int, error) {
	needs := make([][]int, len(d.plan.Steps))
	for i, s := range d.plan.Steps {
		for k, b := range s.DependsOn {
			from, ok := d.byID[b.SourceStepID]
			field := stepField(i, fmt.Sprintf("dependsOn[%d].sourceStepId", k))
			switch {
			case b.SourceStepID == atelier.InputMedia:
				continue
			case !ok:
				return nil, atelier.Refuse(field, "is %q, which is no step of this plan.", b.SourceStepID)
			case from == i:
				return nil, atelier.Refuse(field, "is the step itself.")
			}
			needs[i] = append(needs[i], from)
		}
	}
	order, stuck := sorted(needs)
	if stuck >= 0 {
		return nil, atelier.Refuse(stepField(stuck, "dependsOn"), "leads in a circle back to the step %q.", d.plan.Steps[stuck].ID)
	}
	return order, nil
}

// sorted sorts steps so that each comes after those it needs. The second result is a step
// on a circle, or -1.
func sorted(needs [][]int) ([]int, int) {
	var (
		order []int
		done  = make([]bool, len(needs))
	)
	for len(order) < len(needs) {
		found := false
	steps:
		for i := range needs {
			if done[i] {
				continue
			}
			for _, n := range needs[i] {
				if !done[n] {
					continue steps
				}
			}
			done[i], found = true, true
			order = append(order, i)
			break
		}
		if !found {
			for i := range needs {
				if !done[i] && onCircle(needs, i) {
					return nil, i
				}
			}
		}
	}
	return order, -1
}

// onCircle reports whether a step needs itself in the end.
func onCircle(needs [][]int, start int) bool {
	seen := make([]bool, len(needs))
	next := append([]int(nil), needs[start]...)
	for len(next) > 0 {
		i := next[len(next)-1]
		next = next[:len(next)-1]
		if i == start {
			return true
		}
		if !seen[i] {
			seen[i] = true
			next = append(next, needs[i]...)
		}
	}
	return false
}

// ask asks the catalog about a step and finds its sources.
func (d *draft) ask(i int) error {
	s := &d.plan.Steps[i]
	tool, ok := d.catalog.Tool(s.ToolName)
	if !ok {
		return catalog.Unknown(stepField(i, "toolName"), s.ToolName, d.catalog.Names((*catalog.Tool).Durable))
	}
	if !tool.Durable() {
		return atelier.Refuse(stepField(i, "toolName"), "is %s, which answers at once: run it with POST /v1/creative-agent/tools/execute.", s.ToolName)
	}
	args, bound, err := d.bind(i, tool)
	if err != nil {
		return err
	}
	for k, answer := range d.answers[:i] {
		if answer != nil && d.plan.Steps[k].Count > 0 {
			s.Generated.Add(d.plan.Steps[k].Kind, d.plan.Steps[k].Count)
		}
	}
	facts := catalog.Facts{Bound: bound, Uploaded: &d.plan.Uploaded, Generated: &s.Generated}
	answer, err := d.catalog.Step(s.ToolName, args, facts) // it says which media the step takes
	if err != nil {
		return beneath(stepField(i, ""), err)
	}
	if err := d.address(i, tool, answer.Arguments); err != nil {
		return err
	}
	if len(s.Sources) == 0 {
		s.answer = answer
	} else {
		if facts.Sources, err = d.knownSources(i); err != nil {
			return err
		}
		if answer, err = d.catalog.Step(s.ToolName, args, facts); err != nil {
			return beneath(stepField(i, ""), err)
		}
	}
	d.answers[i], s.Provisional = answer, answer.Provisional && d.awaits[i]
	s.Normalized, s.Model, s.Routing = answer.Arguments, answer.ModelID(), answer.Routing
	s.Kind, s.Count = answer.Outputs.Kind, answer.Outputs.Count
	for _, use := range answer.Loras.Personal {
		s.Personal = append(s.Personal, loraDocument(use))
	}
	s.Cost, s.Price, s.Units = answer.Cost, costDocument(priceOf(answer)), answer.CapacityUnits
	return nil
}

// priceOf is what a step costs.
func priceOf(s *catalog.Step) atelier.Cost {
	return atelier.Cost{Spark: s.Cost.Spark, USD: s.Cost.USD, Premium: s.Premium(), Render: !s.Tool.Pure()}
}

// knownSources returns what is known about the sources of a step before anything is
// fetched or rendered, and notes whether it takes media that is still to be fetched.
func (d *draft) knownSources(i int) (map[string][]catalog.Source, error) {
	out := map[string][]catalog.Source{}
	for _, s := range d.plan.Steps[i].Sources {
		var known catalog.Source
		switch {
		case s.Value != "":
			continue
		case s.Step >= 0:
			d.awaits[i] = d.awaits[i] || d.awaits[s.Step]
			if !d.plan.Steps[s.Step].Provisional {
				known = d.answers[s.Step].Outputs.Source()
			}
		default:
			f, err := d.file(s.File)
			if err != nil {
				return nil, err
			}
			d.awaits[i] = d.awaits[i] || !f.isOver()
			known = f.source()
		}
		out[s.Argument] = append(out[s.Argument], known)
	}
	return out, nil
}

// beneath prefixes the field of a refusal with a path.
func beneath(path string, err error) error {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Field, moved.Message = path+e.Field, path+e.Message
	return &moved
}
