package apitype

import (
	"github.com/atelier-project/atelier"
)

// LoraImport asks for a file to be imported.
type LoraImport struct {
	URL             string `json:"url"`             // on a hosting site
	Name            string `json:"name"`            // 1 to 80 characters
	ModelID         string `json:"modelId"`         // one of LoraLibrary.Models
	RightsConfirmed bool   `json:"rightsConfirmed"` // must be true: the account may use the file
}

// LoraUpload describes a file that is uploaded.
type LoraUpload struct {
	Name            string // 1 to 80 characters
	ModelID         string // one of LoraLibrary.Models; the service finds it by the file when empty
	RightsConfirmed bool   // must be true: the account may use the file
	FileName        string // that the entry shows as its source; made of the name when empty
}

// PersonalLora is a personal LoRA as its owner reads it.
type PersonalLora struct {
	ID           atelier.LoraID      `json:"id"`
	Name         string              `json:"name"`
	ModelID      string              `json:"modelId"`
	ModelIDs     []string            `json:"modelIds"`
	Source       string              `json:"source"`
	Status       atelier.LoraStatus  `json:"status"`
	CreatedAt    int64               `json:"createdAt"`
	UpdatedAt    int64               `json:"updatedAt"`
	Bytes        int64               `json:"bytes,omitzero"`
	Reason       string              `json:"reason,omitzero"`
	FailureCode  atelier.LoraFailure `json:"failureCode,omitzero"`
	Requirements []string            `json:"requirements"`
	Progress     *float64            `json:"progress,omitempty"` // of the download, while it is validated
}

// LoraLimits are the limits of a library.
type LoraLimits struct {
	Entries       int    `json:"entries"`
	FileBytes     *int64 `json:"fileBytes"` // null while the storage has no space for a file
	ImportsPerDay int    `json:"importsPerDay"`
	PerGeneration int    `json:"perGeneration"`
}

// LoraLibrary is what an account has and may import.
type LoraLibrary struct {
	Loras  []PersonalLora `json:"loras"`
	Models []string       `json:"models"`
	Hosts  []string       `json:"hosts"` // of the sites that links may name; none where imports are turned off
	Limits LoraLimits     `json:"limits"`
}
