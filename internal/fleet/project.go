package fleet

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

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
	WorkerJobs          []WorkerJob       `json:"workerJobs"`
	CompletedWorkerJobs []WorkerJob       `json:"completedWorkerJobs"`
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

// WorkerJob is one result of a project.
type WorkerJob struct {
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

// projectStatus maps the states of a job to those of a project.
var projectStatus = map[atelier.JobState]string{
	atelier.JobQueued: "queued", atelier.JobLeased: "processing", atelier.JobCompleted: "completed",
	atelier.JobFailed: "failed", atelier.JobCancelled: "canceled",
}

// Project reads a project of the account.
func (e *Engine) Project(ctx context.Context, w atelier.Wallet, id atelier.ProjectID) (Project, error) {
	var (
		j         store.StoredJob
		artifacts []atelier.Artifact
	)
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if j, err = tx.JobOfProject(id); err == nil {
			artifacts, err = tx.Artifacts(j.ID)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) || (err == nil && !j.Wallet.Equal(w)) {
		return Project{}, atelier.Missing("id", string(id), "project")
	}
	if err != nil {
		return Project{}, err
	}
	return e.describe(ctx, j, artifacts)
}

func (e *Engine) describe(ctx context.Context, j store.StoredJob, artifacts []atelier.Artifact) (Project, error) {
	p := Project{
		ID: j.ProjectID, Status: projectStatus[j.State], Finished: j.State.Terminal(), Artist: j.Wallet,
		Model: e.projectModel(j.Spec.ModelID), ImageCount: orderedPieces(j.Spec), Network: j.Network,
		CostEstimate: ProjectCost{Spark: j.Cost.Spark, USD: j.Cost.USD}, CreateTime: j.CreatedAt.UnixMilli(), UpdateTime: e.opts.Now().UnixMilli(),
	}
	if p.Finished {
		p.EndTime, p.UpdateTime = j.EndedAt.UnixMilli(), j.EndedAt.UnixMilli()
		p.Reason = map[atelier.JobState]string{atelier.JobCompleted: "allJobsCompleted", atelier.JobCancelled: "artistCanceled"}[j.State]
		if j.State == atelier.JobFailed || j.Error.Code == atelier.FailLoraUnavailable {
			p.Reason = j.Error.Message
		}
	}
	for _, l := range j.Spec.Loras {
		if from := l.Personal; from != nil {
			p.PersonalLoras = append(p.PersonalLoras, ProjectLora{l.ID, from.Name, from.Provider, from.Source, from.Version, from.SHA256, j.Spec.ModelID, l.Strength})
		}
	}
	if j.State == atelier.JobCompleted {
		actual := actualCost(j, artifacts)
		p.CostActual = &ProjectCost{Spark: actual.Spark, USD: actual.USD}
	}
	for i, slot := range j.Spec.Artifacts {
		one := WorkerJob{
			ID: slot.ID, ImgID: slot.ID, Worker: j.WorkerID, Status: jobStatus(j), Reason: j.Error.Code, Progress: j.Progress,
			CreateTime: p.CreateTime, ContentType: slot.ContentType, Triggered: j.Error.Code == atelier.FailContentFiltered,
		}
		if !j.StartedAt.IsZero() {
			one.StartTime = j.StartedAt.UnixMilli()
		}
		if p.Finished {
			one.EndTime = p.EndTime
		}
		for _, a := range artifacts {
			if a.Position == i {
				if !strings.HasPrefix(a.Key, store.DeletedKey) {
					url, err := e.blobs.GetURL(ctx, a.Key, blob.FixedTerms(e.opts.Now(), e.opts.DownloadTTL))
					if err != nil {
						return Project{}, err
					}
					one.ResultURL, one.ResultKey = url, a.Key
				}
				one.SeedUsed, one.Status = a.Seed, "jobCompleted"
				p.CompletedWorkerJobs = append(p.CompletedWorkerJobs, one)
			}
		}
		p.WorkerJobs = append(p.WorkerJobs, one)
	}
	return p, nil
}

func (e *Engine) projectModel(id string) ProjectModel {
	p := ProjectModel{ID: id}
	if e.opts.Catalog != nil {
		if m, ok := e.opts.Catalog.Model(id); ok {
			p.SID, p.Name = m.SID, m.Name
		}
	}
	return p
}

func jobStatus(j store.StoredJob) string {
	switch {
	case j.State == atelier.JobLeased && j.Progress > 0:
		return "jobProgress"
	case j.State == atelier.JobLeased:
		return "jobStarted"
	case j.State == atelier.JobQueued:
		return "queued"
	}
	return "jobError" // describe replaces it for results that were made
}
