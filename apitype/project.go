package apitype

import "github.com/atelier-project/atelier"

// Project is a submitted generation as its owner reads it.
type Project struct {
	ID                  atelier.ProjectID `json:"id"`
	Status              string            `json:"status"` // queued, processing, completed, failed or canceled
	Finished            bool              `json:"finished"`
	Artist              atelier.Wallet    `json:"artist"`
	Model               ProjectModel      `json:"model"`
	ImageCount          int               `json:"imageCount"`
	Network             atelier.Network   `json:"network"`
	CostEstimate        ProjectCost       `json:"costEstimate"`
	CostActual          *ProjectCost      `json:"costActual,omitzero"`
	CreateTime          int64             `json:"createTime"`
	UpdateTime          int64             `json:"updateTime"`
	EndTime             int64             `json:"endTime,omitzero"`
	Reason              string            `json:"reason,omitzero"`
	WorkerJobs          []ProjectJob      `json:"workerJobs"`
	CompletedWorkerJobs []ProjectJob      `json:"completedWorkerJobs"`
	PersonalLoras       []ProjectLora     `json:"personalLoras,omitempty"`
}

// ProjectLora is a personal LoRA that a project was rendered with.
type ProjectLora struct {
	LoraID        string  `json:"loraId"`
	Name          string  `json:"name"`
	Provider      string  `json:"provider"`
	SourceURL     string  `json:"sourceUrl"`
	SourceVersion string  `json:"sourceVersion"`
	SHA256        string  `json:"sha256"`
	ModelID       string  `json:"modelId"`
	Strength      float64 `json:"strength"`
}

// ProjectModel is the model of a project.
type ProjectModel struct {
	ID   string `json:"id"`
	SID  int    `json:"SID"`
	Name string `json:"name"`
}

// ProjectCost is what a project costs.
type ProjectCost struct {
	Spark atelier.Money `json:"costInSpark"`
	USD   atelier.Money `json:"costInUSD"`
}

// ProjectJob is one result of a project.
type ProjectJob struct {
	ID          string           `json:"id"`
	ImgID       string           `json:"imgID"`
	Worker      atelier.WorkerID `json:"worker"`
	Status      string           `json:"status"` // queued, jobStarted, jobProgress, jobCompleted or jobError
	Reason      string           `json:"reason,omitzero"`
	Progress    float64          `json:"progress"`
	SeedUsed    int64            `json:"seedUsed,omitzero"`
	CreateTime  int64            `json:"createTime"`
	StartTime   int64            `json:"startTime,omitzero"`
	EndTime     int64            `json:"endTime,omitzero"`
	ResultURL   string           `json:"resultUrl,omitzero"`
	ResultKey   string           `json:"resultKey,omitzero"`
	Triggered   bool             `json:"triggeredNSFWFilter"`
	ContentType string           `json:"outputFormat,omitzero"`
}

// ProjectReply is GET /v2/projects/:id.
type ProjectReply struct {
	Project Project `json:"project"`
}
