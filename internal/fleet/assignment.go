package fleet

import (
	"context"
	"maps"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/blob"
)

// Assign signs the URLs of the inputs and of the personal LoRAs of a job.
func (e *Engine) Assign(ctx context.Context, j atelier.Job) (*apitype.Assignment, error) {
	o := &apitype.Assignment{
		JobID: j.ID, ProjectID: j.ProjectID, ToolName: j.Spec.Tool, ModelID: j.Spec.ModelID, Arguments: j.Spec.Arguments,
		Seed: j.Spec.Seed, Attempt: j.Attempt, Network: j.Network,
		SafeContentFilter: j.Spec.SafeContentFilter, EmbedSettings: e.opts.EmbedSettings, LeaseUntil: j.Lease, Receipt: j.ExternalRef,
	}
	for _, a := range j.Spec.Artifacts {
		o.Artifacts = append(o.Artifacts, apitype.AssignmentArtifact(a))
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
		o.Inputs = append(o.Inputs, apitype.AssignmentInput{Argument: in.Argument, Kind: in.Kind, URL: url, ContentType: in.ContentType})
	}
	for _, l := range j.Spec.Loras {
		lora := apitype.AssignmentLora{ID: l.ID, URL: l.URL, Strength: l.Strength}
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
