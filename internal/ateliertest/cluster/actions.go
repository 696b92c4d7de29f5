package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/mint"
)

// What else clients do, besides what load.go has.

// mediaWorkflow uploads a picture and has it edited, enlarged and made into a clip. It reads what came of that, and
// deletes a part of it.
func (l *Load) mediaWorkflow(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	content, err := ateliertest.Sample("image/png")
	if err != nil {
		return err
	}
	var link string
	project := mint.UUID()
	err = l.tries(ctx, "upload", func() (err error) {
		link, err = who.UploadImage(ctx, project, "startingImage", "image/png", bytes.NewReader(content))
		return err
	})
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	from := func(step, argument string) []atelier.Binding {
		return []atelier.Binding{{SourceStepID: step, TargetArgument: argument, Transform: "image_index", Required: true}}
	}
	start := client.Start{Title: "media", Key: mint.UUID(), Media: []client.Media{{Kind: "image", URL: link}}, Steps: []atelier.StepInput{
		{ID: "a", ToolName: "edit_image", Arguments: map[string]any{"prompt": fmt.Sprintf("in snow in %dms", l.upTo(300)), "sourceImageIndex": -1}},
		{ID: "b", ToolName: "upscale_image", Arguments: map[string]any{}, DependsOn: from("a", "sourceImageIndex")},
		{ID: "c", ToolName: "generate_video", Arguments: map[string]any{"prompt": "it snows"}, DependsOn: from("a", "referenceImageIndices")},
	}}
	var w apitype.Workflow
	if err := l.tries(ctx, "start a workflow", func() (err error) { w, err = who.StartWorkflow(ctx, start); return err }); err != nil {
		return fmt.Errorf("start a workflow with media: %w", err)
	}
	if err := l.finish(ctx, w.WorkflowID); err != nil {
		return err
	}
	if err := l.tries(ctx, "read a workflow", func() (err error) { w, err = who.Workflow(ctx, w.WorkflowID); return err }); err != nil {
		return fmt.Errorf("read a workflow with media: %w", err)
	}
	if len(w.Artifacts) != 3 {
		return fmt.Errorf("the workflow %s has %d results, want 3: %+v", w.WorkflowID, len(w.Artifacts), w.Error)
	}
	for _, a := range w.Artifacts {
		err := l.tries(ctx, "download", func() error {
			body, _, err := who.Download(ctx, a.URL)
			if err != nil {
				return err
			}
			defer body.Close()
			_, err = io.Copy(io.Discard, body)
			return err
		})
		if err != nil {
			return fmt.Errorf("download %s: %w", a.ID, err)
		}
	}
	return l.tries(ctx, "delete", func() error {
		return who.Call(ctx, http.MethodDelete, "/v1/artifacts/"+url.PathEscape(w.Artifacts[1].ID), nil, nil)
	})
}

// finish follows a workflow that was accepted to its end, which Check looks at too.
func (l *Load) finish(ctx context.Context, id string) error {
	s := l.follow("/v1/creative-agent/workflows/" + id + "/events/stream")
	l.mu.Lock()
	l.workflows[id] = s
	l.mu.Unlock()
	return s.reader.read(ctx)
}

// template stores a template, finds it, starts it, and deletes it.
func (l *Load) template(ctx context.Context) error {
	const path = "/v1/creative-agent/workflows/templates"
	who := l.c.Client(l.c.URL, l.Ann)
	id := "fox_" + mint.UUID()
	text := fmt.Appendf(nil, `{"id": %q, "name": "Fox", "inputs": [{"name": "mood", "type": "text", "required": true, "description": "how it feels"}],
		"stages": [{"id": "still", "tool": "generate_image", "args": {"prompt": "a $inputs.mood fox in %dms", "width": 256, "height": 256}}]}`, id, l.upTo(300))
	if err := l.tries(ctx, "create a template", func() error { return who.Call(ctx, http.MethodPost, path, json.RawMessage(text), nil) }); err != nil {
		return fmt.Errorf("create a template: %w", err)
	}
	if err := l.tries(ctx, "list templates", func() error { _, _, err := who.Templates(ctx, "own", 0, 20); return err }); err != nil {
		return fmt.Errorf("list templates: %w", err)
	}
	var r apitype.WorkflowReply
	key := mint.UUID()
	err := l.tries(ctx, "start a template", func() (err error) {
		r, err = who.StartRequest(ctx, fmt.Appendf(nil, `{"workflow_id": %q, "inputs": {"mood": "calm"}}`, id), key)
		return err
	})
	if err != nil {
		return fmt.Errorf("start a template: %w", err)
	}
	if r.Preview != nil {
		if err := l.tries(ctx, "confirm", func() error { _, err := who.ConfirmWorkflowCost(ctx, r.Workflow.WorkflowID, r.Preview); return err }); err != nil {
			return fmt.Errorf("confirm the cost of a template: %w", err)
		}
	}
	if err := l.finish(ctx, r.Workflow.WorkflowID); err != nil {
		return err
	}
	return l.tries(ctx, "delete", func() error { return who.Call(ctx, http.MethodDelete, path+"/"+url.PathEscape(id), nil, nil) })
}

// lists reads what a page of a console shows.
func (l *Load) lists(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	for _, list := range []struct{ name, path string }{
		{"list workflows", "/v1/creative-agent/workflows?limit=20"}, {"list summaries", "/v1/creative-agent/workflows/summaries?limit=20"},
		{"list artifacts", "/v1/artifacts?limit=20"}, {"read the balance", "/v4/account/balance"}, {"read the usage", "/v1/subscriptions/usage/history"},
	} {
		if err := l.tries(ctx, list.name, func() error { return who.Call(ctx, http.MethodGet, list.path, nil, nil) }); err != nil {
			return fmt.Errorf("%s: %w", list.name, err)
		}
	}
	return nil
}

// webhook adds a webhook, tries it, and deletes it.
func (l *Load) webhook(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	var hook apitype.WebhookReply
	body := struct {
		URL    string   `json:"url"`
		Events []string `json:"events"`
	}{l.hooks.URL + "/second", []string{"workflow.failed"}}
	if err := l.tries(ctx, "create a webhook", func() error { return who.Call(ctx, http.MethodPost, "/v1/webhooks", body, &hook) }); err != nil {
		return fmt.Errorf("create a webhook: %w", err)
	}
	path := "/v1/webhooks/" + url.PathEscape(hook.Webhook.ID)
	if err := l.tries(ctx, "try a webhook", func() error { return who.Call(ctx, http.MethodPost, path+"/test", nil, nil) }); err != nil {
		return fmt.Errorf("try a webhook: %w", err)
	}
	return l.tries(ctx, "delete", func() error { return who.Call(ctx, http.MethodDelete, path, nil, nil) })
}

// chat asks for a chat completion as a stream. One that breaks is asked again, as clients do.
func (l *Load) chat(ctx context.Context) error {
	return l.completion(ctx, "chat, streamed", complete)
}

// wholeChat asks for one that comes as a whole.
func (l *Load) wholeChat(ctx context.Context) error {
	return l.completion(ctx, "chat, whole", completeWhole)
}

func (l *Load) completion(ctx context.Context, kind string, ask func(ctx context.Context, url, key, script string) (string, error)) error {
	words := l.words()
	return l.tries(ctx, kind, func() error {
		l.countChat(1, 0)
		got, err := ask(ctx, l.c.URL, l.Bob.Key, "say "+words)
		if err != nil {
			return err
		}
		if got != words {
			l.fault("%s: got %q, want %q", kind, got, words)
		}
		l.countChat(0, 1)
		return nil
	})
}

// countChat counts chat completions that were asked for, or came.
func (l *Load) countChat(asked, answered int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.answered = l.asked+asked, l.answered+answered
}

// health asks for nothing: what a request takes at this moment whatever it is about.
func (l *Load) health(ctx context.Context) error {
	who := l.c.Client(l.c.URL, l.Ann)
	return l.tries(ctx, "health", func() error { return who.Call(ctx, http.MethodGet, "/healthz", nil, nil) })
}
