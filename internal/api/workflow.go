package api

import (
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/workflow"
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
	Input      *planRequest       `wire:"input" doc:"The plan. Either this or workflow_id."`
	TemplateID string             `wire:"workflow_id" doc:"A saved template to start, with inputs."`
	Inputs     map[string]any     `wire:"inputs" doc:"Values for the inputs of the template, by name."`
	Continues  atelier.WorkflowID `wire:"continues,maxlen=200" doc:"Beside input: an earlier workflow that the plan repeats or continues. The new one is of the same template."`
	payment
	MaxUnits    *float64         `wire:"max_estimated_capacity_units,min=0" doc:"A plan estimated above this is refused."`
	ConfirmCost *bool            `wire:"confirm_cost" doc:"False refuses a plan that costs anything, with its estimate."`
	Media       []mediaReference `wire:"media_references,maxlen=64,names=lenient" doc:"Media that steps can address: -1 is the first of its kind."`
	Filter      bool             `wire:"safe_content_filter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	Webhook     requestWebhook   `wire:"webhook" doc:"An address that gets the events of this workflow: a URL, or url and events. The secret of the webhook with the id requests signs them."`
}

// planRequest is a plan in a request.
type planRequest struct {
	Title string              `wire:"title,maxlen=200" doc:"A display title."`
	Steps []atelier.StepInput `wire:"steps,required,minlen=1,maxlen=12" doc:"The steps. Steps that do not depend on each other run in parallel."`
}

// start is the request of the engine. A workflow of a template waits until its cost is
// confirmed.
func (q startRequest) start() (workflow.StartRequest, error) {
	switch {
	case q.Input != nil && (q.TemplateID != "" || q.Inputs != nil):
		return workflow.StartRequest{}, atelier.Refuse("input", "cannot be combined with workflow_id and inputs: send one or the other.")
	case q.Input == nil && q.Continues != "":
		return workflow.StartRequest{}, atelier.Refuse("continues", "needs input, with the plan.")
	case q.Input == nil && q.TemplateID == "" && q.Inputs != nil:
		return workflow.StartRequest{}, atelier.Refuse("workflow_id", "is required beside inputs.")
	case q.Input == nil && q.TemplateID == "":
		return workflow.StartRequest{}, atelier.Refuse("input.steps", "is required: send a plan as input, such as %s, or a template as workflow_id.", planExample)
	}
	media, err := references(q.Media)
	start := workflow.StartRequest{
		Media: media, TemplateID: q.TemplateID, Inputs: q.Inputs, Continues: q.Continues, Approve: q.Input == nil,
		Terms: q.terms(), MaxUnits: q.MaxUnits, ConfirmCost: q.ConfirmCost, Filter: q.Filter, Webhook: q.Webhook.named(),
	}
	if q.Input != nil {
		start.Title, start.Steps = q.Input.Title, q.Input.Steps
	}
	return start, err
}

func (s *Server) startWorkflow(c *endpoint.Call, q startRequest) (apitype.WorkflowReply, error) {
	start, err := q.start()
	if err != nil {
		return apitype.WorkflowReply{}, err
	}
	start.Key, start.Weigh = c.Key, weighStart(c, planUnit)
	begun, err := s.workflows.Start(c, c.Caller.Account, start.By(c.Caller))
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
func started(c *endpoint.Call, w workflow.Started, err error) (apitype.WorkflowReply, error) {
	if err != nil {
		return apitype.WorkflowReply{}, err
	}
	reply := apitype.WorkflowReply{Workflow: w.Workflow}
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

func (s *Server) readWorkflow(c *endpoint.Call, q workflowRequest) (apitype.WorkflowReply, error) {
	w, err := s.workflows.Workflow(c, c.Caller.Wallet, q.ID)
	return apitype.WorkflowReply{Workflow: w}, err
}

// pageRequest is the query of lists.
type pageRequest struct {
	Offset int `wire:"offset,default=0,min=0,max=100000000" doc:"How many to skip."`
	Limit  int `wire:"limit,default=20,min=1,max=100,clamp" doc:"How many to list."`
}

// listedCost is the approximate memory of an entry while a list is made. Lists reserve it
// as large bodies do.
const listedCost = 64 << 10

func (s *Server) listWorkflows(c *endpoint.Call, q pageRequest) (apitype.Workflows, error) {
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return apitype.Workflows{}, err
	}
	p, err := s.workflows.List(c, c.Caller.Wallet, q.Offset, q.Limit)
	return apitype.Workflows{Workflows: p.Workflows, Next: p.Next}, err
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

func (s *Server) workflowEvents(c *endpoint.Call, q eventsRequest) (apitype.WorkflowEvents, error) {
	events, err := s.workflows.Events(c, c.Caller.Wallet, q.ID, q.after())
	return apitype.WorkflowEvents{Events: events}, err
}

func (s *Server) cancelWorkflow(c *endpoint.Call, q workflowRequest) (apitype.CancelledWorkflow, error) {
	done, err := s.workflows.Cancel(c, c.Caller.Wallet, q.ID, "user_cancelled")
	return apitype.CancelledWorkflow(done), err
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

func (s *Server) resumeWorkflow(c *endpoint.Call, q resumeRequest) (apitype.ResumedWorkflow, error) {
	w, err := s.workflows.Resume(c, c.Caller.Wallet, q.ID, workflow.ResumeRequest{Token: q.Token, Mode: q.Mode, AppSource: q.AppSource, Filter: q.Filter})
	return apitype.ResumedWorkflow{Workflow: w, Resumed: true}, err
}

type reseedRequest struct {
	ID    atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Seeds map[string]int64   `wire:"seed_overrides" doc:"Seeds by step id. Other steps get random ones."`
	changes
}

func (s *Server) reseedWorkflow(c *endpoint.Call, q reseedRequest) (apitype.ReseededWorkflow, error) {
	r, err := s.workflows.Reseed(c, c.Caller.Account, workflow.ReseedRequest{
		Key: c.Key, Source: q.ID, Seeds: q.Seeds, Token: q.Token, Mode: q.Mode, AppSource: q.AppSource, Weigh: weighStart(c, planUnit),
	}.By(c.Caller))
	reply, err := started(c, r.Started, err)
	return apitype.ReseededWorkflow{Workflow: reply.Workflow, Idempotent: reply.Idempotent, Reseed: apitype.Reseed{ClonedFrom: r.Source, Steps: r.Seeds}}, err
}

// remakeRequest names a step. It has no other field: what is made again is what was ordered.
type remakeRequest struct {
	ID     atelier.WorkflowID `path:"id" example:"wf_durable_workflow_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	StepID string             `path:"stepId" example:"fox"`
}

func (s *Server) remakeStep(c *endpoint.Call, q remakeRequest) (apitype.WorkflowReply, error) {
	begun, err := s.workflows.Remake(c, c.Caller.Account, workflow.RemakeRequest{Key: c.Key, Source: q.ID, StepID: q.StepID, Weigh: weighStart(c, planUnit)})
	return started(c, begun, err)
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

func (s *Server) confirmWorkflow(c *endpoint.Call, q confirmRequest) (apitype.ConfirmedWorkflow, error) {
	d := workflow.Decision{Key: c.Key, Confirm: q.Decision == "confirm"}
	if d.Key == "" {
		d.Key = endpoint.CutAt192.Apply(q.Key)
	}
	switch {
	case d.Confirm && c.Caller.Credential != atelier.CredentialAPIKey:
		return apitype.ConfirmedWorkflow{}, atelier.Errorf(atelier.CodeAPIKeyRequired, "Confirming a cost needs an API key.")
	case d.Confirm && q.Preview == nil:
		return apitype.ConfirmedWorkflow{}, atelier.Refuse("acceptedCostPreview", "is required to confirm: send the workflow's cost preview back.")
	case q.Preview != nil:
		d.Preview = &atelier.CostPreview{TotalEstimatedCapacityUnits: q.Preview.Units, TokenType: q.Preview.Token, ValidityUntil: q.Preview.Validity}
	}
	decided, err := s.workflows.Confirm(c, c.Caller.Wallet, q.ID, d)
	if err != nil {
		return apitype.ConfirmedWorkflow{}, err
	}
	if decided.Idempotent {
		return apitype.ConfirmedWorkflow{Workflow: decided.Workflow, Idempotent: &decided.Idempotent}, nil
	}
	return apitype.ConfirmedWorkflow{Workflow: decided.Workflow, Decision: q.Decision, Authorization: decided.Workflow.Authorization}, nil
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

func statusFrame(id string, at journal.Standing) apitype.WorkflowStatus {
	frame := apitype.WorkflowStatus{WorkflowID: id, Status: at.Status, WaitingReason: at.Waiting}
	if at.Status == atelier.StatusWaitingForUser {
		awaits := at.Waiting == atelier.WaitCostApproval
		frame.AwaitingCostApproval = &awaits
	}
	return frame
}
