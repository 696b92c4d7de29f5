package run

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/run/snapshot"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// storedURL begins the marker of a stored object in payloads. It becomes a signed URL
// when it is read.
const storedURL = "blob:"

// argumentsOf are the arguments of a call as an object, or as the text that the model
// has sent.
func argumentsOf(text string) any {
	if strings.TrimSpace(text) == "" {
		return map[string]any{}
	}
	var args map[string]any
	if err := wire.UnmarshalLenient([]byte(text), &args); err != nil || args == nil {
		return text
	}
	return args
}

func callPayloads(calls []callDocument) (out []any) {
	for _, c := range calls {
		out = append(out, map[string]any{"toolCallId": c.ID, "toolName": c.Name, "arguments": argumentsOf(c.Arguments)})
	}
	return out
}

// pay pays bills in the transaction of a change, and reports those of a model.
func (r *record) pay(tx *store.Tx, bills []*chat.Bill) error {
	for _, b := range bills {
		paid, err := b.Pay(tx)
		if err != nil {
			return err
		}
		if b.Model == "" {
			continue
		}
		spark, svc := atelier.Money(0), atelier.Money(0)
		for _, part := range paid.Parts {
			if part.Token == atelier.TokenSvc {
				svc += part.Amount
			} else {
				spark += part.Amount
			}
		}
		token := atelier.PaySpark
		if svc > spark {
			token = atelier.PaySvc
		}
		payload := map[string]any{
			"eventId": b.Cause, "modelName": b.Model, "tokenType": token, "costInToken": (spark + svc).String(), "costInSpark": spark.String(), "costInSvc": svc.String(),
			"costInUSD": b.Cost.USD.String(), "inputTokens": b.Usage.PromptTokens, "outputTokens": b.Usage.CompletionTokens, "cachedTokens": b.Usage.CachedTokens,
		}
		if paid.ByPlan {
			payload["coveredByPlan"] = true
		}
		r.emit(atelier.EventSpend, payload)
	}
	return nil
}

// status is the status of an outcome in the words of the specification.
func (d *outcomeDocument) status() string {
	switch {
	case d.Cancelled || d.Result["error_type"] == "USER_CANCELLED":
		return "cancelled"
	case d.Result["ok"] == true:
		return "ok"
	}
	return "err"
}

func (d *outcomeDocument) errorCode() string {
	code, _ := d.Result["error_type"].(string)
	return code
}

// summary is what an outcome says in words.
func (d *outcomeDocument) summary() string {
	for _, text := range []string{d.Note, d.Text} {
		if text != "" {
			return text
		}
	}
	text, _ := d.Result["message"].(string)
	return text
}

// isMedia reports whether an artifact is media that clients show.
func (a artifactDocument) isMedia() bool {
	switch a.Kind {
	case "image", "video", "audio", "model":
		return true
	}
	return false
}

// marker is the URL of an artifact as payloads are stored.
func (a artifactDocument) marker() string {
	if a.Key != "" {
		return storedURL + a.Key
	}
	return a.URL
}

// runArtifact is an artifact as a part of a run.
type runArtifact struct {
	artifactDocument
	call  string // the id of the call that has made it
	model string
}

// payload is the artifact as events have it.
func (a runArtifact) payload() map[string]any {
	out := map[string]any{"id": a.ID, "url": a.marker(), "mediaType": a.Kind, "mimeType": a.Type, "toolName": a.Tool, "toolCallId": a.call}
	for name, v := range map[string]string{"workflowId": a.WorkflowID, "stepId": a.StepID, "modelKey": a.model} {
		if v != "" {
			out[name] = v
		}
	}
	return out
}

// artifactsOf are the artifacts of a call, with the ids that they have in the run.
func (r *record) artifactsOf(c callDocument) (out []runArtifact) {
	if c.Outcome == nil {
		return nil
	}
	for i, a := range c.Outcome.Made {
		a.ID = fmt.Sprintf("art_%s_%d", c.ID, i+1)
		if a.Tool == "" {
			a.Tool = c.Name
		}
		out = append(out, runArtifact{a, c.ID, c.Outcome.Model})
	}
	return out
}

// artifacts are all artifacts of a run.
func (r *record) artifacts() (out []runArtifact) {
	for _, round := range r.state.Rounds {
		for _, c := range round.Calls {
			out = append(out, r.artifactsOf(c)...)
		}
	}
	return out
}

func mediaPayloads(artifacts []runArtifact) []any {
	out := []any{}
	for _, a := range artifacts {
		if !a.isMedia() {
			continue
		}
		media := map[string]any{"url": a.marker(), "mediaType": a.Kind, "toolName": a.Tool}
		if a.model != "" {
			media["modelKey"] = a.model
		}
		out = append(out, media)
	}
	return out
}

func artifactPayloads(artifacts []runArtifact) []any {
	out := []any{}
	for _, a := range artifacts {
		out = append(out, a.payload())
	}
	return out
}

// mediaContext lists the media of a run, by what url returns for it.
func (r *record) mediaContext(url func(string) string) snapshot.MediaContext {
	c := snapshot.MediaContext{
		Images: []string{}, Videos: []string{}, Audio: []string{}, UploadedImages: []string{}, UploadedVideos: []string{}, UploadedAudio: []string{},
	}
	for _, m := range r.request.Made {
		addTo(url(m.URL), m.Kind, &c.Images, &c.Videos, &c.Audio)
	}
	for _, a := range r.artifacts() {
		addTo(url(a.marker()), a.Kind, &c.Images, &c.Videos, &c.Audio)
	}
	for _, m := range r.request.Media {
		addTo(url(m.URL), m.Kind, &c.UploadedImages, &c.UploadedVideos, &c.UploadedAudio)
	}
	for _, m := range r.request.Messages {
		for _, p := range m.Parts {
			if p.Image != "" {
				c.UploadedImages = append(c.UploadedImages, url(p.Image))
			}
		}
	}
	return c
}

func addTo(url, kind string, images, videos, audio *[]string) {
	switch kind {
	case "image":
		*images = append(*images, url)
	case "video":
		*videos = append(*videos, url)
	case "audio":
		*audio = append(*audio, url)
	}
}

func (r *record) mediaContextPayload() map[string]any {
	c := r.mediaContext(func(url string) string { return url })
	return map[string]any{
		"images": c.Images, "videos": c.Videos, "audio": c.Audio,
		"uploadedImages": c.UploadedImages, "uploadedVideos": c.UploadedVideos, "uploadedAudio": c.UploadedAudio,
	}
}

func (f *finalDocument) payload() map[string]any {
	out := map[string]any{"finishReason": f.Finish}
	if f.Content != "" {
		out["content"] = f.Content
	}
	if len(f.Pending) > 0 {
		out["pendingToolCalls"] = callPayloads(f.Pending)
	}
	return out
}

// signer signs the URLs of stored objects, for readers of now: the same object by the same
// URL.
func (e *Engine) signer(ctx context.Context) func(string) string {
	terms := blob.FixedTerms(e.opts.Now(), e.opts.DownloadTTL)
	signed := map[string]string{}
	return func(url string) string {
		key, stored := strings.CutPrefix(url, storedURL)
		if !stored {
			return url
		}
		if url, known := signed[key]; known {
			return url
		}
		t := terms
		t.Fixed = !strings.HasPrefix(key, "inputs/") // a form can be posted again while it is open
		signed[key], _ = e.blobs.GetURL(ctx, key, t)
		return signed[key]
	}
}

// artifactURL is the URL of an artifact that the chat engine works with.
func (e *Engine) artifactURL(ctx context.Context) func(artifactDocument) string {
	sign := e.signer(ctx)
	return func(a artifactDocument) string { return sign(a.marker()) }
}

// signPayload signs the URLs of stored objects in the payload of an event. Only what
// this package has stored as a URL is signed: other texts are of users and models.
func signPayload(t atelier.EventType, payload map[string]any, sign func(string) string) map[string]any {
	switch t {
	case atelier.EventMediaContext:
		payload = maps.Clone(payload)
		for kind, urls := range payload {
			payload[kind] = mapItems(urls, func(v any) any {
				url, _ := v.(string)
				return sign(url)
			})
		}
	case atelier.EventCallResolved:
		payload = maps.Clone(payload)
		for _, list := range []string{"mediaUrls", "artifacts"} {
			payload[list] = mapItems(payload[list], func(v any) any {
				item, _ := v.(map[string]any)
				item = maps.Clone(item)
				if url, ok := item["url"].(string); ok {
					item["url"] = sign(url)
				}
				return item
			})
		}
	}
	return payload
}

// mapItems applies a function to the items of a list.
func mapItems(list any, fn func(any) any) []any {
	items, _ := list.([]any)
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = fn(v)
	}
	return out
}
