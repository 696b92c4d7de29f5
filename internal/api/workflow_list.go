package api

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// cursorRequest is the query of lists that are read from a place on.
type cursorRequest struct {
	Cursor string `wire:"cursor,maxlen=1000" doc:"nextCursor of the page before."`
	Limit  int    `wire:"limit,default=50,min=1,max=200" doc:"How many to list at most. A page of a search may be short, or empty, although nextCursor leads on."`
}

// encodeCursor is the place of a row that is listed by a time and an id.
func encodeCursor(at time.Time, id string) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMilli(), 10) + " " + id))
	return &text
}

// decodeCursor reads what encodeCursor has written.
func decodeCursor(text string) (at time.Time, id string, err error) {
	plain, wrong := base64.RawURLEncoding.DecodeString(text)
	first, id, ok := strings.Cut(string(plain), " ")
	ms, notANumber := strconv.ParseInt(first, 10, 64)
	if wrong != nil || !ok || notANumber != nil || !wire.IsText(id) {
		return at, "", atelier.Refuse("cursor", "is not one that a list has answered with.")
	}
	return time.UnixMilli(ms), id, nil
}

// workflowSelection are the parameters that select workflows.
type workflowSelection struct {
	Status     wire.List `wire:"status,maxlen=7" doc:"Only workflows with one of these statuses."`
	Kind       wire.List `wire:"kind,maxlen=6" doc:"Only workflows whose result is of one of these kinds: image, video, audio, model, text or json."`
	Query      string    `wire:"q,maxlen=200" doc:"Only workflows whose title and prompts have all these words, or parts of words."`
	TemplateID string    `wire:"templateId,maxlen=200" doc:"Only workflows of this template."`
	From       time.Time `wire:"from" doc:"Only workflows that were created at this time or later."`
	To         time.Time `wire:"to" doc:"Only workflows that were created before this time."`
}

// maxTerms is how many words a search may have.
const maxTerms = 8

var workflowKinds = []string{"image", "video", "audio", "model", "text", "json"}

func (q workflowSelection) filter() (workflow.Filter, error) {
	f := workflow.Filter{TemplateID: q.TemplateID, Words: strings.Fields(strings.ToLower(q.Query)), From: q.From, To: q.To}
	for _, s := range q.Status {
		if !slices.Contains(atelier.Statuses, atelier.Status(s)) {
			return f, atelier.Refuse("status", "has %q, which is no status: use %s.", s, strings.Join(atelier.Status("").Values(), ", "))
		}
		f.Statuses = append(f.Statuses, atelier.Status(s))
	}
	for _, k := range q.Kind {
		if !slices.Contains(workflowKinds, k) {
			return f, atelier.Refuse("kind", "has %q, which is no kind: use %s.", k, strings.Join(workflowKinds, ", "))
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

type summariesReply struct {
	Workflows  []snapshot.Summary `json:"workflows"`
	NextCursor *string            `json:"nextCursor"`
}

func (s *Server) listSummaries(c *endpoint.Call, q summariesRequest) (summariesReply, error) {
	f, err := q.filter()
	if err != nil {
		return summariesReply{}, err
	}
	var after *workflow.Position
	if q.Cursor != "" {
		at, id, err := decodeCursor(q.Cursor)
		if err != nil {
			return summariesReply{}, err
		}
		after = &workflow.Position{CreatedAt: at, ID: atelier.WorkflowID(id)}
	}
	if err := c.Reserve(int64(q.Limit) * listedCost); err != nil {
		return summariesReply{}, err
	}
	p, err := s.workflows.Summaries(c, c.Caller.Wallet, f, after, q.Limit)
	reply := summariesReply{Workflows: p.Workflows}
	if p.Next != nil {
		reply.NextCursor = encodeCursor(p.Next.CreatedAt, string(p.Next.ID))
	}
	return reply, err
}

type countsReply struct {
	Counts   map[atelier.Status]int `json:"counts"`
	Total    int                    `json:"total"`
	Complete bool                   `json:"complete"` // whether all were counted: of a search only the newest are
}

func (s *Server) countWorkflows(c *endpoint.Call, q workflowSelection) (countsReply, error) {
	f, err := q.filter()
	if err != nil {
		return countsReply{}, err
	}
	reply := countsReply{}
	reply.Counts, reply.Complete, err = s.workflows.Counts(c, c.Caller.Wallet, f)
	for _, n := range reply.Counts {
		reply.Total += n
	}
	return reply, err
}
