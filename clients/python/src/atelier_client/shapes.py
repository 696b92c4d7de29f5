"""Shapes of the API. Written by scripts/write_shapes.py from ../openapi.json. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class ActualCost(TypedDict):
    byPlan: bool
    costInSpark: str
    costInUSD: str
    free: NotRequired[str]


class Alternative(TypedDict):
    available: NotRequired[bool]
    modelId: str
    reason: NotRequired[str]


class Artifact(TypedDict):
    durationSeconds: NotRequired[float]
    height: NotRequired[int]
    id: str
    kind: str
    mediaType: str
    metadata: NotRequired[dict[str, Any]]
    mimeType: NotRequired[str]
    notUnderstood: NotRequired[list[str]]
    preview: NotRequired[bool]
    renderer: NotRequired[str]
    seed: NotRequired[int]
    sizeBytes: NotRequired[int]
    stepId: str
    toolName: str
    url: str
    width: NotRequired[int]


class ArtifactCreated(TypedDict):
    artifactId: str
    durationSeconds: NotRequired[float]
    height: NotRequired[int]
    id: str
    kind: str
    mediaType: str
    metadata: NotRequired[dict[str, Any]]
    mimeType: NotRequired[str]
    notUnderstood: NotRequired[list[str]]
    preview: NotRequired[bool]
    renderer: NotRequired[str]
    seed: NotRequired[int]
    sizeBytes: NotRequired[int]
    stepId: str
    toolName: str
    url: str
    width: NotRequired[int]


class ArtifactCreatedEvent(TypedDict):
    """A step has a result."""

    at: str
    data: ArtifactCreated
    id: str
    message: NotRequired[str]
    payload: ArtifactCreated
    sequence: int
    timestamp: str
    type: Literal["artifact_created"]
    workflowId: str


class Authorization(TypedDict):
    authorizedAt: str
    authorizedCapacityUnits: float
    cumulativeReservedUnits: float
    cumulativeSettledUnits: float
    expiresAt: str
    stageSettlements: list[StageSettlement]
    tokenType: str
    workflowRunId: str


class AwaitingCost(TypedDict):
    capacityUnits: float
    durationSeconds: NotRequired[float]
    estimatedCost: float
    estimatedUsdCost: float
    height: NotRequired[int]
    modelKey: str
    tokenType: str
    toolArgs: Any
    toolCallId: str
    toolName: str
    width: NotRequired[int]


class AwaitingCostEvent(TypedDict):
    """A tool call waits for the approval of its cost."""

    at: str
    id: str
    payload: AwaitingCost
    runId: str
    sequence: int
    type: Literal["run_awaiting_cost_confirmation"]


class Backbone(TypedDict):
    modelKnowledgeVersion: str
    routingPolicyVersion: str
    schemaVersion: str


class Binding(TypedDict):
    mediaType: NotRequired[str]
    required: bool
    sourceArtifactId: NotRequired[str]
    sourceArtifactIndex: int
    sourceStepId: str
    targetArgument: str
    transform: str


class CallDispatched(TypedDict):
    arguments: Any
    toolCallId: str
    toolName: str
    workflowId: NotRequired[str]


class CallDispatchedEvent(TypedDict):
    """A tool call has begun."""

    at: str
    id: str
    payload: CallDispatched
    runId: str
    sequence: int
    type: Literal["tool_call_dispatched"]


class CallProgress(TypedDict):
    previewUrl: NotRequired[str]
    progress: float
    status: str
    stepLabel: NotRequired[str]
    toolCallId: str
    toolName: str
    workflowSequence: int


class CallProgressEvent(TypedDict):
    """A tool call has progressed."""

    at: str
    id: str
    payload: CallProgress
    runId: str
    sequence: int
    type: Literal["tool_call_progress"]


class CallResolved(TypedDict):
    artifacts: list[RunArtifact]
    errorCode: NotRequired[str]
    mediaUrls: list[MediaURL]
    status: str
    summary: str
    toolCallId: str
    toolName: str
    workflowId: NotRequired[str]


class CallResolvedEvent(TypedDict):
    """A tool call is over."""

    at: str
    id: str
    payload: CallResolved
    runId: str
    sequence: int
    type: Literal["tool_call_resolved"]


class CancelledRun(TypedDict):
    runId: str
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class CancelledRunReply(TypedDict):
    aborted: bool
    run: CancelledRun


class CancelledWorkflow(TypedDict):
    inFlight: bool
    transitioned: bool
    workflow: Workflow


class ConfirmedWorkflow(TypedDict):
    authorization: NotRequired[Authorization]
    decision: NotRequired[str]
    idempotent: NotRequired[bool]
    workflow: Workflow


class CostPreview(TypedDict):
    tokenType: str
    totalEstimatedCapacityUnits: float
    validityUntil: str


class CostResolved(TypedDict):
    decision: str
    reason: NotRequired[str]
    toolCallId: str


class CostResolvedEvent(TypedDict):
    """The cost of a tool call was approved or declined."""

    at: str
    id: str
    payload: CostResolved
    runId: str
    sequence: int
    type: Literal["run_cost_confirmation_resolved"]


class Custom(TypedDict):
    attempt: NotRequired[int]
    authorizedCapacityUnits: NotRequired[float]
    decision: NotRequired[str]
    kind: str
    resumeCount: NotRequired[int]
    stepId: NotRequired[str]
    tokenType: NotRequired[str]


class CustomEvent(TypedDict):
    """Something else has happened; kind says what."""

    at: str
    data: Custom
    id: str
    message: NotRequired[str]
    payload: Custom
    sequence: int
    timestamp: str
    type: Literal["custom"]
    workflowId: str


class DownloadReply(TypedDict):
    downloadUrl: str


class EstimateRange(TypedDict):
    max: float
    min: float


class EventError(TypedDict):
    classification: str
    code: str
    message: str
    retryable: bool


class EventsTrimmed(TypedDict):
    firstSequence: int
    runId: str
    type: str


class Failure(TypedDict):
    data: NotRequired[FailureData]
    details: NotRequired[dict[str, Any]]
    errorCode: int
    message: str
    retryAfter: NotRequired[int]
    status: str


class FailureData(TypedDict):
    validation: Validation


class Generation(TypedDict):
    params: dict[str, Any]
    selectedModel: str


class Implementation(TypedDict):
    runtime: str
    version: str


class Issue(TypedDict):
    code: str
    message: str
    path: NotRequired[str]
    severity: str


class MediaContext(TypedDict):
    audio: list[str]
    images: list[str]
    uploadedAudio: list[str]
    uploadedImages: list[str]
    uploadedVideos: list[str]
    videos: list[str]


class MediaContextUpdated(TypedDict):
    audio: list[str]
    images: list[str]
    uploadedAudio: list[str]
    uploadedImages: list[str]
    uploadedVideos: list[str]
    videos: list[str]


class MediaContextUpdatedEvent(TypedDict):
    """The media of the run have changed."""

    at: str
    id: str
    payload: MediaContextUpdated
    runId: str
    sequence: int
    type: Literal["media_context_updated"]


class MediaURL(TypedDict):
    mediaType: str
    modelKey: NotRequired[str]
    toolName: str
    url: str


class MessageCompleted(TypedDict):
    content: str
    round: NotRequired[int]
    toolCalls: NotRequired[list[PendingToolCall]]


class MessageCompletedEvent(TypedDict):
    """The model has answered."""

    at: str
    id: str
    payload: MessageCompleted
    runId: str
    sequence: int
    type: Literal["assistant_message_completed"]


class MessageDelta(TypedDict):
    content: str


class MessageDeltaEvent(TypedDict):
    """The model has written text."""

    at: str
    id: str
    payload: MessageDelta
    runId: str
    sequence: int
    type: Literal["assistant_message_delta"]


class PendingToolCall(TypedDict):
    arguments: Any
    toolCallId: str
    toolName: str


class PreviewUpdated(TypedDict):
    billingPreview: RunPreview


class PreviewUpdatedEvent(TypedDict):
    """There is a cost to approve."""

    at: str
    id: str
    payload: PreviewUpdated
    runId: str
    sequence: int
    type: Literal["billing_preview_updated"]


class Recovery(TypedDict):
    lastResumeAt: NotRequired[str]
    reason: NotRequired[str]
    resumeCount: int


class RemakeOf(TypedDict):
    stepId: str
    workflowId: str


class ResumedWorkflow(TypedDict):
    resumed: bool
    workflow: Workflow


class RoundStarted(TypedDict):
    round: int


class RoundStartedEvent(TypedDict):
    """The model is asked."""

    at: str
    id: str
    payload: RoundStarted
    runId: str
    sequence: int
    type: Literal["llm_round_started"]


class Routing(TypedDict):
    alternatives: list[Alternative]
    reasons: list[str]
    selectedBy: str


class Run(TypedDict):
    artifacts: list[RunArtifact]
    backbone: Backbone
    billingPreview: NotRequired[RunPreview]
    billingPreviews: NotRequired[list[RunPreview]]
    cancellationReason: NotRequired[str]
    childWorkflowIds: list[str]
    createTime: int
    error: NotRequired[RunFailure]
    events: list[RunEvent]
    failureReason: NotRequired[str]
    finalResponse: NotRequired[RunFinalResponse]
    mediaContext: MediaContext
    messages: list[RunMessage]
    ownerWalletAddress: str
    recovery: RunRecovery
    request: RunRequest
    runId: str
    schemaVersion: str
    scope: RunScope
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    timestamps: Timestamps
    toolCalls: list[RunToolCall]
    toolResults: list[RunToolResult]
    updateTime: int
    usage: NotRequired[RunUsage]
    waiting: NotRequired[RunWaiting]


class RunArtifact(TypedDict):
    id: str
    mediaType: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    mimeType: NotRequired[str]
    modelDisplayName: NotRequired[str]
    modelKey: NotRequired[str]
    stepId: NotRequired[str]
    toolCallId: NotRequired[str]
    toolName: NotRequired[str]
    url: NotRequired[str]
    workflowId: NotRequired[str]


class RunCancelled(TypedDict):
    reason: str


class RunCancelledEvent(TypedDict):
    """The run was cancelled."""

    at: str
    id: str
    payload: RunCancelled
    runId: str
    sequence: int
    type: Literal["run_cancelled"]


class RunCompleted(TypedDict):
    finalResponse: RunFinalResponse
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class RunCompletedEvent(TypedDict):
    """The run is over."""

    at: str
    id: str
    payload: RunCompleted
    runId: str
    sequence: int
    type: Literal["run_completed"]


class RunCreated(TypedDict):
    runId: str


class RunCreatedEvent(TypedDict):
    """The run was accepted."""

    at: str
    id: str
    payload: RunCreated
    runId: str
    sequence: int
    type: Literal["run_created"]


class RunDecision(TypedDict):
    accepted_cost_preview: NotRequired[RunDecisionAcceptedCostPreview]
    decision: Literal["confirm", "cancel"]
    idempotency_key: NotRequired[str]
    overrides: NotRequired[RunDecisionOverrides]
    reason: NotRequired[str]
    tool_call_id: str


class RunDecisionAcceptedCostPreview(TypedDict):
    """The cost preview to confirm, exactly as shown."""

    perToolBreakdown: NotRequired[list[RunDecisionAcceptedCostPreviewPerToolBreakdown]]
    tokenType: str
    totalEstimatedCapacityUnits: float
    validityUntil: str


class RunDecisionAcceptedCostPreviewPerToolBreakdown(TypedDict):
    capacityUnits: float
    toolCallId: str
    toolName: str


class RunDecisionOverrides(TypedDict):
    """Changes of the named call. What would make it cost more is left out."""

    prompt: NotRequired[str]
    prompts: NotRequired[list[str]]
    qualityTier: NotRequired[Literal["fast", "hq", "pro"]]
    safeContentFilter: NotRequired[bool]


class RunFailed(TypedDict):
    error: RunFailure
    failureReason: str


class RunFailedEvent(TypedDict):
    """The run has failed."""

    at: str
    id: str
    payload: RunFailed
    runId: str
    sequence: int
    type: Literal["run_failed"]


class RunFailure(TypedDict):
    code: str
    message: str


class RunFinalResponse(TypedDict):
    content: NotRequired[str]
    finishReason: str
    pendingToolCalls: NotRequired[list[PendingToolCall]]


class RunFunctionCall(TypedDict):
    arguments: str
    name: str


class RunMessage(TypedDict):
    content: Any
    name: NotRequired[str]
    role: str
    tool_call_id: NotRequired[str]
    tool_calls: NotRequired[list[RunMessageCall]]


class RunMessageCall(TypedDict):
    function: RunFunctionCall
    id: str
    type: str


class RunPartialFailure(TypedDict):
    error: NotRequired[RunFailure]
    failureReason: NotRequired[str]
    finalResponse: RunFinalResponse
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class RunPartialFailureEvent(TypedDict):
    """The run is over; a part of it has failed."""

    at: str
    id: str
    payload: RunPartialFailure
    runId: str
    sequence: int
    type: Literal["run_partial_failure"]


class RunPaused(TypedDict):
    details: RunWaitingDetails
    message: str
    reason: str


class RunPausedEvent(TypedDict):
    """The run is paused until its user does something."""

    at: str
    id: str
    payload: RunPaused
    runId: str
    sequence: int
    type: Literal["run_waiting_for_user"]


class RunPreview(TypedDict):
    perToolBreakdown: list[ToolCost]
    tokenType: str
    totalEstimatedCapacityUnits: float
    validityUntil: str


class RunRecovery(TypedDict):
    resumeCount: int


class RunReply(TypedDict):
    idempotent: NotRequired[bool]
    run: Run


class RunRequest(TypedDict):
    clientMessageId: NotRequired[str]
    confirmCost: NotRequired[bool]
    idempotencyKey: NotRequired[str]
    maxEstimatedCapacityUnits: NotRequired[float]
    mediaReferences: NotRequired[list[dict[str, Any]]]
    messages: list[RunMessage]
    model: NotRequired[str]
    runtimeConfig: dict[str, Any]
    sampling: dict[str, Any]
    sessionId: NotRequired[str]
    toolChoice: NotRequired[Any]
    tools: NotRequired[list[Any]]


class RunResumed(TypedDict):
    reason: str


class RunResumedEvent(TypedDict):
    """The run is continued after a pause or an interruption."""

    at: str
    id: str
    payload: RunResumed
    runId: str
    sequence: int
    type: Literal["run_resumed"]


class RunScope(TypedDict):
    appSource: str
    billingMode: str
    ownerWalletAddress: str
    tokenType: str


class RunStart(TypedDict):
    app_source: NotRequired[str]
    billing_mode: NotRequired[Literal["auto", "subscription", "tokens"]]
    client_message_id: NotRequired[str]
    confirm_cost: NotRequired[bool]
    idempotency_key: NotRequired[str]
    max_estimated_capacity_units: NotRequired[float]
    media_context: NotRequired[RunStartMediaContext]
    media_references: NotRequired[list[RunStartMediaReference]]
    messages: Any
    model: NotRequired[str]
    runtime_config: NotRequired[RunStartRuntimeConfig]
    sampling: NotRequired[RunStartSampling]
    session_id: NotRequired[str]
    token_type: NotRequired[Literal["spark", "svc", "auto"]]
    tool_choice: NotRequired[Any]
    tools: NotRequired[Any]
    webhook: NotRequired[Union[str, RunStartWebhook]]


class RunStartMediaContext(TypedDict):
    """Media of earlier runs, by URL."""

    audio: NotRequired[list[str]]
    images: NotRequired[list[str]]
    uploadedAudio: NotRequired[list[str]]
    uploadedImages: NotRequired[list[str]]
    uploadedVideos: NotRequired[list[str]]
    videos: NotRequired[list[str]]


class RunStartMediaReference(TypedDict):
    data_uri: NotRequired[str]
    kind: Literal["image", "video", "audio", "model"]
    url: NotRequired[str]
    value: NotRequired[str]


class RunStartRuntimeConfig(TypedDict):
    """How the service works on the run."""

    qualityTier: NotRequired[Literal["fast", "hq", "pro"]]
    requireJobConfirmation: NotRequired[bool]
    requireSpendConfirmation: NotRequired[bool]
    safeContentFilter: NotRequired[bool]


class RunStartSampling(TypedDict):
    """How the model chooses its words."""

    frequency_penalty: NotRequired[float]
    max_tokens: NotRequired[int]
    min_p: NotRequired[float]
    presence_penalty: NotRequired[float]
    repetition_penalty: NotRequired[float]
    task_profile: NotRequired[Literal["general", "coding", "reasoning"]]
    temperature: NotRequired[float]
    think: NotRequired[bool]
    top_k: NotRequired[int]
    top_p: NotRequired[float]


class RunStartWebhook(TypedDict):
    events: NotRequired[list[Literal["*", "workflow.waiting", "workflow.completed", "workflow.failed", "workflow.cancelled", "run.waiting", "run.completed", "run.failed", "run.cancelled", "lora.ready", "lora.rejected", "balance.credited", "balance.low"]]]
    url: str


class RunStatus(TypedDict):
    payload: RunStatusPayload
    runId: str
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    type: str
    waitingReason: NotRequired[str]


class RunStatusPayload(TypedDict):
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class RunText(TypedDict):
    content: str
    first: bool
    round: int
    runId: str
    type: str


class RunToolCall(TypedDict):
    arguments: Any
    sequence: int
    toolCallId: str
    toolName: str


class RunToolResult(TypedDict):
    errorCode: NotRequired[str]
    sequence: int
    status: str
    summary: NotRequired[str]
    toolCallId: str


class RunUsage(TypedDict):
    cachedTokens: int
    completionTokens: int
    costInSpark: str
    costInSvc: str
    costInUSD: str
    coveredByPlan: bool
    model: str
    promptTokens: int
    seconds: float


class RunWaiting(TypedDict):
    details: RunWaitingDetails
    message: str
    reason: str


class RunWaitingDetails(TypedDict):
    costApprovalPreview: NotRequired[RunPreview]
    flavor: NotRequired[str]
    pendingToolCallIds: list[str]
    review: NotRequired[WaitingDetails]
    toolCallId: str
    workflowId: NotRequired[str]


class Spend(TypedDict):
    cachedTokens: int
    costInSpark: str
    costInSvc: str
    costInToken: str
    costInUSD: str
    coveredByPlan: NotRequired[bool]
    eventId: str
    inputTokens: int
    modelName: str
    outputTokens: int
    tokenType: str


class SpendEvent(TypedDict):
    """A call of the model was paid."""

    at: str
    id: str
    payload: Spend
    runId: str
    sequence: int
    type: Literal["llm_spend"]


class StageSettlement(TypedDict):
    estimatedUnits: float
    jobIds: NotRequired[list[str]]
    projectId: NotRequired[str]
    settledUnits: NotRequired[float]
    stageId: str
    status: str


class Step(TypedDict):
    arguments: dict[str, Any]
    artifacts: list[Artifact]
    backbone: Backbone
    cost: StepCost
    dependsOn: list[Binding]
    error: NotRequired[StepError]
    generation: NotRequired[Generation]
    id: str
    idempotencyKey: str
    implementation: Implementation
    input: StepArguments
    previewUrl: NotRequired[str]
    progress: float
    projectId: NotRequired[str]
    remake: NotRequired[StepRemake]
    retry: StepRetry
    routing: NotRequired[Routing]
    seed: NotRequired[int]
    sequence: int
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    timestamps: StepTimes
    tool: StepTool
    toolName: str
    wait: NotRequired[Waiting]
    waiting: NotRequired[Waiting]
    waitingFor: NotRequired[WaitingFor]
    waitingReason: NotRequired[str]


class StepArguments(TypedDict):
    arguments: dict[str, Any]
    normalizedArguments: dict[str, Any]


class StepCompleted(TypedDict):
    artifacts: list[Artifact]
    stepId: str
    toolName: str


class StepCompletedEvent(TypedDict):
    """A step is done."""

    at: str
    data: StepCompleted
    id: str
    message: NotRequired[str]
    payload: StepCompleted
    sequence: int
    timestamp: str
    type: Literal["step_completed"]
    workflowId: str


class StepCost(TypedDict):
    actual: NotRequired[ActualCost]
    beforeDiscount: NotRequired[str]
    estimate: Any
    estimatedSpark: str


class StepError(TypedDict):
    classification: str
    code: str
    details: NotRequired[dict[str, Any]]
    message: str
    retryable: bool
    stepId: NotRequired[str]
    toolName: NotRequired[str]


class StepFailed(TypedDict):
    error: EventError
    errorType: str
    retryable: bool
    stepId: str
    toolName: str


class StepFailedEvent(TypedDict):
    """A step has failed."""

    at: str
    data: StepFailed
    id: str
    message: NotRequired[str]
    payload: StepFailed
    sequence: int
    timestamp: str
    type: Literal["step_failed"]
    workflowId: str


class StepInput(TypedDict):
    arguments: dict[str, Any]
    dependsOn: NotRequired[list[Binding]]
    id: str
    toolName: str


class StepRemake(TypedDict):
    state: str
    workflowId: NotRequired[str]


class StepRetry(TypedDict):
    classification: str
    count: int


class StepStarted(TypedDict):
    attempt: int
    sequence: int
    stepId: str
    toolName: str


class StepStartedEvent(TypedDict):
    """A worker has begun to render a step."""

    at: str
    data: StepStarted
    id: str
    message: NotRequired[str]
    payload: StepStarted
    sequence: int
    timestamp: str
    type: Literal["step_started"]
    workflowId: str


class StepTimes(TypedDict):
    completedAt: NotRequired[str]
    startedAt: NotRequired[str]


class StepTool(TypedDict):
    name: str
    schemaVersion: str


class StepWaiting(TypedDict):
    details: WaitingDetails
    message: str
    reason: str
    stepId: str


class StepWaitingEvent(TypedDict):
    """A step is paused until its user does something."""

    at: str
    data: StepWaiting
    id: str
    message: NotRequired[str]
    payload: StepWaiting
    sequence: int
    timestamp: str
    type: Literal["step_waiting_for_user"]
    workflowId: str


class Template(TypedDict):
    author: Union[Literal["system"], TemplateAuthor]
    brief: NotRequired[str]
    category: Literal["portrait", "video-social", "makeover", "cinematic", "music", "analysis", "custom", "other"]
    clonedFromTemplateId: NotRequired[str]
    createdAt: NotRequired[str]
    description: NotRequired[str]
    estimatedCapacityUnits: NotRequired[EstimateRange]
    estimatedCredits: NotRequired[EstimateRange]
    exposeToLLM: bool
    graph: NotRequired[Any]
    id: str
    inputs: list[TemplateInput]
    llmPriority: float
    metadata: NotRequired[Any]
    name: str
    previewArtifacts: NotRequired[Any]
    reviewFocus: NotRequired[list[str]]
    stability: Literal["experimental", "beta", "production"]
    stages: list[TemplateStage]
    tags: list[str]
    thumbnailUrl: NotRequired[str]
    updatedAt: NotRequired[str]
    version: str
    visibility: Literal["private", "public"]


class TemplateAuthor(TypedDict):
    displayName: str
    userId: str


class TemplateInput(TypedDict):
    default: NotRequired[Any]
    description: NotRequired[str]
    internal: NotRequired[bool]
    jsonSchema: NotRequired[dict[str, Any]]
    multiple: NotRequired[Any]
    name: str
    options: NotRequired[list[Any]]
    required: NotRequired[bool]
    type: Literal["image", "audio", "video", "text", "number", "select", "boolean"]


class TemplateStage(TypedDict):
    args: NotRequired[dict[str, Any]]
    id: str
    tool: NotRequired[str]
    type: NotRequired[Literal["fixed", "batch"]]


class TemplateReply(TypedDict):
    template: Template
    validation: NotRequired[TemplateValidation]


class TemplateValidation(TypedDict):
    issues: list[Issue]
    valid: bool


class TemplatesReply(TypedDict):
    next: Union[int, None]
    templates: list[Template]


class Timestamps(TypedDict):
    completedAt: NotRequired[str]
    createdAt: str
    updatedAt: str


class ToolCost(TypedDict):
    capacityUnits: float
    toolCallId: str
    toolName: str


class UploadForm(TypedDict):
    allowedContentTypes: list[str]
    fields: dict[str, str]
    maxSizeBytes: int
    url: str


class Validation(TypedDict):
    issues: list[Issue]


class Waiting(TypedDict):
    details: NotRequired[WaitingDetails]
    message: str
    position: NotRequired[int]
    reason: str
    until: NotRequired[str]


class WaitingDetails(TypedDict):
    categories: NotRequired[list[str]]
    costApprovalPreview: NotRequired[CostPreview]
    help: NotRequired[str]
    source: NotRequired[str]
    stepId: NotRequired[str]


class WaitingFor(TypedDict):
    fallbackAt: NotRequired[str]
    model: str
    network: str
    reason: str
    since: str


class Workflow(TypedDict):
    appSource: NotRequired[str]
    artifacts: list[Artifact]
    authorization: NotRequired[Authorization]
    awaitingCostApproval: NotRequired[bool]
    backbone: Backbone
    billingMode: str
    billingPreview: NotRequired[CostPreview]
    billingPreviews: NotRequired[list[CostPreview]]
    createTime: int
    error: NotRequired[StepError]
    estimatedCapacityUnits: int
    events: list[WorkflowEvent]
    input: WorkflowInput
    mediaReferences: NotRequired[list[Any]]
    plan: NotRequired[WorkflowPlan]
    recovery: Recovery
    remakeOf: NotRequired[RemakeOf]
    safeContentFilter: bool
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    steps: list[Step]
    template: NotRequired[WorkflowOrigin]
    timestamps: Timestamps
    title: NotRequired[str]
    tokenType: str
    updateTime: int
    usage: NotRequired[dict[str, int]]
    waiting: NotRequired[Waiting]
    waitingReason: NotRequired[str]
    workflowId: str


class WorkflowCancelled(TypedDict):
    reason: str


class WorkflowCancelledEvent(TypedDict):
    """The workflow was cancelled."""

    at: str
    data: WorkflowCancelled
    id: str
    message: NotRequired[str]
    payload: WorkflowCancelled
    sequence: int
    timestamp: str
    type: Literal["workflow_cancelled"]
    workflowId: str


class WorkflowCompleted(TypedDict):
    artifacts: list[Artifact]
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class WorkflowCompletedEvent(TypedDict):
    """The workflow is over, completed or in part."""

    at: str
    data: WorkflowCompleted
    id: str
    message: NotRequired[str]
    payload: WorkflowCompleted
    sequence: int
    timestamp: str
    type: Literal["workflow_completed"]
    workflowId: str


class WorkflowDecision(TypedDict):
    acceptedCostPreview: NotRequired[WorkflowDecisionAcceptedCostPreview]
    decision: Literal["confirm", "cancel"]
    idempotency_key: NotRequired[str]


class WorkflowDecisionAcceptedCostPreview(TypedDict):
    """The cost preview to confirm, exactly as shown."""

    tokenType: str
    totalEstimatedCapacityUnits: float
    validityUntil: str


class WorkflowFailed(TypedDict):
    error: EventError
    retryable: bool
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]


class WorkflowFailedEvent(TypedDict):
    """The workflow is over without a result."""

    at: str
    data: WorkflowFailed
    id: str
    message: NotRequired[str]
    payload: WorkflowFailed
    sequence: int
    timestamp: str
    type: Literal["workflow_failed"]
    workflowId: str


class WorkflowInput(TypedDict):
    steps: list[StepInput]
    title: NotRequired[str]


class WorkflowOrigin(TypedDict):
    id: str
    version: str


class WorkflowPlan(TypedDict):
    artifacts: list[Artifact]
    backbone: Backbone
    events: list[WorkflowEvent]
    input: WorkflowInput
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    steps: list[Step]
    timestamps: Timestamps
    title: NotRequired[str]
    workflowId: str


class WorkflowProgress(TypedDict):
    message: str
    previewUrl: NotRequired[str]
    progress: float
    stepId: str
    stepProgress: float
    waitingFor: NotRequired[Union[WaitingFor, None]]


class WorkflowProgressEvent(TypedDict):
    """A step has progressed, or it is known whether a worker can render it."""

    at: str
    data: WorkflowProgress
    id: str
    message: NotRequired[str]
    payload: WorkflowProgress
    sequence: int
    timestamp: str
    type: Literal["workflow_progress"]
    workflowId: str


class WorkflowReply(TypedDict):
    idempotent: NotRequired[bool]
    preview: NotRequired[CostPreview]
    waitingForCostApproval: NotRequired[bool]
    workflow: Workflow


class WorkflowResume(TypedDict):
    app_source: NotRequired[str]
    billing_mode: NotRequired[Literal["auto", "subscription", "tokens"]]
    safe_content_filter: NotRequired[bool]
    token_type: NotRequired[Literal["spark", "svc", "auto"]]


class WorkflowStart(TypedDict):
    app_source: NotRequired[str]
    billing_mode: NotRequired[Literal["auto", "subscription", "tokens"]]
    confirm_cost: NotRequired[bool]
    continues: NotRequired[str]
    input: NotRequired[WorkflowStartInput]
    inputs: NotRequired[dict[str, Any]]
    max_estimated_capacity_units: NotRequired[float]
    media_references: NotRequired[list[WorkflowStartMediaReference]]
    safe_content_filter: NotRequired[bool]
    token_type: NotRequired[Literal["spark", "svc", "auto"]]
    webhook: NotRequired[Union[str, WorkflowStartWebhook]]
    workflow_id: NotRequired[str]


class WorkflowStartInput(TypedDict):
    """The plan. Either this or workflow_id."""

    steps: list[WorkflowStartInputStep]
    title: NotRequired[str]


class WorkflowStartInputStep(TypedDict):
    arguments: dict[str, Any]
    dependsOn: NotRequired[list[WorkflowStartInputStepDependsOn]]
    id: str
    toolName: str


class WorkflowStartInputStepDependsOn(TypedDict):
    mediaType: NotRequired[Literal["image", "video", "audio"]]
    required: NotRequired[bool]
    sourceArtifactId: NotRequired[str]
    sourceArtifactIndex: NotRequired[int]
    sourceStepId: str
    targetArgument: str
    transform: str


class WorkflowStartMediaReference(TypedDict):
    kind: Literal["image", "video", "audio", "model"]
    url: str


class WorkflowStartWebhook(TypedDict):
    events: NotRequired[list[Literal["*", "workflow.waiting", "workflow.completed", "workflow.failed", "workflow.cancelled", "run.waiting", "run.completed", "run.failed", "run.cancelled", "lora.ready", "lora.rejected", "balance.credited", "balance.low"]]]
    url: str


class WorkflowStarted(TypedDict):
    stepCount: int
    title: str
    workflowId: str


class WorkflowStartedEvent(TypedDict):
    """The workflow was accepted."""

    at: str
    data: WorkflowStarted
    id: str
    message: NotRequired[str]
    payload: WorkflowStarted
    sequence: int
    timestamp: str
    type: Literal["workflow_started"]
    workflowId: str


class WorkflowStatus(TypedDict):
    awaitingCostApproval: NotRequired[bool]
    status: Literal["queued", "running", "waiting_for_user", "completed", "partial_failure", "failed", "cancelled"]
    waitingReason: NotRequired[str]
    workflowId: str


class WorkflowWaiting(TypedDict):
    details: WaitingDetails
    message: str
    preview: NotRequired[CostPreview]
    reason: str
    stepId: NotRequired[str]


class WorkflowWaitingEvent(TypedDict):
    """The workflow is paused until its user does something."""

    at: str
    data: WorkflowWaiting
    id: str
    message: NotRequired[str]
    payload: WorkflowWaiting
    sequence: int
    timestamp: str
    type: Literal["workflow_waiting_for_user"]
    workflowId: str


class Workflows(TypedDict):
    next: Union[int, None]
    workflows: list[Workflow]


RunEvent = Union[RunCreatedEvent, RunResumedEvent, RunCompletedEvent, RunPartialFailureEvent, RunFailedEvent, RunCancelledEvent, RunPausedEvent, RoundStartedEvent, MessageDeltaEvent, MessageCompletedEvent, CallDispatchedEvent, CallProgressEvent, CallResolvedEvent, MediaContextUpdatedEvent, SpendEvent, PreviewUpdatedEvent, AwaitingCostEvent, CostResolvedEvent]
WorkflowEvent = Union[WorkflowStartedEvent, WorkflowProgressEvent, WorkflowWaitingEvent, WorkflowCompletedEvent, WorkflowFailedEvent, WorkflowCancelledEvent, StepStartedEvent, StepCompletedEvent, StepFailedEvent, StepWaitingEvent, ArtifactCreatedEvent, CustomEvent]
