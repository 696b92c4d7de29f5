package client

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
)

// The shapes in which the service answers with workflows.
// Start is a workflow to start.
type Start struct {
	Title             string
	Steps             []atelier.StepInput
	Media             []Media
	TokenType         atelier.TokenChoice // empty for auto
	BillingMode       atelier.BillingMode // empty for auto
	SafeContentFilter *bool
	Key               string // idempotency key; minted when empty
}

// Media is a piece of media that a workflow reads.
type Media struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

const workflows = "/v1/creative-agent/workflows"

// StartWorkflow starts a workflow. It is retried when the connection breaks, which
// does not start a second workflow.
func (c *Client) StartWorkflow(ctx context.Context, s Start) (w apitype.Workflow, err error) {
	body := struct {
		Input             apitype.WorkflowInput `json:"input"`
		Media             []Media               `json:"media_references,omitzero"`
		TokenType         atelier.TokenChoice   `json:"token_type,omitzero"`
		BillingMode       atelier.BillingMode   `json:"billing_mode,omitzero"`
		SafeContentFilter *bool                 `json:"safe_content_filter,omitzero"`
	}{apitype.WorkflowInput{Title: s.Title, Steps: s.Steps}, s.Media, s.TokenType, s.BillingMode, s.SafeContentFilter}
	err = c.workflow(ctx, http.MethodPost, workflows, idempotent(s.Key), body, &w)
	return w, err
}

// Workflow reads a workflow.
func (c *Client) Workflow(ctx context.Context, id string) (w apitype.Workflow, err error) {
	return w, c.workflow(ctx, http.MethodGet, workflows+"/"+url.PathEscape(id), nil, nil, &w)
}

// CancelWorkflow cancels a workflow.
func (c *Client) CancelWorkflow(ctx context.Context, id string) (w apitype.Workflow, err error) {
	return w, c.workflow(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/cancel", nil, nil, &w)
}

// StartRequest starts a workflow with a request as the API takes it. The key is the idempotency
// key; one is minted when it is empty.
func (c *Client) StartRequest(ctx context.Context, request json.RawMessage, key string) (r apitype.WorkflowReply, err error) {
	_, err = c.callWith(ctx, http.MethodPost, workflows, idempotent(key), request, &r)
	return r, err
}

func idempotent(key string) http.Header {
	return http.Header{"Idempotency-Key": {cmp.Or(key, mint.UUID())}}
}

// Terms are the terms of payment that a resume or a reseed changes. Empty fields change nothing.
type Terms struct {
	TokenType   atelier.TokenChoice `json:"token_type,omitzero"`
	BillingMode atelier.BillingMode `json:"billing_mode,omitzero"`
}

// Resume is how a paused workflow continues.
type Resume struct {
	Terms
	SafeContentFilter *bool `json:"safe_content_filter,omitzero"` // false releases a review of the content
}

// ResumeWorkflow resumes a paused workflow.
func (c *Client) ResumeWorkflow(ctx context.Context, id string, r Resume) (w apitype.Workflow, err error) {
	return w, c.workflow(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/resume", nil, r, &w)
}

// Reseed says how a workflow is made again.
type Reseed struct {
	Terms
	Seeds map[string]int64 `json:"seed_overrides,omitzero"` // by step; others get random ones
}

// ReseedWorkflow starts a copy of a workflow that has ended, with other seeds.
func (c *Client) ReseedWorkflow(ctx context.Context, id string, r Reseed) (out apitype.ReseededWorkflow, err error) {
	_, err = c.callWith(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/reseed", idempotent(""), r, &out)
	return out, err
}

// RemakeStep starts a workflow that makes a step again, free of charge, which a fallback worker has
// made in place of a worker with its model.
func (c *Client) RemakeStep(ctx context.Context, id, step string) (w apitype.Workflow, err error) {
	return w, c.workflow(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/steps/"+url.PathEscape(step)+"/remake", idempotent(""), nil, &w)
}

// ConfirmWorkflowCost approves the cost of a workflow that waits for it, as its preview has it, or
// declines it without one, which cancels the workflow.
func (c *Client) ConfirmWorkflowCost(ctx context.Context, id string, accepted *atelier.CostPreview) (w apitype.Workflow, err error) {
	decision := struct {
		Decision string               `json:"decision"`
		Preview  *atelier.CostPreview `json:"acceptedCostPreview,omitzero"`
	}{"confirm", accepted}
	if accepted == nil {
		decision.Decision = "cancel"
	}
	return w, c.workflow(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/confirm-cost", idempotent(""), decision, &w)
}

// WorkflowQuery selects workflows. Empty fields select all.
type WorkflowQuery struct {
	Statuses   []atelier.Status
	Kinds      []string // of results: image, video, audio, model, text or json
	Words      string   // in titles and prompts
	TemplateID string
	Tool       string
	Model      string
	Reason     string // the code of the reason why they ended without all their results
	From, To   time.Time
	apitype.Page
}

// WorkflowSummaries lists summaries of workflows, the newest first.
func (c *Client) WorkflowSummaries(ctx context.Context, q WorkflowQuery) (list apitype.WorkflowSummaries, err error) {
	values := query(q.Page, "kind", strings.Join(q.Kinds, ","), "q", q.Words, "templateId", q.TemplateID, "tool", q.Tool, "model", q.Model, "reason", q.Reason)
	var statuses []string
	for _, s := range q.Statuses {
		statuses = append(statuses, string(s))
	}
	if len(statuses) > 0 {
		values.Set("status", strings.Join(statuses, ","))
	}
	for name, at := range map[string]time.Time{"from": q.From, "to": q.To} {
		if !at.IsZero() {
			values.Set(name, at.Format(time.RFC3339Nano))
		}
	}
	_, err = c.call(ctx, http.MethodGet, workflows+"/summaries?"+values.Encode(), nil, &list)
	return list, err
}

// Workflows lists workflows, the one that changed last first. Next is where the
// next page begins, or -1.
func (c *Client) Workflows(ctx context.Context, offset, limit int) (list []apitype.Workflow, next int, err error) {
	q := url.Values{"offset": {strconv.Itoa(offset)}, "limit": {strconv.Itoa(limit)}}
	var reply struct {
		Workflows []apitype.Workflow `json:"workflows"`
		Next      *int               `json:"next"`
	}
	if _, err := c.call(ctx, http.MethodGet, workflows+"?"+q.Encode(), nil, &reply); err != nil {
		return nil, -1, err
	}
	next = -1
	if reply.Next != nil {
		next = *reply.Next
	}
	return reply.Workflows, next, nil
}

func (c *Client) workflow(ctx context.Context, method, path string, h http.Header, in any, w *apitype.Workflow) error {
	reply := struct {
		Workflow *apitype.Workflow `json:"workflow"`
	}{w}
	_, err := c.callWith(ctx, method, path, h, in, &reply)
	return err
}
