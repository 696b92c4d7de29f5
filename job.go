package atelier

import "time"

// JobState is where a job stands.
type JobState string

// The states of a job. The last three are final.
const (
	JobQueued    JobState = "queued"
	JobLeased    JobState = "leased"
	JobCompleted JobState = "completed"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Terminal reports whether a job in this state is over.
func (s JobState) Terminal() bool { return s == JobCompleted || s == JobFailed || s == JobCancelled }

// JobMove is one row of the state table of jobs.
type JobMove struct {
	From    JobState
	Trigger string
	To      JobState
}

// JobMoves is the state table of jobs. Whatever is not in it is refused.
var JobMoves = []JobMove{
	{JobQueued, "a worker claims it", JobLeased},
	{JobQueued, "cancel", JobCancelled},
	{JobQueued, "no connected worker offers its model for too long", JobFailed},
	{JobLeased, "complete", JobCompleted},
	{JobLeased, "fail", JobFailed},
	{JobLeased, "takes longer than a render may", JobFailed},
	{JobLeased, "dropped the first time", JobQueued},
	{JobLeased, "dropped again", JobFailed},
	{JobLeased, "ends after a cancel", JobCancelled},
	{JobLeased, "nobody knows what became of it", JobQueued},
	{JobQueued, "an operator says that nothing came of it", JobFailed},
}

// May reports whether a job may move between two states.
func (s JobState) May(to JobState) bool {
	for _, m := range JobMoves {
		if m.From == s && m.To == to {
			return true
		}
	}
	return false
}

// MaxAttempts is how often a job is tried: once, and once more when a worker
// dropped it before media was produced.
const MaxAttempts = 2

// Job is one render for one account.
type Job struct {
	ID        string
	ProjectID string
	Wallet    Wallet
	Owner     JobOwner
	Spec      JobSpec
	Network   Network
	State     JobState
	Attempt   int       // from 1
	Leases    int       // how often a worker got it
	Cancel    bool      // somebody wants it to end
	CancelAt  time.Time // since when, if it was with a worker then
	WorkerID  string
	Lease     time.Time // a leased job is dropped when this passes
	Progress  float64
	Message   string
	Error     JobError

	// Receipt is what finds a render that goes on elsewhere, at a vendor's. A
	// job with one is never rendered anew because its worker fell silent.
	Receipt string
	Doubts  int // how often nobody knew what became of it

	// UnservedSince is since when no connected worker offers its model, while it
	// is queued; zero when one does.
	UnservedSince time.Time

	CreatedAt time.Time
	StartedAt time.Time     // of this lease
	Counted   time.Duration // of this lease, in its account's turns
	EndedAt   time.Time

	// Charged is what it cost, told when it has completed.
	Charged       Cost
	ChargedByPlan bool
}

// JobOwner is whoever waits for a job: a step of a workflow.
type JobOwner struct {
	Kind string
	ID   string
	Part string
}

// JobSpec is what a worker needs to know to render. It does not change, but for
// the filter, which an account may lose the right to turn off.
type JobSpec struct {
	Tool              string            `json:"tool"`
	ModelID           string            `json:"modelId"`
	Arguments         map[string]any    `json:"arguments"`
	Inputs            []JobInput        `json:"inputs,omitempty"`
	Links             map[string]string `json:"links,omitempty"` // arguments that are the URL of one of our objects, to its key
	Loras             []JobLora         `json:"loras,omitempty"`
	Artifacts         []JobArtifact     `json:"artifacts"`
	Seed              int64             `json:"seed"`
	SafeContentFilter bool              `json:"safeContentFilter"`
	ConcurrencyClass  string            `json:"concurrencyClass,omitempty"`
	ConcurrencyLimit  int               `json:"concurrencyLimit,omitzero"` // renders of the class at once; 0 for any number
}

// JobInput is a file that a render reads: one of ours by its key, or one of
// the web by its URL.
type JobInput struct {
	Argument    string `json:"argument"`
	Kind        string `json:"kind"`
	Key         string `json:"key,omitempty"`
	URL         string `json:"url,omitempty"`
	ContentType string `json:"contentType,omitempty"`
}

// JobLora is a LoRA that a render loads.
type JobLora struct {
	ID       string  `json:"id"`
	URL      string  `json:"url,omitempty"`
	Strength float64 `json:"strength"`
}

// JobArtifact is a file that a render makes.
type JobArtifact struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	ContentType string `json:"contentType"`
}

// JobError says why a job failed.
type JobError struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// The codes with which a worker can give up a job.
const (
	FailError           = "error"
	FailLoraMismatch    = "lora_mismatch"
	FailContentFiltered = "content_filtered"
	FailOutOfMemory     = "out_of_memory"
	FailDropped         = "dropped"
	FailUnknown         = "unknown" // nobody knows whether it was rendered, and billed, elsewhere
)

// FailNoWorker is the code of a job that no connected worker could take. No
// worker says it.
const FailNoWorker = "no_worker"

// FailCodes lists the codes of workers.
var FailCodes = []string{FailError, FailLoraMismatch, FailContentFiltered, FailOutOfMemory, FailDropped, FailUnknown}

// Artifact is a file that a job made.
type Artifact struct {
	ID              string
	JobID           string
	ProjectID       string
	Position        int
	Kind            string
	ContentType     string
	Key             string
	Bytes           int64
	Width           int
	Height          int
	DurationSeconds float64
	Seed            int64
	Metadata        map[string]any
}

// Worker is a program that renders.
type Worker struct {
	ID         string
	Wallet     Wallet
	Name       string
	Network    Network
	Models     []string
	Loaded     []string // models in its memory now
	Capacity   int      // jobs at once
	Fallback   bool     // gets a job only while no other worker offers its model
	NFTTokenID string
	Version    string
	GPU        string
	Draining   bool // takes no more jobs
	CreatedAt  time.Time
	SeenAt     time.Time
}
