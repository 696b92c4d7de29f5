package atelier

import (
	"slices"
	"time"
)

// WebhookEvent is the type of an event that webhooks report.
type WebhookEvent string

// The events of webhooks.
const (
	HookWorkflowWaiting   WebhookEvent = "workflow.waiting"
	HookWorkflowCompleted WebhookEvent = "workflow.completed"
	HookWorkflowFailed    WebhookEvent = "workflow.failed"
	HookWorkflowCancelled WebhookEvent = "workflow.cancelled"
	HookRunWaiting        WebhookEvent = "run.waiting"
	HookRunCompleted      WebhookEvent = "run.completed"
	HookRunFailed         WebhookEvent = "run.failed"
	HookRunCancelled      WebhookEvent = "run.cancelled"
	HookLoraReady         WebhookEvent = "lora.ready"
	HookLoraRejected      WebhookEvent = "lora.rejected"
	HookBalanceCredited   WebhookEvent = "balance.credited"
	HookBalanceLow        WebhookEvent = "balance.low"

	// HookStarted is for webhooks of requests of another protocol alone: what they have asked for was accepted.
	HookStarted WebhookEvent = "started"

	// HookTest is sent to one webhook when its owner asks for that, and to no other.
	HookTest WebhookEvent = "test"

	// HookAll stands for every event, also those that later versions add.
	HookAll WebhookEvent = "*"
)

// WebhookEvents are the events that a webhook may name.
var WebhookEvents = []WebhookEvent{
	HookAll,
	HookWorkflowWaiting, HookWorkflowCompleted, HookWorkflowFailed, HookWorkflowCancelled,
	HookRunWaiting, HookRunCompleted, HookRunFailed, HookRunCancelled,
	HookLoraReady, HookLoraRejected, HookBalanceCredited, HookBalanceLow,
}

// Values lists the events of deliveries for the OpenAPI document: those that a webhook may name, HookStarted and
// HookTest.
func (WebhookEvent) Values() (out []string) {
	for _, e := range append(slices.Clip(WebhookEvents), HookStarted, HookTest) {
		out = append(out, string(e))
	}
	return out
}

// IsIn reports whether a list of events has this one, by its name or because it has all.
func (e WebhookEvent) IsIn(list []WebhookEvent) bool {
	return slices.Contains(list, e) || slices.Contains(list, HookAll)
}

// LowBalance is the balance of a token below which an account is told that it is low.
const LowBalance = 100 * MoneyUnit

// RequestWebhook is the webhook that a request names for what it starts.
type RequestWebhook struct {
	URL      string         `json:"url"`
	Events   []WebhookEvent `json:"events"`
	Protocol string         `json:"protocol,omitempty"` // of another service, whose shape bodies have; empty for ours
}

// WebhookStatus says whether a webhook gets events.
type WebhookStatus string

// The statuses of webhooks.
const (
	WebhookEnabled  WebhookStatus = "enabled"
	WebhookDisabled WebhookStatus = "disabled" // by its owner, or after lasting failure
)

// Values lists the statuses for the OpenAPI document.
func (WebhookStatus) Values() []string {
	return []string{string(WebhookEnabled), string(WebhookDisabled)}
}

// DeliveryStatus is the status of one event on its way to one webhook.
type DeliveryStatus string

// The statuses of deliveries.
const (
	DeliveryWaiting DeliveryStatus = "waiting" // for its time, or for an earlier event of its subject
	DeliverySending DeliveryStatus = "sending" // a node task sends it
	DeliveryDone    DeliveryStatus = "delivered"
	DeliveryFailed  DeliveryStatus = "failed"
)

// Values lists the statuses for the OpenAPI document.
func (DeliveryStatus) Values() []string {
	return []string{string(DeliveryWaiting), string(DeliverySending), string(DeliveryDone), string(DeliveryFailed)}
}

// DeliveryMoves is the state table of deliveries. The store refuses every other move.
var DeliveryMoves = []Move[DeliveryStatus]{
	{"", "the event happens", DeliveryWaiting},
	{DeliveryWaiting, "it is due, and no earlier event of its subject is on its way", DeliverySending},
	{DeliveryWaiting, "the webhook is disabled", DeliveryFailed},
	{DeliverySending, "the receiver answers with a status of 2xx", DeliveryDone},
	{DeliverySending, "the receiver fails, or the node stops", DeliveryWaiting},
	{DeliverySending, "the receiver has failed for a day, or at a test, or the webhook is disabled", DeliveryFailed},
	{DeliveryDone, "redeliver", DeliveryWaiting},
	{DeliveryFailed, "redeliver", DeliveryWaiting},
}

// May reports whether a delivery may move between two statuses.
func (s DeliveryStatus) May(to DeliveryStatus) bool { return hasMove(DeliveryMoves, s, to) }

// Webhook is an address that gets the events of an account.
type Webhook struct {
	ID           string
	Wallet       Wallet
	URL          string // empty for the one webhook of an account that stands for those that requests name
	Events       []WebhookEvent
	Status       WebhookStatus
	Reason       string // why the service has disabled it; empty when its owner has, or it is enabled
	DisabledAt   time.Time
	FailingSince time.Time // zero when the last event arrived
	Failures     int       // in a row
	ResumeAt     time.Time // nothing is sent before
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// IsForRequests reports whether a webhook stands for those that requests name.
func (w Webhook) IsForRequests() bool { return w.URL == "" }

// Delivery is one event on its way to one webhook.
type Delivery struct {
	ID        string // the same at each attempt
	WebhookID string
	Wallet    Wallet
	URL       string // that a request has named; empty for the one of the webhook
	Subject   string // what the event is about: events of one subject arrive in order
	Sequence  int64  // its place among those of its subject
	Type      WebhookEvent
	Body      []byte
	Status    DeliveryStatus
	JobID     JobID // of the attempt that is under way
	Tries     int
	FirstAt   time.Time // of the first attempt
	NextAt    time.Time // of the next attempt
	SentAt    time.Time // of the last attempt
	Took      time.Duration
	Code      int    // that the receiver answered with last; 0 without an answer
	Answer    string // the beginning of what it answered
	Error     string // why the last attempt failed
	CreatedAt time.Time
	EndedAt   time.Time
}
