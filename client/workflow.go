package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

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
	if s.Key == "" {
		s.Key = mint.UUID()
	}
	body := struct {
		Input             apitype.WorkflowInput `json:"input"`
		Media             []Media               `json:"media_references,omitzero"`
		TokenType         atelier.TokenChoice   `json:"token_type,omitzero"`
		BillingMode       atelier.BillingMode   `json:"billing_mode,omitzero"`
		SafeContentFilter *bool                 `json:"safe_content_filter,omitzero"`
	}{apitype.WorkflowInput{Title: s.Title, Steps: s.Steps}, s.Media, s.TokenType, s.BillingMode, s.SafeContentFilter}
	err = c.workflow(ctx, http.MethodPost, workflows, http.Header{"Idempotency-Key": {s.Key}}, body, &w)
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

// ResumeWorkflow resumes a paused workflow.
func (c *Client) ResumeWorkflow(ctx context.Context, id string) (w apitype.Workflow, err error) {
	return w, c.workflow(ctx, http.MethodPost, workflows+"/"+url.PathEscape(id)+"/resume", nil, map[string]any{}, &w)
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
