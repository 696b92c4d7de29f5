package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/wire"
)

// Valid bodies. The reference shows them, an error message about a wrong shape quotes
// them, and a test sends each of them with real ids.

// fileExamples are the bodies that handlers read by themselves, by content type. Their signatures are made up.
var fileExamples = map[string]any{
	"multipart/form-data": map[string]any{
		"schema": wire.Schema{"type": "object", "required": []string{"key", "policy", "signature", "file"}, "properties": wire.Schema{
			"key":       wire.Schema{"type": "string", "description": "A field of the signed form, as are all before the file."},
			"policy":    wire.Schema{"type": "string", "description": "What was signed."},
			"signature": wire.Schema{"type": "string", "description": "The signature of the policy."},
			"file":      wire.Schema{"type": "string", "format": "binary", "description": "The file, the last part, with a content type that the form allows."},
		}},
		"example": wire.Raw(`{"key": "inputs/5633e7a9bbdd9593c23fd67c/startingImage-1", "policy": "e30=", "signature": "b914fd19", "file": "the bytes of the file"}`),
	},
	"application/json": map[string]any{
		"schema": wire.Schema{"type": "object", "description": "A message of the Model Context Protocol.", "required": []string{"jsonrpc", "method"}, "properties": wire.Schema{
			"jsonrpc": wire.Schema{"type": "string", "const": "2.0"},
			"id":      wire.Schema{"type": []string{"string", "integer"}, "description": "Of a request; a notification has none."},
			"method":  wire.Schema{"type": "string"},
			"params":  wire.Schema{"type": "object"},
		}},
		"example": wire.Raw(`{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`),
	},
	endpoint.AnyFile:     fileExample,
	endpoint.OctetStream: fileExample,
}

var fileExample = map[string]any{
	"schema":  wire.Schema{"type": "string", "format": "binary"},
	"example": "the bytes of the file",
}

// planExample is a plan.
var planExample = `{"steps": [` + atelier.StepInput{}.WireExample() + `]}`

func (startRequest) WireExample() string { return `{"input": ` + planExample + `}` }
func (planRequest) WireExample() string  { return planExample }

func (resumeRequest) WireExample() string { return `{"token_type": "auto"}` }
func (reseedRequest) WireExample() string { return `{"seed_overrides": {"fox": 42}}` }
func (confirmRequest) WireExample() string {
	return `{"decision": "confirm", "acceptedCostPreview": {"totalEstimatedCapacityUnits": 1, "tokenType": "auto", "validityUntil": "2026-01-31T12:05:00.000Z"}}`
}

func (templateRequest) WireExample() string {
	return `{"name": "Evening fox", "inputs": [{"name": "mood", "type": "text", "required": true}], ` +
		`"stages": [{"id": "fox", "type": "fixed", "tool": "generate_image", "args": {"prompt": "a $inputs.mood fox"}}]}`
}
func (templatePatch) WireExample() string { return `{"description": "A fox in the evening light."}` }
func (forkRequest) WireExample() string   { return `{"name": "Morning fox"}` }

func (executeRequest) WireExample() string {
	return `{"tool": "enhance_prompt", "arguments": {"prompt": "a fox", "target_output": "image_prompt", "destination_model": "krea-2-turbo"}}`
}
func (embeddingRequest) WireExample() string {
	return `{"model": "nomic-embed-text", "input": "a red fox in the snow"}`
}
func (moderationRequest) WireExample() string { return `{"input": "a red fox in the snow"}` }
func (transcriptionRequest) WireExample() string {
	return `{"file": "the bytes of the file", "model": "whisper"}`
}
func (textRequest) WireExample() string {
	return `{"model": "atelier-builtin", "prompt": "What can you make?", "max_tokens": 200}`
}
func (responseRequest) WireExample() string {
	return `{"model": "atelier-builtin", "input": "What can you make?"}`
}
func (messageRequest) WireExample() string {
	return `{"model": "atelier-builtin", "max_tokens": 1024, "messages": [{"role": "user", "content": "What can you make?"}]}`
}
func (countRequest) WireExample() string {
	return `{"model": "atelier-builtin", "messages": [{"role": "user", "content": "What can you make?"}]}`
}
func (generateRequest) WireExample() string {
	return `{"prompt": "a red fox in the snow", "response_format": "url"}`
}
func (editRequest) WireExample() string {
	return `{"image": "the bytes of the file", "prompt": "make it black and white"}`
}
func (variationRequest) WireExample() string {
	return `{"image": "the bytes of the file", "n": 2}`
}
func (createVideoRequest) WireExample() string {
	return `{"input_reference": "the bytes of the file", "prompt": "the fox turns its head", "seconds": 2}`
}
func (remixVideoRequest) WireExample() string { return `{"prompt": "the same in the rain"}` }
func (speechRequest) WireExample() string {
	return `{"input": "The fox is in the snow.", "voice": "alloy"}`
}
func (predictionRequest) WireExample() string {
	return `{"version": "atelier/z_image_turbo_bf16", "input": {"prompt": "a red fox in the snow"}}`
}
func (modelPredictionRequest) WireExample() string {
	return `{"input": {"prompt": "a red fox in the snow"}}`
}
func (fileRequest) WireExample() string {
	return `{"content": "the bytes of the file", "filename": "fox.png"}`
}
func (completionRequest) WireExample() string {
	return `{"messages": [{"role": "user", "content": "What can you make?"}]}`
}

func (runRequest) WireExample() string {
	return `{"messages": [{"role": "user", "content": "Make a picture of a red fox in the snow."}], "runtime_config": {"requireJobConfirmation": true}}`
}
func (cancelRunRequest) WireExample() string { return `{"reason": "user_cancelled"}` }
func (confirmRunRequest) WireExample() string {
	return `{"tool_call_id": "call_1", "decision": "confirm", "acceptedCostPreview": {"totalEstimatedCapacityUnits": 1, "tokenType": "auto", "validityUntil": "2026-01-31T12:05:00.000Z"}}`
}

func (replayRequest) WireExample() string {
	return `{"run_id": "run-7", "schemaVersion": 2, "user_request": "a red fox in the snow", "model_id": "qwen3.6-35b-a3b-gguf-iq4xs", ` +
		`"rounds": [{"round": 1, "assistant_message": "Here it is.", "tool_calls": [{"name": "generate_image", "arguments": {"prompt": "a red fox in the snow"}}], ` +
		`"tool_results": [{"ok": true, "payload": {}}]}], "final_response": "Here is your fox.", "total_cost": {"totalSpark": 1}, "outcome": {"status": "completed"}}`
}

func (deleteArtifactsRequest) WireExample() string {
	return `{"artifactIds": ["3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"]}`
}

func (boardRequest) WireExample() string  { return `{"name": "Foxes"}` }
func (boardPatch) WireExample() string    { return `{"name": "Red foxes"}` }
func (presetRequest) WireExample() string { return `{"value": "oil on canvas, warm light"}` }
func (marksPatch) WireExample() string    { return `{"favourite": true, "tags": ["fox", "snow"]}` }
func (marksRequest) WireExample() string {
	return `{"artifactIds": ["3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"], "favourite": true, "addTags": ["fox"]}`
}

func (newWebhookRequest) WireExample() string {
	return `{"url": "https://example.com/atelier", "events": ["workflow.completed", "workflow.failed"]}`
}
func (webhookPatch) WireExample() string { return `{"status": "enabled"}` }

func (importRequest) WireExample() string {
	return `{"url": "https://huggingface.co/ann/fox/resolve/main/fox.safetensors", "name": "Fox", "modelId": "krea2_turbo_fp8_scaled", "rightsConfirmed": true}`
}

func (prepareRequest) WireExample() string {
	return `{"sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "bytes": 4096, "contentType": "image/png", "name": "fox.png"}`
}
func (bindRequest) WireExample() string {
	return `{"projectId": "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604", "type": "startingImage"}`
}

func (workerSessionRequest) WireExample() string {
	return `{"name": "studio-1", "network": "fast", "models": ["z_image_turbo_bf16"]}`
}
func (claimRequest) WireExample() string { return `{"waitSeconds": 0}` }
func (heartbeatRequest) WireExample() string {
	return `{"loadedModels": ["z_image_turbo_bf16"], "machine": {"renderer": "ComfyUI 0.33.0", "gpus": [{"name": "NVIDIA GeForce RTX 5090", "temperatureCelsius": 61}]}}`
}
func (progressRequest) WireExample() string { return `{"progress": 0.5, "message": "step 4 of 8"}` }
func (completeRequest) WireExample() string {
	return `{"artifacts": [{"id": "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604", "contentType": "image/png"}], "metrics": {"renderSeconds": 2.5}}`
}
func (failRequest) WireExample() string {
	return `{"code": "out_of_memory", "message": "The GPU has too little memory.", "retryable": false}`
}

func (signInRequest) WireExample() string {
	return `{"apiKey": "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"}`
}
func (newKeyRequest) WireExample() string    { return `{"name": "laptop"}` }
func (changeKeyRequest) WireExample() string { return `{"name": "old laptop"}` }
func (limitKeyRequest) WireExample() string {
	return `{"limits": {"groups": ["chat", "media"], "requestsPerMinute": 60}}`
}
func (tokenRequest) WireExample() string      { return `{"ttlSeconds": 3600}` }
func (conversationPatch) WireExample() string { return `{"title": "The fox in the snow"}` }

func (newAccountRequest) WireExample() string {
	return `{"username": "ann", "spark": "12.5", "plan": "unlimited"}`
}
func (creditRequest) WireExample() string {
	return `{"spark": "12.5", "reason": "Refund of the failed render."}`
}
func (setPlanRequest) WireExample() string     { return `{"plan": "unlimited", "status": "active"}` }
func (setOperatorRequest) WireExample() string { return `{"operator": true}` }
func (suspendRequest) WireExample() string     { return `{"reason": "A stolen card."}` }
func (nftRequest) WireExample() string         { return `{"reason": "Bought."}` }
func (inviteRequest) WireExample() string {
	return `{"email": "ann@example.org", "role": "editor", "budget": {"month": "200"}}`
}
func (changeMemberRequest) WireExample() string { return `{"role": "viewer"}` }
func (acceptRequest) WireExample() string       { return `{"code": "QK3ZJ5XBVN7WTRYD2MAHC4LSPE"}` }
func (switchRequest) WireExample() string       { return `{"account": "studio"}` }
func (inviteAccountMemberRequest) WireExample() string {
	return `{"email": "ann@example.org", "role": "editor"}`
}
func (changeAccountMemberRequest) WireExample() string { return `{"role": "viewer"}` }
func (newAccountKeyRequest) WireExample() string       { return `{"name": "laptop"}` }
func (revokeAnyKeyRequest) WireExample() string {
	return `{"apiKey": "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604", "reason": "It was in a public repository."}`
}
func (newAccountTokenRequest) WireExample() string { return `{"ttlSeconds": 3600}` }
func (drainRequest) WireExample() string           { return `{"draining": true}` }
func (decideClaimRequest) WireExample() string {
	return `{"decision": "pay", "reason": "The renders were looked at."}`
}
func (claimForRequest) WireExample() string {
	return `{"approve": true, "reason": "A known customer."}`
}
func (resolveRequest) WireExample() string { return `{"reason": "The vendor has no such render."}` }
func (reviewLoraRequest) WireExample() string {
	return `{"release": false, "reason": "The author has asked."}`
}
func (revokeLoraRequest) WireExample() string { return `{"reason": "The author has asked."}` }
func (publishRequest) WireExample() string {
	return `{"template": {"id": "wf_evening_fox", "name": "Evening fox", "stages": [{"id": "draw", "tool": "generate_image", "args": {"prompt": "a fox at dusk"}}]}}`
}
func (judgeRequest) WireExample() string { return `{"verdict": "overturned", "note": "A grape."}` }

func (newConnectionRequest) WireExample() string {
	return `{"name": "ollama", "llm": {"baseUrl": "http://127.0.0.1:11434/v1", "models": [{"id": "llama3.2:3b"}]}}`
}
func (changeConnectionRequest) WireExample() string { return `{"name": "workstation"}` }
func (connectionDraftRequest) WireExample() string {
	return `{"llm": {"baseUrl": "http://127.0.0.1:11434/v1"}}`
}

// exampleWorkflow is a small workflow in the format of ComfyUI's API.
const exampleWorkflow = `{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "steps": 20, "cfg": 7, "sampler_name": "euler", "scheduler": "normal", "denoise": 1, "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}}, "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "base.safetensors"}}, "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 1024, "height": 768, "batch_size": 1}}, "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a lighthouse", "clip": ["4", 1]}}, "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["4", 1]}}, "8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}}, "9": {"class_type": "SaveImage", "inputs": {"images": ["8", 0], "filename_prefix": "x"}}}`

func (inspectGraphRequest) WireExample() string { return `{"workflow": ` + exampleWorkflow + `}` }
func (newGraphRequest) WireExample() string {
	return `{"name": "harbour", "workflow": ` + exampleWorkflow + `, "set": {"negativePrompt": "-"}}`
}
func (replaceGraphRequest) WireExample() string { return `{"workflow": ` + exampleWorkflow + `}` }

// examplePicture is a small white picture.
const examplePicture = `"iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAAAAAA6mKC9AAAAD0lEQVR42mP4jwYYRrYAAID5/wGR6yAaAAAAAElFTkSuQmCC"`

func (textToImageRequest) WireExample() string {
	return `{"prompt": "a red fox in the snow", "negative_prompt": "blurry", "steps": 20, "cfg_scale": 7, "sampler_name": "Euler a", "width": 512, "height": 512}`
}
func (imageToImageRequest) WireExample() string {
	return `{"prompt": "a red fox in the snow", "init_images": [` + examplePicture + `], "denoising_strength": 0.6, "width": 512, "height": 512}`
}
func (extraImageRequest) WireExample() string {
	return `{"image": ` + examplePicture + `, "upscaler_1": "None", "upscaling_resize": 2}`
}
func (extraImagesRequest) WireExample() string {
	return `{"imageList": [{"data": ` + examplePicture + `, "name": "fox.png"}], "upscaler_1": "None", "upscaling_resize": 2}`
}
func (pictureInfoRequest) WireExample() string { return `{"image": ` + examplePicture + `}` }
func (optionsRequest) WireExample() string     { return `{"sd_model_checkpoint": "Z-Image"}` }

func (newPullRequest) WireExample() string {
	return `{"connectionId": "3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604", "reason": "For the team."}`
}
