package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/chat"

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

func callShapes(calls []callDocument) (out []apitype.PendingToolCall) {
	for _, c := range calls {
		out = append(out, apitype.PendingToolCall{ToolCallID: c.ID, ToolName: c.Name, Arguments: argumentsOf(c.Arguments)})
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
		r.addUsage(b, spark, svc, paid.ByPlan)
		token := atelier.PaySpark
		if svc > spark {
			token = atelier.PaySvc
		}
		r.emit(apitype.Spend{
			EventID: b.Cause, ModelName: b.Model, TokenType: token, CostInToken: spark + svc, CostInSpark: spark, CostInSvc: svc, CostInUSD: b.Cost.USD,
			InputTokens: b.Usage.PromptTokens, OutputTokens: b.Usage.CompletionTokens, CachedTokens: b.Usage.CachedTokens, CoveredByPlan: paid.ByPlan,
		})
	}
	return nil
}

// addUsage adds what a language model has used to the usage of the run.
func (r *record) addUsage(b *chat.Bill, spark, svc atelier.Money, byPlan bool) {
	if r.state.Usage == nil {
		r.state.Usage = &usageDocument{Model: b.Model}
	}
	u := r.state.Usage
	u.PromptTokens += b.Usage.PromptTokens
	u.CompletionTokens += b.Usage.CompletionTokens
	u.CachedTokens += b.Usage.CachedTokens
	u.Spark, u.Svc, u.USD, u.ByPlan = u.Spark+spark, u.Svc+svc, u.USD+b.Cost.USD, u.ByPlan || byPlan
}

// shape is the usage as clients read it.
func (u *usageDocument) shape() *apitype.RunUsage {
	if u == nil {
		return nil
	}
	return &apitype.RunUsage{
		Model: u.Model, PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, CachedTokens: u.CachedTokens,
		Seconds: float64(u.Milliseconds) / 1000, CostInSpark: u.Spark, CostInSvc: u.Svc, CostInUSD: u.USD, CoveredByPlan: u.ByPlan,
	}
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

// shape is the artifact as clients read it. Its URL is not signed yet.
func (a runArtifact) shape() apitype.RunArtifact {
	return apitype.RunArtifact{
		ID: a.ID, URL: a.marker(), MediaType: a.Kind, MimeType: a.Type, ToolName: a.Tool, ToolCallID: a.call, WorkflowID: a.WorkflowID, StepID: a.StepID, ModelKey: a.model,
	}
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

// mediaContext lists the media of a run, by what url returns for it.
func (r *record) mediaContext(url func(string) string) apitype.MediaContext {
	c := apitype.MediaContext{
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

func (f *finalDocument) shape() apitype.RunFinalResponse {
	return apitype.RunFinalResponse{Content: f.Content, PendingToolCalls: callShapes(f.Pending), FinishReason: f.Finish}
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
