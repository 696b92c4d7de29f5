package atelier

import (
	"fmt"
	"strings"
	"time"
)

// JobState is the state of a job.
type JobState string

// The states of a job. The last three are final.
const (
	JobQueued    JobState = "queued"
	JobLeased    JobState = "leased"
	JobCompleted JobState = "completed"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Terminal reports whether the state is final.
func (s JobState) Terminal() bool { return s == JobCompleted || s == JobFailed || s == JobCancelled }

// JobMoves is the state table of jobs. The store refuses every other move.
var JobMoves = []Move[JobState]{
	{JobQueued, "a worker claims it", JobLeased},
	{JobQueued, "cancel", JobCancelled},
	{JobQueued, "no connected worker offers its model within the timeout", JobFailed},
	{JobLeased, "complete", JobCompleted},
	{JobLeased, "fail", JobFailed},
	{JobLeased, "render timeout", JobFailed},
	{JobLeased, "dropped on the first attempt", JobQueued},
	{JobLeased, "dropped on the second attempt", JobFailed},
	{JobLeased, "given back by a worker whose renderer is away", JobQueued},
	{JobLeased, "ends after a cancel request", JobCancelled},
	{JobLeased, "outcome unknown", JobQueued},
	{JobQueued, "an operator resolves it as failed", JobFailed},
}

// May reports whether a job may move between two states.
func (s JobState) May(to JobState) bool { return hasMove(JobMoves, s, to) }

// MaxAttempts is how often a job is tried: once, and once more when its worker
// dropped it before it made anything.
const MaxAttempts = 2

// Job is one render for one account.
type Job struct {
	ID        JobID
	ProjectID ProjectID
	Wallet    Wallet
	Owner     JobOwner
	Spec      JobSpec
	Network   Network
	State     JobState
	Attempt   int       // from 1
	Leases    int       // how often it was leased
	Cancel    bool      // its owner has asked for it to end
	CancelAt  time.Time // when, if a worker held it then
	WorkerID  WorkerID
	Lease     time.Time // the reaper drops a leased job when this passes
	Progress  float64
	Message   string
	Error     JobError

	// ExternalRef identifies the render at a vendor. A job that has one is not
	// rendered again when its worker stops reporting: the vendor may still render
	// it, and bill for it.
	ExternalRef string
	Unresolved  int // how often its outcome at the vendor was unknown

	// UnservedSince is when the last connected worker that offers its model left,
	// while the job is queued; zero when a worker offers it.
	UnservedSince time.Time

	// FallbackAt is when a fallback worker may take a queued job that none may take yet. Only hooks get it.
	FallbackAt time.Time

	CreatedAt time.Time
	StartedAt time.Time     // of this lease
	Counted   time.Duration // the part of this lease that its account's turns include
	EndedAt   time.Time

	// Charged is what it cost, once it has completed. ChargedByPlan says, from its submission on, whether
	// the plan of its account pays.
	Charged       Cost
	ChargedByPlan bool

	Held Money // what was set aside for it at its submission, which sets it
}

// JobOwner is what waits for a job: a step, or a file, of a workflow.
type JobOwner struct {
	Kind string
	ID   string
	Part string
}

// JobSpec is what a worker needs to render. Only the filter can change later: the
// account may lose the right to turn it off.
type JobSpec struct {
	Tool              string
	ModelID           string
	Arguments         map[string]any
	Inputs            []JobInput
	Links             map[string]string // from an argument that takes the URL of a stored object to the object's key
	Loras             []JobLora
	Artifacts         []JobArtifact
	Seed              int64
	SafeContentFilter bool
	ConcurrencyClass  string
	ConcurrencyLimit  int // renders of the class at once; 0 for any number

	// Ordered is the size and length that were asked for and that results must have.
	Ordered Extent
}

// Extent is how large a file is and how long it lasts. What is zero is not known, or does
// not matter.
type Extent struct {
	Width, Height int
	Seconds       float64
}

// PersonalLoras is how many personal LoRAs a render loads.
func (s JobSpec) PersonalLoras() (n int) {
	for _, l := range s.Loras {
		if l.Personal != nil {
			n++
		}
	}
	return n
}

// JobInput is a file that a render reads: a stored object by its key, or a file on
// the web by its URL.
type JobInput struct {
	Argument    string
	Kind        string
	Key         string
	URL         string
	ContentType string
}

// JobLora is a LoRA that a render loads. Workers have the files of public ones; that
// of a personal one is a stored object.
type JobLora struct {
	ID       string
	URL      string
	Strength float64

	Personal *PersonalSource // nil for a public one
}

// PersonalSource is where the file of a personal LoRA came from, when a render
// was ordered.
type PersonalSource struct {
	Key      string // of the object
	Name     string
	Provider string
	Source   string // the pinned link
	Version  string
	SHA256   string
}

// JobArtifact is a file that a render makes.
type JobArtifact struct {
	ID          string
	Kind        string
	ContentType string
}

// JobError says why a job failed.
type JobError struct {
	Code      string
	Message   string
	Retryable bool
}

// The codes with which a worker reports that a job failed.
const (
	FailError           = "error"
	FailLoraMismatch    = "lora_mismatch"
	FailContentFiltered = "content_filtered"
	FailOutOfMemory     = "out_of_memory"
	FailDropped         = "dropped"
	FailUnavailable     = "worker_unavailable" // the renderer of the worker is away: the job goes back
	FailUnknown         = "unknown"            // a vendor may have rendered it, and billed for it
)

// FailLoraUnavailable is the code of a job that was cancelled because its owner
// may no longer use a personal LoRA of it. Workers do not report it; the service sets it.
const FailLoraUnavailable = "lora_unavailable"

// FailNoWorker is the code of a job that no connected worker could take. Workers
// do not report it; the service sets it.
const FailNoWorker = "no_worker"

// FailCodes lists the codes of workers.
var FailCodes = []string{FailError, FailLoraMismatch, FailContentFiltered, FailOutOfMemory, FailDropped, FailUnavailable, FailUnknown}

// Artifact is a file that a job made.
type Artifact struct {
	ID              string
	JobID           JobID
	ProjectID       ProjectID
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

// FreePlaces is how many more jobs a worker may take that has some, and renders some of those.
// The others are being delivered, which takes no GPU: it may have twice its capacity of them.
func FreePlaces(capacity, held, rendering int) int {
	return min(capacity-rendering, 3*capacity-held)
}

// Worker is a program that renders.
type Worker struct {
	ID         WorkerID
	Wallet     Wallet
	Name       string
	Network    Network
	Models     []string
	Loaded     []string // models in its memory now
	Capacity   int      // jobs at once
	Fallback   bool     // gets a job only while no other connected worker offers its model
	NFTTokenID string
	Version    string
	GPU        string
	Draining   bool // takes no more jobs
	CreatedAt  time.Time
	SeenAt     time.Time

	Unavailable string   // why it takes no jobs for now, as it has reported; empty while it takes them
	Recent      []string // models of the jobs that it got since it has reported Loaded, newest first
	Switches    int64    // how often it had to load another model for a job

	ClaimedAt        time.Time // when it last claimed or was full; at first when it connected
	NotClaimingSince time.Time // since when it takes no jobs without saying so, and serves no model; zero while it claims

	// LowSince is since when others are preferred to it, because they complete what it fails at; zero
	// while its standing is good. LowReason says why. Lapses is how many of those jobs are remembered.
	LowSince  time.Time
	LowReason string
	Lapses    int
}

// maxNFTTokenID is how many digits the id of an NFT has at most.
const maxNFTTokenID = 40

// CheckNFTTokenID says whether a text may be the id of an NFT.
func CheckNFTTokenID(id string) error {
	if id == "" || len(id) > maxNFTTokenID || id[0] == '0' || strings.Trim(id, "0123456789") != "" {
		return fmt.Errorf("%q is not the id of an NFT: use a positive integer of at most %d digits", id, maxNFTTokenID)
	}
	return nil
}

// TakesJobs reports whether a worker gets jobs.
func (w Worker) TakesJobs() bool { return !w.Draining && w.Unavailable == "" }

// Serves reports whether a worker counts among those that serve the models that it offers.
func (w Worker) Serves() bool { return w.TakesJobs() && w.NotClaimingSince.IsZero() }
