package workflow

import (
	"bytes"
	"context"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/manifest"
	"github.com/atelier-project/atelier/internal/wire"
)

// session runs a tool that keeps the list of assets. The job carries the list, and its
// artifact returns it, so that the transaction that settles the job stores it.
func (e *Engine) session(ctx context.Context, j atelier.Job, put fleet.Put) ([]apitype.ReportedArtifact, error) {
	kept, err := manifest.Of(j.Spec.Arguments["manifest"])
	if err != nil {
		return nil, err
	}
	answer, after, err := manifest.Call(e.catalog, kept, j.Spec.Tool, j.Spec.Arguments)
	if err != nil {
		return nil, &fleet.TaskError{Message: fmt.Sprintf("%s: %v.", j.Spec.Tool, err)}
	}
	text, err := wire.Marshal(answer)
	if err != nil {
		return nil, err
	}
	id := j.Spec.Artifacts[0].ID
	if _, err := put(ctx, id, "application/json", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return []apitype.ReportedArtifact{{ID: id, ContentType: "application/json", Metadata: map[string]any{"manifest": after, "renderer": "atelier"}}}, nil
}
