package api

import (
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// payment are the fields with which a request says how it is paid, and which application
// sends it.
type payment struct {
	Token atelier.TokenChoice `wire:"token_type,enum=spark|svc|auto,default=auto" doc:"The token that pays."`
	Mode  atelier.BillingMode `wire:"billing_mode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	endpoint.Source
}

func (p payment) terms() atelier.PaymentTerms {
	return atelier.PaymentTerms{Token: p.Token, Mode: p.Mode, App: p.AppSource}
}

// startRequest is the body of POST /v1/creative-agent/workflows.
type startRequest struct {
	Input      *planRequest   `wire:"input" doc:"The plan. Either this or workflow_id."`
	TemplateID string         `wire:"workflow_id" doc:"A saved template to start, with inputs."`
	Inputs     map[string]any `wire:"inputs" doc:"Values for the inputs of the template, by name."`
	payment
	MaxUnits    *float64         `wire:"max_estimated_capacity_units,min=0" doc:"A plan estimated above this is refused."`
	ConfirmCost *bool            `wire:"confirm_cost" doc:"False refuses a plan that costs anything, with its estimate."`
	Media       []mediaReference `wire:"media_references,maxlen=64,mood=open" doc:"Media that steps can address: -1 is the first of its kind."`
	Filter      bool             `wire:"safe_content_filter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
}

// planRequest is a plan in a request.
type planRequest struct {
	Title string        `wire:"title,maxlen=200" doc:"A display title."`
	Steps []stepRequest `wire:"steps,required,minlen=1,maxlen=12" doc:"The steps. Steps that do not depend on each other run in parallel."`
}

type stepRequest struct {
	ID        string           `wire:"id,required,minlen=1,maxlen=128" doc:"Names the step in bindings."`
	ToolName  string           `wire:"toolName,required" doc:"The tool to run."`
	Arguments map[string]any   `wire:"arguments,required" doc:"Arguments of the tool."`
	DependsOn []bindingRequest `wire:"dependsOn,maxlen=64" doc:"Inputs taken from other steps."`
}

type bindingRequest struct {
	SourceStepID        string `wire:"sourceStepId,required,minlen=1" doc:"The step whose artifact is taken, or $input_media for the request's media."`
	SourceArtifactIndex int    `wire:"sourceArtifactIndex,min=0,max=1000" doc:"Which artifact, from 0."`
	SourceArtifactID    string `wire:"sourceArtifactId" doc:"The artifact by its id."`
	TargetArgument      string `wire:"targetArgument,required,minlen=1" doc:"The argument that receives it."`
	Transform           string `wire:"transform,required,minlen=1" doc:"The value to pass, such as image_index."`
	MediaType           string `wire:"mediaType,enum=image|video|audio" doc:"The kind of media, when the transform does not determine it."`
	Required            bool   `wire:"required,default=true" doc:"Whether the step fails when the artifact is missing."`
}

func (p planRequest) steps() []atelier.StepInput {
	var out []atelier.StepInput
	for _, s := range p.Steps {
		step := atelier.StepInput{ID: s.ID, ToolName: s.ToolName, Arguments: s.Arguments}
		for _, b := range s.DependsOn {
			step.DependsOn = append(step.DependsOn, atelier.Binding(b))
		}
		out = append(out, step)
	}
	return out
}

// workflowReply carries a workflow.
type workflowReply struct {
	Workflow               snapshot.Workflow    `json:"workflow"`
	Idempotent             *bool                `json:"idempotent,omitzero"`
	WaitingForCostApproval *bool                `json:"waitingForCostApproval,omitzero"`
	Preview                *atelier.CostPreview `json:"preview,omitzero"`
}

// start is the request of the engine. A workflow of a template waits until its cost is
// confirmed.
func (q startRequest) start() (workflow.StartRequest, error) {
	switch {
	case q.Input != nil && (q.TemplateID != "" || q.Inputs != nil):
		return workflow.StartRequest{}, atelier.Refuse("input", "cannot be combined with workflow_id and inputs: send one or the other.")
	case q.Input == nil && q.TemplateID == "" && q.Inputs != nil:
		return workflow.StartRequest{}, atelier.Refuse("workflow_id", "is required beside inputs.")
	case q.Input == nil && q.TemplateID == "":
		return workflow.StartRequest{}, atelier.Refuse("input.steps", "is required: send a plan as input, such as %s, or a template as workflow_id.", planExample)
	}
	media, err := references(q.Media)
	start := workflow.StartRequest{
		Media: media, TemplateID: q.TemplateID, Inputs: q.Inputs, Approve: q.Input == nil,
		Terms: q.terms(), MaxUnits: q.MaxUnits, ConfirmCost: q.ConfirmCost, Filter: q.Filter,
	}
	if q.Input != nil {
		start.Title, start.Steps = q.Input.Title, q.Input.steps()
	}
	return start, err
}

func (s *Server) startWorkflow(c *endpoint.Call, q startRequest) (workflowReply, error) {
	start, err := q.start()
	if err != nil {
		return workflowReply{}, err
	}
	start.Key, start.Weigh = c.Key, weighStart(c, planUnit)
	begun, err := s.workflows.Start(c, c.Caller.Account, start)
	if start.Approve {
		return startedTemplate(c, begun, err)
	}
	return started(c, begun, err)
}

// The bytes of a plan, and of a conversation, that count as one start.
const (
	planUnit = 16 << 10
	runUnit  = 128 << 10
)

// weighStart counts what is large as several starts, so that the limit of starts limits
// what an account can store.
func weighStart(c *endpoint.Call, unit int) func(int) error {
	return func(bytes int) error { return c.CountMore((bytes - 1) / unit) }
}

// started answers with a new workflow, or with the one that the same key started before.
func started(c *endpoint.Call, w workflow.Started, err error) (workflowReply, error) {
	if err != nil {
		return workflowReply{}, err
	}
	reply := workflowReply{Workflow: w.Workflow}
	if w.Idempotent {
		c.Status, c.Refund = http.StatusOK, true
		reply.Idempotent = &w.Idempotent
	}
	return reply, nil
}

// workflowRequest names a workflow.
type workflowRequest struct {
	ID atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) readWorkflow(c *endpoint.Call, q workflowRequest) (workflowReply, error) {
	w, err := s.workflows.Workflow(c, c.Caller.Wallet, q.ID)
	return workflowReply{Workflow: w}, err
}

// pageRequest is the query of lists.
type pageRequest struct {
	Offset int `wire:"offset,default=0,min=0,max=100000000" doc:"How many to skip."`
	Limit  int `wire:"limit,default=20,min=1,max=100,clamp" doc:"How many to list."`
}

type workflowsReply struct {
	Workflows []snapshot.Workflow `json:"workflows"`
	Next      *int                `json:"next"`
}

// listedCost is the approximate memory of an entry while a list is made. Lists reserve it
// as large bodies do.
const listedCost = 64 << 10

func (s *Server) listWorkflows(c *endpoint.Call, q pageRequest) (workflowsReply, error) {
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return workflowsReply{}, err
	}
	p, err := s.workflows.List(c, c.Caller.Wallet, q.Offset, q.Limit)
	return workflowsReply{p.Workflows, p.Next}, err
}

// eventsRequest is the query of event logs and streams.
type eventsRequest struct {
	ID    atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	After *int64             `wire:"after,min=-1" doc:"Only events with a greater sequence."`
}

func (q eventsRequest) after() int64 {
	if q.After == nil {
		return -1
	}
	return *q.After
}

type eventsReply struct {
	Events []snapshot.EventRecord `json:"events"`
}

func (s *Server) workflowEvents(c *endpoint.Call, q eventsRequest) (eventsReply, error) {
	events, err := s.workflows.Events(c, c.Caller.Wallet, q.ID, q.after())
	return eventsReply{events}, err
}

type cancelReply struct {
	Workflow     snapshot.Workflow `json:"workflow"`
	Transitioned bool              `json:"transitioned"`
	InFlight     bool              `json:"inFlight"`
}

func (s *Server) cancelWorkflow(c *endpoint.Call, q workflowRequest) (cancelReply, error) {
	done, err := s.workflows.Cancel(c, c.Caller.Wallet, q.ID, "user_cancelled")
	return cancelReply(done), err
}

// changes are the fields with which a resume or reseed changes the payment terms. Absent
// fields change nothing.
type changes struct {
	Token     *atelier.TokenChoice `wire:"token_type,enum=spark|svc|auto" doc:"The token that pays from now on."`
	Mode      *atelier.BillingMode `wire:"billing_mode,enum=auto|subscription|tokens" doc:"Whether a plan may or must pay from now on."`
	AppSource *string              `wire:"app_source,truncate=128" doc:"The name of the calling application."`
}

func (q changes) App() string {
	if q.AppSource == nil {
		return ""
	}
	return *q.AppSource
}

type resumeRequest struct {
	ID atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	changes
	Filter *bool `wire:"safe_content_filter" doc:"False releases a safety review, for eligible accounts."`
}

type resumeReply struct {
	Workflow snapshot.Workflow `json:"workflow"`
	Resumed  bool              `json:"resumed"`
}

func (s *Server) resumeWorkflow(c *endpoint.Call, q resumeRequest) (resumeReply, error) {
	w, err := s.workflows.Resume(c, c.Caller.Wallet, q.ID, workflow.ResumeRequest{Token: q.Token, Mode: q.Mode, AppSource: q.AppSource, Filter: q.Filter})
	return resumeReply{w, true}, err
}

type reseedRequest struct {
	ID    atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Seeds map[string]int64   `wire:"seed_overrides" doc:"Seeds by step id. Other steps get random ones."`
	changes
}

type reseedReply struct {
	Workflow   snapshot.Workflow `json:"workflow"`
	Idempotent *bool             `json:"idempotent,omitzero"`
	Reseed     reseedFacts       `json:"reseed"`
}

type reseedFacts struct {
	ClonedFrom atelier.WorkflowID `json:"cloned_from_run_id"`
	Steps      []workflow.NewSeed `json:"steps"`
}

func (s *Server) reseedWorkflow(c *endpoint.Call, q reseedRequest) (reseedReply, error) {
	r, err := s.workflows.Reseed(c, c.Caller.Account, workflow.ReseedRequest{
		Key: c.Key, Source: q.ID, Seeds: q.Seeds, Token: q.Token, Mode: q.Mode, AppSource: q.AppSource, Weigh: weighStart(c, planUnit),
	})
	reply, err := started(c, r.Started, err)
	return reseedReply{reply.Workflow, reply.Idempotent, reseedFacts{r.Source, r.Seeds}}, err
}

type confirmRequest struct {
	ID       atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Decision string             `wire:"decision,required,enum=confirm|cancel" doc:"Whether the cost is approved."`
	Preview  *previewRequest    `wire:"acceptedCostPreview,alias=accepted_cost_preview" doc:"The cost preview to confirm, exactly as shown."`
	Key      string             `wire:"idempotency_key" doc:"The idempotency key, for clients that cannot send the header."`
}

type previewRequest struct {
	Units    float64             `wire:"totalEstimatedCapacityUnits,required"`
	Token    atelier.TokenChoice `wire:"tokenType,required"`
	Validity time.Time           `wire:"validityUntil,required"`
}

type confirmReply struct {
	Workflow      snapshot.Workflow       `json:"workflow"`
	Decision      string                  `json:"decision,omitzero"`
	Authorization *snapshot.Authorization `json:"authorization,omitzero"`
	Idempotent    *bool                   `json:"idempotent,omitzero"`
}

func (s *Server) confirmWorkflow(c *endpoint.Call, q confirmRequest) (confirmReply, error) {
	d := workflow.Decision{Key: c.Key, Confirm: q.Decision == "confirm"}
	if d.Key == "" {
		d.Key = endpoint.CutAt192.Apply(q.Key)
	}
	switch {
	case d.Confirm && c.Caller.Credential != atelier.CredentialAPIKey:
		return confirmReply{}, atelier.Errorf(atelier.CodeAPIKeyRequired, "Confirming a cost needs an API key.")
	case d.Confirm && q.Preview == nil:
		return confirmReply{}, atelier.Refuse("acceptedCostPreview", "is required to confirm: send the workflow's cost preview back.")
	case q.Preview != nil:
		d.Preview = &atelier.CostPreview{TotalEstimatedCapacityUnits: q.Preview.Units, TokenType: q.Preview.Token, ValidityUntil: q.Preview.Validity}
	}
	decided, err := s.workflows.Confirm(c, c.Caller.Wallet, q.ID, d)
	if err != nil {
		return confirmReply{}, err
	}
	if decided.Idempotent {
		return confirmReply{Workflow: decided.Workflow, Idempotent: &decided.Idempotent}, nil
	}
	return confirmReply{Workflow: decided.Workflow, Decision: q.Decision, Authorization: decided.Workflow.Authorization}, nil
}

// workflowStatus is the frame with the current state of a workflow.
type workflowStatus struct {
	WorkflowID           string                `json:"workflowId"`
	Status               atelier.Status        `json:"status"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason,omitzero"`
	AwaitingCostApproval *bool                 `json:"awaitingCostApproval,omitzero"`
}

func (s *Server) streamWorkflow(c *endpoint.Call, q eventsRequest) error {
	after, err := c.LastEventID(q.after())
	if err != nil {
		return err
	}
	ctx, stop := c.Streaming()
	defer stop()
	news, err := s.workflows.Follow(ctx, c.Caller.Wallet, q.ID, after, s.heartbeat)
	if err != nil {
		return err
	}
	endpoint.Follow(c, news, func(out *endpoint.EventStream, n workflow.Update) bool {
		switch {
		case n.Event != nil:
			return out.Frame(&n.Event.Sequence, string(n.Event.Type), n.Event)
		case n.Standing != nil:
			return out.Frame(nil, "workflow_status", statusFrame(string(q.ID), *n.Standing))
		}
		return out.Heartbeat()
	})
	return nil
}

func statusFrame(id string, at journal.Standing) workflowStatus {
	frame := workflowStatus{WorkflowID: id, Status: at.Status, WaitingReason: at.Waiting}
	if at.Status == atelier.StatusWaitingForUser {
		awaits := at.Waiting == atelier.WaitCostApproval
		frame.AwaitingCostApproval = &awaits
	}
	return frame
}
