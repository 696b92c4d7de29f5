package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// DeletedArtifacts says what happened to several artifacts.
type DeletedArtifacts struct {
	Deleted []string     `json:"deleted"`
	Failed  []NotDeleted `json:"failed"`
}

// NotDeleted is an artifact that was not deleted, and why.
type NotDeleted struct {
	ArtifactID string `json:"artifactId"`
	ErrorCode  int    `json:"errorCode"`
	Message    string `json:"message"`
}

// LibraryArtifact is an artifact as its owner reads it.
type LibraryArtifact struct {
	ArtifactID      string             `json:"artifactId"`
	Kind            string             `json:"kind"`
	ContentType     string             `json:"contentType"`
	Width           int                `json:"width"`
	Height          int                `json:"height"`
	DurationSeconds float64            `json:"durationSeconds"`
	Bytes           int64              `json:"bytes"`
	WorkflowID      atelier.WorkflowID `json:"workflowId"`
	StepID          string             `json:"stepId"`
	ToolName        string             `json:"toolName"`
	ModelID         *string            `json:"modelId"` // null where the tool needs no model
	Prompt          string             `json:"prompt"`
	Seed            int64              `json:"seed"`
	CreatedAt       time.Time          `json:"createdAt"`
	URL             string             `json:"url"`
	ThumbnailURL    *string            `json:"thumbnailUrl"`
	Colors          []string           `json:"colors"`          // 4 by 4, row by row; null until the thumbnail was made
	Peaks           []int              `json:"peaks,omitempty"` // of a recording, 0 to 100
}

// LibraryPage is a part of a list.
type LibraryPage struct {
	Artifacts  []LibraryArtifact `json:"artifacts"`
	NextCursor *string           `json:"nextCursor"`
}

// LibraryDay is how many artifacts an account has of a UTC day.
type LibraryDay struct {
	Date  string `json:"date"`
	Count int64  `json:"count"`
}

// LibraryArtifactReply is one artifact of the library.
type LibraryArtifactReply struct {
	Artifact LibraryArtifact `json:"artifact"`
}

// LibraryDays are how many artifacts were made on which day.
type LibraryDays struct {
	Days []LibraryDay `json:"days"`
}
