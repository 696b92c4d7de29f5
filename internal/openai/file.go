package openai

import (
	"cmp"

	"github.com/atelier-project/atelier/internal/media"
)

// FileBody is the form of POST /v1/files, without its file.
type FileBody struct {
	Purpose string `wire:"purpose,maxlen=100" doc:"Such as vision or user_data. The answer repeats it; it is not stored."`
}

// SavedFile is a saved upload.
type SavedFile struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Bytes     int64  `json:"bytes"`
	CreatedAt int64  `json:"created_at"`
	ExpiresAt int64  `json:"expires_at"`
	Filename  string `json:"filename"`
	Purpose   string `json:"purpose"`
	Status    string `json:"status"`
}

// NewSavedFile is a saved upload as a file.
func NewSavedFile(a media.AssetRecord, purpose string) SavedFile {
	return SavedFile{
		ID: a.ID, Object: "file", Bytes: a.Bytes, CreatedAt: a.CreatedAt / 1000, ExpiresAt: a.ExpiresAt / 1000, Filename: a.Name,
		Purpose: cmp.Or(purpose, "user_data"), Status: "processed",
	}
}
