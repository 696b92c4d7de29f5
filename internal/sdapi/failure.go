package sdapi

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/generation"
)

// failure is the error envelope of the web UI. Clients show detail, or the whole text.
type failure struct {
	Error  string `json:"error"`
	Detail string `json:"detail"`
	Body   string `json:"body"`
	Errors string `json:"errors"`
	Field  string `json:"field,omitzero"`
}

// Failure puts an error into the envelope of the web UI.
func Failure(e *atelier.Error) any {
	return failure{Error: e.Code.Slug, Detail: e.Error(), Errors: e.Error(), Field: e.Field}
}

// fields are the fields of requests by the arguments that they become.
var fields = map[string]string{
	"negativePrompt": "negative_prompt", "numberOfVariations": "batch_size", "guidance": "cfg_scale", "sourceImageIndex": "init_images",
	"mask_image_url": "mask", "starting_image_strength": "denoising_strength", "model": "sd_model_checkpoint", "loras": "prompt", "loraStrengths": "prompt",
	"scale": "upscaling_resize", "targetLongestEdge": "upscaling_resize",
}

// Refusal is an error of a workflow as the client knows it: about the field that it has sent.
func Refusal(err error) error { return generation.Renamed(err, fields) }
