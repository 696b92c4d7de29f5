package mcp

import (
	"context"
	"reflect"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/wire"
	"github.com/atelier-project/atelier/internal/workflow"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is the schema of an object.
func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// text is the schema of a text.
func text(about string) map[string]any { return map[string]any{"type": "string", "description": about} }

// workflowTools are the tools for workflows, besides those of the catalog.
var workflowTools = []string{"start_workflow", "get_workflow", "cancel_workflow"}

// addWorkflowTools adds the tools that start, show and cancel workflows.
func (s *session) addWorkflowTools(out *sdk.Server) {
	steps := map[string]any{
		"type": "array", "minItems": 1, "maxItems": atelier.MaxSteps, "description": "The steps. Steps that do not depend on each other run at the same time.",
		"items": object([]string{"id", "toolName", "arguments"}, map[string]any{
			"id": text("Names the step."), "toolName": text("A tool of this server that makes media."),
			"arguments": map[string]any{"type": "object", "description": "Its arguments, without those that dependsOn fills."},
			"dependsOn": map[string]any{"type": "array", "items": object([]string{"sourceStepId", "targetArgument", "transform"}, map[string]any{
				"sourceStepId": text("The step whose result is taken."), "sourceArtifactIndex": map[string]any{"type": "integer", "minimum": 0},
				"targetArgument": text("The argument that gets it, such as sourceImageIndex."), "transform": text("image_index, video_index or audio_index."),
			})},
		}),
	}
	id := object([]string{"workflowId"}, map[string]any{"workflowId": text("The id that start_workflow or another tool returned.")})
	isRead, isHarmless := &sdk.ToolAnnotations{ReadOnlyHint: true}, &sdk.ToolAnnotations{DestructiveHint: new(bool)}
	out.AddTool(&sdk.Tool{
		Name: "start_workflow", Description: "Start a workflow of several steps, and return at once. Read it with get_workflow.", Annotations: isHarmless,
		InputSchema: object([]string{"steps"}, map[string]any{"title": text("A title."), "steps": steps}),
	}, s.handle(startWorkflow))
	out.AddTool(&sdk.Tool{Name: "get_workflow", Description: "Show a workflow: its status, its steps and their results.", InputSchema: id, Annotations: isRead}, s.handle(getWorkflow))
	out.AddTool(&sdk.Tool{Name: "cancel_workflow", Description: "Cancel a workflow.", InputSchema: id}, s.handle(cancelWorkflow))
}

// plan is the arguments of start_workflow.
type plan struct {
	Title string              `wire:"title,maxlen=200"`
	Steps []atelier.StepInput `wire:"steps,required,minlen=1,maxlen=12"`
}

var planShape = wire.ShapeOf(reflect.TypeFor[plan](), wire.Strict)

func startWorkflow(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	var p plan
	if err := planShape.Body(c.request.Params.Arguments, nil, &p); err != nil {
		return nil, err
	}
	q := workflow.StartRequest{Title: p.Title, Steps: p.Steps, Terms: c.terms(), Filter: true, Weigh: c.Weigh}.By(c.Caller)
	if asked, err := c.askForCost(ctx, q); asked != nil || err != nil {
		return asked, err
	}
	if err := c.CheckSpace(); err != nil {
		return nil, err
	}
	started, err := c.Workflows.Start(ctx, c.Caller.Account, q)
	if err != nil {
		return nil, err
	}
	return shown(started.Workflow)
}

func getWorkflow(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	w, err := c.Workflows.Workflow(ctx, c.Caller.Wallet, c.workflowID())
	if err != nil {
		return nil, err
	}
	if w.Status == atelier.StatusCompleted {
		return c.result(ctx, w)
	}
	return shown(w)
}

func cancelWorkflow(ctx context.Context, c *call) (*sdk.CallToolResult, error) {
	done, err := c.Workflows.Cancel(ctx, c.Caller.Wallet, c.workflowID(), "user_cancelled")
	if err != nil {
		return nil, err
	}
	return shown(done.Workflow)
}

func (c *call) workflowID() atelier.WorkflowID {
	id, _ := c.args["workflowId"].(string)
	return atelier.WorkflowID(id)
}

// state is how a workflow is shown.
type state struct {
	WorkflowID string                `json:"workflowId"`
	Status     atelier.Status        `json:"status"`
	Waiting    atelier.WaitingReason `json:"waitingReason,omitzero"`
	Steps      []stepState           `json:"steps"`
	Artifacts  []apitype.Artifact    `json:"artifacts"`
}

type stepState struct {
	ID       string         `json:"id"`
	Tool     string         `json:"toolName"`
	Status   atelier.Status `json:"status"`
	Progress float64        `json:"progress"`
	Error    string         `json:"error,omitzero"`
}

// shown is a workflow as a result.
func shown(w apitype.Workflow) (*sdk.CallToolResult, error) {
	out := state{WorkflowID: w.WorkflowID, Status: w.Status, Waiting: w.WaitingReason, Artifacts: w.Artifacts}
	for _, s := range w.Steps {
		one := stepState{ID: s.ID, Tool: s.ToolName, Status: s.Status, Progress: s.Progress}
		if s.Error != nil {
			one.Error = s.Error.Message
		}
		out.Steps = append(out.Steps, one)
	}
	text, err := wire.Marshal(out)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: out}, err
}
