package api

import (
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
)

// cursorRequest is the query of lists that are read from a place on.
type cursorRequest struct {
	Cursor string `wire:"cursor,maxlen=1000" doc:"nextCursor of the page before."`
	Limit  int    `wire:"limit,default=50,min=1,max=200" doc:"How many to list at most. A search page can be short or empty; continue while nextCursor is set."`
}

// after reads the place of a row of a list that is ordered by a time and an id.
func (q cursorRequest) after(list string) (at time.Time, id string, err error) {
	place, err := cursor.Decode(list, q.Cursor, 2)
	if err == nil {
		at, err = place.Time(0)
	}
	return at, place.Text(1), err
}

// workflowSelection are the parameters that select workflows.
type workflowSelection struct {
	Status     wire.List `wire:"status,maxlen=7" doc:"Only workflows with one of these statuses."`
	Kind       wire.List `wire:"kind,maxlen=6" doc:"Only workflows whose result is of one of these kinds: image, video, audio, model, text or json."`
	Query      string    `wire:"q,maxlen=200" doc:"Only workflows whose title and prompts have all these words, or parts of words."`
	TemplateID string    `wire:"templateId,maxlen=200" doc:"Only workflows of this template."`
	Tool       string    `wire:"tool,maxlen=100" doc:"Only workflows with a step of this tool."`
	Model      string    `wire:"model,maxlen=200" doc:"Only workflows with a step that this model renders, by its id."`
	Reason     string    `wire:"reason,maxlen=100" doc:"Only workflows that ended without a result, or without all of it, for this reason: the code of the summary's reason."`
	From       time.Time `wire:"from" doc:"Only workflows that were created at this time or later."`
	To         time.Time `wire:"to" doc:"Only workflows that were created before this time."`
}

// maxTerms is how many words a search may have.
const maxTerms = 8

var workflowKinds = []string{"image", "video", "audio", "model", "text", "json"}

func (q workflowSelection) filter() (workflow.Filter, error) {
	f := workflow.Filter{TemplateID: q.TemplateID, Tool: q.Tool, Model: q.Model, Reason: q.Reason, Words: strings.Fields(strings.ToLower(q.Query)), From: q.From, To: q.To}
	for _, s := range q.Status {
		if !slices.Contains(atelier.Statuses, atelier.Status(s)) {
			return f, atelier.Refuse("status", "contains %q, which is not a status. Use one of %s.", s, strings.Join(atelier.Status("").Values(), ", "))
		}
		f.Statuses = append(f.Statuses, atelier.Status(s))
	}
	for _, k := range q.Kind {
		if !slices.Contains(workflowKinds, k) {
			return f, atelier.Refuse("kind", "contains %q, which is not a kind. Use one of %s.", k, strings.Join(workflowKinds, ", "))
		}
		f.Kinds = append(f.Kinds, k)
	}
	if len(f.Words) > maxTerms {
		return f, atelier.Refuse("q", "has %d words; the limit is %d.", len(f.Words), maxTerms)
	}
	return f, nil
}

type summariesRequest struct {
	workflowSelection
	cursorRequest
}

func (s *Server) listSummaries(c *endpoint.Call, q summariesRequest) (apitype.WorkflowSummaries, error) {
	f, err := q.filter()
	if err != nil {
		return apitype.WorkflowSummaries{}, err
	}
	var after *workflow.Position
	if q.Cursor != "" {
		at, id, err := q.after("workflows")
		if err != nil {
			return apitype.WorkflowSummaries{}, err
		}
		after = &workflow.Position{CreatedAt: at, ID: atelier.WorkflowID(id)}
	}
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return apitype.WorkflowSummaries{}, err
	}
	p, err := s.workflows.Summaries(c, c.Caller.Wallet, f, after, q.Limit)
	reply := apitype.WorkflowSummaries{Workflows: p.Workflows}
	if p.Next != nil {
		reply.NextCursor = cursor.Encode("workflows", cursor.Time(p.Next.CreatedAt), string(p.Next.ID))
	}
	return reply, err
}

func (s *Server) countWorkflows(c *endpoint.Call, q workflowSelection) (apitype.WorkflowCounts, error) {
	f, err := q.filter()
	if err != nil {
		return apitype.WorkflowCounts{}, err
	}
	return s.workflows.Counts(c, c.Caller.Wallet, f)
}
