package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/atelier-project/atelier"
)

// PersonalLora is a LoRA in the library of an account.
type PersonalLora struct {
	ID           atelier.LoraID      `json:"id"`
	Name         string              `json:"name"`
	ModelID      string              `json:"modelId"`  // that it was imported for
	ModelIDs     []string            `json:"modelIds"` // that can load it
	Source       string              `json:"source"`   // pinned to an exact version
	Status       atelier.LoraStatus  `json:"status"`
	CreatedAt    int64               `json:"createdAt"` // Unix milliseconds
	UpdatedAt    int64               `json:"updatedAt"`
	Bytes        int64               `json:"bytes"`        // 0 when not known yet
	Reason       string              `json:"reason"`       // why it is not usable
	FailureCode  atelier.LoraFailure `json:"failureCode"`  // of a rejection
	Requirements []string            `json:"requirements"` // rules for using it
	Progress     *float64            `json:"progress"`     // of the download, from 0 to 1; nil when none is under way
}

// LoraLibrary is what an account has and may import.
type LoraLibrary struct {
	Loras  []PersonalLora `json:"loras"`  // newest first
	Models []string       `json:"models"` // that LoRAs can be imported for
	Limits LoraLimits     `json:"limits"`
}

// LoraLimits are the limits of a library.
type LoraLimits struct {
	Entries       int    `json:"entries"`
	FileBytes     *int64 `json:"fileBytes"` // nil while no file can be imported
	ImportsPerDay int    `json:"importsPerDay"`
	PerGeneration int    `json:"perGeneration"`
}

// LoraImport asks for a file to be imported.
type LoraImport struct {
	URL             string `json:"url"`             // on a hosting site
	Name            string `json:"name"`            // 1 to 80 characters
	ModelID         string `json:"modelId"`         // one of LoraLibrary.Models
	RightsConfirmed bool   `json:"rightsConfirmed"` // must be true: the account may use the file
}

const loras = "/v1/loras/personal"

func loraPath(id atelier.LoraID) string { return loras + "/" + url.PathEscape(string(id)) }

// ImportLora asks the service to import a LoRA, and returns its entry, which is queued.
// Read the entry about every ten seconds until its status is no longer one of an import.
// A link that was imported before returns its entry, so a retry imports nothing twice.
func (c *Client) ImportLora(ctx context.Context, i LoraImport) (l PersonalLora, err error) {
	_, err = c.call(ctx, http.MethodPost, loras, i, &l)
	return l, err
}

// Loras lists the personal LoRAs of the account.
func (c *Client) Loras(ctx context.Context) (lib LoraLibrary, err error) {
	_, err = c.call(ctx, http.MethodGet, loras, nil, &lib)
	return lib, err
}

// Lora reads a personal LoRA of the account.
func (c *Client) Lora(ctx context.Context, id atelier.LoraID) (l PersonalLora, err error) {
	_, err = c.call(ctx, http.MethodGet, loraPath(id), nil, &l)
	return l, err
}

// DeleteLora removes a personal LoRA of the account. Jobs that wait to be rendered with it
// are cancelled. The service answers 409 when the entry changes at the same time: try
// again.
func (c *Client) DeleteLora(ctx context.Context, id atelier.LoraID) error {
	_, err := c.call(ctx, http.MethodDelete, loraPath(id), nil, nil)
	return err
}
