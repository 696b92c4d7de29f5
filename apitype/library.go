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
	Marks
}

// Marks are what an account has noted about an artifact or a saved upload.
type Marks struct {
	Favourite bool     `json:"favourite"`
	Tags      []string `json:"tags"`
	Boards    []string `json:"boards"` // their ids
}

// MarkedItem is an artifact or a saved upload and its marks.
type MarkedItem struct {
	ID string `json:"id"`
	Marks
}

// MarkedItems says what happened to the marks of several items.
type MarkedItems struct {
	Items  []MarkedItem `json:"items"`
	Failed []NotMarked  `json:"failed"`
}

// NotMarked is an item whose marks were not changed, and why.
type NotMarked struct {
	ID        string `json:"id"`
	ErrorCode int    `json:"errorCode"`
	Message   string `json:"message"`
}

// MarkedItemReply is one item and its marks.
type MarkedItemReply struct {
	Item MarkedItem `json:"item"`
}

// Board is a collection of artifacts and saved uploads.
type Board struct {
	BoardID   string    `json:"boardId"`
	Name      string    `json:"name"`
	Count     int64     `json:"count"` // of the artifacts and uploads on it
	CreatedAt time.Time `json:"createdAt"`
}

// BoardReply is one board.
type BoardReply struct {
	Board Board `json:"board"`
}

// Boards are the boards of an account, by name.
type Boards struct {
	Boards     []Board    `json:"boards"`
	Favourites int64      `json:"favourites"` // how many artifacts and uploads are favourites
	Limits     MarkLimits `json:"limits"`
}

// MarkLimits are the limits of boards and tags.
type MarkLimits struct {
	Boards      int `json:"boards"`
	Tags        int `json:"tags"`        // different ones of an account
	TagsPerItem int `json:"tagsPerItem"` // of an artifact or upload
	TagLength   int `json:"tagLength"`   // characters
}

// DeletedBoard is a board that was deleted.
type DeletedBoard struct {
	Deleted bool   `json:"deleted"`
	BoardID string `json:"boardId"`
}

// WorkflowOnBoard is a workflow whose results are put on a board.
type WorkflowOnBoard struct {
	WorkflowID atelier.WorkflowID `json:"workflowId"`
	BoardID    string             `json:"boardId"`
}

// LibraryTag is a tag and how many artifacts and uploads have it.
type LibraryTag struct {
	Tag   string `json:"tag"`
	Count int64  `json:"count"`
}

// LibraryTags are the tags of an account, those of most items first.
type LibraryTags struct {
	Tags []LibraryTag `json:"tags"`
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
