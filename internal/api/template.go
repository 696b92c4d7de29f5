package api

import (
	"net/http"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// templateRequest is the body of a template. The template engine decodes its fields and
// reports all mistakes at once.
type templateRequest struct {
	Fields map[string]wire.Raw `wire:",extra,maxbytes=2097152"`
}

// templateReply carries a template.
type templateReply struct {
	Template   atelier.Template    `json:"template"`
	Validation *templateValidation `json:"validation,omitzero"`
}

// templateValidation lists the warnings about a saved template.
type templateValidation struct {
	Valid  bool            `json:"valid"`
	Issues []atelier.Issue `json:"issues"`
}

func saved(t template.Saved, err error) (templateReply, error) {
	if err != nil {
		return templateReply{}, err
	}
	reply := templateReply{Template: t.Template}
	if len(t.Warnings) > 0 {
		reply.Validation = &templateValidation{true, t.Warnings}
	}
	return reply, nil
}

func (s *Server) createTemplate(c *endpoint.Call, q templateRequest) (templateReply, error) {
	return saved(s.templates.Create(c, c.Caller.Account, q.Fields))
}

// templatesRequest is the query of the list.
type templatesRequest struct {
	Visibility string `wire:"visibility" doc:"own, public or all, which is the default."`
	pageRequest
}

type templatesReply struct {
	Templates []atelier.Template `json:"templates"`
	Next      *int               `json:"next"`
}

func (s *Server) listTemplates(c *endpoint.Call, q templatesRequest) (templatesReply, error) {
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return templatesReply{}, err
	}
	p, err := s.templates.List(c, c.Caller.Wallet, q.Visibility, q.Offset, q.Limit)
	return templatesReply{p.Templates, p.Next}, err
}

type templateID struct {
	ID string `path:"id" example:"wf_morning_fox"`
}

func (s *Server) readTemplate(c *endpoint.Call, q templateID) (templateReply, error) {
	t, err := s.templates.Template(c, c.Caller.Wallet, q.ID)
	return templateReply{Template: t}, err
}

type templatePatch struct {
	ID       string              `path:"id" example:"wf_morning_fox"`
	Replaces *string             `wire:"replaces,maxlen=64" doc:"The version that the change was made from. Where the template has a newer one, nothing is changed (409)."`
	Fields   map[string]wire.Raw `wire:",extra,maxbytes=2097152"`
}

func (s *Server) patchTemplate(c *endpoint.Call, q templatePatch) (templateReply, error) {
	return saved(s.templates.Patch(c, c.Caller.Account, q.ID, q.Replaces, q.Fields))
}

type deletedTemplate struct {
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
}

func (s *Server) deleteTemplate(c *endpoint.Call, q templateID) (deletedTemplate, error) {
	return deletedTemplate{true, q.ID}, s.templates.Delete(c, c.Caller.Wallet, q.ID)
}

type forkRequest struct {
	ID   string `path:"id" example:"wf_morning_fox"`
	Name string `wire:"name,maxlen=200" doc:"The name of the copy."`
}

func (s *Server) forkTemplate(c *endpoint.Call, q forkRequest) (templateReply, error) {
	t, err := s.templates.Fork(c, c.Caller.Account, q.ID, q.Name)
	return templateReply{Template: t}, err
}

// startedTemplate answers with a workflow of a template, which waits until its cost is
// confirmed.
func startedTemplate(c *endpoint.Call, w workflow.Started, err error) (apitype.WorkflowReply, error) {
	reply, err := started(c, w, err)
	if err != nil || w.Idempotent {
		return reply, err
	}
	c.Status = http.StatusAccepted
	waits := w.Workflow.AwaitingCostApproval != nil && *w.Workflow.AwaitingCostApproval
	reply.WaitingForCostApproval, reply.Preview = &waits, w.Workflow.BillingPreview
	return reply, nil
}

func (s *Server) validateTemplate(_ *endpoint.Call, q templateRequest) (templateValidation, error) {
	issues, err := s.templates.Check(q.Fields)
	valid := !slices.ContainsFunc(issues, func(i atelier.Issue) bool { return i.Severity == "error" })
	return templateValidation{valid, issues}, err
}
