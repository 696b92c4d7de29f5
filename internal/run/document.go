package run

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// requestDocument is a request as it is stored.
type requestDocument struct {
	Model           string              `json:"model,omitempty"`
	Messages        []messageDocument   `json:"messages"`
	Tools           []llm.Tool          `json:"tools,omitempty"`
	ToolMode        string              `json:"toolMode,omitempty"`
	ToolFunction    string              `json:"toolFunction,omitempty"`
	MaxTokens       int                 `json:"maxTokens"`
	Thinking        bool                `json:"thinking,omitzero"`
	Profile         chat.Profile        `json:"profile,omitempty"`
	Params          map[string]wire.Raw `json:"params,omitempty"`
	Media           []mediaDocument     `json:"media,omitempty"`
	Made            []mediaDocument     `json:"made,omitempty"`
	Token           atelier.TokenChoice `json:"token"`
	Mode            atelier.BillingMode `json:"mode"`
	App             string              `json:"app,omitempty"`
	APIKey          string              `json:"apiKey,omitempty"` // its id: it pays on its budget
	Models          []string            `json:"models,omitempty"` // those that the key may use; nil for all
	HostedTools     []string            `json:"hostedTools,omitempty"`
	Groups          []atelier.KeyGroup  `json:"groups,omitempty"`
	Filter          bool                `json:"filter"`
	Tier            string              `json:"tier,omitempty"`
	Confirm         bool                `json:"confirm,omitzero"`         // paid calls wait for the user
	ConfirmSpending bool                `json:"confirmSpending,omitzero"` // those that no plan covers do
	Session         string              `json:"session,omitempty"`
	ClientMessageID string              `json:"clientMessageId,omitempty"`
	Key             string              `json:"key,omitempty"`
	MaxUnits        *float64            `json:"maxUnits,omitempty"`
	ConfirmCost     *bool               `json:"confirmCost,omitempty"`
	Sampling        map[string]any      `json:"sampling,omitempty"`      // as it was sent, with the defaults
	RuntimeConfig   map[string]any      `json:"runtimeConfig,omitempty"` // as it was sent

	Webhook *atelier.RequestWebhook `json:"webhook,omitempty"`
	Note    wire.Raw                `json:"note,omitempty"`    // of the protocol that has started the run
	Whole   bool                    `json:"whole,omitzero"`    // no turns are left out when it is too long
	NoTools bool                    `json:"noTools,omitzero"`  // no hosted tools are offered
	Allowed []string                `json:"allowed,omitempty"` // the hosted tools that are offered; nil for all
}

type messageDocument struct {
	Role       string         `json:"role"`
	Parts      []partDocument `json:"parts,omitempty"`
	Name       string         `json:"name,omitempty"`
	ToolCalls  []callDocument `json:"toolCalls,omitempty"`
	ToolCallID string         `json:"toolCallId,omitempty"`
}

// partDocument is a part of a message: a text, or the URL of an image.
type partDocument struct {
	Text   string `json:"text,omitempty"`
	Image  string `json:"image,omitempty"`
	Detail string `json:"detail,omitempty"`
}

type mediaDocument struct {
	Kind     string         `json:"kind"`
	URL      string         `json:"url"`
	Original map[string]any `json:"original,omitempty"`
	Earlier  bool           `json:"earlier,omitzero"` // it was sent with an earlier message
}

// state is the progress of a run.
type state struct {
	Rounds    []roundDocument   `json:"rounds,omitempty"`
	Waiting   *waitingDocument  `json:"waiting,omitempty"`
	Previews  []previewDocument `json:"previews,omitempty"`
	Final     *finalDocument    `json:"final,omitempty"`
	Failure   *failureDocument  `json:"failure,omitempty"`
	Cancelled string            `json:"cancelled,omitempty"` // why it was
	Resumes   int               `json:"resumes,omitzero"`
	Usage     *usageDocument    `json:"usage,omitempty"` // of language models; nil before the first round has ended
	EndedAt   *time.Time        `json:"endedAt,omitempty"`
}

// usageDocument is what language models have used for a run.
type usageDocument struct {
	Model            string        `json:"model"` // that answers
	PromptTokens     int           `json:"promptTokens,omitzero"`
	CompletionTokens int           `json:"completionTokens,omitzero"`
	CachedTokens     int           `json:"cachedTokens,omitzero"`
	Milliseconds     int64         `json:"milliseconds,omitzero"` // that the rounds took
	Spark            atelier.Money `json:"spark,omitzero"`
	Svc              atelier.Money `json:"svc,omitzero"`
	USD              atelier.Money `json:"usd,omitzero"`
	ByPlan           bool          `json:"byPlan,omitzero"`
}

// roundDocument is an answer of the model.
type roundDocument struct {
	Text   string         `json:"text,omitempty"`
	Finish string         `json:"finish,omitempty"`
	Calls  []callDocument `json:"calls,omitempty"`
	Theirs []callDocument `json:"theirs,omitempty"` // for the caller to make
}

type callDocument struct {
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Arguments  string             `json:"arguments"`
	WorkflowID atelier.WorkflowID `json:"workflowId,omitempty"`
	Approved   bool               `json:"approved,omitzero"`
	Most       atelier.Money      `json:"most,omitzero"` // what it may cost, in Spark, once it is approved
	Filter     *bool              `json:"filter,omitempty"`
	Notes      []string           `json:"notes,omitempty"` // for its outcome
	Outcome    *outcomeDocument   `json:"outcome,omitempty"`
}

type outcomeDocument struct {
	Result     map[string]any     `json:"result"`
	Made       []artifactDocument `json:"made,omitempty"`
	WorkflowID string             `json:"workflowId,omitempty"`
	Status     atelier.Status     `json:"status,omitempty"`
	Model      string             `json:"model,omitempty"`
	Text       string             `json:"text,omitempty"`
	Note       string             `json:"note,omitempty"`
	Over       bool               `json:"over,omitzero"`
	Cancelled  bool               `json:"cancelled,omitzero"` // the user has declined its cost
}

type artifactDocument struct {
	ID         string         `json:"id"`
	Kind       string         `json:"kind"`
	Key        string         `json:"key,omitempty"` // of the stored object
	URL        string         `json:"url,omitempty"` // where there is no such object
	Type       string         `json:"type,omitempty"`
	StepID     string         `json:"stepId,omitempty"`
	Tool       string         `json:"tool,omitempty"`
	WorkflowID string         `json:"workflowId,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// waitingDocument is what a run waits for.
type waitingDocument struct {
	Reason     atelier.WaitingReason `json:"reason"`
	Message    string                `json:"message"`
	Flavor     string                `json:"flavor,omitempty"`
	Calls      []heldDocument        `json:"calls"`
	Preview    *previewDocument      `json:"preview,omitempty"`
	WorkflowID string                `json:"workflowId,omitempty"`
	Review     *reviewDocument       `json:"review,omitempty"`
}

// reviewDocument is why the content of a call has to be reviewed.
type reviewDocument struct {
	StepID     string   `json:"stepId"`
	Source     string   `json:"source"`
	Categories []string `json:"categories,omitempty"`
}

// heldDocument is a call that waits, and what it was estimated at.
type heldDocument struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Units   float64       `json:"units,omitzero"`
	Spark   atelier.Money `json:"spark,omitzero"`
	Premium atelier.Money `json:"premium,omitzero"` // Spark that only Premium Spark pays
}

type previewDocument struct {
	Units         float64             `json:"units"`
	Token         atelier.TokenChoice `json:"token"`
	ValidityUntil time.Time           `json:"validityUntil"`
	Calls         []heldDocument      `json:"calls"`
}

type finalDocument struct {
	Content string         `json:"content,omitempty"`
	Pending []callDocument `json:"pending,omitempty"`
	Finish  string         `json:"finish"`
}

type failureDocument struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newMessageDocument(m llm.Message) messageDocument {
	d := messageDocument{Role: m.Role, Name: m.Name, ToolCallID: m.ToolCallID, ToolCalls: newCallDocuments(m.ToolCalls)}
	for _, p := range m.Content {
		d.Parts = append(d.Parts, partDocument{Text: p.Text, Image: p.Image.URL, Detail: p.Detail})
	}
	return d
}

func (d messageDocument) message() llm.Message {
	m := llm.Message{Role: d.Role, Name: d.Name, ToolCallID: d.ToolCallID}
	for _, p := range d.Parts {
		part := llm.Part{Type: "text", Text: p.Text}
		if p.Image != "" {
			part = llm.Part{Type: "image_url", Image: llm.Image{URL: p.Image}, Detail: p.Detail}
		}
		m.Content = append(m.Content, part)
	}
	for _, c := range d.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, c.toolCall())
	}
	return m
}

func newCallDocuments(calls []llm.ToolCall) (out []callDocument) {
	for _, c := range calls {
		out = append(out, callDocument{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return out
}

func (d callDocument) toolCall() llm.ToolCall {
	c := llm.ToolCall{ID: d.ID, Type: "function"}
	c.Function.Name, c.Function.Arguments = d.Name, d.Arguments
	return c
}

func newMediaDocument(m atelier.MediaReference) mediaDocument {
	return mediaDocument{Kind: m.Kind, URL: m.URL, Original: m.Original}
}

func (d mediaDocument) reference() atelier.MediaReference {
	original := d.Original
	if original == nil {
		original = map[string]any{"kind": d.Kind, "url": d.URL}
	}
	return atelier.MediaReference{Kind: d.Kind, URL: d.URL, Original: original}
}

func newRequestDocument(q StartRequest) requestDocument {
	c := q.Chat
	d := requestDocument{
		Model: c.Model, Tools: c.Tools, ToolMode: c.ToolChoice.Mode, ToolFunction: c.ToolChoice.Function, MaxTokens: c.MaxTokens, Thinking: c.Thinking,
		Profile: c.Profile, Params: c.Params, Token: c.Terms.Token, Mode: c.Terms.Mode, App: c.Terms.App, APIKey: c.Caller.PaysAs(), Filter: c.Filter, Tier: c.Tier, Confirm: q.Confirm, ConfirmSpending: q.ConfirmSpending,
		Session: c.Session, ClientMessageID: q.ClientMessageID, Key: q.Key, MaxUnits: q.MaxUnits, ConfirmCost: q.ConfirmCost, Sampling: q.Sampling, RuntimeConfig: q.RuntimeConfig,
		Webhook: q.Webhook, Note: q.Note, Whole: !c.Trim, NoTools: c.Family == "", Allowed: c.Allowed,
	}
	if l := c.Caller.Limits; l != nil {
		d.Models, d.HostedTools, d.Groups = l.Models, l.Tools, l.Groups
	}
	for _, m := range c.Messages {
		d.Messages = append(d.Messages, newMessageDocument(m))
	}
	for _, m := range c.Media {
		media := newMediaDocument(m.MediaReference)
		media.Earlier = m.Earlier
		d.Media = append(d.Media, media)
	}
	for _, m := range c.Made {
		d.Made = append(d.Made, newMediaDocument(m))
	}
	return d
}

// references are the media that came with the request itself, as it was sent.
func (d *requestDocument) references() []map[string]any {
	out := []map[string]any{}
	for _, m := range d.Media {
		if !m.Earlier {
			out = append(out, m.reference().Original)
		}
	}
	return out
}

// caller is who asks, with the key that started the run. What the key may use was decided then.
func (d *requestDocument) caller(owner atelier.Account) atelier.Caller {
	c := atelier.Caller{Account: owner, Credential: atelier.CredentialAPIKey, KeyID: d.APIKey}
	if d.Models != nil || d.HostedTools != nil || d.Groups != nil {
		c.Limits = &atelier.KeyLimits{Models: d.Models, Tools: d.HostedTools, Groups: d.Groups}
	}
	return c
}

// terms are the terms of payment of a run.
func (d *requestDocument) terms() atelier.PaymentTerms {
	return atelier.PaymentTerms{Token: d.Token, Mode: d.Mode, App: d.App, Key: d.APIKey}
}

// newOutcomeDocument is an outcome as it is stored. keyOf finds the stored object of a
// URL.
func newOutcomeDocument(o chat.Outcome, keyOf func(string) (string, bool)) *outcomeDocument {
	d := &outcomeDocument{Result: map[string]any{}, Model: o.Model, Text: o.Text, Note: o.Note, Over: o.Over}
	for name, v := range o.Result {
		if name != "artifacts" && name != "output_assets" { // these are in Made
			d.Result[name] = v
		}
	}
	if o.Workflow != nil {
		d.WorkflowID, d.Status = o.Workflow.WorkflowID, o.Workflow.Status
	}
	for _, a := range o.Made {
		made := artifactDocument{ID: a.ID, Kind: a.Kind, Type: a.MimeType, StepID: a.StepID, Tool: a.ToolName, WorkflowID: d.WorkflowID, Metadata: a.Metadata}
		if key, ours := keyOf(a.URL); ours {
			made.Key = key
		} else {
			made.URL = a.URL
		}
		d.Made = append(d.Made, made)
	}
	return d
}

// outcome is the outcome of a call, with URLs that can be read now.
func (d *outcomeDocument) outcome(tool string, url func(artifactDocument) string) *chat.Outcome {
	o := &chat.Outcome{Tool: tool, Result: d.Result, Model: d.Model, Text: d.Text, Note: d.Note, Over: d.Over}
	if d.WorkflowID != "" {
		ref := chat.RefTo(d.WorkflowID, d.Status)
		o.Workflow = &ref
	}
	for _, a := range d.Made {
		o.Made = append(o.Made, apitype.Artifact{ID: a.ID, Kind: a.Kind, URL: url(a), MimeType: a.Type, StepID: a.StepID, ToolName: a.Tool, Metadata: a.Metadata})
	}
	return o
}

// rounds are the rounds of a run as the chat engine continues them.
func (s *state) rounds(url func(artifactDocument) string, seen map[string]int64) (out []*chat.Round) {
	for _, d := range s.Rounds {
		r := &chat.Round{Text: d.Text, FinishReason: d.Finish}
		for _, c := range d.Calls {
			call := &chat.Call{ToolCall: c.toolCall(), WorkflowID: c.WorkflowID, Filter: c.Filter, Approved: c.Approved, Notes: c.Notes, Seen: -1}
			if at, ok := seen[c.ID]; ok {
				call.Seen = at
			}
			if c.Outcome != nil {
				call.Outcome = c.Outcome.outcome(c.Name, url)
			}
			r.Calls = append(r.Calls, call)
		}
		for _, c := range d.Theirs {
			r.Theirs = append(r.Theirs, c.toolCall())
		}
		out = append(out, r)
	}
	return out
}

// copy copies a state, so that a change can run again from it.
func (s state) copy() state {
	rounds := make([]roundDocument, len(s.Rounds))
	for i, r := range s.Rounds {
		r.Calls = append([]callDocument(nil), r.Calls...)
		rounds[i] = r
	}
	s.Rounds = rounds
	s.Previews = append([]previewDocument(nil), s.Previews...)
	if s.Usage != nil {
		u := *s.Usage
		s.Usage = &u
	}
	return s
}

// call finds a call of the last round.
func (s *state) call(id string) *callDocument {
	if len(s.Rounds) == 0 {
		return nil
	}
	calls := s.Rounds[len(s.Rounds)-1].Calls
	for i := range calls {
		if calls[i].ID == id {
			return &calls[i]
		}
	}
	return nil
}
