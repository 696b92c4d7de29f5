package main

import (
	"context"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

type workflowList struct {
	service
	Status   []string `help:"Only those with one of these statuses: ${enum}." enum:"queued,running,waiting_for_user,completed,partial_failure,failed,cancelled" placeholder:"STATUS,…"`
	Kind     []string `help:"Only those whose result is one of these: ${enum}." enum:"image,video,audio,model,text,json" placeholder:"KIND,…"`
	Query    text     `help:"Only those whose title and prompts have these words." short:"q" placeholder:"WORDS"`
	Template text     `help:"Only those of this template." placeholder:"ID"`
	Tool     text     `help:"Only those with a step of this tool." placeholder:"NAME"`
	Model    text     `help:"Only those with a step that this model renders." placeholder:"ID"`
	Reason   text     `help:"Only those that ended without all their results for this reason." placeholder:"CODE"`
	From     moment   `help:"Only those that were created at this time, as RFC 3339, or later." placeholder:"TIME"`
	To       moment   `help:"Only those that were created before this time." placeholder:"TIME"`
	Limit    int      `help:"How many to list, from 1 to 200." default:"20" placeholder:"N"`
	All      bool     `help:"List all of them."`
	Cursor   text     `help:"Go on where an earlier list ended." placeholder:"CURSOR"`
	JSON     bool     `help:"Print JSON." name:"json"`
}

// Run lists workflows.
func (l *workflowList) Run(ctx context.Context, t terminal) error {
	if l.Limit < 1 || l.Limit > 200 {
		return exitError{fmt.Errorf("--limit: must be from 1 to 200"), 2}
	}
	c, err := l.connect()
	if err != nil {
		return err
	}
	list, err := l.read(ctx, c)
	if err != nil {
		return l.URL.explain(err)
	}
	if l.JSON {
		return printJSON(t.out, list)
	}
	table := newTable(t.out, "WORKFLOW", "STATUS", "STEPS", "COST (SPARK)", "RESULTS", "CREATED", "TITLE")
	for _, w := range list.Workflows {
		table.row(w.WorkflowID, w.Status, fmt.Sprintf("%d/%d", w.StepsDone, w.Steps), w.Cost.Short(), w.ArtifactCount, w.CreatedAt.Format(time.RFC3339), plainText(w.Title))
	}
	if err := table.flush(); err != nil {
		return err
	}
	if list.NextCursor != nil {
		fmt.Fprintf(t.err, "There are more: add --cursor %s, or --all.\n", *list.NextCursor)
	}
	return nil
}

// read reads a page, or all of them. A page of a search can be short or empty.
func (l *workflowList) read(ctx context.Context, c *client.Client) (apitype.WorkflowSummaries, error) {
	q := client.WorkflowQuery{
		Kinds: l.Kind, Words: string(l.Query), TemplateID: string(l.Template), Tool: string(l.Tool), Model: string(l.Model), Reason: string(l.Reason),
		From: time.Time(l.From), To: time.Time(l.To), Page: apitype.Page{Cursor: string(l.Cursor), Limit: l.Limit},
	}
	for _, s := range l.Status {
		q.Statuses = append(q.Statuses, atelier.Status(s))
	}
	if l.All {
		q.Limit = 200
	}
	out := apitype.WorkflowSummaries{Workflows: []apitype.WorkflowSummary{}}
	for named := (cursors{}); ; {
		page, err := c.WorkflowSummaries(ctx, q)
		if err != nil {
			return out, err
		}
		out.Workflows = append(out.Workflows, page.Workflows...)
		out.NextCursor = page.NextCursor
		if page.NextCursor == nil || !l.All && len(out.Workflows) >= l.Limit {
			return out, nil
		}
		if err := named.add(*page.NextCursor); err != nil {
			return out, err
		}
		q.Cursor = *page.NextCursor
		if !l.All {
			q.Limit = l.Limit - len(out.Workflows)
		}
	}
}
