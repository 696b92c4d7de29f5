package api

import (
	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/responses"
	"github.com/atelier-project/atelier/internal/sdapi"
	"github.com/atelier-project/atelier/internal/wire"
)

// route is a line of the table.
type route endpoint.Route

// routes is the table of every endpoint. Package endpoint says what its words mean.
func (s *Server) routes() []route {
	const (
		get, post, put, del, patch = "GET", "POST", "PUT", "DELETE", "PATCH"

		// The credential that it needs.
		public, authenticated                = endpoint.Public, endpoint.Authenticated
		apiKeyOnly, workerOnly, operatorOnly = endpoint.APIKeyOnly, endpoint.WorkerOnly, endpoint.OperatorOnly

		// The rate limit that it counts against.
		unlimited, publicReads, accountReads   = endpoint.Unlimited, endpoint.PublicReads, endpoint.AccountReads
		llmRequests, mediaURLs, toolExecutions = endpoint.LLMRequests, endpoint.MediaURLs, endpoint.ToolExecutions
		workflowStarts, runStarts, confirms    = endpoint.WorkflowStarts, endpoint.RunStarts, endpoint.Confirms
		templateChanges, workerConnects        = endpoint.TemplateChanges, endpoint.WorkerConnects
		credentials                            = endpoint.Credentials
		loraReads, loraImports                 = endpoint.LoraReads, endpoint.LoraImports

		// The envelope of its answers.
		standard, shared, doubled = endpoint.Standard, endpoint.Shared, endpoint.Doubled
		openAI, anthropic         = endpoint.OpenAI, endpoint.Anthropic
		replicates, a1111         = endpoint.Replicate, endpoint.Automatic1111
		verbatim                  = endpoint.Verbatim

		// What it does with an idempotency key.
		noKey, cutAt192, dropOver200 = endpoint.NoKey, endpoint.CutAt192, endpoint.DropOver200

		// What it adds to. Without a word it stores nothing new.
		rows, media = endpoint.StoresRows, endpoint.StoresMedia
	)
	table := []route{
		// Account and usage
		{get, "/v2/account/me", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.me), "Show the account of the credential"},
		{get, "/v4/account/balance", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.balance), "Show the generation balance"},
		{get, "/v1/subscriptions/status", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.subscription), "Show the account's subscription"},
		{get, "/v1/subscriptions/usage", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.usage), "Show what the plan has covered, and its limits of fair use"},
		{get, "/v1/subscriptions/usage/history", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.usageHistory), "Show what was used by day"},
		{get, "/v1/account/usage", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.usageParts), "Show what was used by day, model and application"},
		{get, "/v1/account/usage/keys", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.usageKeys), "Show what was used by day and API key"},
		{get, "/v1/subscriptions/worker/earnings", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.earnings), "Show what the account's workers have earned"},
		{post, "/v1/subscriptions/worker/earnings/claim", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 200, endpoint.Handle(s.claimEarnings), "Claim what the account's workers have earned in closed months"},
		{get, "/v1/subscriptions/plans", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(catalogAge, s.plans), "List the plans"},
		{get, "/v2/wallet/balance", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.walletBalance), "Show the balances of a public wallet on a chain"},

		// Keys, session tokens and the ledger of an account
		{get, "/v1/account/keys", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listKeys), "List the API keys of the account that are valid"},
		{post, "/v1/account/keys", apiKeyOnly, credentials, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createKey).Or(atelier.KindConflict), "Create an API key, which is shown only in this answer"},
		{patch, "/v1/account/keys/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.changeKey), "Rename an API key, or replace its limits"},
		{del, "/v1/account/keys/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.revokeKey), "Revoke an API key, and end its console sessions and the session tokens that it made"},
		{post, "/v1/account/tokens", apiKeyOnly, credentials, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createToken), "Create a session token, which ends with the API key that makes it"},
		{del, "/v1/account/sessions", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.endSessions), "End all session tokens and console sessions of the account; its API keys stay valid"},
		{get, "/v1/account/sessions", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listSessions), "List the open console sessions of the account, those of the caller for a member who is no owner"},
		{del, "/v1/account/sessions/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.endSession), "End one console session"},
		{get, "/v1/account/actions", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.accountActions), "List what was done with the keys and sessions of the account, and to it by operators, newest first"},
		{get, "/v1/account/ledger", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.ledger), "List what was granted, spent and paid out, the latest first"},

		// Members
		{get, "/v1/account/members", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listMembers), "List the members of the account, and its open invitations for owners"},
		{post, "/v1/account/members", apiKeyOnly, credentials, standard, wire.Strict, noKey, 201, endpoint.Handle(s.inviteMember).Stores(rows).Or(atelier.KindConflict), "Invite a person to the account: the answer has the link"},
		{patch, "/v1/account/members/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.changeMember), "Change the role or the budget of a member"},
		{del, "/v1/account/members/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.removeMember), "Remove a member, or leave the account: the member's keys and sessions end"},
		{del, "/v1/account/invitations/{id}", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.withdrawInvitation), "Withdraw an invitation"},
		{post, "/v1/invitations/accept", public, publicReads, standard, wire.Strict, noKey, 201, endpoint.Handle(s.acceptInvitation).Stores(rows).Or(atelier.KindUnauthenticated, atelier.KindForbidden), "Accept an invitation: the answer has an API key of the new member"},

		// Console sessions
		{post, "/v1/console/sessions", public, publicReads, standard, wire.Strict, noKey, 201, endpoint.Handle(s.signIn).Or(atelier.KindUnauthenticated, atelier.KindForbidden), "Sign in to the console with an API key or a one-time code"},
		{get, "/v1/console/session", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.readSession).Or(atelier.KindNotFound), "Show the console session"},
		{patch, "/v1/console/session", apiKeyOnly, credentials, standard, wire.Strict, noKey, 200, endpoint.Handle(s.switchAccount).Or(atelier.KindNotFound), "Switch to another account of which the person is a member"},
		{get, "/v1/console/providers", public, publicReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listProviders), "List the providers that people can sign in with"},
		{get, "/v1/console/providers/{provider}/begin", public, publicReads, verbatim, wire.Lenient, noKey, 303, endpoint.File("text/html", s.beginSignIn).Or(atelier.KindNotFound, atelier.KindUnavailable), "Send a browser to a provider to sign in"},
		{get, "/v1/console/providers/{provider}/callback", public, publicReads, verbatim, wire.Lenient, noKey, 303, endpoint.File("text/html", s.finishSignIn).Or(atelier.KindUnauthenticated, atelier.KindForbidden, atelier.KindNotFound, atelier.KindUnavailable), "Take what a browser brings back from a provider, and begin a console session"},
		{del, "/v1/console/session", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.signOut).Or(atelier.KindNotFound), "Sign out of the console"},

		// Media and image URLs
		{get, "/v2/media/uploadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.mediaUpload).Or(atelier.KindNotFound), "Create a signed form to upload video or audio"},
		{get, "/v2/media/downloadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.mediaDownload).Or(atelier.KindNotFound), "Create a signed URL to download video or audio"},
		{get, "/v2/image/uploadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.imageUpload).Or(atelier.KindNotFound), "Create a signed form to upload an image"},
		{get, "/v2/image/downloadUrl", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.imageDownload).Or(atelier.KindNotFound), "Create a signed URL to download an image"},

		// Saved assets
		{get, "/v1/assets", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.listAssets).Or(atelier.KindNotFound), "List saved uploads, newest first"},
		{get, "/v1/assets/capabilities", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.assetCapabilities), "Show whether uploads can be saved now"},
		{post, "/v1/assets/prepare", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.prepareAsset).Stores(media).Or(atelier.KindConflict), "Prepare a saved upload"},
		{post, "/v1/assets/{id}/finalize", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.finalizeAsset).Or(atelier.KindConflict, atelier.KindGone, atelier.KindBusy), "Finalize a saved upload"},
		{post, "/v1/assets/{id}/bind", authenticated, mediaURLs, standard, wire.Strict, noKey, 200, endpoint.Handle(s.bindAsset).Stores(media).Or(atelier.KindConflict), "Bind a saved upload to a project"},
		{del, "/v1/assets/{id}", authenticated, mediaURLs, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteAsset), "Remove a saved upload"},
		{patch, "/v1/assets/{id}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.markAsset).Stores(rows).Or(atelier.KindConflict), "Change the favourite, the tags and the boards of a saved upload"},

		// Creative workflows
		{post, "/v1/creative-agent/workflows", apiKeyOnly, workflowStarts, standard, wire.Strict, cutAt192, 201, endpoint.Handle(s.startWorkflow).Stores(media).OrStatus(202).Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUnprocessable), "Start a workflow"},
		{get, "/v1/creative-agent/workflows", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.listWorkflows), "List workflows, last changed first"},
		{get, "/v1/creative-agent/workflows/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readWorkflow), "Show a workflow"},
		{get, "/v1/creative-agent/workflows/{id}/events", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.workflowEvents), "List the events of a workflow"},
		{get, "/v1/creative-agent/workflows/{id}/events/stream", authenticated, accountReads, verbatim, wire.Lenient, noKey, 200, endpoint.Stream(s.streamWorkflow, workflowFrames...), "Follow the events of a workflow as a stream"},
		{post, "/v1/creative-agent/workflows/{id}/resume", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 202, endpoint.Handle(s.resumeWorkflow).Spends().Or(atelier.KindConflict), "Resume a paused workflow"},
		{post, "/v1/creative-agent/workflows/{id}/confirm-cost", authenticated, confirms, standard, wire.Strict, cutAt192, 200, endpoint.Handle(s.confirmWorkflow).Or(atelier.KindPaymentRequired, atelier.KindConflict), "Confirm or decline the cost of a workflow"},
		{post, "/v1/creative-agent/workflows/{id}/cancel", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.cancelWorkflow), "Cancel a workflow"},
		{post, "/v1/creative-agent/workflows/{id}/reseed", apiKeyOnly, workflowStarts, standard, wire.Strict, cutAt192, 201, endpoint.Handle(s.reseedWorkflow).Stores(media).Or(atelier.KindPaymentRequired, atelier.KindConflict), "Rerun a workflow with new seeds"},
		{post, "/v1/creative-agent/workflows/{id}/steps/{stepId}/remake", apiKeyOnly, workflowStarts, standard, wire.Strict, cutAt192, 201, endpoint.Handle(s.remakeStep).Stores(media).Or(atelier.KindConflict), "Make a step that a fallback worker made again, free of charge, once"},

		// Lists of workflows
		{get, "/v1/creative-agent/workflows/summaries", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listSummaries), "List summaries of workflows, newest first"},
		{get, "/v1/creative-agent/workflows/counts", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.countWorkflows), "Count workflows by status"},
		{post, "/v1/creative-agent/workflows/estimate", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.estimateWorkflow).Or(atelier.KindNotFound, atelier.KindConflict, atelier.KindUnprocessable), "Estimate the cost of a workflow without starting it"},
		{post, "/v1/creative-agent/workflows/templates/validate", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.validateTemplate), "Check a template without saving it"},

		// Library
		{get, "/v1/artifacts", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listArtifacts).Or(atelier.KindNotFound), "List artifacts, newest first"},
		{get, "/v1/artifacts/days", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.artifactDays), "Count artifacts by UTC day, newest first"},
		{get, "/v1/artifacts/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readArtifact), "Show an artifact"},
		{del, "/v1/artifacts/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteArtifact).Or(atelier.KindConflict), "Delete an artifact and its file"},
		{post, "/v1/artifacts/delete", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.deleteArtifacts), "Delete several artifacts and their files"},
		{patch, "/v1/artifacts/{id}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.markArtifact).Stores(rows).Or(atelier.KindConflict), "Change the favourite, the tags and the boards of an artifact"},
		{get, "/v1/artifacts/{id}/thumbnail", public, unlimited, verbatim, wire.Strict, noKey, 200, endpoint.File("image/jpeg", s.thumbnail).Or(atelier.KindForbidden, atelier.KindBusy), "Download the thumbnail of an artifact with a signed URL"},

		{get, "/v1/library/boards", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listBoards), "List boards by name"},
		{post, "/v1/library/boards", authenticated, accountReads, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createBoard).Stores(rows).Or(atelier.KindConflict), "Create a board"},
		{patch, "/v1/library/boards/{id}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.renameBoard).Or(atelier.KindConflict), "Rename a board"},
		{del, "/v1/library/boards/{id}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.deleteBoard), "Delete a board; what is on it stays in the library"},
		{put, "/v1/library/boards/{id}/workflows/{workflowId}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.putWorkflowOnBoard).Stores(rows), "Put what a workflow has made and will make on a board"},
		{get, "/v1/library/tags", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listTags), "List tags, those of most artifacts and uploads first"},
		{post, "/v1/library/marks", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.markItems).Stores(rows).Or(atelier.KindNotFound), "Change the favourites, tags and boards of several artifacts and saved uploads"},

		// Presets
		{get, "/v1/presets", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listPresets), "List the presets of a kind by name"},
		{put, "/v1/presets/{kind}/{name}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.putPreset).Stores(rows).Or(atelier.KindConflict), "Keep a style or a view under a name"},
		{del, "/v1/presets/{kind}/{name}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.deletePreset), "Delete a preset"},

		// Events of an account
		{get, "/v1/events/stream", authenticated, accountReads, verbatim, wire.Strict, noKey, 200, endpoint.Stream(s.streamAccount, accountFrames...), "Stream changes to the account's workflows, runs, artifacts and balance"},

		// Webhooks
		{get, "/v1/webhooks", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listWebhooks), "List webhooks, oldest first"},
		{post, "/v1/webhooks", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createWebhook).Stores(rows).Or(atelier.KindConflict), "Create a webhook, whose secret is shown only in this answer"},
		{get, "/v1/webhooks/{id}", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.readWebhook), "Show a webhook; the id requests names the one of webhooks that requests name"},
		{patch, "/v1/webhooks/{id}", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 200, endpoint.Handle(s.patchWebhook).Or(atelier.KindConflict), "Change a webhook, or enable it again"},
		{del, "/v1/webhooks/{id}", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 200, endpoint.Handle(s.deleteWebhook).Or(atelier.KindConflict), "Delete a webhook and its delivery log"},
		{post, "/v1/webhooks/{id}/rotate-secret", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 200, endpoint.Handle(s.rotateWebhook), "Replace the secret of a webhook; the old one signs too for 24 hours"},
		{post, "/v1/webhooks/{id}/test", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 202, endpoint.Handle(s.testWebhook).Stores(rows).Or(atelier.KindConflict), "Send a test to a webhook, in one attempt"},
		{get, "/v1/webhooks/{id}/deliveries", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listDeliveries), "List the deliveries of a webhook, newest first"},
		{post, "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver", apiKeyOnly, templateChanges, standard, wire.Strict, noKey, 202, endpoint.Handle(s.redeliver).Stores(rows).Or(atelier.KindConflict), "Send an event again that was delivered or has failed, or at once one that waits for its next attempt"},

		// Network
		{get, "/v1/network", authenticated, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.showNetwork), "Show the connected workers, their jobs and the queues"},

		// Workflow templates
		{post, "/v1/creative-agent/workflows/templates", authenticated, templateChanges, standard, wire.Lenient, noKey, 201, endpoint.Handle(s.createTemplate).Stores(rows).Or(atelier.KindConflict, atelier.KindUnprocessable), "Create a template"},
		{get, "/v1/creative-agent/workflows/templates", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.listTemplates), "List templates"},
		{get, "/v1/creative-agent/workflows/templates/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readTemplate), "Show a template"},
		{patch, "/v1/creative-agent/workflows/templates/{id}", authenticated, templateChanges, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.patchTemplate).Stores(rows).Or(atelier.KindConflict, atelier.KindUnprocessable), "Change a template"},
		{del, "/v1/creative-agent/workflows/templates/{id}", authenticated, templateChanges, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteTemplate), "Delete a template"},
		{post, "/v1/creative-agent/workflows/templates/{id}/fork", authenticated, templateChanges, standard, wire.Strict, noKey, 201, endpoint.Handle(s.forkTemplate).Stores(rows).Or(atelier.KindConflict), "Copy a template into the account"},

		// Projects and workers
		{get, "/v2/projects/{id}", authenticated, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readProject), "Show the state of a project"},
		{post, "/v1/worker/sessions", workerOnly, workerConnects, standard, wire.Strict, noKey, 201, endpoint.Handle(s.connectWorker), "Connect a worker"},
		{post, "/v1/worker/sessions/{workerId}/claim", workerOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.claimJob).WithRecheck().OrNothing("No job was available in time.").Or(atelier.KindConflict), "Claim a job; 204 when no job came in time"},
		{post, "/v1/worker/sessions/{workerId}/heartbeat", workerOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.workerHeartbeat), "Send a heartbeat"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/progress", workerOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.jobProgress).Or(atelier.KindConflict), "Report progress and renew the lease"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/complete", workerOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.completeJob).Or(atelier.KindConflict), "Complete a job"},
		{post, "/v1/worker/sessions/{workerId}/jobs/{jobId}/fail", workerOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.failJob).Or(atelier.KindConflict), "Fail a job"},
		{del, "/v1/worker/sessions/{workerId}", workerOnly, unlimited, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.disconnectWorker), "Disconnect a worker"},

		// Worker analytics
		{get, "/v1/analytics/day", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.dayAnalytics).Or(atelier.KindNotFound), "Show the counters of an account's workers, or of the network, on a day"},
		{get, "/v1/analytics/lifetime", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.lifetimeAnalytics).Or(atelier.KindNotFound), "Show the counters of an account's workers, of NFTs, or of the network, over the lifetime"},
		{get, "/v1/analytics/day/nft/{nftTokenId}", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.nftDayAnalytics), "Show the counters of an NFT on a day"},
		{get, "/v1/analytics/lifetime/nft/{nftTokenId}", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.nftLifetimeAnalytics), "Show the counters of an NFT over its lifetime"},
		{get, "/v1/analytics/day/nfts", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.nftsDayAnalytics), "Show the counters of several NFTs on a day"},
		{get, "/v1/analytics/chart/daily/events/query", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.eventChart).Or(atelier.KindNotFound), "Show counters by day"},
		{get, "/v1/analytics/chart/daily/model-use/query", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.modelChart).Or(atelier.KindNotFound), "Show the renders of models by day"},
		{get, "/v1/analytics/model-use/lifetime", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.lifetimeModels), "Show the renders of models over the lifetime"},
		{get, "/v1/model-renders/user-stats", public, publicReads, shared, wire.Strict, noKey, 200, endpoint.Handle(s.userStats).Or(atelier.KindNotFound), "List the models that an account or an NFT has used most"},

		// Model discovery
		{get, "/v1/model-catalog", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(catalogAge, s.modelCatalog), "List generation models"},
		{get, "/v1/model-catalog/{modelId...}", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(catalogAge, s.catalogModel), "Show a generation model with its parameters"},
		{get, "/v1/tools", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(catalogAge, s.tools), "List the tools with their arguments, models and prices"},
		{get, "/v1/tools/{name}", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(catalogAge, s.tool), "Show a tool with its arguments, models and prices"},
		{get, "/v1/model-demand", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(demandAge, s.modelDemand), "Show the current demand for each model"},
		{get, "/v1/model-gallery", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Handle(s.gallery), "List sample media of models"},
		{get, "/v1/model-gallery/{modelId...}", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Handle(s.modelGallery), "List sample media of one model"},
		{get, "/v1/worker/releases", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Cached(releasesAge, s.workerReleases), "Show the newest worker release of each channel"},
		{get, "/v1/worker-images/comfy", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("comfy"), "Show the image of the ComfyUI worker"},
		{get, "/v1/worker-images/comfy-spark", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("comfy-spark"), "Show the image of the Spark ComfyUI worker"},
		{get, "/v1/worker-images/llm", public, publicReads, shared, wire.Lenient, noKey, 200, s.workerImage("llm"), "Show the image of the language model worker"},
		{get, "/v1/loras/comfy", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Handle(s.publicLoras), "List public LoRAs"},

		// Personal LoRAs
		{get, "/v1/loras/personal", authenticated, loraReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.listLoras), "List personal LoRAs, newest first"},
		{get, "/v1/loras/personal/catalog", authenticated, loraReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.personalCatalog), "List the personal LoRAs that can be used now"},
		{post, "/v1/loras/personal", authenticated, loraImports, standard, wire.Strict, noKey, 202, endpoint.Handle(s.importLora).Stores(media).Or(atelier.KindConflict), "Import a LoRA"},
		{post, "/v1/loras/personal/upload", authenticated, loraImports, standard, wire.Strict, noKey, 201, endpoint.Upload(s.uploadLora).WithRecheck().Stores(media).OrStatus(200).Or(atelier.KindConflict), "Upload a LoRA file"},
		{get, "/v1/loras/personal/{id}", authenticated, loraReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readLora), "Show a personal LoRA"},
		{del, "/v1/loras/personal/{id}", authenticated, loraReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteLora).Or(atelier.KindConflict), "Remove a personal LoRA"},

		// Chat completions
		{post, "/v1/chat/completions", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.complete).MayStore(media).WithRecheck().UpTo(openai.BodyBounds).OrEvents().Answers().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Create a chat completion, with tools that make media"},

		{post, "/v1/completions", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.completeText).WithRecheck().OrEvents().Answers().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Answer a text, for clients older than chat completions"},

		// Responses, as OpenAI's API has them
		{post, "/v1/responses", apiKeyOnly, runStarts, openAI, wire.Lenient, dropOver200, 200, endpoint.Handle(s.createResponse).MayStore(media).WithRecheck().UpTo(responses.BodyBounds).OrEvents().Answers().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Answer a conversation, with tools that make media, and store the response"},
		{get, "/v1/responses/{id}", apiKeyOnly, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.readResponse).OrEvents(), "Show a response, or follow it as a stream"},
		{del, "/v1/responses/{id}", apiKeyOnly, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteResponse).Or(atelier.KindConflict), "Delete a response; one that is being made is cancelled"},
		{post, "/v1/responses/{id}/cancel", apiKeyOnly, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.cancelResponse), "Cancel a response that is being made"},
		{get, "/v1/responses/{id}/input_items", apiKeyOnly, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.listInputItems), "List what a response was asked"},

		// Embeddings, as OpenAI's API has them
		{post, "/v1/embeddings", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.embed).Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Make vectors of texts with a model that makes them"},

		// Moderations, as OpenAI's API has them
		{post, "/v1/moderations", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.moderate), "Show what the content filter finds in texts"},

		// Messages, as Anthropic's API has them
		{post, "/v1/messages", authenticated, llmRequests, anthropic, wire.Lenient, noKey, 200, endpoint.Handle(s.createMessage).WithRecheck().UpTo(messageBounds).OrEvents().Answers().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Answer a conversation"},
		{post, "/v1/messages/count_tokens", authenticated, llmRequests, anthropic, wire.Lenient, noKey, 200, endpoint.Handle(s.countTokens).UpTo(messageBounds).Or(atelier.KindNotFound), "Estimate the tokens of a conversation"},

		// Files, as OpenAI's API has them
		{post, "/v1/files", authenticated, mediaURLs, openAI, wire.Lenient, noKey, 200, endpoint.Form(s.createFile, "file").Stores(media).UpTo(imageForm).Or(atelier.KindConflict, atelier.KindBusy), "Save a file"},
		{get, "/v1/files", authenticated, mediaURLs, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.listFiles), "List saved files, newest first"},
		{get, "/v1/files/{id}", authenticated, mediaURLs, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.readFile), "Show a saved file"},
		{del, "/v1/files/{id}", authenticated, mediaURLs, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteFile), "Remove a saved file"},
		{get, "/v1/files/{id}/content", authenticated, mediaURLs, openAI, wire.Lenient, noKey, 200, endpoint.File(endpoint.AnyFile, s.fileContent), "Download a saved file"},

		// Images, as OpenAI's API has them
		{post, "/v1/images/generations", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.Handle(s.generateImages).Stores(media).WithRecheck().OrEvents().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream), "Make images, and wait for them"},
		{post, "/v1/images/edits", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.Form(s.editImages, "image", "mask").UpTo(imageForm).Stores(media).WithRecheck().OrEvents().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream), "Change images as a text says, and wait for the result"},
		{post, "/v1/images/variations", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.Form(s.varyImage, "image").UpTo(imageForm).Stores(media).WithRecheck().OrEvents().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream), "Make variations of an image, and wait for them"},

		// Videos, as OpenAI's API has them
		{post, "/v1/videos", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.Form(s.createVideo, "input_reference?").UpTo(imageForm).Stores(media).Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict), "Start a video"},
		{get, "/v1/videos", authenticated, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.listVideos), "List videos, newest first"},
		{get, "/v1/videos/{id}", authenticated, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.readVideo), "Show a video, and how far it is"},
		{del, "/v1/videos/{id}", authenticated, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.deleteVideo).Or(atelier.KindConflict), "Delete a video that is made or has failed"},
		{get, "/v1/videos/{id}/content", authenticated, accountReads, openAI, wire.Lenient, noKey, 200, endpoint.File(endpoint.AnyFile, s.videoContent).Or(atelier.KindConflict), "Download a video or its thumbnail"},
		{post, "/v1/videos/{id}/remix", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.Handle(s.remixVideo).Stores(media).Or(atelier.KindPaymentRequired, atelier.KindConflict), "Start a new video from a video and a text"},

		// Speech, as OpenAI's API has it
		{post, "/v1/audio/speech", apiKeyOnly, workflowStarts, openAI, wire.Lenient, cutAt192, 200, endpoint.File(endpoint.AnyFile, s.speak).Stores(media).WithRecheck().OrEvents().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict, atelier.KindUpstream), "Speak a text, and wait for the file"},
		{post, "/v1/audio/transcriptions", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Form(s.transcribe, "file").UpTo(transcriptionForm).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Transcribe speech, with a model whose server does that"},
		{post, "/v1/audio/translations", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Form(s.translate, "file").UpTo(transcriptionForm).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindUpstream, atelier.KindUpstreamTimeout), "Transcribe speech in English, with a model whose server does that"},

		// Predictions, as Replicate's API has them
		{get, "/replicate/v1/account", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.predictionAccount), "Show the account of the credential in Replicate's shape"},
		{get, "/replicate/v1/hardware", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listHardware), "List what predictions run on"},
		{get, "/replicate/v1/deployments", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listDeployments), "List deployments, of which there are none"},
		{get, "/replicate/v1/collections", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listCollections), "List collections of models, one for each tool"},
		{get, "/replicate/v1/collections/{slug}", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.readCollection), "Show the models of a collection"},
		{get, "/replicate/v1/models", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listPredictionModels), "List the models that make predictions"},
		{get, "/replicate/v1/models/{owner}/{name}", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.readPredictionModel), "Show a model with the schema of its input"},
		{get, "/replicate/v1/models/{owner}/{name}/versions", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listVersions), "List the one version of a model"},
		{get, "/replicate/v1/models/{owner}/{name}/versions/{version}", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.readVersion), "Show a version of a model"},
		{post, "/replicate/v1/models/{owner}/{name}/predictions", apiKeyOnly, workflowStarts, replicates, wire.Lenient, cutAt192, 201, endpoint.Handle(s.predictByModel).Stores(media).UpTo(predictionBounds).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindConflict), "Start a prediction of a model, and wait for it if the client prefers"},
		{post, "/replicate/v1/predictions", apiKeyOnly, workflowStarts, replicates, wire.Lenient, cutAt192, 201, endpoint.Handle(s.predictByVersion).Stores(media).UpTo(predictionBounds).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindNotFound, atelier.KindConflict), "Start a prediction of a version, and wait for it if the client prefers"},
		{get, "/replicate/v1/predictions", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listPredictions), "List predictions, the newest first"},
		{get, "/replicate/v1/predictions/{id}", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.readPrediction), "Show a prediction"},
		{post, "/replicate/v1/predictions/{id}/cancel", authenticated, accountReads, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.cancelPrediction), "Cancel a prediction"},
		{get, "/replicate/v1/predictions/{id}/stream", public, publicReads, replicates, wire.Lenient, noKey, 200, endpoint.Stream(s.streamPrediction).Or(atelier.KindForbidden), "Follow the output of a prediction with a signed URL"},
		{post, "/replicate/v1/files", authenticated, mediaURLs, replicates, wire.Lenient, noKey, 201, endpoint.Form(s.createPredictionFile, "content", "metadata?").Stores(media).UpTo(imageForm).Or(atelier.KindConflict, atelier.KindBusy), "Save a file"},
		{get, "/replicate/v1/files", authenticated, mediaURLs, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.listPredictionFiles), "List saved files, newest first"},
		{get, "/replicate/v1/files/{id}", authenticated, mediaURLs, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.readPredictionFile), "Show a saved file"},
		{del, "/replicate/v1/files/{id}", authenticated, mediaURLs, replicates, wire.Lenient, noKey, 204, endpoint.Handle(s.deletePredictionFile), "Remove a saved file"},
		{get, "/replicate/v1/webhooks/default/secret", apiKeyOnly, credentials, replicates, wire.Lenient, noKey, 200, endpoint.Handle(s.webhookSecret), "Show the secret that signs the webhooks of predictions"},

		// The API of AUTOMATIC1111's web UI
		{post, "/sdapi/v1/txt2img", apiKeyOnly, workflowStarts, a1111, wire.Lenient, cutAt192, 200, endpoint.Handle(s.textToImage).UpTo(sdapi.BodyBounds).Stores(media).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindConflict, atelier.KindUpstream), "Make pictures from words, and wait for them"},
		{post, "/sdapi/v1/img2img", apiKeyOnly, workflowStarts, a1111, wire.Lenient, cutAt192, 200, endpoint.Handle(s.imageToImage).UpTo(sdapi.BodyBounds).Stores(media).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindConflict, atelier.KindUpstream), "Change a picture, or the part of it under a mask, and wait for the result"},
		{post, "/sdapi/v1/extra-single-image", apiKeyOnly, workflowStarts, a1111, wire.Lenient, cutAt192, 200, endpoint.Handle(s.extraImage).UpTo(sdapi.BodyBounds).Stores(media).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindConflict, atelier.KindUpstream), "Make a picture larger, and wait for it"},
		{post, "/sdapi/v1/extra-batch-images", apiKeyOnly, workflowStarts, a1111, wire.Lenient, cutAt192, 200, endpoint.Handle(s.extraImages).UpTo(sdapi.BodyBounds).Stores(media).WithRecheck().Or(atelier.KindPaymentRequired, atelier.KindConflict, atelier.KindUpstream), "Make pictures larger, and wait for them"},
		{post, "/sdapi/v1/png-info", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.pictureInfo).UpTo(sdapi.BodyBounds), "Show what a picture was made with"},
		{get, "/sdapi/v1/progress", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.showProgress), "Show how far the account's work of this API is"},
		{post, "/sdapi/v1/interrupt", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.interrupt), "Cancel the account's work of this API"},
		{post, "/sdapi/v1/skip", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.interrupt), "Cancel the account's work of this API"},
		{get, "/sdapi/v1/options", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.showOptions), "Show the options of the account"},
		{post, "/sdapi/v1/options", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.setOptions), "Set the checkpoint of the account"},
		{get, "/sdapi/v1/sd-models", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.checkpoints), "List checkpoints: the models that make pictures from words"},
		{get, "/sdapi/v1/upscalers", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.upscalers), "List the models that make pictures larger"},
		{get, "/sdapi/v1/loras", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, endpoint.Handle(s.usableLoras), "List the LoRAs that the account can use"},
		{get, "/sdapi/v1/samplers", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.Samplers), "List samplers, which the models choose themselves"},
		{get, "/sdapi/v1/schedulers", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.Schedulers), "List schedulers, which the models choose themselves"},
		{get, "/sdapi/v1/latent-upscale-modes", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always([]sdapi.Named{}), "List latent upscalers: there are none"},
		{get, "/sdapi/v1/sd-vae", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always([]sdapi.Named{}), "List VAEs: there are none"},
		{get, "/sdapi/v1/sd-modules", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always([]sdapi.Named{}), "List modules: there are none"},
		{get, "/sdapi/v1/embeddings", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.Embeddings{}), "List textual inversions: there are none"},
		{get, "/sdapi/v1/hypernetworks", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always([]sdapi.Named{}), "List hypernetworks: there are none"},
		{get, "/sdapi/v1/prompt-styles", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always([]sdapi.Named{}), "List styles: there are none"},
		{get, "/sdapi/v1/scripts", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.Scripts{TextToImage: []string{}, ImageToImage: []string{}}), "List scripts: there are none"},
		{get, "/sdapi/v1/cmd-flags", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.Flags{API: true, NoWebUI: true}), "Show what the web UI was started with"},
		{get, "/sdapi/v1/memory", authenticated, accountReads, a1111, wire.Lenient, noKey, 200, always(sdapi.NoMemory), "Show the memory of the machine, which the service does not say"},

		// Model Context Protocol
		{post, "/mcp", apiKeyOnly, toolExecutions, verbatim, wire.Lenient, noKey, 200, endpoint.Pass("text/event-stream", s.serveMCP).MayStore(media).Spends(), "Answer a message of the Model Context Protocol"},
		{get, "/.well-known/oauth-protected-resource", public, publicReads, verbatim, wire.Lenient, noKey, 200, endpoint.Handle(s.describeMCP), "Describe the credential that the Model Context Protocol needs"},
		{get, "/.well-known/oauth-protected-resource/mcp", public, publicReads, verbatim, wire.Lenient, noKey, 200, endpoint.Handle(s.describeMCP), "Describe the credential that the Model Context Protocol needs"},

		// Durable chat runs
		{post, "/v1/chat/runs", apiKeyOnly, runStarts, standard, wire.AnyCase, dropOver200, 202, endpoint.Handle(s.startRun).Stores(media).Spends().UpTo(openai.RunBounds).Or(atelier.KindNotFound, atelier.KindConflict), "Start a chat run"},
		{get, "/v1/chat/runs/{id}", apiKeyOnly, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.readRun), "Show a chat run"},
		{get, "/v1/chat/runs/{id}/events", apiKeyOnly, accountReads, standard, wire.Lenient, noKey, 200, endpoint.Handle(s.runEvents), "List the events of a chat run"},
		{get, "/v1/chat/runs/{id}/events/stream", apiKeyOnly, accountReads, verbatim, wire.Lenient, noKey, 200, endpoint.Stream(s.streamRun, runFrames...), "Follow the events of a chat run as a stream"},
		{post, "/v1/chat/runs/{id}/cancel", apiKeyOnly, accountReads, standard, wire.AnyCase, noKey, 200, endpoint.Handle(s.cancelRun).Or(atelier.KindConflict), "Cancel a chat run"},
		{post, "/v1/chat/runs/{id}/confirm-cost", apiKeyOnly, confirms, standard, wire.AnyCase, dropOver200, 200, endpoint.Handle(s.confirmRun).StateFirst(s.confirmableRun).Or(atelier.KindPaymentRequired, atelier.KindConflict), "Confirm or decline the cost of a paused chat run"},

		// Conversations
		{get, "/v1/chat/conversations", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.listConversations), "List conversations, the one with the newest run first"},
		{get, "/v1/chat/conversations/{sessionId}", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.readConversation), "Show a conversation with its runs"},
		{patch, "/v1/chat/conversations/{sessionId}", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.renameConversation), "Rename a conversation"},
		{del, "/v1/chat/conversations/{sessionId}", apiKeyOnly, accountReads, standard, wire.Strict, noKey, 200, endpoint.Handle(s.deleteConversation).Or(atelier.KindConflict), "Delete a conversation and its runs"},

		// Direct tool execution
		{post, "/v1/creative-agent/tools/execute", authenticated, toolExecutions, standard, wire.Strict, noKey, 200, endpoint.Handle(s.executeTool).WithRecheck().Or(atelier.KindPaymentRequired), "Run one synchronous tool"},

		// Replay records
		{post, "/v1/replay/records", authenticated, templateChanges, doubled, wire.Lenient, noKey, 201, endpoint.Handle(s.writeReplay).Stores(rows).UpTo(replayBody), "Write a replay record, or replace the one of the same run"},
		{get, "/v1/replay/records", authenticated, accountReads, doubled, wire.Lenient, noKey, 200, endpoint.Handle(s.listReplays), "List replay records, last written first"},
		{get, "/v1/replay/records/{id}", authenticated, accountReads, doubled, wire.Lenient, noKey, 200, endpoint.Handle(s.readReplay), "Show a replay record"},

		// Language models
		{get, "/v1/models", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.listModels), "List models"},
		{get, "/v1/models/{model_id...}", authenticated, llmRequests, openAI, wire.Lenient, noKey, 200, endpoint.Handle(s.readModel), "Show a language model"},

		// Operators
		{get, "/v1/operator/accounts", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorAccounts), "List accounts, newest first"},
		{post, "/v1/operator/accounts", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createAccount).Or(atelier.KindConflict), "Create an account and its first API key"},
		{get, "/v1/operator/accounts/{wallet}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorAccount), "Show an account and what it has used this month"},
		{post, "/v1/operator/accounts/{wallet}/credit", operatorOnly, unlimited, standard, wire.Strict, cutAt192, 200, endpoint.Handle(s.creditAccount).Or(atelier.KindConflict), "Add credit to an account"},
		{put, "/v1/operator/accounts/{wallet}/plan", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.setPlan), "Set the plan of an account"},
		{put, "/v1/operator/accounts/{wallet}/operator", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.setOperator).Or(atelier.KindConflict), "Give an account the operator role, or take it"},
		{post, "/v1/operator/accounts/{wallet}/suspend", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.suspendAccount).Or(atelier.KindConflict), "Suspend an account and cancel its work"},
		{post, "/v1/operator/accounts/{wallet}/reinstate", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.reinstateAccount), "Reinstate a suspended account"},
		{get, "/v1/operator/accounts/{wallet}/keys", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.accountKeys), "List the API keys of an account, oldest first"},
		{post, "/v1/operator/accounts/{wallet}/keys", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createAccountKey), "Create an API key of an account"},
		{del, "/v1/operator/accounts/{wallet}/keys", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.revokeAccountKeys), "Revoke all keys of an account and end its session tokens"},
		{put, "/v1/operator/accounts/{wallet}/keys/{id}/limits", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.limitAccountKey).Or(atelier.KindConflict), "Replace the limits of an API key of an account"},
		{del, "/v1/operator/accounts/{wallet}/keys/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.revokeAccountKey).Or(atelier.KindConflict), "Revoke an API key of an account"},
		{post, "/v1/operator/accounts/{wallet}/tokens", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createAccountToken), "Create a session token of an account"},
		{put, "/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.addNFT), "Let the workers of an account name an NFT, and take it from the account that had it"},
		{del, "/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.removeNFT), "Take an NFT from an account"},
		{get, "/v1/operator/accounts/{wallet}/members", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.accountMembers), "List the members of an account and its open invitations"},
		{post, "/v1/operator/accounts/{wallet}/members", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.inviteAccountMember).Stores(rows).Or(atelier.KindConflict), "Invite a person to an account"},
		{patch, "/v1/operator/accounts/{wallet}/members/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.changeAccountMember), "Change the role or the budget of a member of an account"},
		{del, "/v1/operator/accounts/{wallet}/members/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.removeAccountMember), "Remove a member of an account, or withdraw an invitation by its id"},
		{post, "/v1/operator/keys/revoke", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.revokeAnyKey).Or(atelier.KindNotFound), "Revoke an API key of any account by the key itself"},
		{get, "/v1/operator/search", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorSearch), "Find accounts, keys, jobs, workflows and chat runs"},
		{get, "/v1/operator/workers", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorWorkers), "List the connected workers and their jobs"},
		{get, "/v1/operator/workers/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorWorker), "Show a connected worker, its machine, its jobs and its failures"},
		{get, "/v1/operator/workers/{id}/history", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.workerHistory), "Show what a worker has reported about its machine in the last hour, day or week"},
		{post, "/v1/operator/workers/{id}/drain", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.drainWorker), "Stop giving jobs to a worker, or give it jobs again"},
		{get, "/v1/operator/jobs", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorJobs).Or(atelier.KindNotFound), "List jobs of all accounts, newest first"},
		{get, "/v1/operator/jobs/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorJob), "Show a job of any account"},
		{get, "/v1/operator/failures", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorFailures), "Group the jobs that failed by error and model"},
		{get, "/v1/operator/unresolved", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.unresolvedJobs), "List the jobs whose outcome at a vendor is unknown"},
		{post, "/v1/operator/unresolved/{jobId}/resolve", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.resolveJob), "Fail an unresolved job that the vendor delivered nothing for, and release its hold"},
		{get, "/v1/operator/spot-checks", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.spotChecks), "List the renders that trusted workers have made again, to compare the results"},
		{get, "/v1/operator/claims", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorClaims), "List the claims of earnings that wait for an operator"},
		{post, "/v1/operator/claims/{claimId}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.decideClaim).Or(atelier.KindConflict), "Pay or refuse a claim of earnings that waits"},
		{post, "/v1/operator/accounts/{wallet}/claim", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.claimForAccount), "Claim what the workers of an account have earned"},
		{get, "/v1/operator/loras", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorLoras).Or(atelier.KindNotFound), "List the personal LoRAs of all accounts, newest first"},
		{get, "/v1/operator/loras/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorLora), "Show a personal LoRA of any account"},
		{post, "/v1/operator/loras/{id}/review", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.reviewLora).Or(atelier.KindConflict), "Hold a personal LoRA back, or release it"},
		{post, "/v1/operator/loras/{id}/revoke", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.revokeLora).Or(atelier.KindConflict), "Withdraw a personal LoRA for good"},
		{post, "/v1/operator/templates", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.publishTemplate).Stores(rows).Or(atelier.KindConflict, atelier.KindUnprocessable), "Publish a template for all accounts"},
		{del, "/v1/operator/templates/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.withdrawTemplate), "Withdraw a published template"},
		{get, "/v1/operator/filter-reviews", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.filterReviews), "List what the content filter refused, newest first"},
		{post, "/v1/operator/filter-reviews/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.judgeRefusal), "Record whether a refusal of the content filter was right"},
		{get, "/v1/operator/connections", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorConnections), "List the servers that the service uses"},
		{post, "/v1/operator/connections", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createConnection).Stores(rows).Or(atelier.KindConflict), "Connect a server: it is used at once, on every node"},
		{post, "/v1/operator/connections/test", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.testConnectionDraft).Or(atelier.KindNotFound), "Ask a server that is not connected yet what it has"},
		{post, "/v1/operator/connections/discover", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.discoverServers), "Look for servers on the usual ports of the service's machine"},
		{get, "/v1/operator/connections/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorConnection), "Show a connection, without its API key"},
		{patch, "/v1/operator/connections/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.changeConnection).Or(atelier.KindConflict), "Change a connection"},
		{del, "/v1/operator/connections/{id}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.removeConnection).Or(atelier.KindConflict), "Remove a connection"},
		{post, "/v1/operator/connections/{id}/test", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.testConnection).Or(atelier.KindConflict), "Ask the server of a connection what it has"},
		{get, "/v1/operator/models/{name}/pull", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.modelFolders), "List the folders into which files of a model can be fetched, and how far that is"},
		{post, "/v1/operator/models/{name}/pull", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.pullModel).Stores(rows).Or(atelier.KindConflict), "Fetch the files of a model into the folder of a connected ComfyUI"},
		{del, "/v1/operator/models/{name}/pull", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.cancelPull).Or(atelier.KindConflict), "Stop fetching the files of a model: what has arrived is kept"},
		{get, "/v1/operator/graphs", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorGraphs), "List the graphs of ComfyUI that operators have brought"},
		{post, "/v1/operator/graphs", operatorOnly, unlimited, standard, wire.Strict, noKey, 201, endpoint.Handle(s.createGraph).Stores(rows).Or(atelier.KindConflict), "Make a model of a workflow of ComfyUI: it is offered at once, on every node"},
		{post, "/v1/operator/graphs/inspect", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.inspectGraph), "Show what a workflow of ComfyUI would become, and what is missing for it"},
		{get, "/v1/operator/graphs/{name}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorGraph).WithPathExample("name", "harbour"), "Show a graph with its files"},
		{put, "/v1/operator/graphs/{name}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.replaceGraph).WithPathExample("name", "harbour").Stores(rows).Or(atelier.KindConflict), "Replace the workflow of a graph, or where its arguments go"},
		{del, "/v1/operator/graphs/{name}", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.removeGraph).WithPathExample("name", "harbour").Or(atelier.KindConflict), "Remove a graph and its model"},
		{get, "/v1/operator/actions", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorActions).Or(atelier.KindNotFound), "List what operators did, and accounts with their keys and sessions, newest first"},
		{get, "/v1/operator/health", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorHealth), "Show the state of the installation"},
		{get, "/v1/operator/history", operatorOnly, unlimited, standard, wire.Strict, noKey, 200, endpoint.Handle(s.operatorHistory), "Show what the nodes have seen in the last hour, day or week"},

		// Operations
		{get, "/healthz", public, unlimited, verbatim, wire.Lenient, noKey, 200, endpoint.Handle(s.healthy), "Check that the process is up"},
		{get, "/readyz", public, unlimited, verbatim, wire.Lenient, noKey, 200, endpoint.Handle(s.ready), "Check that database and storage answer, and whether the bus does"},
		{get, "/metrics", public, unlimited, verbatim, wire.Lenient, noKey, 200, endpoint.Write("text/plain", s.showMetrics).Or(atelier.KindUnauthenticated, atelier.KindNotFound), "Show metrics for Prometheus"},
		{get, "/llms.txt", public, publicReads, shared, wire.Lenient, noKey, 200, endpoint.Write("text/markdown", s.showForLLMs), "Show an overview of the service for language models"},
		{get, "/openapi.json", public, unlimited, verbatim, wire.Lenient, noKey, 200, endpoint.Write("application/json", s.openAPI), "Show this document"},
		{get, "/gallery/{file...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, endpoint.Write(endpoint.AnyFile, s.galleryFile).WithPathExample("file", "z_image_turbo_bf16-1.jpg").Or(atelier.KindNotFound), "Download a file of the sample gallery"},
	}
	if s.storage != nil { // otherwise clients go to an S3
		storage := endpoint.Write(endpoint.AnyFile, s.serveStorage).Or(atelier.KindInvalid, atelier.KindForbidden, atelier.KindNotFound, atelier.KindPrecondition, atelier.KindTooMany)
		table = append(table,
			route{post, "/storage", public, unlimited, verbatim, wire.Lenient, noKey, 204, storage.WithBodyType("multipart/form-data"), "Upload with a signed form"},
			route{put, "/storage/{key...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, storage.WithBodyType(endpoint.AnyFile), "Upload with a signed URL"},
			route{get, "/storage/{key...}", public, unlimited, verbatim, wire.Lenient, noKey, 200, storage, "Download with a signed URL"})
	}
	return table
}
