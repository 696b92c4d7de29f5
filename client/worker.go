package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// WorkerSpec describes a worker that connects.
type WorkerSpec struct {
	Name       string   `json:"name"`
	Network    string   `json:"network"`
	Models     []string `json:"models"`
	Capacity   int      `json:"capacity"`
	Fallback   bool     `json:"fallback,omitempty"` // gets a job only while no other connected worker offers its model
	NFTTokenID string   `json:"nftTokenId,omitempty"`
	Version    string   `json:"version,omitempty"`
	GPU        string   `json:"gpu,omitempty"`
}

// Session is a connected worker.
type Session struct {
	client    *Client
	ID        string
	Lease     time.Duration // a job without progress for this long is lost
	Heartbeat time.Duration // how often to call the service
}

// Job is a render to do.
type Job struct {
	JobID             string         `json:"jobId"`
	ProjectID         string         `json:"projectId"`
	ToolName          string         `json:"toolName"`
	ModelID           string         `json:"modelId"`
	Arguments         map[string]any `json:"arguments"`
	Inputs            []Input        `json:"inputs"`
	Loras             []Lora         `json:"loras"`
	Artifacts         []Slot         `json:"artifacts"`
	Seed              int64          `json:"seed"`
	Attempt           int            `json:"attempt"`
	Network           string         `json:"network"`
	SafeContentFilter bool           `json:"safeContentFilter"`
	LeaseUntil        time.Time      `json:"leaseUntil"`

	// Receipt identifies a render at a vendor that an earlier attempt at this job began.
	Receipt string `json:"receipt,omitempty"`
}

// Input is a file that a render reads.
type Input struct {
	Argument    string `json:"argument"`
	Kind        string `json:"kind"`
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
}

// Lora is a LoRA that a render loads.
type Lora struct {
	ID       string  `json:"id"`
	URL      string  `json:"url"`
	Strength float64 `json:"strength"`
	SHA256   string  `json:"sha256"` // of the file at the URL; empty when unknown
}

// Slot is a file that a render must make.
type Slot struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	ContentType string `json:"contentType"`
}

// ReportedArtifact is a file of a completed render: uploaded before, or sent as data.
type ReportedArtifact struct {
	ID              string         `json:"id"`
	ContentType     string         `json:"contentType,omitempty"`
	Width           int            `json:"width,omitempty"`
	Height          int            `json:"height,omitempty"`
	DurationSeconds float64        `json:"durationSeconds,omitempty"`
	Seed            int64          `json:"seed"`
	Metadata        map[string]any `json:"metadata,omitempty"`

	// Data is the file itself, when it is small and was not uploaded: all files of one
	// completion have at most MaxData bytes.
	Data []byte `json:"data,omitempty"`
}

// MaxData is how many bytes of files a completion may include.
const MaxData = 1 << 20

// MaxMetadata is how many bytes of JSON the metadata of an artifact may have.
const MaxMetadata = 4 << 10

// Metrics are the durations of the parts of a render.
type Metrics struct {
	RenderSeconds      float64 `json:"renderSeconds"`
	ModelSwitchSeconds float64 `json:"modelSwitchSeconds"`
	PrimingSeconds     float64 `json:"primingSeconds"`
}

// Connect opens a session for a worker.
func (c *Client) Connect(ctx context.Context, w WorkerSpec) (*Session, error) {
	var reply struct {
		Worker struct {
			WorkerID         string  `json:"workerId"`
			LeaseSeconds     float64 `json:"leaseSeconds"`
			HeartbeatSeconds float64 `json:"heartbeatSeconds"`
		} `json:"worker"`
	}
	if _, err := c.call(ctx, http.MethodPost, "/v1/worker/sessions", w, &reply); err != nil {
		return nil, err
	}
	return &Session{
		client: c, ID: reply.Worker.WorkerID,
		Lease:     time.Duration(reply.Worker.LeaseSeconds * float64(time.Second)),
		Heartbeat: time.Duration(reply.Worker.HeartbeatSeconds * float64(time.Second)),
	}, nil
}

func (s *Session) path(more string) string {
	return "/v1/worker/sessions/" + url.PathEscape(s.ID) + more
}

func (s *Session) job(id, verb string) string {
	return s.path("/jobs/" + url.PathEscape(id) + "/" + verb)
}

// Claim waits for a job, up to half a minute. It returns nil when there is none.
func (s *Session) Claim(ctx context.Context, patience time.Duration) (*Job, error) {
	var reply struct {
		Job *Job `json:"job"`
	}
	_, err := s.client.call(ctx, http.MethodPost, s.path("/claim"), map[string]any{"waitSeconds": patience.Seconds()}, &reply)
	return reply.Job, err
}

// Heartbeat is what a worker reports about itself.
type Heartbeat struct {
	Loaded      []string `json:"loadedModels"`          // the models in its memory
	Models      []string `json:"models,omitempty"`      // all models that it renders from now on, when they have changed
	Unavailable string   `json:"unavailable,omitempty"` // why it can render nothing for now; empty when it can
}

// Beat reports that the worker is connected, and its state.
func (s *Session) Beat(ctx context.Context, h Heartbeat) error {
	_, err := s.client.call(ctx, http.MethodPost, s.path("/heartbeat"), h, nil)
	return err
}

// Progress reports the progress of a job, and returns whether it was cancelled.
func (s *Session) Progress(ctx context.Context, jobID string, progress float64, message string) (cancel bool, err error) {
	var reply struct {
		Cancel bool `json:"cancel"`
	}
	_, err = s.client.call(ctx, http.MethodPost, s.job(jobID, "progress"), map[string]any{"progress": progress, "message": message}, &reply)
	return reply.Cancel, err
}

// MaxReceipt is the longest receipt, in bytes.
const MaxReceipt = 4096

// Keep stores the receipt of a job at a vendor, such as the id of the vendor's
// task. A worker that gets the job later gets the receipt too. It is durable when
// Keep returns without an error; Progress does not change it.
func (s *Session) Keep(ctx context.Context, jobID string, progress float64, message, receipt string) (cancel bool, err error) {
	var reply struct {
		Cancel bool `json:"cancel"`
	}
	body := map[string]any{"progress": progress, "message": message, "receipt": receipt}
	_, err = s.client.call(ctx, http.MethodPost, s.job(jobID, "progress"), body, &reply)
	return reply.Cancel, err
}

// Complete settles a finished job. With more, it also claims the next job if one is
// queued; it returns nil when none is.
func (s *Session) Complete(ctx context.Context, jobID string, artifacts []ReportedArtifact, m Metrics, more bool) (*Job, error) {
	var reply struct {
		Job *Job `json:"job"`
	}
	body := map[string]any{"artifacts": artifacts, "metrics": m, "claimNext": more}
	_, err := s.client.call(ctx, http.MethodPost, s.job(jobID, "complete"), body, &reply)
	return reply.Job, err
}

// Fail reports that a job failed.
func (s *Session) Fail(ctx context.Context, jobID, code, message string, retryable bool) error {
	_, err := s.client.call(ctx, http.MethodPost, s.job(jobID, "fail"), map[string]any{"code": code, "message": message, "retryable": retryable}, nil)
	return err
}

// Close ends the session. Unfinished jobs go back to the queue.
func (s *Session) Close(ctx context.Context) error {
	_, err := s.client.call(ctx, http.MethodDelete, s.path(""), nil, nil)
	return err
}
