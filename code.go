package atelier

// Kind says what sort of failure an error is. The API maps each kind to one
// HTTP status; nothing below the API knows about HTTP.
type Kind int

// The kinds, in the order of the statuses they become.
const (
	KindInvalid          Kind = iota + 1 // the request itself is wrong
	KindUnauthenticated                  // no credential, or one that is not valid
	KindPaymentRequired                  // the balance cannot cover it
	KindForbidden                        // a valid credential that may not do this
	KindNotFound                         // absent, or hidden from this caller
	KindMethodNotAllowed                 // the path exists, the method does not
	KindConflict                         // the state of the resource refuses it
	KindGone                             // it was there and has expired
	KindPrecondition                     // a condition of the request does not hold
	KindTooLarge                         // over a size limit
	KindUnsupportedMedia                 // a content type that is not supported
	KindUnprocessable                    // well formed, but does not validate or compile
	KindBusy                             // locked by another change
	KindTooMany                          // over a rate or capacity limit
	KindInternal                         // a fault of the service; the text stays in the log
	KindUpstream                         // a model server answered with something that cannot be read
	KindUnavailable                      // a part of the service cannot be used now
	KindUpstreamTimeout                  // a model server did not answer in time
)

// Code is one row of the error table. Numbers are part of the interface: they
// are never reused and never change their meaning.
type Code struct {
	Number   int
	Kind     Kind
	Slug     string // the machine-readable name, error.code on LLM routes
	Sentence string // what it means and what the caller can do about it
}

// The error table. Numbers up to 999 and from 4000 to 4999 are shared with
// existing clients; our own start at 2000.
var (
	CodeNoCredential        = row(101, KindUnauthenticated, "authentication_required", "No credential was sent. Send an API key or session token as `Authorization: Bearer <credential>`.")
	CodeInvalidRequest      = row(102, KindInvalid, "invalid_request", "The body or query is not valid. The message names the field and the rule it breaks.")
	CodeBadCredential       = row(105, KindUnauthenticated, "invalid_credential", "The credential is unknown, revoked or expired.")
	CodeNameTaken           = row(108, KindConflict, "name_taken", "That name is already in use. Choose another.")
	CodeInsufficientBalance = row(123, KindPaymentRequired, "insufficient_balance", "The selected token cannot cover the request.")
	CodeRateLimited         = row(126, KindTooMany, "rate_limited", "Too many requests. Wait as long as `Retry-After` says, then try again.")
	CodeNoUnlimitedAccess   = row(179, KindForbidden, "unlimited_required", "This feature needs an active Unlimited or Unlimited Pro plan.")

	CodeRouteNotFound     = row(2001, KindNotFound, "route_not_found", "There is no such endpoint. The reference of every endpoint is at /docs.")
	CodeMethodNotAllowed  = row(2002, KindMethodNotAllowed, "method_not_allowed", "This endpoint does not take that method. The Allow header lists those it takes.")
	CodeBodyTooLarge      = row(2003, KindTooLarge, "body_too_large", "The body is larger than this endpoint accepts.")
	CodeUnsupportedMedia  = row(2004, KindUnsupportedMedia, "unsupported_media_type", "The body must be JSON, sent as `application/json`; a file is sent as `application/octet-stream`.")
	CodeNotFound          = row(2005, KindNotFound, "not_found", "It does not exist, or it is not yours.")
	CodeForbidden         = row(2006, KindForbidden, "forbidden", "This credential may not do that.")
	CodeAPIKeyRequired    = row(2007, KindForbidden, "api_key_required", "This endpoint needs an API key; a session token is not enough.")
	CodeWorkerRequired    = row(2008, KindForbidden, "worker_required", "This endpoint needs the API key of a worker account.")
	CodeUnavailable       = row(2009, KindUnavailable, "unavailable", "The service cannot answer this now, because a part of it is not available. Try again later.")
	CodeInternal          = row(2010, KindInternal, "internal_error", "The service failed. Quote the request id when you report it.")
	CodeModelNotFound     = row(2011, KindNotFound, "model_not_found", "There is no such model. GET /v1/models lists the language models.")
	CodeUpstream          = row(2012, KindUpstream, "upstream_error", "An upstream server answered with an error. Try again.")
	CodeUpstreamTimeout   = row(2013, KindUpstreamTimeout, "upstream_timeout", "An upstream server did not answer in time. Try again.")
	CodeBadSignature      = row(2015, KindForbidden, "bad_signature", "The signed terms of an upload or download were altered, or have expired. Ask for new ones.")
	CodeObjectExists      = row(2016, KindPrecondition, "object_exists", "The object is already uploaded. Continue as after a successful upload.")
	CodeJobClaimed        = row(2017, KindForbidden, "job_claimed", "This job or project id belongs to another account. Choose another.")
	CodeAssetMismatch     = row(2018, KindConflict, "asset_mismatch", "The uploaded file is not the announced one. Upload it again.")
	CodeAssetExpired      = row(2019, KindGone, "asset_expired", "The upload was not finalized in time. Prepare it again.")
	CodeAssetBusy         = row(2020, KindBusy, "asset_busy", "Another request is changing this entry. Try again.")
	CodeLibraryFull       = row(2021, KindConflict, "library_full", "The saved upload library is full. Remove something first.")
	CodeWorkerFull        = row(2022, KindConflict, "worker_full", "The worker already holds as many jobs as its capacity allows. Complete or fail one first.")
	CodeJobLost           = row(2023, KindConflict, "job_lost", "The worker no longer holds this job. Discard its results and claim another job.")
	CodeActiveWorkflows   = row(2024, KindConflict, "active_workflow_limit", "This account has reached its limit of queued and running workflows. Wait for one to finish, or cancel one.")
	CodeCapacityFull      = row(2025, KindTooMany, "capacity_full", "The service is at capacity. Try again later.")
	CodePremiumRequired   = row(2026, KindPaymentRequired, "vendor_premium_required", "The plan names vendor models, which need Premium Spark. `details.vendorModels` lists them.")
	CodeWrongState        = row(2027, KindConflict, "wrong_state", "The current state does not allow that. `details` has the state.")
	CodeStalePreview      = row(2028, KindConflict, "stale_preview", "The cost preview has expired, or is not the one that was shown.")
	CodeKeyReused         = row(2029, KindConflict, "idempotency_key_reused", "This idempotency key was used for another request. Choose a new one.")
	CodeCapacityExceeded  = row(2030, KindInvalid, "capacity_exceeded", "The plan is estimated above `max_estimated_capacity_units`. `details.estimatedCapacity` is the estimate.")
	CodeConfirmCost       = row(2031, KindInvalid, "cost_confirmation_required", "The plan costs something and `confirm_cost` is false. `details.estimatedCapacity` is the estimate.")
	CodeTemplateInvalid   = row(2032, KindUnprocessable, "template_invalid", "The template does not validate. `data.validation.issues` lists what is wrong.")
	CodeTemplateCompile   = row(2033, KindUnprocessable, "template_compile_failed", "The template does not compile with these inputs. `details.compileErrors` lists what is wrong.")
	CodeTemplateLimit     = row(2034, KindForbidden, "template_limit", "The account has reached its limit of templates. Delete one first.")
	CodeTemplateExists    = row(2035, KindConflict, "template_exists", "A template with this id already exists. Choose another.")
	CodePublicTemplate    = row(2036, KindForbidden, "public_template", "Only the operator of the service publishes templates.")
	CodeContextLength     = row(2037, KindInvalid, "context_length_exceeded", "The messages and tools leave no space for an answer in the model's context. `details` has the numbers.")
	CodeAccountSuspended  = row(2038, KindUnauthenticated, "account_suspended", "The account is suspended: none of its keys and session tokens is accepted. Ask the operator of this service.")
	CodeStreamLimit       = row(2039, KindTooMany, "stream_limit", "This account has reached its limit of open event streams and completions. Close one, or wait for one to end.")
	CodePausedWorkflows   = row(2040, KindConflict, "paused_workflow_limit", "This account has reached its limit of paused workflows. Resume or cancel one.")
	CodeLoraInCatalog     = row(2041, KindConflict, "lora_in_catalog", "The public LoRA catalog has this file. `details.loraId` is its id there.")
	CodeLoraLibraryFull   = row(2042, KindConflict, "lora_library_full", "The library of personal LoRAs is full. Remove one first.")
	CodeLoraChanged       = row(2043, KindConflict, "lora_changed", "The personal LoRA changed at the same time. Try again.")
	CodeStoredBytes       = row(2048, KindConflict, "stored_bytes_limit", "What this account stores has reached its limit, and too little of it is over to be deleted. Wait for chat runs or workflows to end, or cancel some.")
	CodeOperatorRequired  = row(2050, KindForbidden, "operator_required", "This endpoint needs an API key of an account with the operator role.")
	CodeContentFiltered   = row(2051, KindInvalid, "content_policy_violation", "The content filter has refused the request. Change its words.")
	CodeAlreadyRemade     = row(2052, KindConflict, "already_remade", "This step was made again free of charge before, or is being made again. `details.remakeWorkflowId` is the workflow that does so.")
	CodeNotRemakable      = row(2053, KindConflict, "not_remakable", "This step cannot be made again free of charge, or not now. `details.reason` says why: `not_completed`, `not_by_fallback`, `vendor_model`, `no_worker` or `inputs_gone`.")
	CodeKeyLimit          = row(2060, KindForbidden, "key_limit", "A limit of the API key does not allow this. `details.limit` says which: `groups`, `readOnly`, `addresses`, `models`, `tools`, `role` for what needs another role in the account, or `limited` for what only a key without limits may do.")
	CodeSubscriptionLimit = row(2014, KindPaymentRequired, "subscription_limit", "The plan cannot cover this request and `billing_mode` is `subscription`.")
)

var codes []Code

func row(number int, kind Kind, slug, sentence string) Code {
	c := Code{Number: number, Kind: kind, Slug: slug, Sentence: sentence}
	codes = append(codes, c)
	return c
}

// Codes lists the error table in the order it is written.
func Codes() []Code { return append([]Code(nil), codes...) }
