package fleet

import (
	"context"
	"errors"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/store"
)

// projectStatus maps the states of a job to those of a project.
var projectStatus = map[atelier.JobState]string{
	atelier.JobQueued: "queued", atelier.JobLeased: "processing", atelier.JobCompleted: "completed",
	atelier.JobFailed: "failed", atelier.JobCancelled: "canceled",
}

// Project reads a project of the account.
func (e *Engine) Project(ctx context.Context, w atelier.Wallet, id atelier.ProjectID) (apitype.Project, error) {
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
		return apitype.Project{}, atelier.Missing("id", string(id), "project")
	}
	if err != nil {
		return apitype.Project{}, err
	}
	return e.describe(ctx, j, artifacts)
}

func (e *Engine) describe(ctx context.Context, j store.StoredJob, artifacts []atelier.Artifact) (apitype.Project, error) {
	p := apitype.Project{
		ID: j.ProjectID, Status: projectStatus[j.State], Finished: j.State.Terminal(), Artist: j.Wallet,
		Model: e.projectModel(j.Spec.ModelID), ImageCount: orderedPieces(j.Spec), Network: j.Network,
		CostEstimate: apitype.ProjectCost{Spark: j.Cost.Spark, USD: j.Cost.USD}, CreateTime: j.CreatedAt.UnixMilli(), UpdateTime: e.opts.Now().UnixMilli(),
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
			p.PersonalLoras = append(p.PersonalLoras, apitype.ProjectLora{LoraID: l.ID, Name: from.Name, Provider: from.Provider, SourceURL: from.Source, SourceVersion: from.Version, SHA256: from.SHA256, ModelID: j.Spec.ModelID, Strength: l.Strength})
		}
	}
	if j.State == atelier.JobCompleted {
		actual := actualCost(j, artifacts)
		p.CostActual = &apitype.ProjectCost{Spark: actual.Spark, USD: actual.USD}
	}
	for i, slot := range j.Spec.Artifacts {
		one := apitype.ProjectJob{
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
						return apitype.Project{}, err
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

func (e *Engine) projectModel(id string) apitype.ProjectModel {
	p := apitype.ProjectModel{ID: id}
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
