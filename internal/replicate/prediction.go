package replicate

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/wire"
)

// Protocol names this protocol: in the ledger as the application, and in lists.
const Protocol = "replicate"

// Prediction is a prediction: a workflow or a run.
type Prediction struct {
	ID          string     `json:"id"`
	Model       string     `json:"model"`
	Version     string     `json:"version"`
	Input       wire.Raw   `json:"input"`
	Output      any        `json:"output"` // null, an address or a text, or a list of addresses
	Logs        string     `json:"logs"`
	Error       *string    `json:"error"`
	Status      Status     `json:"status"`
	CreatedAt   time.Time  `json:"created_at"`
	StartedAt   *time.Time `json:"started_at"`
	CompletedAt *time.Time `json:"completed_at"`
	DataRemoved bool       `json:"data_removed"`
	Source      string     `json:"source"`
	Metrics     Metrics    `json:"metrics"`
	URLs        URLs       `json:"urls"`
	Webhook     string     `json:"webhook,omitzero"`
	Events      []string   `json:"webhook_events_filter,omitzero"`
}

// Status is how far a prediction is.
type Status string

// The statuses of predictions.
const (
	Starting   Status = "starting"
	Processing Status = "processing"
	Succeeded  Status = "succeeded"
	Failed     Status = "failed"
	Canceled   Status = "canceled"
)

// Values lists the statuses for the OpenAPI document.
func (Status) Values() []string {
	return []string{string(Starting), string(Processing), string(Succeeded), string(Failed), string(Canceled)}
}

// IsOver reports whether nothing about the prediction changes any more.
func (s Status) IsOver() bool { return s == Succeeded || s == Failed || s == Canceled }

// Metrics are how long a prediction took, in seconds.
type Metrics struct {
	PredictTime float64 `json:"predict_time,omitzero"`
	TotalTime   float64 `json:"total_time,omitzero"`
}

// URLs are the addresses of a prediction. That of its stream needs no key.
type URLs struct {
	Get    string `json:"get"`
	Cancel string `json:"cancel"`
	Stream string `json:"stream"`
	Web    string `json:"web"`
}

// statusOf is the status of what has, or has not, begun.
func statusOf(s atelier.Status, begun, made bool) Status {
	switch {
	case s == atelier.StatusCompleted, s == atelier.StatusPartialFailure && made:
		return Succeeded
	case s == atelier.StatusCancelled:
		return Canceled
	case s.Terminal():
		return Failed
	case begun:
		return Processing
	}
	return Starting
}

// newPrediction reads the note of a prediction. It reports false for what another protocol has started.
func (t *Translator) newPrediction(id string, w atelier.Wallet, note []byte, at apitype.Timestamps) (*Prediction, *Noted, bool) {
	var n Note
	if wire.Unmarshal(note, &n) != nil || n.Prediction == nil {
		return nil, nil, false
	}
	address := t.base + "/predictions/" + id
	return &Prediction{
		ID: id, Model: n.Prediction.Model, Version: n.Prediction.Version, Input: n.Prediction.Input, Source: "api", CreatedAt: at.CreatedAt, CompletedAt: at.CompletedAt,
		Webhook: n.Prediction.Webhook, Events: n.Prediction.Events,
		URLs: URLs{Get: address, Cancel: address + "/cancel", Stream: t.streamURL(id, w), Web: address},
	}, n.Prediction, true
}

// linkKind is the kind of what the address of a stream seals.
const linkKind = "prediction"

// streamURL is the address at which the output of a prediction can be read without a key: it has, sealed, its owner.
func (t *Translator) streamURL(id string, w atelier.Wallet) string {
	token, err := t.links.Seal(linkKind, id, string(w))
	if err != nil {
		return "" // there is no secret to seal with
	}
	return t.base + "/predictions/" + id + "/stream?token=" + url.QueryEscape(token)
}

// StreamOwner is the owner of the prediction that the address of a stream names.
func (t *Translator) StreamOwner(id, token string) (atelier.Wallet, error) {
	owner, err := t.links.Open(linkKind, id, token)
	if err != nil || owner == "" {
		return "", atelier.Errorf(atelier.CodeForbidden, "The address of the stream is not valid. Read the prediction again.")
	}
	return atelier.Wallet(owner), nil
}

// WorkflowBody is what the webhook of a prediction gets that is a workflow.
func (t *Translator) WorkflowBody(owner atelier.Wallet, w apitype.Workflow) any {
	p, _ := t.OfWorkflow(owner, w)
	return p
}

// RunBody is what the webhook of a prediction gets that is a run.
func (t *Translator) RunBody(r apitype.Run, note []byte) any {
	p, _ := t.OfRun(r, note)
	return p
}

// took sets when a prediction has begun, and how long it took.
func (p *Prediction) took(started *time.Time) {
	p.StartedAt = started
	if p.CompletedAt != nil {
		p.Metrics.TotalTime = p.CompletedAt.Sub(p.CreatedAt).Seconds()
		if started != nil {
			p.Metrics.PredictTime = p.CompletedAt.Sub(*started).Seconds()
		}
	}
}

// failed sets why a prediction has no output.
func (p *Prediction) failed(message string) {
	if p.Status == Failed {
		p.Error = &message
	}
}

// OfWorkflow is a workflow of an account as a prediction. It reports false for one that another protocol has started.
func (t *Translator) OfWorkflow(owner atelier.Wallet, w apitype.Workflow) (*Prediction, bool) {
	p, n, ok := t.newPrediction(w.WorkflowID, owner, w.Note, w.Timestamps)
	if !ok {
		return nil, false
	}
	var urls []string
	for _, a := range w.Artifacts {
		urls = append(urls, a.URL)
	}
	step := w.Steps[0].Timestamps
	p.Status = statusOf(w.Status, step.StartedAt != nil, len(urls) > 0)
	p.took(step.StartedAt)
	p.failed("The model has made nothing.")
	if w.Error != nil {
		p.failed(w.Error.Message)
	}
	for _, e := range w.Events {
		if e.Message != "" {
			p.Logs += e.Message + "\n"
		}
	}
	switch {
	case p.Status != Succeeded:
	case len(urls) == 0:
		p.DataRemoved = true // its owner has deleted what it made
	case n.IsList:
		p.Output = urls
	default:
		p.Output = urls[0]
	}
	return p, true
}

// OfRun is a run, and its note, as a prediction. It reports false for one that another protocol has started.
func (t *Translator) OfRun(r apitype.Run, note []byte) (*Prediction, bool) {
	p, _, ok := t.newPrediction(string(r.RunID), r.OwnerWalletAddress, note, r.Timestamps)
	if !ok {
		return nil, false
	}
	p.Status = statusOf(r.Status, r.Status != atelier.StatusQueued, r.FinalResponse != nil)
	var started *time.Time
	if p.Status != Starting {
		started = &p.CreatedAt
	}
	p.took(started)
	p.failed("The model has not answered.")
	if r.Error != nil {
		p.failed(r.Error.Message)
	}
	if f := r.FinalResponse; f != nil && p.Status == Succeeded {
		p.Output = f.Content
	}
	return p, true
}

// Outputs are the parts of the output of a prediction.
func (p *Prediction) Outputs() []string {
	switch out := p.Output.(type) {
	case string:
		return []string{out}
	case []string:
		return out
	}
	return nil
}

// Event is an event of a stream, whose data is a plain text.
func Event(name, data string) string {
	lines := strings.NewReplacer("\r\n", "\ndata: ", "\r", "\ndata: ", "\n", "\ndata: ").Replace(data)
	return "event: " + name + "\ndata: " + lines + "\n\n"
}

// failure is the envelope of errors.
type failure struct {
	Title   string    `json:"title"`
	Detail  string    `json:"detail"`
	Status  int       `json:"status"`
	Code    string    `json:"code"`
	Invalid []invalid `json:"invalid_fields,omitzero"`
}

// invalid is a field that is not valid.
type invalid struct {
	Type        string `json:"type"`
	Field       string `json:"field"`
	Description string `json:"description"`
}

// Failure puts an error into the envelope of Replicate's API.
func Failure(e *atelier.Error, status int) any {
	f := failure{Title: http.StatusText(status), Detail: e.Error(), Status: status, Code: e.Code.Slug}
	if e.Field != "" {
		f.Invalid = []invalid{{Type: "value_error", Field: e.Field, Description: e.Error()}}
	}
	return f
}

// PredictionAccount is the answer to GET /account.
type PredictionAccount struct {
	Type      string  `json:"type"`
	Username  string  `json:"username"`
	Name      string  `json:"name"`
	GithubURL *string `json:"github_url"`
}

// File is a saved upload.
type File struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	ContentType string    `json:"content_type"`
	Size        int64     `json:"size"`
	ETag        string    `json:"etag"`
	Checksums   Checksums `json:"checksums"`
	Metadata    wire.Raw  `json:"metadata"`
	CreatedAt   time.Time `json:"created_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	URLs        FileURLs  `json:"urls"`
}

// Checksums are those of a file.
type Checksums struct {
	SHA256 string `json:"sha256"`
}

// FileURLs are the addresses of a file.
type FileURLs struct {
	Get string `json:"get"`
}

// URL is the address of a path of the API.
func (t *Translator) URL(path string) string { return t.base + path }

// FileID is the file whose address a client has sent; ok is false for any other address.
func (t *Translator) FileID(address string) (id string, ok bool) {
	id, ok = strings.CutPrefix(address, t.base+"/files/")
	return id, ok
}

// NewFile is a saved upload as a file.
func (t *Translator) NewFile(a media.AssetRecord, metadata wire.Raw) File {
	return File{
		ID: a.ID, Name: a.Name, ContentType: a.ContentType, Size: a.Bytes, ETag: a.SHA256, Checksums: Checksums{a.SHA256}, Metadata: metadata,
		CreatedAt: time.UnixMilli(a.CreatedAt).UTC(), ExpiresAt: time.UnixMilli(a.ExpiresAt).UTC(), URLs: FileURLs{t.base + "/files/" + a.ID},
	}
}

// Hardware is what models run on.
type Hardware struct {
	Name string `json:"name"`
	SKU  string `json:"sku"`
}

// Secret is the key that signs webhooks.
type Secret struct {
	Key string `json:"key"`
}
