package fleet

import (
	"context"
	"maps"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/blob"
)

// Assignment is a job as a worker gets it: everything is resolved, and every file
// has a URL.
type Assignment struct {
	JobID             atelier.JobID         `json:"jobId"`
	ProjectID         atelier.ProjectID     `json:"projectId"`
	ToolName          string                `json:"toolName"`
	ModelID           string                `json:"modelId"`
	Arguments         map[string]any        `json:"arguments"`
	Inputs            []AssignmentInput     `json:"inputs"`
	Loras             []AssignmentLora      `json:"loras"`
	Artifacts         []atelier.JobArtifact `json:"artifacts"`
	Seed              int64                 `json:"seed"`
	Attempt           int                   `json:"attempt"`
	Network           atelier.Network       `json:"network"`
	SafeContentFilter bool                  `json:"safeContentFilter"`
	LeaseUntil        time.Time             `json:"leaseUntil"`
	ExternalRef       string                `json:"receipt,omitzero"`
}

// AssignmentInput is a file that a render reads.
type AssignmentInput struct {
	Argument    string `json:"argument"`
	Kind        string `json:"kind"`
	URL         string `json:"url"`
	ContentType string `json:"contentType"`
}

// AssignmentLora is a LoRA that a render loads. One without a URL is of the public
// catalog, and the worker has its file.
type AssignmentLora struct {
	ID       string  `json:"id"`
	URL      string  `json:"url,omitempty"`
	Strength float64 `json:"strength"`
	SHA256   string  `json:"sha256,omitempty"` // of the file at the URL, where it is known
}

// Assign signs the URLs of the inputs and of the personal LoRAs of a job.
func (e *Engine) Assign(ctx context.Context, j atelier.Job) (*Assignment, error) {
	o := &Assignment{
		JobID: j.ID, ProjectID: j.ProjectID, ToolName: j.Spec.Tool, ModelID: j.Spec.ModelID, Arguments: j.Spec.Arguments,
		Artifacts: j.Spec.Artifacts, Seed: j.Spec.Seed, Attempt: j.Attempt, Network: j.Network,
		SafeContentFilter: j.Spec.SafeContentFilter, LeaseUntil: j.Lease, ExternalRef: j.ExternalRef,
	}
	terms := blob.GetTerms{Until: e.opts.Now().Add(e.opts.DownloadTTL)}
	for _, in := range j.Spec.Inputs {
		url := in.URL
		if in.Key != "" {
			var err error
			if url, err = e.blobs.GetURL(ctx, in.Key, terms); err != nil {
				return nil, err
			}
		}
		o.Inputs = append(o.Inputs, AssignmentInput{Argument: in.Argument, Kind: in.Kind, URL: url, ContentType: in.ContentType})
	}
	for _, l := range j.Spec.Loras {
		lora := AssignmentLora{ID: l.ID, URL: l.URL, Strength: l.Strength}
		if l.Personal != nil {
			var err error
			if lora.URL, err = e.blobs.GetURL(ctx, l.Personal.Key, terms); err != nil {
				return nil, err
			}
			lora.SHA256 = l.Personal.SHA256
		}
		o.Loras = append(o.Loras, lora)
	}
	if len(j.Spec.Links) > 0 {
		o.Arguments = maps.Clone(o.Arguments)
	}
	for argument, key := range j.Spec.Links {
		url, err := e.blobs.GetURL(ctx, key, terms)
		if err != nil {
			return nil, err
		}
		o.Arguments[argument] = url
	}
	return o, nil
}
