package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/workflow"
)

// outcome is what became of a tool call.
type outcome struct {
	tool     string
	result   map[string]any
	made     []atelier.ArtifactRef
	workflow *WorkflowRef
	note     string // for the reader of the answer
	over     bool   // nothing more is to be said
}

// failed is the outcome of a call that came to nothing.
func failed(tool, kind, message string, retryable bool, next string) outcome {
	return outcome{tool: tool, result: map[string]any{
		"ok": false, "success": false, "tool": tool, "error_type": kind, "message": message, "retryable": retryable, "suggested_next_action": next,
	}}
}

// call runs one tool.
func (t *turn) call(ctx context.Context, c llm.ToolCall) (outcome, error) {
	args, err := argumentsOf(c)
	if err != nil {
		return outcome{}, err
	}
	tool := t.hosted[c.Function.Name]
	switch {
	case tool.Name == "ask_clarifying_question" || tool.Name == "finalize_response":
		return t.say(tool, args), nil
	case tool.Synchronous():
		return t.compose(ctx, c, tool, args)
	}
	return t.make(ctx, c, tool, args)
}

// say ends the turn with the model's own words.
func (t *turn) say(tool *catalog.Tool, args map[string]any) outcome {
	text, _ := args["question"].(string)
	if text == "" {
		text, _ = args["summary"].(string)
	}
	return outcome{tool: tool.Name, note: text, over: true, result: map[string]any{"ok": true, "success": true, "tool": tool.Name, "status": "completed"}}
}

// compose runs a tool that answers at once.
func (t *turn) compose(ctx context.Context, c llm.ToolCall, tool *catalog.Tool, args map[string]any) (outcome, error) {
	if err := t.progress(c, "running", 0, ""); err != nil {
		return outcome{}, err
	}
	result, _, _, err := t.o.Compose(ctx, t.q.Model, tool.Name, args)
	if err != nil {
		return outcome{}, err
	}
	return outcome{tool: tool.Name, result: result}, t.progress(c, "completed", 1, "")
}

func (t *turn) progress(c llm.ToolCall, status string, at float64, message string) error {
	return t.tell(Event{Progress: &ToolProgress{ToolCallID: c.ID, Tool: c.Function.Name, Status: status, Progress: at, Message: message}})
}

// make runs a media tool: a workflow of one step.
func (t *turn) make(ctx context.Context, c llm.ToolCall, tool *catalog.Tool, args map[string]any) (outcome, error) {
	args, note, err := t.affordable(ctx, tool, args)
	if err != nil {
		return outcome{}, err
	}
	args, media, err := t.reach(ctx, tool, args)
	if err != nil {
		return failed(tool.Name, "ASSET_NOT_FOUND", err.Error(), false, "address_existing_media"), nil
	}
	started, err := t.workflows.Start(ctx, t.q.Caller.Account, workflow.StartRequest{
		Title: tool.Name, Steps: []atelier.StepInput{{ID: tool.Name, ToolName: tool.Name, Arguments: args}}, Media: media,
		Terms: t.q.Terms, Filter: t.q.Filter, AppSource: t.q.AppSource,
	})
	if err != nil {
		return refusedStart(tool.Name, err)
	}
	id := started.Workflow.WorkflowID
	ref := refTo(id, started.Workflow.Status)
	if err := t.tell(Event{Workflow: &ref}); err != nil {
		return outcome{}, err
	}
	status, err := t.follow(ctx, c, id)
	if err != nil {
		return outcome{}, err
	}
	o, err := t.collect(ctx, tool.Name, id, status)
	o.note = strings.TrimSpace(note + " " + o.note)
	return o, err
}

// refusedStart is the outcome of a workflow that was not accepted.
func refusedStart(tool string, err error) (outcome, error) {
	var e *atelier.Error
	if !errors.As(err, &e) {
		return outcome{}, err
	}
	switch e.Code.Kind {
	case atelier.Invalid:
		next := "correct_arguments"
		if e.Field != "" {
			next += ":" + e.Field[strings.LastIndexByte(e.Field, '.')+1:]
		}
		return failed(tool, "PARAMETER_INVALID", e.Message, false, next), nil
	case atelier.PaymentRequired:
		return failed(tool, "COST_LIMIT_EXCEEDED", e.Message, false, "add_credits"), nil
	case atelier.Conflict, atelier.TooMany:
		return failed(tool, "MODEL_UNAVAILABLE", e.Message, true, "try_again_later"), nil
	}
	return outcome{}, err
}

// follow tells how far a workflow is until it is over or waits for its user.
func (t *turn) follow(ctx context.Context, c llm.ToolCall, id string) (atelier.Status, error) {
	news, err := t.workflows.Follow(ctx, t.q.Caller.Wallet, id, -1, t.o.Heartbeat)
	if err != nil {
		return "", err
	}
	for n, err := range news {
		switch {
		case err != nil:
			return "", err
		case n.Event != nil && n.Event.Type == atelier.WorkflowProgress:
			at, _ := n.Event.Payload["progress"].(float64)
			err = t.progress(c, "running", at, n.Event.Message)
		case n.Standing != nil:
			s := n.Standing.Status
			if s.Terminal() || s == atelier.WaitingForUser {
				return s, t.progress(c, string(s), 1, "")
			}
			err = t.progress(c, string(s), 0, "")
		case n.Event == nil:
			err = t.tell(Event{Beat: true})
		}
		if err != nil {
			return "", err
		}
	}
	return "", ctx.Err()
}

// collect reads what a workflow has made.
func (t *turn) collect(ctx context.Context, tool, id string, status atelier.Status) (outcome, error) {
	w, err := t.workflows.Get(ctx, t.q.Caller.Wallet, id)
	if err != nil {
		return outcome{}, err
	}
	ref := refTo(id, w.Status)
	o := outcome{tool: tool, workflow: &ref, made: w.Artifacts}
	switch {
	case status == atelier.WaitingForUser && w.WaitingReason == atelier.WaitCredit:
		o.result = failed(tool, "COST_LIMIT_EXCEEDED", "The balance cannot cover it. The workflow waits and can be resumed after a top-up.", true, "add_credits").result
	case status == atelier.WaitingForUser:
		o.result = failed(tool, "SAFETY_REJECTED", "The content filter holds it back. The workflow waits for a review.", false, "change_prompt").result
	case w.Error != nil && w.Error.Code == "subscription_limit":
		return o, atelier.Errorf(atelier.CodeSubscriptionLimit, "%s", w.Error.Message)
	case len(w.Artifacts) == 0:
		message := "It came to nothing."
		if w.Error != nil {
			message = w.Error.Message
		}
		o.result = failed(tool, "GPU_WORKER_FAILED", message, w.Error != nil && w.Error.Retryable, "try_again").result
	default:
		o.result = map[string]any{
			"ok": true, "success": true, "tool": tool, "status": "completed", "workflowId": id, "artifacts": w.Artifacts, "output_assets": w.Artifacts,
		}
	}
	if o.result["ok"] == false {
		o.result["workflowId"] = id
	}
	return o, nil
}

// affordable replaces a vendor's model that the caller cannot pay for by one of
// our own, and says so.
func (t *turn) affordable(ctx context.Context, tool *catalog.Tool, args map[string]any) (map[string]any, string, error) {
	name, _ := args[tool.Models.Argument].(string)
	if tool.Models.Argument == "" || name == "" {
		return args, "", nil
	}
	answer, err := t.catalog.Step(tool.Name, args, catalog.Facts{})
	if err != nil || !answer.Premium() {
		return args, "", nil // what is wrong is found when it is started
	}
	balance, err := t.billing.Balance(ctx, t.q.Caller.Wallet)
	if err != nil || balance.Spark.PremiumCredit > 0 {
		return args, "", err
	}
	args = maps.Clone(args)
	delete(args, tool.Models.Argument)
	return args, fmt.Sprintf("(%s needs Premium Spark; a model of this service was used instead.)", name), nil
}

// reach turns the indices of a call into references: what was sent keeps its
// place, and what was made follows behind it.
func (t *turn) reach(ctx context.Context, tool *catalog.Tool, args map[string]any) (map[string]any, []atelier.MediaReference, error) {
	media, err := t.uploads(ctx, tool, args)
	if err != nil {
		return nil, nil, err
	}
	args = maps.Clone(args)
	move := func(kind catalog.Kind, v any) (any, error) {
		index, ok := v.(float64)
		if !ok || index < 0 {
			return v, nil
		}
		rest := int(index)
		for _, m := range t.shelf.made {
			if kind != "any" && m.Kind != string(kind) {
				continue
			}
			if rest == 0 {
				media = append(media, m)
				return float64(-place(media, kind)), nil
			}
			rest--
		}
		return nil, fmt.Errorf("there is no %s %d in this conversation", kind, int(index))
	}
	for _, a := range tool.MediaArguments() {
		switch v := args[a.Name].(type) {
		case []any:
			list := make([]any, len(v))
			for i, item := range v {
				object, nested := item.(map[string]any)
				if !nested {
					if list[i], err = move(a.Media, item); err != nil {
						return nil, nil, err
					}
					continue
				}
				object = maps.Clone(object)
				for _, f := range a.Items.Fields {
					if f.Media != "" && object[f.Name] != nil {
						if object[f.Name], err = move(f.Media, object[f.Name]); err != nil {
							return nil, nil, err
						}
					}
				}
				list[i] = object
			}
			args[a.Name] = list
		case nil:
		default:
			if args[a.Name], err = move(a.Media, v); err != nil {
				return nil, nil, err
			}
		}
	}
	// A tool that needs media and was pointed at none means the newest result.
	if len(media) == 0 && len(tool.Needs) > 0 {
		for i := len(t.shelf.made) - 1; i >= 0; i-- {
			if t.shelf.made[i].Kind == string(tool.Needs[0].Kind) {
				media = append(media, t.shelf.made[i])
				break
			}
		}
	}
	return args, media, nil
}

// place is the position of the last reference among those of its kind.
func place(media []atelier.MediaReference, kind catalog.Kind) (n int) {
	for _, m := range media {
		if kind == "any" || m.Kind == string(kind) {
			n++
		}
	}
	return n
}

// uploads are what the caller sent. Images that came inline are stored when a
// tool that reads images is called.
func (t *turn) uploads(ctx context.Context, tool *catalog.Tool, args map[string]any) ([]atelier.MediaReference, error) {
	media := append([]atelier.MediaReference(nil), t.q.Media...)
	if len(tool.MediaArguments()) == 0 {
		return media, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, p := range t.shelf.inline {
		if strings.HasPrefix(p.URL, "data:") {
			data, kind, err := llm.DecodeImage("image", p.URL)
			if err != nil {
				return nil, err
			}
			url, err := t.o.Keep(ctx, t.q.Caller.Wallet, kind, data)
			if err != nil {
				return nil, err
			}
			t.shelf.inline[i].URL = url
		}
		media = append(media, reference("image", t.shelf.inline[i].URL))
	}
	return media, nil
}
