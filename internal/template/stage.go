package template

import (
	"maps"
	"regexp"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/wire"
)

// stage is a stage of a template.
type stage struct {
	at              string // its path in the template
	id              string
	tool            *catalog.Tool // nil for a stage that only holds others
	args            map[string]any
	argsAt          string // args or arguments, as its author wrote
	bindings        []binding
	produces        []string // what its results are called
	requires        []string // requiredArtifactsIn
	accepts         []string // optionalArtifactsIn
	when            []condition
	optionalResults bool // onError: others run without its results

	// Of a batch.
	batch    bool
	over     string // what it iterates over
	itemName string
	item     *stage // what it does with each item
}

// binding is an entry of dependsOn.
type binding struct {
	atelier.Binding
	at          string
	hasRequired bool // whether required is set
}

// condition says when a stage runs.
type condition struct {
	at       string
	kind     string
	stage    string
	artifact string
	decides  expression
}

const (
	maxSubStages = 4 // levels
	maxBindings  = 64
	maxIndex     = 1000
)

var (
	stageForm  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}$`)
	conditions = []string{"always", "if_success_of", "if_error_in", "if_artifact_exists", "expr"}
	onErrors   = []string{"stop", "continue", "skip", "retry_once"}

	stageFields = []string{
		"id", "type", "label", "description", "tool", "toolName", "args", "arguments", "dependsOn", "produces", "requiredArtifactsIn",
		"optionalArtifactsIn", "reviewFocus", "successCriteria", "checkpointRequired", "humanApprovalDefault", "condition", "onError", "subStages",
		"overBinding", "itemName", "itemStage", "concurrency", "partialExecutionEnabled", "itemLabelTemplate", "maxAttemptsPerItem",
	}
)

// readStages reads the stages of a template, each followed by those it holds.
func readStages(c *catalog.Catalog, t atelier.Template, is *issues) []*stage {
	r := stageReader{catalog: c, issues: is, ids: map[string]bool{}}
	for i, s := range t.Stages {
		var v any
		if err := wire.Unmarshal(s.Raw, &v); err != nil { // it was read when it was saved
			is.fail("invalid_json", index("stages", i), "is not valid JSON.")
			continue
		}
		if o, ok := is.object(v, index("stages", i)); ok {
			r.stage(o, nil, 0)
		}
	}
	return r.out
}

type stageReader struct {
	catalog *catalog.Catalog
	issues  *issues
	ids     map[string]bool
	out     []*stage
}

// stage reads a stage and those inside it, which also have its conditions.
func (r *stageReader) stage(o object, outer []condition, level int) {
	s := &stage{at: o.at, id: o.text("id", 0), when: outer}
	switch {
	case len(r.out) >= maxStages:
		r.issues.fail("too_many_stages", "stages", "must have at most %d stages in all.", maxStages)
		return
	case !stageForm.MatchString(s.id):
		r.issues.fail("invalid_id", o.path("id"), "is required: 1 to 100 letters, digits, dots, colons, dashes or underscores.")
	case r.ids[s.id]:
		r.issues.fail("duplicate_stage_id", o.path("id"), "is %q, which another stage has already.", s.id)
	}
	r.ids[s.id] = true
	switch kind, _ := o.members["type"].(string); {
	case o.has("type") && !slices.Contains([]string{"fixed", "batch"}, kind):
		r.issues.fail("unsupported_stage_type", o.path("type"), "is %s, but only stages of the type fixed or batch are supported.", quoted(o.members["type"]))
		return
	case kind == "batch":
		s.batch = true
	case o.has("overBinding") || o.has("itemStage"):
		r.issues.fail("invalid_value", o.path("type"), "must be batch for a stage with overBinding and itemStage.")
	}
	r.common(s, o)
	if s.batch {
		r.batch(s, o)
	} else {
		r.work(s, o, o.has("subStages"))
	}
	r.out = append(r.out, s)
	for i, v := range o.list("subStages") {
		inner, ok := r.issues.object(v, index(o.path("subStages"), i))
		switch {
		case !ok:
		case level == maxSubStages:
			r.issues.fail("too_deep", inner.at, "is nested more than %d stages deep.", maxSubStages)
			return
		default:
			r.stage(inner, s.when, level+1)
		}
	}
}

// common reads what stages of every type have.
func (r *stageReader) common(s *stage, o object) {
	o.others(stageFields)
	for _, name := range []string{"label", "description", "itemLabelTemplate"} {
		o.text(name, 0)
	}
	o.texts("reviewFocus")
	o.texts("successCriteria")
	if o.flag("checkpointRequired", false) {
		r.issues.cannot("unsupported_checkpoint", o.path("checkpointRequired"), "asks for a pause, but a workflow pauses only once, before it starts, to confirm the cost.")
	}
	if o.flag("humanApprovalDefault", false) {
		r.issues.warn("approval_not_asked", o.path("humanApprovalDefault"), "has no effect: results of a stage are not approved individually.")
	}
	s.produces, s.requires, s.accepts = o.texts("produces"), o.texts("requiredArtifactsIn"), o.texts("optionalArtifactsIn")
	for i, name := range s.produces {
		if !nameForm.MatchString(name) {
			r.issues.fail("invalid_name", index(o.path("produces"), i), "must be 1 to 64 letters, digits, dashes or underscores, the first no digit or dash.")
		}
	}
	if c, ok := r.condition(o); ok {
		s.when = append(slices.Clone(s.when), c)
	}
	switch o.choice("onError", "stop", onErrors) {
	case "continue", "skip":
		s.optionalResults = true
	case "retry_once":
		r.issues.warn("retry_once", o.path("onError"), "applies only to steps that a worker drops; a failed render is not retried.")
	}
}

// work reads the tool of a stage and its arguments. A stage that holds others may
// have none.
func (r *stageReader) work(s *stage, o object, optional bool) {
	name, at := o.eitherMember("tool", "toolName")
	tool, _ := name.(string)
	switch {
	case name == nil && optional && !o.has("args") && !o.has("arguments"):
		return
	case tool == "":
		r.issues.fail("unknown_tool", at, "is required and must be the name of a tool.")
	default:
		var ok bool
		if s.tool, ok = r.catalog.Tool(tool); !ok {
			unknown := catalog.Unknown("", tool, r.catalog.Names((*catalog.Tool).Durable))
			r.issues.fail("unknown_tool", at, "%s", unknown.Message)
		} else if !s.tool.Durable() {
			r.issues.fail("unknown_tool", at, "is %s, which answers at once and cannot be a stage.", tool)
			s.tool = nil
		}
	}
	r.warnMisplaced(s.tool, o)
	args, at := o.eitherMember("args", "arguments")
	s.argsAt = at
	if args != nil {
		if in, ok := r.issues.object(args, at); ok {
			s.args = in.members
		}
	}
	list := o.list("dependsOn")
	if len(list) > maxBindings {
		r.issues.fail("too_many_bindings", o.path("dependsOn"), "must have at most %d items.", maxBindings)
		return
	}
	for i, v := range list {
		if b, ok := r.issues.object(v, index(o.path("dependsOn"), i)); ok {
			s.bindings = append(s.bindings, b.binding())
		}
	}
}

// warnMisplaced warns of arguments that are beside args instead of in it.
func (r *stageReader) warnMisplaced(tool *catalog.Tool, o object) {
	if tool == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if _, is := tool.Argument(name); is && !slices.Contains(stageFields, name) {
			r.issues.warn("misplaced_argument", o.path(name), "is an argument of %s: put it into args.", tool.Name)
		}
	}
}

// eitherMember reads a member that has two names.
func (o object) eitherMember(one, other string) (any, string) {
	if !o.has(other) {
		return o.members[one], o.path(one)
	}
	if o.has(one) {
		o.issues.fail("conflicting_fields", o.path(other), "is the same field as %s: give one of them.", one)
	}
	return o.members[other], o.path(other)
}

// binding reads an entry of dependsOn, which is as in a workflow's step.
func (o object) binding() binding {
	b := binding{at: o.at, hasRequired: o.has("required")}
	b.SourceStepID, b.TargetArgument, b.Transform = o.text("sourceStepId", 0), o.text("targetArgument", 0), o.text("transform", 0)
	b.SourceArtifactIndex, b.SourceArtifactID = o.whole("sourceArtifactIndex", 0, 0, maxIndex), o.text("sourceArtifactId", 200)
	b.MediaType, b.Required = o.choice("mediaType", "", []string{"image", "video", "audio"}), o.flag("required", true)
	o.others([]string{"sourceStepId", "sourceArtifactIndex", "sourceArtifactId", "targetArgument", "transform", "mediaType", "required"})
	return b
}

// condition reads when a stage runs.
func (r *stageReader) condition(o object) (condition, bool) {
	in, ok := o.object("condition")
	if !ok {
		return condition{}, false
	}
	c := condition{at: in.at, kind: in.choice("type", "always", conditions), stage: in.text("stageId", 0), artifact: in.text("artifactName", 0)}
	switch c.kind {
	case "expr":
		text := in.text("expression", 0)
		var err error
		if c.decides, err = parseExpression(text); err != nil {
			r.issues.fail("invalid_expression", in.path("expression"), "%v.", err)
			return c, false
		}
	case "if_success_of", "if_error_in":
		if c.stage == "" {
			r.issues.fail("unknown_stage", in.path("stageId"), "is required for %s.", c.kind)
		}
	case "if_artifact_exists":
		if c.artifact == "" {
			r.issues.fail("unknown_artifact", in.path("artifactName"), "is required for %s.", c.kind)
		}
	}
	return c, true
}

// batch reads a stage that runs once for each item of a list.
func (r *stageReader) batch(s *stage, o object) {
	s.over, s.itemName = o.text("overBinding", 0), o.text("itemName", 0)
	if s.itemName != "" && !nameForm.MatchString(s.itemName) {
		r.issues.fail("invalid_name", o.path("itemName"), "must be 1 to 64 letters, digits, dashes or underscores, the first no digit or dash.")
	}
	if o.flag("partialExecutionEnabled", false) {
		s.optionalResults = true // others run with the items that succeeded
	}
	if o.has("concurrency") && o.whole("concurrency", 1, 1, 1000) > 0 {
		r.issues.warn("concurrency_not_kept", o.path("concurrency"), "has no effect: items run in parallel as workers are available.")
	}
	if o.whole("maxAttemptsPerItem", 1, 1, 1000) > 2 {
		r.issues.cannot("unsupported_attempts", o.path("maxAttemptsPerItem"), "is more than 2: a dropped step is retried only once.")
	}
	in, ok := o.object("itemStage")
	if !ok {
		if !o.has("itemStage") {
			r.issues.fail("missing_item_stage", o.path("itemStage"), "is required for a batch.")
		}
		return
	}
	if kind, _ := in.members["type"].(string); in.has("type") && kind != "fixed" {
		r.issues.fail("unsupported_stage_type", in.path("type"), "is %s, but only a fixed stage can run for each item.", quoted(in.members["type"]))
		return
	}
	if in.has("subStages") {
		r.issues.fail("invalid_value", in.path("subStages"), "is not allowed in a stage that runs for each item.")
	}
	s.item = &stage{at: in.at, id: s.id}
	r.common(s.item, in)
	r.work(s.item, in, false)
	s.produces = append(s.produces, s.item.produces...)
	s.optionalResults = s.optionalResults || s.item.optionalResults
	if len(s.produces) == 0 {
		r.issues.fail("batch_needs_produces", o.path("produces"), "is required for a batch: name the artifact that its items produce.")
	}
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return `"` + shorten(s, 40) + `"`
	}
	return "not a string"
}
