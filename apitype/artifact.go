package apitype

import (
	"cmp"
	"fmt"
	"strings"
)

// Artifact is an artifact of a step. Its URL is signed for each read.
type Artifact struct {
	ID              string         `json:"id"`
	Kind            string         `json:"kind"`
	MediaType       string         `json:"mediaType"` // Kind again, for older clients
	URL             string         `json:"url"`
	MimeType        string         `json:"mimeType,omitzero"`
	Width           int            `json:"width,omitzero"`
	Height          int            `json:"height,omitzero"`
	DurationSeconds float64        `json:"durationSeconds,omitzero"`
	SizeBytes       int64          `json:"sizeBytes,omitzero"`
	Seed            *int64         `json:"seed,omitzero"`
	ToolName        string         `json:"toolName"`
	StepID          string         `json:"stepId"`
	Renderer        string         `json:"renderer,omitzero"`      // what made it
	Preview         bool           `json:"preview,omitzero"`       // rendered by a fallback worker that does not have the model
	NotUnderstood   []string       `json:"notUnderstood,omitzero"` // parts of the request that the renderer ignored
	Metadata        map[string]any `json:"metadata,omitzero"`
}

// Caveat says in one line how an artifact differs from what was asked for; empty
// when no difference is known.
func (a Artifact) Caveat() string {
	var parts []string
	if a.Preview {
		parts = append(parts, fmt.Sprintf("Preview made by %s: no other connected worker offers the model.", cmp.Or(a.Renderer, "a fallback worker")))
	}
	if len(a.NotUnderstood) > 0 {
		parts = append(parts, "Not understood: "+strings.TrimSuffix(strings.Join(a.NotUnderstood, "; "), ".")+".")
	}
	return strings.Join(parts, " ")
}
