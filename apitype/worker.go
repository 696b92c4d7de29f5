package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// WorkerSpec describes a worker that connects.
type WorkerSpec struct {
	Name       string          `json:"name" wire:"name,required,minlen=1,maxlen=80" doc:"A display name."`
	Network    atelier.Network `json:"network" wire:"network,required,enum=fast|relaxed" doc:"Which jobs it takes."`
	Models     []string        `json:"models" wire:"models,required,minlen=1,maxlen=1000" doc:"The models it renders."`
	Capacity   int             `json:"capacity,omitzero" wire:"capacity,default=1,min=1,max=64" doc:"Jobs at once."`
	Fallback   bool            `json:"fallback,omitzero" wire:"fallback" doc:"Whether it is a fallback worker: it gets a job only while no other connected worker offers the job's model, and none has done so within workers.no_worker_timeout."`
	NFTTokenID string          `json:"nftTokenId,omitzero" wire:"nftTokenId,maxlen=40" doc:"The id of the NFT that the worker's counters are recorded for, a positive integer. It belongs to the first account whose worker names it, until an operator moves it."`
	Version    string          `json:"version,omitzero" wire:"version,maxlen=80" doc:"Its version."`
	GPU        string          `json:"gpu,omitzero" wire:"gpu,maxlen=120" doc:"The GPU it renders with."`
}

// WorkerSessionReply is the answer to a worker that connects.
type WorkerSessionReply struct {
	Worker WorkerSession `json:"worker"`
}

// WorkerSession is a connected worker.
type WorkerSession struct {
	WorkerID         atelier.WorkerID `json:"workerId"`
	LeaseSeconds     float64          `json:"leaseSeconds"`     // a job without progress for this long is lost
	HeartbeatSeconds float64          `json:"heartbeatSeconds"` // how often to call the service
}

// Heartbeat is what a worker reports about itself.
type Heartbeat struct {
	Loaded      []string `json:"loadedModels" wire:"loadedModels,maxlen=1000" doc:"The models in its memory now."`
	Models      []string `json:"models,omitzero" wire:"models,minlen=1,maxlen=1000" doc:"All models that it renders from now on, when they have changed."`
	Unavailable string   `json:"unavailable,omitzero" wire:"unavailable,truncate=300" doc:"Why it can render nothing for now. It gets no jobs until a heartbeat comes without this."`
	Machine     *Machine `json:"machine,omitzero" wire:"machine" doc:"The machine that renders. Operators and the worker's own account see it."`
}

// HeartbeatReply is what the service does with a worker.
type HeartbeatReply struct {
	Draining bool `json:"draining"` // an operator has it get no more jobs

	// LowStanding says why others are preferred to the worker; it is absent while its standing is good.
	LowStanding string `json:"lowStanding,omitzero"`
}

// WorkerStanding is what the jobs of a worker have shown that others then completed.
type WorkerStanding struct {
	// IsLow says that workers in good standing get the jobs of their models in its place, but for
	// trials. Three jobs in a row that it completes, of models that it has failed at, restore it.
	IsLow   bool      `json:"low"`
	Since   time.Time `json:"since,omitzero"`   // absent while it is good
	Reason  string    `json:"reason,omitzero"`  // absent while it is good
	TrialAt time.Time `json:"trialAt,omitzero"` // when it may get the next trial; absent while it is good

	Lapses []WorkerLapse `json:"lapses"` // newest first
}

// WorkerLapse is a job that a worker failed at and that another completed.
type WorkerLapse struct {
	JobID   atelier.JobID `json:"jobId"`
	ModelID string        `json:"modelId"`
	Code    LapseCode     `json:"code"`
	Message string        `json:"message"`
	At      time.Time     `json:"at"`
}

// LapseCode is how a worker failed at a job that was tried again.
type LapseCode string

// LapseSilent is the code of a worker that stopped reporting.
const LapseSilent LapseCode = "lease_expired"

// Values lists the codes for the OpenAPI document.
func (LapseCode) Values() []string {
	return []string{atelier.FailDropped, atelier.FailUnavailable, string(LapseSilent)}
}

// JobClaim asks for a job.
type JobClaim struct {
	WaitSeconds float64 `json:"waitSeconds" wire:"waitSeconds,min=0,max=30" doc:"How long to wait for a job."`
}

// ClaimedJob is the answer to a claim, or to a completion that asks for the next job. Job is
// nil when no job is available.
type ClaimedJob struct {
	Job *Assignment `json:"job,omitzero"`
}

// Assignment is a job as a worker gets it: everything is resolved, and every file has a URL.
type Assignment struct {
	JobID             atelier.JobID        `json:"jobId"`
	ProjectID         atelier.ProjectID    `json:"projectId"`
	ToolName          string               `json:"toolName"`
	ModelID           string               `json:"modelId"`
	Arguments         map[string]any       `json:"arguments"`
	Inputs            []AssignmentInput    `json:"inputs"`
	Loras             []AssignmentLora     `json:"loras"`
	Artifacts         []AssignmentArtifact `json:"artifacts"`
	Seed              int64                `json:"seed"`
	Attempt           int                  `json:"attempt"`
	Network           atelier.Network      `json:"network"`
	SafeContentFilter bool                 `json:"safeContentFilter"`
	EmbedSettings     bool                 `json:"embedSettings"` // whether pictures, clips and recordings shall have in them what they were made with
	LeaseUntil        time.Time            `json:"leaseUntil"`
	Receipt           string               `json:"receipt,omitzero"` // of a render at a vendor that an earlier attempt at this job began
}

// AssignmentInput is a file that a render reads.
type AssignmentInput struct {
	Argument    string `json:"argument"`
	Kind        string `json:"kind"`
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
}

// AssignmentLora is a LoRA that a render loads. One without a URL is of the public catalog,
// and the worker has its file.
type AssignmentLora struct {
	ID       string  `json:"id"`
	URL      string  `json:"url,omitzero"`
	Strength float64 `json:"strength"`
	SHA256   string  `json:"sha256,omitzero"` // of the file at the URL, where it is known
}

// AssignmentArtifact is a file that a render must make.
type AssignmentArtifact struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	ContentType string `json:"contentType"`
}

// JobProgress reports the progress of a job.
type JobProgress struct {
	Progress float64 `json:"progress" wire:"progress,required,min=0,max=1" doc:"Progress of the render."`
	Message  string  `json:"message" wire:"message,truncate=200" doc:"The current activity."`
	Receipt  string  `json:"receipt,omitzero" wire:"receipt,maxlen=4096" doc:"Reference to a render on another server, such as the id of a vendor's task. A worker that continues the job receives it."`
}

// ProgressReply is the answer to a report of progress.
type ProgressReply struct {
	Cancel     bool      `json:"cancel"`
	LeaseUntil time.Time `json:"leaseUntil"`

	// Alternatives is how many other workers could take the job now, if this one gave it back. It is
	// 0 in answers to reports that bring progress, and when another attempt is not left.
	Alternatives int `json:"alternatives,omitzero"`
}

// Completion reports a finished job.
type Completion struct {
	Artifacts []ReportedArtifact `json:"artifacts" wire:"artifacts,required,minlen=1,maxlen=64" doc:"The results: uploaded before, or included as data."`
	Metrics   RenderMetrics      `json:"metrics" wire:"metrics,names=lenient"`
	ClaimNext bool               `json:"claimNext" wire:"claimNext" doc:"Whether to answer with the next job, if one is queued."`
}

// ReportedArtifact is a file of a completed render: uploaded before, or sent as data.
type ReportedArtifact struct {
	ID              string         `json:"id" wire:"id,required"`
	ContentType     string         `json:"contentType,omitzero" wire:"contentType,maxlen=100"`
	Width           int            `json:"width,omitzero" wire:"width,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	Height          int            `json:"height,omitzero" wire:"height,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	DurationSeconds float64        `json:"durationSeconds,omitzero" wire:"durationSeconds,min=0,max=1000000" doc:"Used only where the file cannot be measured."`
	Seed            int64          `json:"seed" wire:"seed"`
	Metadata        map[string]any `json:"metadata,omitempty" wire:"metadata,maxbytes=4096" doc:"Further facts about the artifact, at most 4 KiB of JSON."`
	Data            []byte         `json:"data,omitempty" wire:"data,minlen=1,maxlen=2097152" doc:"The file in base64, instead of an upload. For small files: the whole body is limited to 2 MiB."`
}

// RenderMetrics are the durations of the parts of a render.
type RenderMetrics struct {
	RenderSeconds      float64 `json:"renderSeconds" wire:"renderSeconds,min=0"`
	ModelSwitchSeconds float64 `json:"modelSwitchSeconds" wire:"modelSwitchSeconds,min=0"`
	PrimingSeconds     float64 `json:"primingSeconds" wire:"primingSeconds,min=0"`
}

// JobFailure reports that a job failed.
type JobFailure struct {
	Code      string `json:"code" wire:"code,required,enum=error|lora_mismatch|content_filtered|out_of_memory|dropped|worker_unavailable|unknown" doc:"The reason. dropped: the job is retried once. worker_unavailable: the renderer is away; the job goes to another worker, and this one gets none until a heartbeat says that it is available. unknown: the outcome on another server is not known; the job is offered again with its receipt."`
	Message   string `json:"message" wire:"message,truncate=2000"`
	Retryable bool   `json:"retryable" wire:"retryable"`
}
