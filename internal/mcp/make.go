package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/workflow"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// make runs a workflow to its end, and reports on the way.
func (c *call) make(ctx context.Context, q workflow.StartRequest) (*sdk.CallToolResult, error) {
	q.Terms, q.Filter, q.Weigh = c.terms(), true, c.Weigh
	q = q.By(c.Caller)
	if asked, err := c.askForCost(ctx, q); asked != nil || err != nil {
		return asked, err
	}
	if err := c.CheckSpace(); err != nil {
		return nil, err
	}
	token := c.request.Params.GetProgressToken()
	w, err := c.Generations.Make(ctx, c.Caller.Account, q, func(p generation.Progress) error {
		if token == nil {
			return ctx.Err()
		}
		return c.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: p.Part, Total: 1, Message: p.Message})
	})
	if err != nil {
		return nil, err
	}
	return c.result(ctx, w)
}

// costAnswer is the id of the question about the cost.
const costAnswer = "cost"

// askForCost asks the user of a client that can ask for approval, where the balance would pay. The client
// calls the tool again with the answer.
func (c *call) askForCost(ctx context.Context, q workflow.StartRequest) (*sdk.CallToolResult, error) {
	can := c.request.ClientCapabilities()
	if can == nil || can.Elicitation == nil {
		return nil, nil
	}
	if answer, ok := c.request.Params.InputResponses[costAnswer].(*sdk.ElicitResult); ok {
		if answer.Action != "accept" {
			return failed("The user has declined the cost. Nothing was made."), nil
		}
		return nil, nil
	}
	quote, err := c.Workflows.Quote(ctx, c.Caller.Account, q)
	if err != nil || quote.CoveredByPlan || quote.Cost.Spark == 0 {
		return nil, err
	}
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{costAnswer: &sdk.ElicitParams{
		Mode: "form", Message: fmt.Sprintf("%s costs %s Spark. Make it?", c.request.Params.Name, quote.Cost.Spark),
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}}}, nil
}

// How large the picture is that a result has beside its link.
const (
	inlineEdge  = 768
	inlineBytes = 256 << 10
	mostInline  = 4
)

// artifactURI begins the addresses of results as resources.
const artifactURI = "atelier://artifacts/"

// made is the structured result of a call.
type made struct {
	WorkflowID string             `json:"workflowId"`
	Status     atelier.Status     `json:"status"`
	Artifacts  []apitype.Artifact `json:"artifacts"`
}

// result is what a workflow has made: links, and small pictures beside them.
func (c *call) result(ctx context.Context, w apitype.Workflow) (*sdk.CallToolResult, error) {
	if err := c.Reserve(int64(min(len(w.Artifacts), mostInline)) * inlineBytes * inAnswer); err != nil {
		return nil, err
	}
	out := &sdk.CallToolResult{StructuredContent: made{WorkflowID: w.WorkflowID, Status: w.Status, Artifacts: w.Artifacts}}
	var lines []string
	for i, a := range w.Artifacts {
		lines = append(lines, fmt.Sprintf("%s %d: %s", a.Kind, i+1, a.URL))
		if caveat := a.Caveat(); caveat != "" {
			lines = append(lines, caveat)
		}
		if a.Kind == "image" && i < mostInline {
			if picture, err := c.Generations.Picture(ctx, c.Caller.Wallet, a.URL, inlineEdge, inlineBytes); err == nil {
				out.Content = append(out.Content, &sdk.ImageContent{Data: picture, MIMEType: "image/jpeg"})
			}
		}
		size := a.SizeBytes
		out.Content = append(out.Content, &sdk.ResourceLink{URI: artifactURI + a.ID, Name: a.ToolName, Title: fmt.Sprintf("%s %d", a.Kind, i+1), MIMEType: a.MimeType, Size: &size})
	}
	out.Content = append([]sdk.Content{&sdk.TextContent{Text: strings.Join(append(lines, "Workflow: "+w.WorkflowID), "\n")}}, out.Content...)
	return out, nil
}
