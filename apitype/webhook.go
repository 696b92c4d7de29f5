package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Webhook is an address that gets the events of an account. Its secret is shown once: when it is created or rotated.
type Webhook struct {
	ID           string                 `json:"id"`
	URL          *string                `json:"url" doc:"Null for the webhook that stands for those that requests name."`
	Events       []atelier.WebhookEvent `json:"events"`
	Status       atelier.WebhookStatus  `json:"status"`
	Reason       string                 `json:"reason,omitzero" doc:"Why the service has disabled it."`
	DisabledAt   *time.Time             `json:"disabledAt,omitzero"`
	FailingSince *time.Time             `json:"failingSince,omitzero" doc:"Since when no event has arrived."`
	NextAttempt  *time.Time             `json:"nextAttemptAt,omitzero" doc:"When the next event is tried, while none arrives."`
	CreatedAt    time.Time              `json:"createdAt"`
	UpdatedAt    time.Time              `json:"updatedAt"`
	Secret       string                 `json:"secret,omitzero" doc:"The secret that signs deliveries. It is shown only when it is created."`
	OldSecretEnd *time.Time             `json:"oldSecretUntil,omitzero" doc:"Until when the secret before the last rotation signs too."`
}

// WebhookReply is one webhook.
type WebhookReply struct {
	Webhook Webhook `json:"webhook"`
}

// Webhooks are the webhooks of an account, oldest first.
type Webhooks struct {
	Webhooks []Webhook `json:"webhooks"`
	Requests *Webhook  `json:"requests" doc:"The webhook that stands for those that requests name; null before the first."`
	Private  bool      `json:"privateAddresses" doc:"Whether addresses may be of private networks and of the service's own machine."`
}

// DeletedWebhook says that a webhook was deleted.
type DeletedWebhook struct {
	Deleted   bool   `json:"deleted"`
	WebhookID string `json:"webhookId"`
}

// WebhookDelivery is one event on its way to one webhook, or at its end.
type WebhookDelivery struct {
	ID             string                 `json:"id" doc:"The header webhook-id, the same at each attempt."`
	WebhookID      string                 `json:"webhookId"`
	URL            string                 `json:"url"`
	Type           atelier.WebhookEvent   `json:"type"`
	Subject        string                 `json:"subject" doc:"What the event is about. Events of one subject arrive in order."`
	Status         atelier.DeliveryStatus `json:"status"`
	Attempts       int                    `json:"attempts"`
	ResponseStatus *int                   `json:"responseStatus" doc:"The status of the last answer; null without one."`
	Response       string                 `json:"response,omitzero" doc:"The beginning of the last answer."`
	Error          string                 `json:"error,omitzero" doc:"Why the last attempt failed."`
	DurationMs     *int64                 `json:"durationMs" doc:"How long the last attempt took; null before the first."`
	CreatedAt      time.Time              `json:"createdAt"`
	LastAttemptAt  *time.Time             `json:"lastAttemptAt"`
	NextAttemptAt  *time.Time             `json:"nextAttemptAt" doc:"While it waits; not before that of a webhook that fails, nor before the earlier events of its subject."`
	EndedAt        *time.Time             `json:"endedAt"`
	Payload        map[string]any         `json:"payload" doc:"The body that is sent."`
}

// WebhookDeliveries is a page of the delivery log of a webhook.
type WebhookDeliveries struct {
	Deliveries []WebhookDelivery `json:"deliveries"` // newest first
	NextCursor *string           `json:"nextCursor"`
}

// WebhookDeliveryReply is one delivery.
type WebhookDeliveryReply struct {
	Delivery WebhookDelivery `json:"delivery"`
}

// WebhookPayload is the body of a delivery.
type WebhookPayload[T any] struct {
	Type      atelier.WebhookEvent `json:"type"`
	Timestamp time.Time            `json:"timestamp"` // of the event
	Data      T                    `json:"data"`
}

// WebhookWorkflow is the data of events of workflows.
type WebhookWorkflow struct {
	WorkflowID    atelier.WorkflowID `json:"workflowId"`
	Status        atelier.Status     `json:"status"`
	Title         string             `json:"title,omitzero"`
	Waiting       *WebhookWaiting    `json:"waiting,omitempty"`
	Error         *WebhookError      `json:"error,omitempty"`
	Artifacts     []WebhookArtifact  `json:"artifacts,omitempty"` // the first ones
	ArtifactCount int                `json:"artifactCount"`
	CreatedAt     time.Time          `json:"createdAt"`
}

// WebhookRun is the data of events of chat runs.
type WebhookRun struct {
	RunID         atelier.RunID     `json:"runId"`
	Status        atelier.Status    `json:"status"`
	SessionID     string            `json:"sessionId,omitzero"`
	Waiting       *WebhookWaiting   `json:"waiting,omitempty"`
	Error         *WebhookError     `json:"error,omitempty"`
	Text          string            `json:"text,omitzero"` // the beginning of the answer
	Artifacts     []WebhookArtifact `json:"artifacts,omitempty"`
	ArtifactCount int               `json:"artifactCount"`
	CreatedAt     time.Time         `json:"createdAt"`
}

// WebhookWaiting is what a workflow or a run waits for.
type WebhookWaiting struct {
	Reason  atelier.WaitingReason `json:"reason"`
	Message string                `json:"message,omitzero"`
	StepID  string                `json:"stepId,omitzero"`
}

// WebhookError is why a workflow or a run failed.
type WebhookError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// WebhookArtifact is a result, with a URL that can be read for a while.
type WebhookArtifact struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	MimeType string `json:"mimeType,omitzero"`
	StepID   string `json:"stepId,omitzero"`
	URL      string `json:"url"`
}

// WebhookTest is the data of a test.
type WebhookTest struct {
	WebhookID string `json:"webhookId"`
	Message   string `json:"message"`
}

// WebhookLora is the data of events of personal LoRAs.
type WebhookLora struct {
	LoraID      atelier.LoraID      `json:"loraId"`
	Name        string              `json:"name"`
	ModelID     string              `json:"modelId"`
	Status      atelier.LoraStatus  `json:"status"`
	Reason      string              `json:"reason,omitzero"`
	FailureCode atelier.LoraFailure `json:"failureCode,omitzero"`
}

// WebhookBalance is the data of events of the balance.
type WebhookBalance struct {
	Token   atelier.Token `json:"token"`
	Amount  atelier.Money `json:"amount"`  // that was granted or spent
	Balance atelier.Money `json:"balance"` // after it
}
