package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/store"
)

// studio is a service with the accounts that a sample needs.
type studio struct {
	client // an artist with a plan and credit
	worker *ateliertest.Worker
	wil    string // the key of the worker's account
	lora   string // a link to a LoRA file
}

func openStudio(t *testing.T, o store.Options, set ...func(*config.Config)) studio {
	t.Helper()
	sites := loratest.Serve(t)
	s := ateliertest.Start(t, o, append(set, func(c *config.Config) {
		for i := range c.Lora.Sources {
			c.Lora.Sources[i].BaseURL = sites.URL
		}
	})...)
	wil := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	return studio{client: client{t: t, s: s}, worker: s.Worker(t, wil), wil: wil.Key,
		lora: sites.AddHubFile("ann/fox", "fox.safetensors", loratest.LoRA{Family: "krea-2"}.File())}
}

// artist opens a separate account for each sample, so that none meets the limits
// or the data of another.
func (h studio) artist(t *testing.T) studio {
	t.Helper()
	ann := h.s.Account(t, account.NewAccount{Tier: "unlimited"}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	h.t, h.key = t, ann.Key
	return h
}

// workflow starts one and returns its id and that of its step's project.
func (h studio) workflow(prompt string) (id, project string) {
	h.t.Helper()
	var started struct{ Workflow apitype.Workflow }
	h.do("POST", workflows, fmt.Sprintf(`{"input": {"steps": [{"id": "fox", "toolName": "generate_image", "arguments": {"prompt": %q}}]}}`, prompt), 201, &started)
	return started.Workflow.WorkflowID, started.Workflow.Steps[0].ProjectID
}

// finished is a workflow that a worker has rendered.
func (h studio) finished() string {
	h.t.Helper()
	return h.render(h.workflow("a fox"))
}

// clip is a video that a worker has rendered.
func (h studio) clip() string {
	h.t.Helper()
	var started struct{ Workflow apitype.Workflow }
	h.do("POST", workflows, `{"input": {"steps": [{"id": "fox", "toolName": "generate_video", "arguments": {"prompt": "a fox"}}]}}`, 201, &started)
	return h.render(started.Workflow.WorkflowID, started.Workflow.Steps[0].ProjectID)
}

// render has the worker render a workflow.
func (h studio) render(id, project string) string {
	h.t.Helper()
	for {
		j := h.worker.Claim(h.t) // there may be others in the queue
		h.worker.Complete(h.t, j, len(j.Artifacts), nil)
		if string(j.ProjectID) == project {
			return id
		}
	}
}

// artifact is one that a worker has made.
func (h studio) artifact() (a struct{ ArtifactID, ThumbnailURL string }) {
	h.t.Helper()
	id := h.finished()
	var list struct {
		Artifacts []struct{ ArtifactID, ThumbnailURL string }
	}
	h.do("GET", "/v1/artifacts?workflowId="+id, "", 200, &list)
	return list.Artifacts[0]
}

func (h studio) board(name string) string {
	h.t.Helper()
	var made struct{ Board struct{ BoardID string } }
	h.do("POST", "/v1/library/boards", fmt.Sprintf(`{"name": %q}`, name), 201, &made)
	return made.Board.BoardID
}

// webhook adds a webhook for all events.
func (h studio) webhook(url string) string {
	h.t.Helper()
	var made struct{ Webhook struct{ ID string } }
	h.do("POST", "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, url), 201, &made)
	return made.Webhook.ID
}

// undelivered is a delivery of a webhook that was disabled, which cannot be sent again yet.
func (h studio) undelivered() actual {
	h.t.Helper()
	id := h.webhook("https://receiver.invalid/")
	workflow, _ := h.workflow("a fox")
	h.do("POST", workflows+"/"+workflow+"/cancel", "", 200, nil)
	var log struct{ Deliveries []struct{ ID string } }
	h.do("GET", "/v1/webhooks/"+id+"/deliveries", "", 200, &log)
	h.do("PATCH", "/v1/webhooks/"+id, `{"status": "disabled"}`, 200, nil)
	return actual{params: map[string]string{"id": id, "deliveryId": log.Deliveries[0].ID}, status: 409}
}

func (h studio) template() string {
	h.t.Helper()
	var made struct{ Template struct{ ID string } }
	h.do("POST", workflows+"/templates", `{"name": "Fox", "stages": [{"id": "fox", "tool": "generate_image", "args": {"prompt": "a fox"}}]}`, 201, &made)
	return made.Template.ID
}

// pausedRun is a run that waits until its cost is approved.
func (h studio) pausedRun() runView {
	h.t.Helper()
	var started struct{ Run runView }
	h.do("POST", runs, `{"session_id": "foxes", "messages": [{"role": "user", "content": "Make a picture of a red fox."}], "runtimeConfig": {"requireJobConfirmation": true}}`, 202, &started)
	h.followRun(started.Run.RunID, "run_waiting_for_user")
	h.do("GET", runs+"/"+started.Run.RunID, "", 200, &started)
	return started.Run
}

// followRun follows a run until an event.
func (h studio) followRun(id, until string) {
	h.t.Helper()
	req := newRequest(h.t, "GET", h.s.URL+runs+"/"+id+"/events/stream", nil)
	req.Header.Set("Authorization", "Bearer "+h.key)
	for stream := ateliertest.OpenStream(h.t, req); ; {
		f, err := stream.NextEvent()
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Event == until {
			stream.Leave()
			return
		}
	}
}

func (h studio) asset() prepared {
	h.t.Helper()
	file := picture(8, 8)
	p := h.prepare(file, "image/png")
	if status := h.put(p, file); status != 200 {
		h.t.Fatalf("put: %d", status)
	}
	return p
}

func (h studio) savedAsset() string {
	h.t.Helper()
	p := h.asset()
	h.do("POST", "/v1/assets/"+p.ID+"/finalize", "{}", 200, nil)
	return p.ID
}

// leased is a job in the hands of the worker.
func (h studio) leased() actual {
	h.t.Helper()
	h.workflow("a fox")
	j := h.worker.Claim(h.t)
	return actual{key: h.wil, params: map[string]string{"workerId": string(h.worker.ID), "jobId": string(j.JobID)},
		body: map[string]any{"artifacts": []any{map[string]any{"id": j.Artifacts[0].ID, "data": picture(8, 8)}}}}
}

func (h studio) replay() string {
	h.t.Helper()
	h.do("POST", "/v1/replay/records", `{"run_id": "run-7"}`, 201, nil)
	return "run-7"
}

// uploadsLora is the sample of an upload with a LoRA file.
func (h studio) uploadsLora() actual {
	h.t.Helper()
	req := newRequest(h.t, "POST", h.s.URL+"/v1/loras/personal/upload?name=Fox&modelId=krea2_turbo_fp8_scaled&rightsConfirmed=true", loratest.LoRA{Family: "krea-2"}.File())
	req.Header.Set("Authorization", "Bearer "+h.key)
	return actual{request: req}
}

// asksMCP is the sample of a message of the Model Context Protocol.
func (h studio) asksMCP() actual {
	h.t.Helper()
	req := newRequest(h.t, "POST", h.s.URL+"/mcp", []byte(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+h.key)
	return actual{request: req}
}

// answered is a sample that is answered with a status.
func (a actual) answered(status int) actual {
	a.status = status
	return a
}

// sendsPicture is the sample of a form with a picture.
func (h studio) sendsPicture(path, field string) actual {
	h.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile(field, "fox.png")
	if err == nil {
		_, err = file.Write(picture(64, 64))
	}
	if err := errors.Join(err, form.WriteField("prompt", "a blue fox"), form.Close()); err != nil {
		h.t.Fatal(err)
	}
	req := newRequest(h.t, "POST", h.s.URL+path, body.Bytes())
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+h.key)
	return actual{request: req, waits: strings.HasPrefix(path, "/v1/images")}
}

// renderAll renders what is queued, up to a job of the artist.
func (h studio) renderAll() {
	h.t.Helper()
	for {
		if j := h.worker.Claim(h.t); j.Arguments["width"] != nil {
			h.worker.CompleteAsOrdered(h.t, j)
		} else {
			h.worker.Complete(h.t, j, len(j.Artifacts), nil)
		}
		var list struct{ Workflows []apitype.Workflow }
		if h.do("GET", workflows, "", 200, &list); len(list.Workflows) > 0 && list.Workflows[0].Status == atelier.StatusCompleted {
			return
		}
	}
}

// importedLora is a personal LoRA of the artist.
func (h studio) importedLora() string {
	h.t.Helper()
	var r struct{ ID string }
	h.do("POST", "/v1/loras/personal", fmt.Sprintf(`{"url": %q, "name": "Fox", "modelId": "krea2_turbo_fp8_scaled", "rightsConfirmed": true}`, h.lora), 202, &r)
	return r.ID
}

// fromConsole is a request of a signed-in console.
func (h studio) fromConsole(method, path string) *http.Request {
	h.t.Helper()
	resp, err := http.Post(h.s.URL+"/v1/console/sessions", "application/json", strings.NewReader(fmt.Sprintf(`{"apiKey": %q}`, h.key)))
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	var begun struct {
		Data struct{ Session struct{ Token string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&begun); err != nil {
		h.t.Fatal(err)
	}
	req := newRequest(h.t, method, h.s.URL+path, nil)
	for _, cookie := range resp.Cookies() {
		req.AddCookie(cookie)
	}
	req.Header.Set("Atelier-Console", begun.Data.Session.Token)
	return req
}

// ownKey is the id of the artist's key.
func (h studio) ownKey() string {
	h.t.Helper()
	var r struct{ Keys []struct{ KeyID string } }
	h.do("GET", "/v1/account/keys", "", 200, &r)
	return r.Keys[0].KeyID
}

// conversation is a conversation of one run that is over.
func (h studio) conversation() actual {
	h.t.Helper()
	run := h.pausedRun().RunID
	h.do("POST", runs+"/"+run+"/cancel", "{}", 200, nil)
	h.followRun(run, "run_cancelled")
	return actual{params: map[string]string{"sessionId": "foxes"}}
}

// response is one that is made.
func (h studio) response() string {
	h.t.Helper()
	var made struct{ ID string }
	if a := h.raw("POST", "/v1/responses", `{"model": "atelier-builtin", "input": "Say hello."}`); a.status != 200 || json.Unmarshal([]byte(a.body), &made) != nil {
		h.t.Fatalf("a response: %d %s", a.status, a.body)
	}
	return made.ID
}

// prediction starts one.
func (h studio) prediction() (made replicate.Prediction) {
	h.t.Helper()
	a := h.raw("POST", "/replicate/v1/predictions", `{"version": "atelier/z_image_turbo_bf16", "input": {"prompt": "a fox"}}`)
	if a.status != 201 || json.Unmarshal([]byte(a.body), &made) != nil {
		h.t.Fatalf("a prediction: %d %s", a.status, a.body)
	}
	return made
}

// wallet is the artist's.
func (h studio) wallet() atelier.Wallet {
	h.t.Helper()
	var me struct{ WalletAddress atelier.Wallet }
	h.do("GET", "/v2/account/me", "", 200, &me)
	return me.WalletAddress
}

// reported is a job to say something about other than its end.
func (h studio) reported() actual {
	a := h.leased()
	a.body = nil
	return a
}
