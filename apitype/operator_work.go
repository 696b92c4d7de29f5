package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// OperatorWorker is a connected worker.
type OperatorWorker struct {
	WorkerID      atelier.WorkerID `json:"workerId"`
	Name          string           `json:"name"`
	WalletAddress atelier.Wallet   `json:"walletAddress"`
	Username      string           `json:"username"` // of the account
	Network       atelier.Network  `json:"network"`
	Models        []string         `json:"models"`
	LoadedModels  []string         `json:"loadedModels"`
	Capacity      int              `json:"capacity"`
	Fallback      bool             `json:"fallback"`
	Version       string           `json:"version"`
	GPU           string           `json:"gpu"`
	Draining      bool             `json:"draining"`
	Unavailable   *string          `json:"unavailable"`      // why it takes no jobs for now; null while it takes them
	NotClaiming   *time.Time       `json:"notClaimingSince"` // since when it asks for no jobs although it could take some, and serves no model; null while it claims
	ModelSwitches int64            `json:"modelSwitches"`    // jobs for which it had to load another model, since it connected
	ConnectedAt   time.Time        `json:"connectedAt"`
	LastSeenAt    time.Time        `json:"lastSeenAt"`
	Jobs          []WorkerJob      `json:"jobs"`
	Machine       *ReportedMachine `json:"machine"`  // null when it has reported none
	Standing      *WorkerStanding  `json:"standing"` // null when there are no jobs that it failed at and others then completed
}

// WorkerJob is a job that a worker holds.
type WorkerJob struct {
	JobID         atelier.JobID  `json:"jobId"`
	ModelID       string         `json:"modelId"`
	ToolName      string         `json:"toolName"`
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	Progress      float64        `json:"progress"`
	StartedAt     time.Time      `json:"startedAt"`
}

// OperatorWorkers is a part of the connected workers.
type OperatorWorkers struct {
	Workers    []OperatorWorker `json:"workers"`
	NextCursor *string          `json:"nextCursor"`
}

// OperatorWorkerReply is one worker.
type OperatorWorkerReply struct {
	Worker OperatorWorker `json:"worker"`
}

// OperatorJob is a job as operators see it.
type OperatorJob struct {
	JobID         atelier.JobID    `json:"jobId"`
	ProjectID     string           `json:"projectId"`
	WalletAddress atelier.Wallet   `json:"walletAddress"`
	Username      string           `json:"username"`
	WorkflowID    *string          `json:"workflowId"` // null for a task of the service
	ModelID       string           `json:"modelId"`
	ToolName      string           `json:"toolName"`
	Network       atelier.Network  `json:"network"`
	State         atelier.JobState `json:"state"`
	Attempt       int              `json:"attempt"`
	Progress      float64          `json:"progress"`
	WorkerID      *string          `json:"workerId"`   // that holds it, or held it last
	WorkerName    *string          `json:"workerName"` // of that worker; null when it is no longer connected
	Code          *string          `json:"code"`       // of its error
	Message       *string          `json:"message"`    // of its error, or of its progress
	CreatedAt     time.Time        `json:"createdAt"`
	StartedAt     *time.Time       `json:"startedAt"`
	EndedAt       *time.Time       `json:"endedAt"`
}

// JobQuery selects jobs. An empty field selects all.
type JobQuery struct {
	State      atelier.JobState
	Code       string // of the error
	ModelID    string
	Wallet     string // wallet address or username
	WorkerID   atelier.WorkerID
	WorkflowID atelier.WorkflowID
	FailedLike atelier.JobID // only jobs that failed with the error and the model of this one
	Hours      int           // only jobs that ended in this many hours
	Page
}

// OperatorJobs is a part of the list of jobs, newest first.
type OperatorJobs struct {
	Jobs       []OperatorJob `json:"jobs"`
	NextCursor *string       `json:"nextCursor"`
}

// OperatorJobDetail is a job with what it was asked to make and what it costs.
type OperatorJobDetail struct {
	OperatorJob
	Arguments         map[string]any `json:"arguments"`
	Seed              int64          `json:"seed"`
	SafeContentFilter bool           `json:"safeContentFilter"`
	CancelRequested   bool           `json:"cancelRequested"`
	Leases            int            `json:"leases"`
	LeaseUntil        *time.Time     `json:"leaseUntil"`
	UnservedSince     *time.Time     `json:"unservedSince"` // since when no connected worker offers its model
	Receipt           *string        `json:"receipt"`       // of a render at a vendor
	Unresolved        int            `json:"unresolved"`    // how often its outcome at the vendor was unknown
	Retryable         bool           `json:"retryable"`     // of its error
	Cost              JobCost        `json:"cost"`
	CoveredByPlan     bool           `json:"coveredByPlan"`
	AppSource         *string        `json:"appSource"`
}

// JobCost is what a job costs.
type JobCost struct {
	Spark atelier.Money `json:"spark"`
	USD   atelier.Money `json:"usd"`
}

// OperatorJobReply is one job.
type OperatorJobReply struct {
	Job OperatorJobDetail `json:"job"`
}

// FailureGroup is a group of failed jobs.
type FailureGroup struct {
	Code        string        `json:"code"`
	Message     string        `json:"message"`
	ModelID     string        `json:"modelId"`
	IsTask      bool          `json:"isTask"` // these are small tasks of the service itself, and no renders
	Count       int64         `json:"count"`
	Accounts    int64         `json:"accounts"` // whose jobs they are
	Trend       []int64       `json:"trend"`    // how many failed in each twelfth of the time, the earliest first
	LastAt      time.Time     `json:"lastAt"`
	SampleJobID atelier.JobID `json:"sampleJobId"`
}

// Failures are the largest groups of failed jobs, largest first.
type Failures struct {
	Failures []FailureGroup `json:"failures"`
}

// UnresolvedJob is a job whose outcome at a vendor is unknown.
type UnresolvedJob struct {
	JobID         atelier.JobID  `json:"jobId"`
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"`
	ModelID       string         `json:"modelId"`
	Receipt       string         `json:"receipt"`
	Asked         int            `json:"asked"` // how often the vendor was asked
	Message       string         `json:"message"`
	Cancelled     bool           `json:"cancelled"`
	CreatedAt     time.Time      `json:"createdAt"`
}

// UnresolvedJobs is a part of the list of unresolved jobs, oldest first.
type UnresolvedJobs struct {
	Jobs       []UnresolvedJob `json:"jobs"`
	NextCursor *string         `json:"nextCursor"`
}

// UnresolvedReply is one unresolved job.
type UnresolvedReply struct {
	Job UnresolvedJob `json:"job"`
}

// OperatorLora is a personal LoRA as operators see it.
type OperatorLora struct {
	ID            atelier.LoraID       `json:"id"`
	WalletAddress atelier.Wallet       `json:"walletAddress"`
	Username      string               `json:"username"` // of the account
	Name          string               `json:"name"`
	ModelID       string               `json:"modelId"`
	Family        string               `json:"family"`
	Status        atelier.LoraStatus   `json:"status"`
	Reason        *string              `json:"reason"`
	FailureCode   *atelier.LoraFailure `json:"failureCode"`
	Requirements  []string             `json:"requirements"`
	Link          string               `json:"link"`
	Source        string               `json:"source"`
	Provider      string               `json:"provider"`
	Version       string               `json:"version"`
	Bytes         int64                `json:"bytes"`
	SHA256        *string              `json:"sha256"`
	ObjectKey     *string              `json:"objectKey"`
	CreatedAt     time.Time            `json:"createdAt"`
	UpdatedAt     time.Time            `json:"updatedAt"`
}

// LoraQuery selects personal LoRAs. An empty field selects all.
type LoraQuery struct {
	Status atelier.LoraStatus
	Wallet string // wallet address or username
	Page
}

// OperatorLoras is a part of the list of personal LoRAs, newest first.
type OperatorLoras struct {
	Loras      []OperatorLora `json:"loras"`
	NextCursor *string        `json:"nextCursor"`
}

// OperatorLoraReply is one personal LoRA.
type OperatorLoraReply struct {
	Lora OperatorLora `json:"lora"`
}

// FilterReview is a refusal of the content filter, for an operator to judge.
type FilterReview struct {
	ID            string         `json:"id"`
	At            time.Time      `json:"at"`
	WalletAddress atelier.Wallet `json:"walletAddress"`
	Username      string         `json:"username"` // of the account
	Place         string         `json:"place"`    // workflow or tool
	SourceID      string         `json:"sourceId"` // the workflow and its step
	ToolName      string         `json:"toolName"`
	Categories    []string       `json:"categories"`
	Excerpt       string         `json:"excerpt"` // the beginning of the text
	Verdict       *Verdict       `json:"verdict"` // null until it was judged
	Note          string         `json:"note"`
	JudgedBy      *string        `json:"judgedBy"`
	JudgedAt      *time.Time     `json:"judgedAt"`
}

// Verdict is an operator's judgement of a refusal.
type Verdict string

// The verdicts.
const (
	Upheld     Verdict = "upheld"
	Overturned Verdict = "overturned" // a false alarm
)

// Values lists the verdicts for the OpenAPI document.
func (Verdict) Values() []string { return []string{string(Upheld), string(Overturned)} }

// FilterReviews is a part of the list of refusals, newest first.
type FilterReviews struct {
	FilterReviews []FilterReview `json:"filterReviews"`
	NextCursor    *string        `json:"nextCursor"`
}

// FilterReviewReply is one refusal.
type FilterReviewReply struct {
	FilterReview FilterReview `json:"filterReview"`
}

// Health is the state of an installation.
type Health struct {
	Status        string            `json:"status"` // ok or failing
	Version       string            `json:"version"`
	StartedAt     time.Time         `json:"startedAt"` // of this node
	UptimeSeconds int64             `json:"uptimeSeconds"`
	Parts         map[string]string `json:"parts"` // database, bus, storage: ok or failing
	Networks      []NetworkHealth   `json:"networks"`
	OldestWaiting *WaitingJob       `json:"oldestWaiting"`
	FreeBytes     *int64            `json:"freeBytes"`   // on the disks of this node; null where nothing is stored there
	MemoryBytes   int64             `json:"memoryBytes"` // that this node holds, its renderers not included
	Nodes         []NodeHealth      `json:"nodes"`
	Unresolved    int64             `json:"unresolved"`
}

// NodeHealth is a process of the service that is connected to the database.
type NodeHealth struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	Since       time.Time `json:"since"` // when it began to do tasks
	LastSeenAt  time.Time `json:"lastSeenAt"`
	Tasks       int       `json:"tasks"`       // that it does now
	MemoryBytes *int64    `json:"memoryBytes"` // that it held when it took its last sample; null before the first
	FreeBytes   *int64    `json:"freeBytes"`   // on its disks at that time; null where nothing is stored there
}

// NetworkHealth is the state of one network.
type NetworkHealth struct {
	Network atelier.Network `json:"network"`
	Queued  int64           `json:"queued"`
	Active  int64           `json:"active"`
	Workers int64           `json:"workers"`

	Draining      int64 `json:"draining"`      // how many of the workers get no new jobs, because an operator drains them
	Unavailable   int64 `json:"unavailable"`   // how many of the workers take no jobs for now
	ModelSwitches int64 `json:"modelSwitches"` // of those workers, since they connected
}

// WaitingJob is the job that has waited longest.
type WaitingJob struct {
	JobID     atelier.JobID   `json:"jobId"`
	ModelID   string          `json:"modelId"`
	Network   atelier.Network `json:"network"`
	CreatedAt time.Time       `json:"createdAt"`
}

// HealthReply is the state of an installation.
type HealthReply struct {
	Health Health `json:"health"`
}

// PublishedTemplate is a public template as it was saved.
type PublishedTemplate struct {
	ID       string          `json:"id"`
	Version  string          `json:"version"`
	Name     string          `json:"name"`
	Warnings []atelier.Issue `json:"warnings"`
}

// PublishedTemplateReply is one public template.
type PublishedTemplateReply struct {
	Template PublishedTemplate `json:"template"`
}

// WithdrawnTemplate says which template is no longer public.
type WithdrawnTemplate struct {
	Withdrawn bool   `json:"withdrawn"`
	ID        string `json:"id"`
}
