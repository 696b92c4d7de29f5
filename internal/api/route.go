package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/wire"
)

// routes is the table of every endpoint.
func (s *Server) routes() []route {
	const (
		get   = "GET"
		post  = "POST"
		put   = "PUT"
		del   = "DELETE"
		patch = "PATCH"
		noKey = ignored
	)
	table := []route{
		// Account and usage
		{get, "/v2/account/me", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.me), "Who the credential belongs to"},
		{get, "/v4/account/balance", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.balance), "The generation balance"},
		{get, "/v1/subscriptions/status", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.subscription), "The plan of the account as it stands now"},
		{get, "/v1/subscriptions/plans", public, publicReads, shared, wire.Lenient, noKey, 200, cached(catalogAge, s.plans), "The plans there are"},
		{get, "/v2/wallet/balance", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.walletBalance), "Assets that a public wallet holds on a chain"},

		// Media and image URLs
		{get, "/v2/media/uploadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.mediaUpload).or(atelier.KindNotFound), "A signed form to upload video or sound"},
		{get, "/v2/media/downloadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.mediaDownload).or(atelier.KindNotFound), "A signed URL to fetch video or sound"},
		{get, "/v2/image/uploadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.imageUpload).or(atelier.KindNotFound), "A signed form to upload an image"},
		{get, "/v2/image/downloadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.imageDownload).or(atelier.KindNotFound), "A signed URL to fetch an image"},

		// Saved assets
		{get, "/v1/assets", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, handle(s.listAssets), "The saved uploads, newest first"},
		{get, "/v1/assets/capabilities", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, handle(s.assetCapabilities), "Whether uploads can be saved now"},
		{post, "/v1/assets/prepare", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.prepareAsset).or(atelier.KindConflict), "Announce a file to save"},
		{post, "/v1/assets/{id}/finalize", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, handle(s.finalizeAsset).or(atelier.KindConflict, atelier.KindGone, atelier.KindBusy), "Verify an upload and make it ready"},
		{post, "/v1/assets/{id}/bind", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, handle(s.bindAsset).or(atelier.KindConflict), "Put a saved upload into a project"},
		{del, "/v1/assets/{id}", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, handle(s.deleteAsset), "Remove a saved upload"},

		// Creative workflows
		{post, "/v1/creative-agent/workflows", apiKeyOnly, workflowStarts, standard, wire.Strict, cutAt192, 201, handle(s.startWorkflow).orStatus(202).or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUnprocessable), "Start a workflow"},
		{get, "/v1/creative-agent/workflows", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.listWorkflows), "The workflows, the one that changed last first"},
		{get, "/v1/creative-agent/workflows/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.readWorkflow), "The snapshot of a workflow"},
		{get, "/v1/creative-agent/workflows/{id}/events", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.workflowEvents), "The log of a workflow"},
		{get, "/v1/creative-agent/workflows/{id}/events/stream", authenticated, accountReads, verbatim, wire.Lenient, noKey, 200, stream(s.streamWorkflow), "The log of a workflow as it grows"},
		{post, "/v1/creative-agent/workflows/{id}/resume", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 202, handle(s.resumeWorkflow).or(atelier.KindConflict), "Let a paused workflow go on"},
		{post, "/v1/creative-agent/workflows/{id}/confirm-cost", authenticated, confirms, standard, wire.Strict, cutAt192, 200, handle(s.confirmWorkflow).or(atelier.KindPaymentRequired, atelier.KindConflict), "Approve or decline the cost of a workflow"},
		{post, "/v1/creative-agent/workflows/{id}/cancel", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.cancelWorkflow), "Cancel a workflow"},
		{post, "/v1/creative-agent/workflows/{id}/reseed", apiKeyOnly, workflowStarts, standard, wire.Strict, cutAt192, 201, handle(s.reseedWorkflow).or(atelier.KindPaymentRequired, atelier.KindConflict), "Make a workflow again with other seeds"},

		// Workflow templates
		{post, "/v1/creative-agent/workflows/templates", authenticated, templateChanges, standard, wire.Lenient, noKey, 201, handle(s.createTemplate).or(atelier.KindConflict, atelier.KindUnprocessable), "Save a template"},
		{get, "/v1/creative-agent/workflows/templates", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.listTemplates), "The templates there are to use"},
		{get, "/v1/creative-agent/workflows/templates/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.readTemplate), "One template"},
		{patch, "/v1/creative-agent/workflows/templates/{id}", authenticated, templateChanges, standard, wire.Lenient, noKey, 200, handle(s.patchTemplate).or(atelier.KindConflict, atelier.KindUnprocessable), "Change a template"},
		{del, "/v1/creative-agent/workflows/templates/{id}", authenticated, templateChanges, standard, wire.Lenient, noKey, 200, handle(s.deleteTemplate), "Delete a template"},
		{post, "/v1/creative-agent/workflows/templates/{id}/fork", authenticated, templateChanges, standard, wire.Strict, noKey, 201, handle(s.forkTemplate).or(atelier.KindConflict), "Copy a template into one's own"},

		// Projects and workers
		{get, "/v2/projects/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, handle(s.readProject), "The state of a submitted generation"},
		{post, "/v1/worker/sessions", workerOnly, workerConnects, standard, wire.Strict, noKey, 201, handle(s.connectWorker), "Connect a worker"},
		{post, "/v1/worker/sessions/{workerId}/claim", workerOnly, unlimited, standard, wire.Strict, noKey, 200, handle(s.claimJob).lasting().or(atelier.KindConflict), "Wait for a job; 204 when none came"},
		{post, "/v1/worker/sessions/{workerId}/heartbeat", workerOnly, unlimited, standard, wire.Strict, noKey, 200, handle(s.workerHeartbeat), "Say that a worker lives"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/progress", workerOnly, unlimited, standard, wire.Strict, noKey, 200, handle(s.jobProgress).or(atelier.KindConflict), "Report progress and renew the lease"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/complete", workerOnly, unlimited, standard, wire.Strict, noKey, 200, handle(s.completeJob).or(atelier.KindConflict), "Settle a job that is done"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/fail", workerOnly, unlimited, standard, wire.Strict, noKey, 200, handle(s.failJob).or(atelier.KindConflict), "Give up a job"},
		{del, "/v1/worker/sessions/{workerId}", workerOnly, unlimited, standard, wire.Lenient, noKey, 200, handle(s.disconnectWorker), "Disconnect a worker"},

		// Model discovery
		{get, "/v1/model-catalog", public, publicReads, shared, wire.Lenient, noKey, 200, cached(catalogAge, s.modelCatalog), "The generation models"},
		{get, "/v1/model-catalog/{modelId...}", public, publicReads, shared, wire.Lenient, noKey, 200, cached(catalogAge, s.catalogModel), "One generation model with its parameters"},
		{get, "/v1/model-demand", public, publicReads, shared, wire.Lenient, noKey, 200, cached(demandAge, s.modelDemand), "Live demand for each model"},
		{get, "/v1/model-gallery", public, publicReads, shared, wire.Lenient, noKey, 200, handle(s.gallery), "Samples of what models make"},
		{get, "/v1/model-gallery/{modelId...}", public, publicReads, shared, wire.Lenient, noKey, 200, handle(s.modelGallery), "Samples of one model"},
		{get, "/v1/worker/releases", public, publicReads, shared, wire.Lenient, noKey, 200, cached(releasesAge, s.workerReleases), "The newest worker of each channel"},
		{get, "/v1/worker-images/comfy", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("comfy"), "The image of a ComfyUI worker"},
		{get, "/v1/worker-images/comfy-spark", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("comfy-spark"), "The image of a Spark ComfyUI worker"},
		{get, "/v1/worker-images/llm", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("llm"), "The image of a language model worker"},
		{get, "/v1/loras/comfy", public, publicReads, shared, wire.Lenient, noKey, 200, handle(s.publicLoras), "The public LoRAs"},

		// Chat completions
		{post, "/v1/chat/completions", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, handle(s.complete).lasting().upTo(openai.BodyBounds).orEvents().or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Answer a conversation, with tools that make media"},

		// Direct tool execution
		{post, "/v1/creative-agent/tools/execute", authenticated, toolExecutions, standard, wire.Strict, noKey, 200, handle(s.executeTool).lasting().or(atelier.KindPaymentRequired), "Run one synchronous tool"},

		// Language models
		{get, "/v1/models", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, handle(s.listModels), "The language models"},
		{get, "/v1/models/{model_id...}", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, handle(s.readModel), "One language model"},

		// Operations
		{get, "/healthz", public, unlimited, verbatim, wire.Lenient, noKey, 200, handle(s.healthy), "Whether the process is up"},
		{get, "/readyz", public, unlimited, verbatim, wire.Lenient, noKey, 200, handle(s.ready), "Whether every part answers"},
		{get, "/metrics", public, unlimited, verbatim, wire.Lenient, noKey, 200, write("text/plain", s.showMetrics), "Metrics for Prometheus"},
		{get, "/openapi.json", public, unlimited, verbatim, wire.Lenient, noKey, 200, write("application/json", s.openAPI), "This document"},
		{get, "/gallery/{file...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, write(anyFile, s.galleryFile).at("file", "z_image_turbo_bf16-1.jpg").or(atelier.KindNotFound), "A file of the sample gallery"},
	}
	if s.storage != nil { // otherwise clients go to an S3
		storage := write(anyFile, s.serveStorage).or(atelier.KindInvalid, atelier.KindForbidden, atelier.KindNotFound, atelier.KindPrecondition, atelier.KindTooMany)
		table = append(table,
			route{post, "/storage", public, unlimited, verbatim, wire.Lenient, noKey, 204, storage.taking("multipart/form-data"), "Upload with a signed form"},
			route{put, "/storage/{key...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, storage.taking(anyFile), "Upload with a signed URL"},
			route{get, "/storage/{key...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, storage, "Fetch with a signed URL"})
	}
	return table
}
