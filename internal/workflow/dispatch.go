package workflow

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// errFiltered means that the content filter does not allow a step to be rendered.
var errFiltered = errors.New("workflow: the content filter requires a review")

// errCostRise means that a step costs more than the user has approved.
type errCostRise struct{ price atelier.Cost }

func (e errCostRise) Error() string { return "workflow: the step costs more than was approved" }

// dispatch submits the job of a step whose sources are all ready. Its money is held in
// the same transaction.
func (e *Engine) dispatch(tx *store.Tx, r *record, i int) error {
	p := r.plan.Steps[i]
	filtered, err := e.filterOn(tx, r)
	if err != nil {
		return err
	}
	if filtered && len(p.Flagged) > 0 {
		return errFiltered
	}
	if r.plan.Remake != nil {
		return e.dispatchRemake(tx, r, filtered)
	}
	answer, err := e.askCatalog(r, i)
	if err != nil {
		return err
	}
	spec, err := e.spec(tx, r, i, answer)
	if err != nil {
		return err
	}
	if name := lacking(answer, spec.Inputs); name != "" {
		return atelier.Refuse("arguments."+name, "is required, but its source produced no result.")
	}
	spec.SafeContentFilter = filtered
	network := atelier.NetworkFast
	if answer.Tool.Pure() {
		network = atelier.NetworkNode
	}
	terms, price := atelier.PaymentTerms(r.state.Terms), priceOf(answer)
	if r.exceedsApproval(i, price) {
		return errCostRise{price}
	}
	if price.Spark == 0 {
		terms = freeTerms
	}
	return e.submit(tx, r, i, fleet.Submission{Network: network, Spec: spec, Terms: terms, Cost: price})
}

// submit submits the job of a step.
func (e *Engine) submit(tx *store.Tx, r *record, i int, job fleet.Submission) error {
	job.Wallet, job.Owner = r.row.Wallet, atelier.JobOwner{Kind: ownerKind, ID: string(r.row.ID), Part: stepPart(i)}
	j, err := e.fleet.Submit(tx, job)
	if err != nil {
		return err
	}
	s := &r.state.Steps[i]
	s.JobID, s.ProjectID, s.Attempt, s.Progress, s.Message, s.ByPlan = j.ID, j.ProjectID, j.Attempt, 0, "", j.ChargedByPlan
	s.Held = &heldDocument{Spark: j.Held, Price: job.Cost.Spark}
	r.noteServed(i, j)
	return nil
}

// freeTerms are the terms of what costs nothing: no plan has to cover it.
var freeTerms = atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillTokens}

// filterOn reports whether a render is filtered: always, unless it was turned off by an
// account that may do so now.
func (e *Engine) filterOn(tx *store.Tx, r *record) (bool, error) {
	if r.state.Filter {
		return true, nil
	}
	owner, err := tx.Account(r.row.Wallet)
	return !owner.Unfiltered, err
}

// askCatalog asks the catalog about a step, now that its sources are known.
func (e *Engine) askCatalog(r *record, i int) (*catalog.Step, error) {
	if known := r.plan.Steps[i].answer; known != nil {
		return known, nil // it has no sources, and the catalog has just answered for it
	}
	args, facts, err := e.resolve(r, i)
	if err != nil {
		return nil, err
	}
	return e.catalog.Step(r.plan.Steps[i].ToolName, args, facts)
}

// resolve is what the catalog needs to answer for a step again, now that its
// sources are known.
func (e *Engine) resolve(r *record, i int) (map[string]any, catalog.Facts, error) {
	p := r.plan.Steps[i]
	args := maps.Clone(p.Arguments)
	facts := catalog.Facts{Uploaded: &r.plan.Uploaded, Generated: &p.Generated, Sources: map[string][]catalog.Source{}}
	for _, src := range p.Sources {
		if src.Bound && src.Value == "" {
			if _, isList := args[src.name()].([]any); !isList {
				delete(args, src.name()) // the binding wins
			}
		}
		if src.Step < 0 {
			if src.Value != "" { // an argument takes the address, not the file
				args[src.Argument] = r.plan.Files[src.File].URL
				continue
			}
			f := r.state.Files[src.File]
			if src.Bound && f.Key != "" {
				facts.Bound = append(facts.Bound, src.Argument)
			}
			facts.Sources[src.Argument] = append(facts.Sources[src.Argument], f.source())
			continue
		}
		m, ok := r.state.Steps[src.Step].artifact(src)
		if !ok {
			continue // it is optional
		}
		if src.Value != "" {
			v, err := value(src.Value, m)
			if err != nil && !src.Optional {
				return nil, facts, atelier.Refuse("arguments."+src.Argument, "%v", err)
			}
			if err == nil {
				args[src.Argument] = v
			}
			continue
		}
		if src.Bound {
			facts.Bound = append(facts.Bound, src.Argument)
		}
		facts.Sources[src.Argument] = append(facts.Sources[src.Argument], catalog.Source{Seconds: m.Seconds, Width: m.Width, Height: m.Height})
	}
	return args, facts, nil
}

// lacking names a needed argument that no file fills: its binding was not required, and
// its source has no result.
func lacking(answer *catalog.Step, inputs []atelier.JobInput) string {
	filled := func(name string) bool {
		if a, ok := answer.Tool.Argument(name); ok && a.Media == "" {
			return answer.Arguments[name] != nil
		}
		return slices.ContainsFunc(inputs, func(in atelier.JobInput) bool { return in.Argument == name })
	}
	for _, need := range answer.Tool.Needs {
		if !filled(need.Argument) && !slices.ContainsFunc(need.Unless, filled) {
			return need.Argument
		}
	}
	return ""
}

// value is what a binding passes that is not a file.
func value(transform string, m made) (any, error) {
	if transform == "asset_ref" {
		return m.ID, nil
	}
	if t := transforms[transform]; t.by == "url" {
		return "artifact:" + m.ID, nil // the job links it to the object
	}
	name := transforms[transform].value
	content, _ := m.Metadata["content"].(map[string]any)
	if v, ok := content[name]; ok {
		return v, nil
	}
	return nil, fmt.Errorf("cannot be filled: the artifact %s holds no %s", m.ID, name)
}

// spec is the job of a step, with everything resolved.
func (e *Engine) spec(tx *store.Tx, r *record, i int, answer *catalog.Step) (atelier.JobSpec, error) {
	p, s := r.plan.Steps[i], r.state.Steps[i]
	spec := atelier.JobSpec{
		Tool: p.ToolName, ModelID: answer.ModelID(), Arguments: withoutMedia(answer.Tool, answer.Arguments), Seed: s.Seed,
		Inputs: r.inputs(i), Artifacts: slots(answer),
		Ordered: atelier.Extent{Width: answer.Ordered.Width, Height: answer.Ordered.Height, Seconds: answer.Ordered.Seconds},
	}
	setOutput(spec.Arguments, answer)
	for _, src := range p.Sources {
		if src.Step < 0 || transforms[src.Value].by != "url" {
			continue
		}
		if m, ok := r.state.Steps[src.Step].artifact(src); ok {
			if spec.Links == nil {
				spec.Links = map[string]string{}
			}
			spec.Links[src.Argument] = m.Key
		}
	}
	if spec.ModelID == "" {
		spec.ModelID = p.ToolName // workers offer such tools by name
	}
	for _, use := range answer.Loras.Public {
		spec.Loras = append(spec.Loras, atelier.JobLora{ID: use.ID, Strength: use.Strength})
	}
	personal, err := lora.Resolve(tx, r.row.Wallet, answer.Model, answer.Loras.Personal, r.now)
	if err != nil {
		return spec, err
	}
	spec.Loras = append(spec.Loras, personal...)
	if answer.Tool.Pure() && r.state.Manifest != nil {
		spec.Arguments["manifest"] = r.state.Manifest
	}
	return spec, e.limitConcurrency(tx, r, &spec, answer.Model)
}

// limitConcurrency sets how many jobs of the class of a model the plan of the account has run at once.
func (e *Engine) limitConcurrency(tx *store.Tx, r *record, spec *atelier.JobSpec, model *catalog.Model) error {
	if model == nil || model.ConcurrencyClass == "" {
		return nil
	}
	plan, err := tx.Subscription(r.row.Wallet)
	if err != nil {
		return err
	}
	if plan = plan.At(r.now); plan.Active() {
		spec.ConcurrencyClass = model.ConcurrencyClass
		for _, terms := range e.catalog.PlansOf(string(plan.Tier)) {
			spec.ConcurrencyLimit = terms.Concurrency[spec.ConcurrencyClass]
		}
	}
	return nil
}

// setOutput sets the length and size of the result among the arguments, where they are
// known: workers need not know the rules of models.
func setOutput(args map[string]any, answer *catalog.Step) {
	if _, takes := answer.Tool.Argument("duration"); takes && answer.Length.Seconds > 0 {
		args["duration"] = answer.Length.Seconds
	}
	if o := answer.Outputs; o.Width > 0 && o.Height > 0 && args["width"] == nil && args["height"] == nil {
		args["width"], args["height"] = float64(o.Width), float64(o.Height)
	}
}

// inputs are the files that a step reads.
func (r *record) inputs(i int) []atelier.JobInput {
	var out []atelier.JobInput
	for _, src := range r.plan.Steps[i].Sources {
		in := atelier.JobInput{Argument: src.Argument, Kind: string(src.Kind)}
		if src.Step >= 0 {
			m, ok := r.state.Steps[src.Step].artifact(src)
			if !ok || src.Value != "" {
				continue
			}
			in.Key, in.ContentType = m.Key, m.Type
		} else {
			f := r.state.Files[src.File]
			if f.Key == "" || src.Value != "" {
				continue
			}
			in.Key, in.ContentType = f.Key, f.ContentType
		}
		out = append(out, in)
	}
	return out
}

// slots are the files that a step makes.
func slots(answer *catalog.Step) []atelier.JobArtifact {
	var out []atelier.JobArtifact
	for range answer.Outputs.Count {
		id := mint.OrderedUUID()
		out = append(out, atelier.JobArtifact{ID: id, Kind: string(answer.Outputs.Kind), ContentType: answer.Outputs.ContentType})
	}
	if answer.LastFrame {
		for _, clip := range slices.Clone(out) {
			out = append(out, atelier.JobArtifact{ID: clip.ID + fleet.LastFrame, Kind: string(catalog.Image), ContentType: "image/png"})
		}
	}
	return out
}

// withoutMedia removes the arguments that address media: workers get the files.
func withoutMedia(tool *catalog.Tool, args map[string]any) map[string]any {
	out := maps.Clone(args)
	for _, a := range tool.MediaArguments() {
		f := mediaField(a)
		list, _ := out[a.Name].([]any)
		if f == nil {
			delete(out, a.Name)
			continue
		}
		items := make([]any, len(list))
		for k, item := range list {
			object, _ := item.(map[string]any)
			object = maps.Clone(object)
			delete(object, f.Name)
			items[k] = object
		}
		if list != nil {
			out[a.Name] = items
		}
	}
	return out
}

// blobURL begins the URL of a stored object that is signed when it is read.
const blobURL = "blob:"

// ref is an artifact of a step. Its URL is not signed yet.
func (r *record) ref(i int, m made) apitype.Artifact {
	preview, _ := m.Metadata["preview"].(bool)
	meta := map[string]any{"seed": m.Seed}
	for k, v := range m.Metadata {
		if k != "seed" {
			meta[k] = v
		}
	}
	return apitype.Artifact{
		ID: m.ID, Kind: m.Kind, MediaType: m.Kind, URL: blobURL + m.Key, MimeType: m.Type, Width: m.Width, Height: m.Height,
		DurationSeconds: m.Seconds, SizeBytes: m.Bytes, Seed: &m.Seed, Metadata: meta,
		ToolName: r.plan.Steps[i].ToolName, StepID: r.plan.Steps[i].ID,
		Renderer: metadataText(m.Metadata["renderer"]), Preview: preview, NotUnderstood: texts(m.Metadata["notUnderstood"]),
	}
}

// The bounds of what an artifact copies from its metadata.
const (
	mostTexts     = 16
	mostTextRunes = 200
)

// metadataText reads a text from the metadata of a worker, shortened to mostTextRunes.
func metadataText(v any) string {
	s, _ := v.(string)
	if runes := []rune(s); len(runes) > mostTextRunes {
		return string(runes[:mostTextRunes])
	}
	return s
}

// texts reads a text, or a list of them.
func texts(v any) (out []string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		if s := metadataText(item); s != "" && len(out) < mostTexts {
			out = append(out, s)
		}
	}
	return out
}
