package chat

import (
	"context"
	"fmt"
	"reflect"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// control is a tool with which the creative agent manages the workflows of its
// caller. Its arguments are declared once: the schema that the model sees and the
// check of what it sends follow from the declaration.
type control struct {
	name, about string
	shape       *wire.Shape
	cost        func(t *completion, ctx context.Context, args wire.Raw) (workflow.Estimate, error) // nil when it costs nothing
	act         func(t *completion, ctx context.Context, c *Call, args wire.Raw) (Outcome, error)
}

// controls are the tools of workflow control. Confirming a cost is not among them:
// only the user does that.
var controls = []*control{
	withCost(newControl("start_workflow", "Start a workflow of several steps, such as a plan of compose_workflow.", (*completion).startWorkflow), (*completion).startCost),
	newControl("get_workflow", "Read the progress and results of a workflow.", (*completion).getWorkflow),
	newControl("list_workflows", "List the user's workflows, the one that changed last first.", (*completion).listWorkflows),
	newControl("cancel_workflow", "Cancel a workflow that has not ended.", (*completion).cancelWorkflow),
	withCost(newControl("resume_workflow", "Resume a workflow that waits or was interrupted.", (*completion).resumeWorkflow), (*completion).againCost),
	withCost(newControl("reseed_workflow", "Run a workflow that is done once more, with fresh seeds.", (*completion).reseedWorkflow), (*completion).againCost),
}

// newControl makes a tool of a function from arguments to an outcome.
func newControl[Q any](name, about string, act func(*completion, context.Context, *Call, Q) (Outcome, error)) *control {
	k := &control{name: name, about: about, shape: wire.ShapeOf(reflect.TypeFor[Q](), wire.Strict)}
	k.act = func(t *completion, ctx context.Context, c *Call, args wire.Raw) (Outcome, error) {
		var q Q
		if err := k.shape.Body(args, nil, &q); err != nil {
			return refused(name, parameterInvalid, err)
		}
		return act(t, ctx, c, q)
	}
	return k
}

// withCost adds to a tool what its calls cost.
func withCost[Q any](k *control, cost func(*completion, context.Context, Q) (workflow.Estimate, error)) *control {
	k.cost = func(t *completion, ctx context.Context, args wire.Raw) (workflow.Estimate, error) {
		var q Q
		if err := k.shape.Body(args, nil, &q); err != nil {
			return workflow.Estimate{}, err
		}
		return cost(t, ctx, q)
	}
	return k
}

// estimate estimates what a call of the tool costs.
func (k *control) estimate(t *completion, ctx context.Context, args map[string]any) (workflow.Estimate, error) {
	if k.cost == nil {
		return workflow.Estimate{}, nil
	}
	text, err := wire.Marshal(args)
	if err != nil {
		return workflow.Estimate{}, err
	}
	return k.cost(t, ctx, text)
}

// function is the tool as models see it.
func (k *control) function() llm.Function {
	schema, err := wire.Marshal((&wire.Describer{}).Request(k.shape))
	if err != nil {
		panic(fmt.Sprintf("chat: %s: %v", k.name, err)) // a declaration of ours
	}
	return llm.Function{Name: k.name, Description: k.about, Parameters: schema}
}

// run runs a call of the tool.
func (k *control) run(t *completion, ctx context.Context, c *Call, args map[string]any) (Outcome, error) {
	text, err := wire.Marshal(args)
	if err != nil {
		return Outcome{}, err
	}
	if err := t.emitProgress(c, "running", 0, ""); err != nil {
		return Outcome{}, err
	}
	o, err := k.act(t, ctx, c, text)
	if err != nil {
		if id, named := args["workflow_id"].(string); named && atelier.HasCode(err, atelier.CodeNotFound) {
			err = atelier.Missing("workflow_id", id, "workflow")
		}
		if o, err = refused(k.name, planInvalid, err); err != nil {
			return o, err
		}
	}
	if o.Workflow != nil && o.Workflow.Status != "" {
		return o, nil // its progress was emitted while it was followed
	}
	return t.emitEnd(c, o)
}

type startArguments struct {
	Title string              `wire:"title,maxlen=200" doc:"A title to show."`
	Steps []atelier.StepInput `wire:"steps,required,minlen=1,maxlen=12" doc:"The steps. Steps that do not depend on each other run in parallel."`
	Most  *float64            `wire:"max_estimated_capacity_units,min=0" doc:"A plan estimated above this is refused."`
	Wait  bool                `wire:"wait,default=true" doc:"Whether to wait for the end."`
}

// startRequest is the workflow that a call of start_workflow asks for.
func (t *completion) startRequest(ctx context.Context, q startArguments) (r workflow.StartRequest, notes []string, err error) {
	media, err := t.references(ctx)
	if err != nil {
		return r, nil, err
	}
	r = workflow.StartRequest{Title: q.Title, Media: media, Terms: t.q.Terms, MaxUnits: q.Most}
	for _, step := range q.Steps {
		if tool, ok := t.catalog.Tool(step.ToolName); ok {
			args, note, err := t.affordable(ctx, tool, tool.WithTier(step.Arguments, t.q.Tier))
			if err != nil {
				return r, nil, err
			}
			if step.Arguments = args; note != "" {
				notes = append(notes, note)
			}
		}
		r.Steps = append(r.Steps, step)
	}
	return r, notes, nil
}

func (t *completion) startWorkflow(ctx context.Context, c *Call, q startArguments) (Outcome, error) {
	if c.WorkflowID == "" {
		r, notes, err := t.startRequest(ctx, q)
		if err != nil {
			return Outcome{}, err
		}
		c.Notes = notes
		if err := t.dispatchRequest(ctx, c, r); err != nil {
			return Outcome{}, err
		}
	}
	o, err := t.workflowOutcome(ctx, c, q.Wait)
	return o.withNotes(c.Notes...), err
}

func (t *completion) startCost(ctx context.Context, q startArguments) (workflow.Estimate, error) {
	r, _, err := t.startRequest(ctx, q)
	if err != nil {
		return workflow.Estimate{}, err
	}
	return t.workflows.Estimate(ctx, t.q.Caller.Wallet, r)
}

// workflowOutcome is the outcome of a call whose workflow was started or continues:
// when it has ended, or at once.
func (t *completion) workflowOutcome(ctx context.Context, c *Call, wait bool) (Outcome, error) {
	if wait {
		o, err := t.await(ctx, c)
		if o.waits {
			o.explain("The workflow waits for one, and continues when it connects.")
		}
		return o, err
	}
	w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, c.WorkflowID)
	if err != nil {
		return Outcome{}, err
	}
	ref := RefTo(w.WorkflowID, w.Status)
	o := succeeded(c.Function.Name, map[string]any{"workflow": summary(w), "workflowId": w.WorkflowID})
	o.Workflow = &ref
	return o, t.emitProgress(c, string(w.Status), 0, "")
}

type workflowArguments struct {
	ID atelier.WorkflowID `wire:"workflow_id,required,minlen=1" doc:"The id of the workflow."`
}

func (t *completion) getWorkflow(ctx context.Context, c *Call, q workflowArguments) (Outcome, error) {
	w, err := t.workflows.Workflow(ctx, t.q.Caller.Wallet, q.ID)
	if err != nil {
		return Outcome{}, err
	}
	o := succeeded(c.Function.Name, map[string]any{"workflow": summary(w), "workflowId": w.WorkflowID})
	o.Made = w.Artifacts
	return o.withNotes(caveats(w.Artifacts)...), nil
}

type listArguments struct {
	Limit int `wire:"limit,default=10,min=1,max=50,clamp" doc:"How many to list."`
}

func (t *completion) listWorkflows(ctx context.Context, c *Call, q listArguments) (Outcome, error) {
	page, err := t.workflows.List(ctx, t.q.Caller.Wallet, 0, q.Limit)
	if err != nil {
		return Outcome{}, err
	}
	list := []any{}
	for _, w := range page.Workflows {
		list = append(list, map[string]any{
			"workflowId": w.WorkflowID, "title": w.Title, "status": w.Status, "steps": len(w.Steps), "updatedAt": w.Timestamps.UpdatedAt,
		})
	}
	return succeeded(c.Function.Name, map[string]any{"workflows": list}), nil
}

type cancelArguments struct {
	ID     atelier.WorkflowID `wire:"workflow_id,required,minlen=1" doc:"The id of the workflow."`
	Reason string             `wire:"reason,truncate=500" doc:"Why."`
}

func (t *completion) cancelWorkflow(ctx context.Context, c *Call, q cancelArguments) (Outcome, error) {
	if q.Reason == "" {
		q.Reason = "user_cancelled"
	}
	done, err := t.workflows.Cancel(ctx, t.q.Caller.Wallet, q.ID, q.Reason)
	if err != nil {
		return Outcome{}, err
	}
	return succeeded(c.Function.Name, map[string]any{
		"workflow": summary(done.Workflow), "workflowId": q.ID, "transitioned": done.Transitioned, "inFlight": done.InFlight,
	}), nil
}

type resumeArguments struct {
	ID   atelier.WorkflowID `wire:"workflow_id,required,minlen=1" doc:"The id of the workflow."`
	Wait bool               `wire:"wait,default=true" doc:"Whether to wait for the end."`
}

func (t *completion) resumeWorkflow(ctx context.Context, c *Call, q resumeArguments) (Outcome, error) {
	if c.WorkflowID == "" {
		terms := t.termsOf(c)
		err := t.dispatch(c, func(record workflow.OnStart) (apitype.Workflow, error) {
			return t.workflows.Resume(ctx, t.q.Caller.Wallet, q.ID,
				workflow.ResumeRequest{Token: &terms.Token, Mode: &terms.Mode, AppSource: t.app(), OnStart: record})
		})
		if err != nil {
			return Outcome{}, err
		}
	}
	return t.workflowOutcome(ctx, c, q.Wait)
}

func (t *completion) reseedWorkflow(ctx context.Context, c *Call, q resumeArguments) (Outcome, error) {
	if c.WorkflowID == "" {
		terms := t.termsOf(c)
		err := t.dispatch(c, func(record workflow.OnStart) (apitype.Workflow, error) {
			again, err := t.workflows.Reseed(ctx, t.q.Caller.Account, workflow.ReseedRequest{
				Source: q.ID, Token: &terms.Token, Mode: &terms.Mode, AppSource: t.app(), Approved: c.Approved, OnStart: record,
			}.By(t.q.Caller))
			return again.Workflow, err
		})
		if err != nil {
			return Outcome{}, err
		}
	}
	return t.workflowOutcome(ctx, c, q.Wait)
}

// againCost is the estimate of a workflow that runs again or continues: that of the
// whole.
func (t *completion) againCost(ctx context.Context, q resumeArguments) (workflow.Estimate, error) {
	return t.workflows.EstimateOf(ctx, t.q.Caller.Wallet, q.ID)
}

// app is the application of this request, for work that another may have started,
// or nil: then a workflow keeps its own.
func (t *completion) app() *string {
	if t.q.Terms.App == "" {
		return nil
	}
	return &t.q.Terms.App
}

// summary is the part of a workflow that a model needs.
func summary(w apitype.Workflow) map[string]any {
	var steps []any
	for _, s := range w.Steps {
		step := map[string]any{"id": s.ID, "toolName": s.ToolName, "status": s.Status}
		if s.Error != nil {
			step["error"] = s.Error.Message
		}
		if s.WaitingFor != nil {
			step["waitingFor"] = s.WaitingFor
		}
		steps = append(steps, step)
	}
	out := map[string]any{"workflowId": w.WorkflowID, "title": w.Title, "status": w.Status, "steps": steps}
	if w.WaitingReason != "" {
		out["waitingReason"] = w.WaitingReason
	}
	if w.Error != nil {
		out["error"] = w.Error.Message
	}
	return out
}
