package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/mint"
)

// The shapes in which the service answers with chat runs.
type ()

// RunStart is a chat run to start. To continue a conversation, send the messages and the
// media context of its last run with the next message.
type RunStart struct {
	Messages        []apitype.RunMessage `json:"messages"`
	Model           string               `json:"model,omitzero"`       // empty for the default
	Tools           []any                `json:"tools,omitzero"`       // functions of the caller, in OpenAI's shape
	ToolChoice      any                  `json:"tool_choice,omitzero"` // auto, none, required, or a function by name
	Sampling        map[string]any       `json:"sampling,omitzero"`    // such as max_tokens and temperature
	Media           []Media              `json:"media_references,omitzero"`
	MediaContext    apitype.MediaContext `json:"media_context,omitzero"` // of the last run of the conversation
	SessionID       string               `json:"session_id,omitzero"`    // names the conversation; its assets are remembered
	ClientMessageID string               `json:"client_message_id,omitzero"`
	TokenType       atelier.TokenChoice  `json:"token_type,omitzero"`   // empty for auto
	BillingMode     atelier.BillingMode  `json:"billing_mode,omitzero"` // empty for auto
	AppSource       string               `json:"app_source,omitzero"`
	Config          RunConfig            `json:"runtime_config,omitzero"`
	Key             string               `json:"-"` // idempotency key; minted when empty
}

// RunConfig is how the service works on a run.
type RunConfig struct {
	QualityTier            string `json:"qualityTier,omitzero"` // fast, hq or pro
	SafeContentFilter      *bool  `json:"safeContentFilter,omitzero"`
	RequireJobConfirmation bool   `json:"requireJobConfirmation,omitzero"` // calls that cost something wait for ConfirmRunCost

	RequireSpendConfirmation bool `json:"requireSpendConfirmation,omitzero"` // those that no plan covers do
}

// RunDecision approves or declines the cost of the calls for which a run waits.
type RunDecision struct {
	ToolCallID string              `json:"tool_call_id"`                   // from RunWaitingDetails
	Decision   string              `json:"decision"`                       // Approve or Decline
	Preview    *apitype.RunPreview `json:"accepted_cost_preview,omitzero"` // from RunWaitingDetails; Approve needs it
	Overrides  RunOverrides        `json:"overrides,omitzero"`
	Reason     string              `json:"reason,omitzero"` // recorded
	Key        string              `json:"-"`               // idempotency key; minted when empty
}

// The decisions about a cost. A run whose cost is declined ends without the calls.
const (
	Approve = "confirm"
	Decline = "cancel"
)

// RunOverrides change the named call of an approved cost. The service leaves out what would
// make it cost more.
type RunOverrides struct {
	QualityTier       string   `json:"qualityTier,omitzero"`
	SafeContentFilter *bool    `json:"safeContentFilter,omitzero"`
	Prompt            *string  `json:"prompt,omitzero"`
	Prompts           []string `json:"prompts,omitzero"`
}

const runs = "/v1/chat/runs"

func runPath(id, more string) string { return runs + "/" + url.PathEscape(id) + more }

// StartRun starts a chat run: the service answers the last message, with tools that make
// media, and stores the answer as it is made. It can be repeated without starting a
// second run, and is when the connection breaks.
func (c *Client) StartRun(ctx context.Context, s RunStart) (apitype.Run, error) {
	return c.run(ctx, http.MethodPost, runs, s.Key, s)
}

// Run reads a chat run.
func (c *Client) Run(ctx context.Context, id string) (apitype.Run, error) {
	return c.run(ctx, http.MethodGet, runPath(id, ""), "", nil)
}

// ConfirmRunCost decides about the cost for which a run waits: for all calls that wait. A
// decision whose answer was lost is repeated, and the service refuses the repeat with 409
// when the run has gone on: read the run to see whether it was taken.
func (c *Client) ConfirmRunCost(ctx context.Context, id string, d RunDecision) (apitype.Run, error) {
	return c.run(ctx, http.MethodPost, runPath(id, "/confirm-cost"), d.Key, d)
}

// CancelRun ends a chat run and the workflows that it has under way. The reason is
// recorded and may be empty. It reports whether work was interrupted.
func (c *Client) CancelRun(ctx context.Context, id, reason string) (aborted bool, err error) {
	body := struct {
		Reason string `json:"reason,omitzero"`
	}{reason}
	var reply struct {
		Aborted bool `json:"aborted"`
	}
	_, err = c.call(ctx, http.MethodPost, runPath(id, "/cancel"), body, &reply)
	return reply.Aborted, err
}

// RunEvents lists the events of a chat run after a sequence (-1 for all of them). It reports
// whether some of these are no longer kept.
func (c *Client) RunEvents(ctx context.Context, id string, after int64) (list []apitype.RunEvent, trimmed bool, err error) {
	var reply struct {
		Events  []apitype.RunEvent `json:"events"`
		Trimmed bool               `json:"trimmed"`
	}
	_, err = c.call(ctx, http.MethodGet, runPath(id, "/events?after="+strconv.FormatInt(after, 10)), nil, &reply)
	return reply.Events, reply.Trimmed, err
}

// run calls an endpoint that answers with a run. A POST has an idempotency key, which is
// minted when none is given.
func (c *Client) run(ctx context.Context, method, path, key string, in any) (r apitype.Run, err error) {
	h := http.Header{}
	if method == http.MethodPost {
		if key == "" {
			key = mint.UUID()
		}
		h.Set("Idempotency-Key", key)
	}
	reply := struct {
		Run *apitype.Run `json:"run"`
	}{&r}
	_, err = c.callWith(ctx, method, path, h, in, &reply)
	return r, err
}

// RunUpdate is one item of the stream of a chat run: an event, its current status, what its model
// writes, or the notice that events are missing.
type RunUpdate struct {
	Event   *apitype.RunEvent
	Status  *apitype.RunStatus
	Text    *apitype.RunText
	Trimmed *apitype.EventsTrimmed
}

// FollowRun reads the log of a chat run after a sequence (-1 for all of it) until the run is
// over. A run that waits for its user keeps the stream open. A broken stream is reopened as
// by Follow.
func (c *Client) FollowRun(ctx context.Context, id string, after int64) iter.Seq2[RunUpdate, error] {
	return follow(ctx, c, runPath(id, "/events/stream"), after, readRunUpdate)
}

func readRunUpdate(f frame) (n item[RunUpdate], err error) {
	switch {
	case f.event == "run_status":
		n.update.Status = &apitype.RunStatus{}
		err = json.Unmarshal([]byte(f.data), n.update.Status)
		n.known, n.over = true, n.update.Status.Status.Terminal()
	case f.event == "assistant_message_text":
		n.update.Text = &apitype.RunText{}
		err = json.Unmarshal([]byte(f.data), n.update.Text)
		n.known = true
	case f.event == "events_trimmed":
		n.update.Trimmed = &apitype.EventsTrimmed{}
		err = json.Unmarshal([]byte(f.data), n.update.Trimmed)
		n.known = true
	case f.id != "":
		n.update.Event = &apitype.RunEvent{}
		err = json.Unmarshal([]byte(f.data), n.update.Event)
		n.known, n.sequence = true, &n.update.Event.Sequence
	}
	return n, err
}
