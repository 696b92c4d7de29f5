// Written by "make generate" from the OpenAPI document. Do not edit.

/* eslint-disable */

export interface APIKey {
  apiKey?: string;
  createdAt: string;
  current: boolean;
  hint: string;
  keyId: string;
  lastUsedAt: string | null;
  lastUsedBy: string | null;
  limits: KeyLimits | null;
  name: string;
}

export interface APIKeyReply {
  key: APIKey;
}

export interface APIKeys {
  consoleSessions: number;
  keys: APIKey[];
}

export interface AcceptedInvitation {
  apiKey: string;
  member: Member;
  username: string;
  walletAddress: string;
}

export interface Account {
  createdAt: string;
  nftTokenIds: string[];
  operator: boolean;
  periodEnd: string | null;
  plan: "none" | "unlimited" | "unlimited_pro";
  planActive: boolean;
  planStatus: "none" | "trialing" | "active" | "cancel_at_period_end" | "grace_period" | "past_due" | "expired" | "canceled";
  premiumSpark: string;
  spark: string;
  suspended: boolean;
  suspendedAt: string | null;
  svc: string;
  unfiltered: boolean;
  username: string;
  walletAddress: string;
  worker: boolean;
}

export interface AccountAction {
  action: string;
  at: string;
  by: string;
  detail: string;
  id: string;
  keyId: string | null;
  member: string | null;
  targetId: string | null;
}

export interface AccountActions {
  actions: AccountAction[];
  nextCursor: string | null;
}

export interface AccountDetail {
  account: Account;
  month: AccountMonth;
}

export interface AccountMonth {
  jobs: number;
  planJobs: number;
  planSpark: string;
  since: string;
  spark: string;
  svc: string;
}

export interface AccountReply {
  account: Account;
}

export interface Accounts {
  accounts: Account[];
  nextCursor: string | null;
}

export interface Action {
  action: string;
  at: string;
  detail: string;
  id: string;
  keyId: string | null;
  operator: string;
  operatorName: string;
  reason: string;
  targetId: string | null;
  username: string;
  walletAddress: string | null;
}

export interface Actions {
  actions: Action[];
  nextCursor: string | null;
}

export interface ActualCost {
  byPlan: boolean;
  costInSpark: string;
  costInUSD: string;
  free?: string;
}

export interface AddedNFT {
  account: Account;
  movedFrom: string | null;
}

export interface Alternative {
  available?: boolean;
  modelId: string;
  reason?: string;
}

export interface AnthropicFailure {
  error: FailureBody;
  type: string;
}

export interface AnthropicUsage {
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  input_tokens: number;
  output_tokens: number;
}

export interface ApiHealth {
  parts?: Record<string, string>;
  status: string;
  version?: string;
}

export interface Argument {
  advanced?: boolean;
  aside?: boolean;
  default?: unknown;
  description?: string;
  enum?: unknown[];
  fanOut?: boolean;
  fields?: Argument[];
  format?: string;
  hint?: string;
  items?: Argument;
  maxItems?: number;
  maxLength?: number;
  maximum?: number;
  media?: string;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  name?: string;
  open?: boolean;
  pattern?: string;
  required?: boolean;
  type: string;
  unit?: string;
  url?: boolean;
}

export interface Artifact {
  durationSeconds?: number;
  height?: number;
  id: string;
  kind: string;
  mediaType: string;
  metadata?: Record<string, unknown>;
  mimeType?: string;
  notUnderstood?: string[];
  preview?: boolean;
  renderer?: string;
  seed?: number;
  sizeBytes?: number;
  stepId: string;
  toolName: string;
  url: string;
  width?: number;
}

export interface ArtifactCreated {
  artifactId: string;
  durationSeconds?: number;
  height?: number;
  id: string;
  kind: string;
  mediaType: string;
  metadata?: Record<string, unknown>;
  mimeType?: string;
  notUnderstood?: string[];
  preview?: boolean;
  renderer?: string;
  seed?: number;
  sizeBytes?: number;
  stepId: string;
  toolName: string;
  url: string;
  width?: number;
}

/** A step has a result. */
export interface ArtifactCreatedEvent {
  at: string;
  data: ArtifactCreated;
  id: string;
  message?: string;
  payload: ArtifactCreated;
  sequence: number;
  timestamp: string;
  type: "artifact_created";
  workflowId: string;
}

export interface ArtifactsDeleted {
}

export interface AssetCapabilities {
  enabled: boolean;
  limits: AssetLimits;
}

export interface AssetLimits {
  bindingsPerDay: number;
  bytes: number;
  copyBytesPerDay: number;
  entries: number;
  fileBytes: number;
  idleDays: number;
}

export interface AssetRecord {
  bytes: number;
  contentType: string;
  createdAt: number;
  expiresAt: number;
  id: string;
  name: string;
  state: "uploading" | "ready";
}

export interface AssetsReply {
  assets: Upload[];
  limits: AssetLimits;
}

export interface Assignment {
  arguments: Record<string, unknown>;
  artifacts: AssignmentArtifact[];
  attempt: number;
  embedSettings: boolean;
  inputs: AssignmentInput[];
  jobId: string;
  leaseUntil: string;
  loras: AssignmentLora[];
  modelId: string;
  network: string;
  projectId: string;
  receipt?: string;
  safeContentFilter: boolean;
  seed: number;
  toolName: string;
}

export interface AssignmentArtifact {
  contentType: string;
  id: string;
  kind: string;
}

export interface AssignmentInput {
  argument: string;
  contentType: string;
  kind: string;
  url: string;
}

export interface AssignmentLora {
  id: string;
  sha256?: string;
  strength: number;
  url?: string;
}

export interface Attribution {
  creator: string;
  creatorUrl: string;
  label?: string;
  license?: string;
  licenseUrl?: string;
  source: string;
  sourceUrl: string;
  sources?: Attribution[];
}

export interface Authorization {
  authorizedAt: string;
  authorizedCapacityUnits: number;
  cumulativeReservedUnits: number;
  cumulativeSettledUnits: number;
  expiresAt: string;
  stageSettlements: StageSettlement[];
  tokenType: string;
  workflowRunId: string;
}

export interface AwaitingCost {
  capacityUnits: number;
  durationSeconds?: number;
  estimatedCost: number;
  estimatedUsdCost: number;
  height?: number;
  modelKey: string;
  tokenType: string;
  toolArgs: unknown;
  toolCallId: string;
  toolName: string;
  width?: number;
}

/** A tool call waits for the approval of its cost. */
export interface AwaitingCostEvent {
  at: string;
  id: string;
  payload: AwaitingCost;
  runId: string;
  sequence: number;
  type: "run_awaiting_cost_confirmation";
}

export interface Backbone {
  modelKnowledgeVersion: string;
  routingPolicyVersion: string;
  schemaVersion: string;
}

export interface Balance {
  USD: USDBalance;
  spark: SparkBalance;
  svc: TokenBalance;
}

export interface BalanceChanged {
}

export interface Balances {
  ether: string;
  spark: string;
  svc: string;
}

export interface BareFailure {
  error: string;
}

export interface Binding {
  mediaType?: string;
  required: boolean;
  sourceArtifactId?: string;
  sourceArtifactIndex: number;
  sourceStepId: string;
  targetArgument: string;
  transform: string;
}

export interface Board {
  boardId: string;
  count: number;
  createdAt: string;
  name: string;
}

export interface BoardReply {
  board: Board;
}

export interface Boards {
  boards: Board[];
  favourites: number;
  limits: MarkLimits;
}

export interface Bound {
  assetId: string;
  contentType: string;
  projectId: string;
  type: string;
}

export interface BudgetPart {
  limit: string;
  resetsAt?: string;
  used: string;
}

export interface CallDispatched {
  arguments: unknown;
  toolCallId: string;
  toolName: string;
  workflowId?: string;
}

/** A tool call has begun. */
export interface CallDispatchedEvent {
  at: string;
  id: string;
  payload: CallDispatched;
  runId: string;
  sequence: number;
  type: "tool_call_dispatched";
}

export interface CallProgress {
  previewUrl?: string;
  progress: number;
  status: string;
  stepLabel?: string;
  toolCallId: string;
  toolName: string;
  workflowSequence: number;
}

/** A tool call has progressed. */
export interface CallProgressEvent {
  at: string;
  id: string;
  payload: CallProgress;
  runId: string;
  sequence: number;
  type: "tool_call_progress";
}

export interface CallResolved {
  artifacts: RunArtifact[];
  errorCode?: string;
  mediaUrls: MediaURL[];
  status: string;
  summary: string;
  toolCallId: string;
  toolName: string;
  workflowId?: string;
}

/** A tool call is over. */
export interface CallResolvedEvent {
  at: string;
  id: string;
  payload: CallResolved;
  runId: string;
  sequence: number;
  type: "tool_call_resolved";
}

export interface CancelledRun {
  runId: string;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

export interface CancelledRunReply {
  aborted: boolean;
  run: CancelledRun;
}

export interface CancelledWorkflow {
  inFlight: boolean;
  transitioned: boolean;
  workflow: Workflow;
}

export interface CatalogEntry {
  attribution: Attribution | null;
  availableNetworks: string[];
  id: string;
  mediaType: string;
  name: string;
  parameters?: Record<string, unknown>;
  servedBy?: "workers" | "vendor" | "expected" | "preview" | "nobody";
  sid: number;
  tags: string[];
  tierId: string;
  weights?: ModelWeights;
  workerCounts: Record<string, number>;
}

export interface CatalogModelReply {
  model: CatalogEntry;
}

export interface CatalogReply {
  catalogVersion: string;
  count: number;
  models: CatalogEntry[];
  updatedAt: string;
}

export interface ChangedLora {
  loraId: string;
  progress: number;
  status: "queued" | "validating" | "review" | "ready" | "rejected" | "revoked";
}

export interface ChangedRun {
  runId: string;
  sessionId?: string;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

export interface ChangedWorkflow {
  progress: number;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  updatedAt: string;
  workflowId: string;
}

export interface Checkpoint {
  config: string | null;
  filename: string;
  hash: string | null;
  model_name: string;
  sha256: string | null;
  title: string;
}

export interface Checksums {
  sha256: string;
}

export interface Claim {
  claimId: string;
  claimedAt: string;
  decidedAt: string | null;
  decision: string;
  models: ModelPace[];
  months: string[];
  reasons: string[];
  requesters: Requester[];
  spotChecks: SpotCheckCount;
  status: string;
  svc: string;
  usd: string;
  username: string;
  walletAddress: string;
}

export interface ClaimReply {
  claim: Claim | null;
}

export interface ClaimedJob {
  job?: Assignment;
}

export interface Claims {
  claims: Claim[];
  nextCursor: string | null;
}

export interface Collection {
  description: string;
  models?: Model[];
  name: string;
  slug: string;
}

export interface ComfyUIConnection {
  baseUrl: string;
  models?: string[];
  modelsDir?: string;
}

export interface CompletionChoice {
  finish_reason: string;
  index: number;
  message: CompletionMessage;
}

export interface CompletionMessage {
  content: string | null;
  role: string;
  tool_calls?: ToolCall[];
}

export interface CompletionReply {
  choices: CompletionChoice[];
  created: number;
  creative_workflows?: WorkflowRef[];
  id: string;
  model: string;
  object: string;
  svc_tool_results?: Record<string, unknown>[];
  usage: CompletionUsage;
}

export interface CompletionUsage {
  completion_tokens: number;
  prompt_tokens: number;
  prompt_tokens_details: UsageDetails;
  total_tokens: number;
}

export interface Components {
  schemas: Schemas;
}

export interface ConfirmedWorkflow {
  authorization?: Authorization;
  decision?: string;
  idempotent?: boolean;
  workflow: Workflow;
}

export interface Connection {
  comfyui?: ComfyUIConnection;
  connectionId: string;
  createdAt: string | null;
  from: "file" | "default" | "database";
  hasKey: boolean;
  health: ConnectionHealth | null;
  images?: ImagesConnection;
  kind: "llm" | "comfyui" | "images" | "vendor" | "lora_source";
  llm?: LLMConnection;
  loraSource?: LoraSourceConnection;
  name: string;
  problem: string | null;
  updatedAt: string | null;
  vendor?: VendorConnection;
}

export interface ConnectionHealth {
  baseUrl: string;
  checkedAt: string;
  message: string;
  models: FoundModel[];
  state: "healthy" | "failing";
}

export interface ConnectionReply {
  connection: Connection;
}

export interface ConnectionTest {
  health: ConnectionHealth;
}

export interface Connections {
  connections: Connection[];
}

export interface ConsoleSession {
  accounts?: JoinedAccount[];
  expiresAt: string;
  mediaOrigins: string[];
  member?: ProfileMember;
  operator: boolean;
  token?: string;
  username: string;
  walletAddress: string;
  worker: boolean;
}

export interface Conversation {
  createdAt: string;
  excerpt?: string;
  lastRunId: string;
  lastStatus: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  runs: number;
  sessionId: string;
  title: string;
  updatedAt: string;
}

export interface ConversationReply {
  conversation: ConversationRuns;
  nextCursor: string | null;
}

export interface ConversationRun {
  artifacts: RunArtifact[];
  clientMessageId?: string;
  completedAt?: string;
  createdAt: string;
  error?: RunFailure;
  finalText: string;
  finishReason?: string;
  images: string[];
  instructions?: string;
  mediaReferences: Record<string, unknown>[];
  model?: string;
  pendingToolCalls?: PendingToolCall[];
  runId: string;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  temperature?: number;
  toolCalls: RunToolCall[];
  toolResults: RunToolResult[];
  updatedAt: string;
  usage?: RunUsage;
  userText: string;
  waiting?: RunWaiting;
  workflowIds: string[];
}

export interface ConversationRuns {
  createdAt: string;
  lastRunId: string;
  lastStatus: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  runCount: number;
  runs: ConversationRun[];
  sessionId: string;
  title: string;
  updatedAt: string;
}

export interface Conversations {
  conversations: Conversation[];
  nextCursor: string | null;
}

export interface CostPreview {
  tokenType: string;
  totalEstimatedCapacityUnits: number;
  validityUntil: string;
}

export interface CostResolved {
  decision: string;
  reason?: string;
  toolCallId: string;
}

/** The cost of a tool call was approved or declined. */
export interface CostResolvedEvent {
  at: string;
  id: string;
  payload: CostResolved;
  runId: string;
  sequence: number;
  type: "run_cost_confirmation_resolved";
}

export interface Custom {
  attempt?: number;
  authorizedCapacityUnits?: number;
  decision?: string;
  kind: string;
  resumeCount?: number;
  stepId?: string;
  tokenType?: string;
}

/** Something else has happened; kind says what. */
export interface CustomEvent {
  at: string;
  data: Custom;
  id: string;
  message?: string;
  payload: Custom;
  sequence: number;
  timestamp: string;
  type: "custom";
  workflowId: string;
}

export interface DayAnalyticsReply {
  analytics: Record<string, string>;
  date: string;
}

export interface Deleted {
  deleted: boolean;
  id: string;
  object: string;
}

export interface DeletedArtifacts {
  deleted: string[];
  failed: NotDeleted[];
}

export interface DeletedBoard {
  boardId: string;
  deleted: boolean;
}

export interface DeletedConversation {
  deleted: boolean;
  sessionId: string;
}

export interface DeletedPreset {
  deleted: boolean;
  kind: string;
  name: string;
}

export interface DeletedTemplate {
  deleted: boolean;
  id: string;
}

export interface DeletedWebhook {
  deleted: boolean;
  webhookId: string;
}

export interface DemandEntry {
  id: string;
  mediaType: string;
  name: string;
  networks: Record<string, ModelDemand>;
  servedBy: "workers" | "vendor" | "expected" | "preview" | "nobody";
  sid: number;
}

export interface DemandReply {
  count: number;
  models: DemandEntry[];
  networks: string[];
  updatedAt: string;
}

export interface Document {
  components: Components;
  info: Info;
  openapi: string;
  paths: {
  };
}

export interface DownloadReply {
  downloadUrl: string;
}

export interface Earnings {
  months: EarningsMonth[];
  summary: EarningsSummary;
}

export interface EarningsClaim {
  amountMicroUsdc: string;
  amountUsd: number;
  claimId?: string;
  claimedAt?: string;
  status: string;
}

export interface EarningsMonth {
  byNetwork?: Record<string, EarningsShare>;
  byWorker?: EarningsWorker[];
  claim: EarningsClaim | null;
  estimatedPayoutMicroUsdc: string;
  estimatedPayoutUsd: number;
  finalized: boolean;
  ledgerMissing: boolean;
  month: string;
  yourRenderSpark: number;
  yourSharePct: number;
}

export interface EarningsShare {
  estimatedPayoutMicroUsdc: string;
  estimatedPayoutUsd: number;
  yourRenderSpark: number;
  yourSharePct: number;
}

export interface EarningsSummary {
  totalClaimedUsd: number;
  totalEstimatedUsd: number;
  totalFinalizedUsd: number;
  totalUnclaimedMicroUsdc: string;
  totalUnclaimedUsd: number;
}

export interface EarningsWorker {
  estimatedPayoutMicroUsdc: string;
  estimatedPayoutUsd: number;
  network: string;
  nftTokenId?: string;
  yourRenderSpark: number;
}

export interface EmbeddingReply {
  data: unknown;
  model: string;
  object: string;
  usage: EmbeddingUsage;
}

export interface EmbeddingUsage {
  prompt_tokens: number;
  total_tokens: number;
}

export interface Embeddings {
  loaded: {
  };
  skipped: {
  };
}

export interface Empty {
}

export interface EndReason {
  code: string;
  message: string;
}

export interface EndedCredentials {
  sessionsEnded: number;
  tokensEnded: boolean;
}

export interface EndedSession {
  ended: boolean;
  sessionId: string;
}

export interface Estimate {
  balanceAfter: EstimateBalance;
  cost: EstimateCost;
  coveredByPlan: boolean;
  payment: EstimatePayment;
  steps: EstimateStep[];
  sufficient: boolean;
  warnings: string[];
}

export interface EstimateBalance {
  premiumSpark: string;
  spark: string;
  svc: string;
}

export interface EstimateCost {
  capacityUnits: number;
  spark: string;
  usd: string;
}

export interface EstimatePart {
  amount: string;
  token: string;
}

export interface EstimatePayment {
  billingMode: string;
  parts: EstimatePart[];
  tokenType: string;
}

export interface EstimateRange {
  max: number;
  min: number;
}

export interface EstimateReply {
  estimate: Estimate;
}

export interface EstimateStep {
  cost: EstimateCost;
  coveredByPlan: boolean;
  modelId: string | null;
  servedBy: string | null;
  stepId: string;
  toolName: string;
}

export interface EventChartReply {
  analytics: Record<string, string | string[]>;
  count: number;
  fields: string[];
  first: number;
  last: number;
}

export interface EventError {
  classification: string;
  code: string;
  message: string;
  retryable: boolean;
}

export interface EventsTrimmed {
  firstSequence: number;
  runId: string;
  type: string;
}

export interface Executed {
  message: string | null;
  result: Record<string, unknown>;
  tool: string;
  toolCallId: string;
}

export interface ExtraReplies {
  html_info: string;
  images: string[];
}

export interface ExtraReply {
  html_info: string;
  image: string;
}

export interface Failure {
  data?: FailureData;
  details?: Record<string, unknown>;
  errorCode: number;
  message: string;
  retryAfter?: number;
  status: string;
}

export interface FailureBody {
  code: string;
  details?: Record<string, unknown>;
  message: string;
  param?: string;
  type: string;
}

export interface FailureData {
  validation: Validation;
}

export interface FailureGroup {
  accounts: number;
  code: string;
  count: number;
  isTask: boolean;
  lastAt: string;
  message: string;
  modelId: string;
  sampleJobId: string;
  trend: number[];
}

export interface Failures {
  failures: FailureGroup[];
}

export interface FairUse {
  cyclePct: number;
  cycleResetAt: string;
  dailyPct: number;
  dailyResetAt: string;
  fastRenderingPaused: boolean;
  limited: boolean;
  planPriceUsd: number;
  relaxedUnrestricted: boolean;
  resetAt: string;
  upgradeAvailable: boolean;
  usageSpark: number;
  usageUsd: number;
}

export interface File {
  checksums: Checksums;
  content_type: string;
  created_at: string;
  etag: string;
  expires_at: string;
  id: string;
  metadata: unknown;
  name: string;
  size: number;
  urls: FileURLs;
}

export interface FileURLs {
  get: string;
}

export interface FilterReview {
  at: string;
  categories: string[];
  excerpt: string;
  id: string;
  judgedAt: string | null;
  judgedBy: string | null;
  note: string;
  place: string;
  sourceId: string;
  toolName: string;
  username: string;
  verdict: "upheld" | "overturned" | null;
  walletAddress: string;
}

export interface FilterReviewReply {
  filterReview: FilterReview;
}

export interface FilterReviews {
  filterReviews: FilterReview[];
  nextCursor: string | null;
}

export interface Flags {
  api: boolean;
  nowebui: boolean;
}

export interface FoundModel {
  contextLength: number | null;
  id: string;
  reasoning: boolean;
  vision: boolean;
}

export interface FoundServer {
  baseUrl: string;
  connected: boolean;
  kind: "llm" | "comfyui" | "images" | "vendor" | "lora_source";
  models: FoundModel[];
  program: string;
}

export interface FoundServers {
  servers: FoundServer[];
}

export interface FunctionCall {
  arguments: string;
  name: string;
}

export interface GPU {
  memoryFreeBytes: number | null;
  memoryTotalBytes: number | null;
  name: string;
  powerWatts: number | null;
  temperatureCelsius: number | null;
}

export interface GPUHistory {
  memoryTotalBytes: number | null;
  memoryUsedBytes: number | null;
  powerWatts: number | null;
  temperatureCelsius: number | null;
}

export interface GPUMemory {
  bytes: number;
  source: string;
}

export interface GalleryReply {
  samples: Sample[];
  samplesByModelId: Record<string, Sample[]>;
}

export interface GallerySample {
  guidance: number;
  height?: number;
  imageURL: string;
  isMature: boolean;
  mediaSlug: string | null;
  modelId: string;
  negativePrompt: string;
  positivePrompt: string;
  preview?: boolean;
  sampler?: string;
  scheduler?: string;
  seed: number;
  sharedBy: string | null;
  source: string;
  steps: number;
  stylePrompt: string;
  videoURL?: string;
  width?: number;
}

export interface Generation {
  params: Record<string, unknown>;
  selectedModel: string;
}

export interface GooglePlan {
  productId: string;
}

export interface Graph {
  argument: string;
  createdAt: string;
  files: GraphFile[];
  format: string;
  inputs: GraphInput[];
  name: string;
  needs: string[];
  problem: string | null;
  selector: string;
  size: string | null;
  title: string;
  tool: string;
  type: string;
  updatedAt: string;
}

export interface GraphCheck {
  connection: string | null;
  connectionId: string | null;
  lacks: string[];
  message: string;
  ready: boolean | null;
}

export interface GraphFile {
  folder: string | null;
  from: string | null;
  name: string;
  target: string;
}

export interface GraphFinding {
  node: string | null;
  text: string;
}

export interface GraphInput {
  argument: string;
  node: string;
  targets: string[];
  value: string;
  why: string;
}

export interface GraphInspection {
  check: GraphCheck;
  files: GraphFile[];
  findings: GraphFinding[];
  format: string;
  inputs: GraphInput[];
  missingNodes: GraphMissingNode[];
  needs: string[];
  places: GraphPlace[];
  settable: GraphSettable[];
  size: string | null;
  title: string;
  tool: string;
  tools: string[];
  type: string;
}

export interface GraphInspectionReply {
  inspection: GraphInspection;
}

export interface GraphMissingNode {
  class: string;
  hint: string;
  nodes: number;
  package: string | null;
  url: string | null;
}

export interface GraphPlace {
  argument: string;
  kind: string;
}

export interface GraphReply {
  graph: Graph;
}

export interface GraphSettable {
  kind: string;
  node: string;
  target: string;
  value: string;
}

export interface GraphWithFiles {
  catalog: string;
  graph: Graph;
  mapping: string;
  source: string;
}

export interface Graphs {
  graphs: Graph[];
}

export interface Hardware {
  name: string;
  sku: string;
}

export interface Health {
  freeBytes: number | null;
  memoryBytes: number;
  networks: NetworkHealth[];
  nodes: NodeHealth[];
  oldestWaiting: WaitingJob | null;
  parts: Record<string, string>;
  startedAt: string;
  status: string;
  unresolved: number;
  uptimeSeconds: number;
  version: string;
}

export interface HealthReply {
  health: Health;
}

export interface HeartbeatReply {
  draining: boolean;
  lowStanding?: string;
}

export interface History {
  points: HistoryPoint[];
  stepSeconds: number;
  window: "hour" | "day" | "week";
}

export interface HistoryPoint {
  active: number | null;
  at: string;
  completed: number | null;
  failed: number | null;
  freeBytes: number | null;
  memoryBytes: number | null;
  nodes: number | null;
  queued: number | null;
  started: number | null;
  waitP50Seconds: number | null;
  waitP95Seconds: number | null;
  workers: number | null;
}

export interface HistoryReply {
  history: History;
}

export interface Image {
  b64_json?: string;
  url?: string;
}

export interface ImageReply {
  background?: string;
  created: number;
  data: Image[];
  output_format?: string;
  quality?: string;
  size?: string;
}

export interface ImagesConnection {
  baseUrl: string;
  models: RenderedModel[];
  protocol: string;
}

export interface Implementation {
  runtime: string;
  version: string;
}

export interface Incomplete {
  reason: string;
}

export interface Info {
  title: string;
  version: string;
}

export interface InputDetails {
  cached_tokens: number;
}

export interface Invalid {
  description: string;
  field: string;
  type: string;
}

export interface Invitation {
  budget: KeyBudget | null;
  code?: string;
  createdAt: string;
  email: string | null;
  expiresAt: string;
  invitationId: string;
  link?: string;
  name: string;
  role: "owner" | "editor" | "viewer";
}

export interface InvitationReply {
  invitation: Invitation;
}

export interface Issue {
  code: string;
  message: string;
  path?: string;
  severity: string;
}

export interface ItemList {
  data: unknown[];
  first_id: string;
  has_more: boolean;
  last_id: string;
  object: string;
}

export interface JobCost {
  spark: string;
  usd: string;
}

export interface JoinedAccount {
  role: "owner" | "editor" | "viewer";
  username: string;
  walletAddress: string;
}

export interface KeyBudget {
  day?: BudgetPart;
  month?: BudgetPart;
  total?: BudgetPart;
  unit: "spark" | "usd";
}

export interface KeyLimits {
  addresses?: string[];
  budget?: KeyBudget;
  expiresAt?: string;
  groups?: ("chat" | "media" | "workflows" | "account" | "worker" | "operator")[];
  models?: string[];
  readOnly?: boolean;
  requestsPerMinute?: number;
  tools?: string[];
}

export interface LLMConnection {
  baseUrl: string;
  extraParams?: string[];
  models: LLMModel[];
  protocol?: string;
}

export interface LLMModel {
  contextLength?: number;
  coveredByPlans?: boolean;
  id: string;
  pricePerMillionInput?: string;
  pricePerMillionOutput?: string;
  reasoning: boolean;
  replaces?: string[];
  tools?: string;
  upstreamId?: string;
  vision: boolean;
}

export interface Ledger {
  entries: LedgerEntry[];
  nextCursor: string | null;
}

export interface LedgerEntry {
  amount: string;
  appSource?: string;
  createdAt: string;
  entryId: string;
  jobId?: string;
  keyId?: string;
  keyName?: string;
  kind: string;
  modelId?: string;
  reason: string;
  runId?: string;
  token: string;
  workflowId?: string;
}

export interface LibraryArtifact {
  artifactId: string;
  boards: string[];
  bytes: number;
  colors: string[];
  contentType: string;
  createdAt: string;
  durationSeconds: number;
  favourite: boolean;
  height: number;
  kind: string;
  modelId: string | null;
  peaks?: number[];
  prompt: string;
  seed: number;
  stepId: string;
  tags: string[];
  thumbnailUrl: string | null;
  toolName: string;
  url: string;
  width: number;
  workflowId: string;
}

export interface LibraryArtifactReply {
  artifact: LibraryArtifact;
}

export interface LibraryDay {
  count: number;
  date: string;
}

export interface LibraryDays {
  days: LibraryDay[];
}

export interface LibraryPage {
  artifacts: LibraryArtifact[];
  nextCursor: string | null;
}

export interface LibraryTag {
  count: number;
  tag: string;
}

export interface LibraryTags {
  tags: LibraryTag[];
}

export interface LifetimeModelsReply {
  analytics: Record<string, string>;
  sparkAnalytics?: Record<string, string>;
}

export interface ListedRecord {
  createTime: number;
  finalResponse: string;
  modelId: string;
  rounds: number;
  runId: string;
  schemaVersion: number;
  updateTime: number;
  userRequest: string;
}

export interface LlmError {
  code: string | null;
  details?: Record<string, unknown>;
  message: string;
  param: string | null;
  type: string;
}

export interface LlmFailure {
  error: LlmError;
}

export interface Lora {
  compatibleModels: LoraModel[];
  description: string;
  loraId: string;
  modelIds: string[];
  name: string;
  relatedLoraIds: string[];
  restrictedModelIds?: string[];
  slug: string;
  ui: PublicLoraUI;
}

export interface LoraConstraints {
  maxPerRequest: number;
  maxStrength: number;
  minStrength: number;
}

export interface LoraLibrary {
  hosts: string[];
  limits: LoraLimits;
  loras: PersonalLora[];
  models: string[];
}

export interface LoraLimits {
  entries: number;
  fileBytes: number | null;
  importsPerDay: number;
  perGeneration: number;
}

export interface LoraMetadata {
  models: string[];
}

export interface LoraModel {
  modelId: string;
  name: string;
}

export interface LoraSourceConnection {
  baseUrl: string;
  host: string;
  site: string;
}

export interface LoraUI {
  category: string;
  creator: string;
  default: number;
  label: string;
  max: number;
  min: number;
  nsfw: boolean;
  recommendedMax: number;
  recommendedMin: number;
  sexual: boolean;
  sourceUrl: string;
  step: number;
}

export interface MarkLimits {
  boards: number;
  tagLength: number;
  tags: number;
  tagsPerItem: number;
}

export interface MarkedItem {
  boards: string[];
  favourite: boolean;
  id: string;
  tags: string[];
}

export interface MarkedItemReply {
  item: MarkedItem;
}

export interface MarkedItems {
  failed: NotMarked[];
  items: MarkedItem[];
}

export interface MediaContext {
  audio: string[];
  images: string[];
  uploadedAudio: string[];
  uploadedImages: string[];
  uploadedVideos: string[];
  videos: string[];
}

export interface MediaContextUpdated {
  audio: string[];
  images: string[];
  uploadedAudio: string[];
  uploadedImages: string[];
  uploadedVideos: string[];
  videos: string[];
}

/** The media of the run have changed. */
export interface MediaContextUpdatedEvent {
  at: string;
  id: string;
  payload: MediaContextUpdated;
  runId: string;
  sequence: number;
  type: "media_context_updated";
}

export interface MediaURL {
  mediaType: string;
  modelKey?: string;
  toolName: string;
  url: string;
}

export interface Member {
  addedBy: string | null;
  budget: KeyBudget | null;
  email: string | null;
  keyId: string;
  name: string;
  personId: string;
  role: "owner" | "editor" | "viewer";
  signedInAt: string | null;
  since: string;
  source: "invitation" | "group";
  you: boolean;
}

export interface MemberReply {
  member: Member;
}

export interface Members {
  invitations: Invitation[];
  members: Member[];
}

export interface Memory {
  cuda: Unknown;
  ram: Unknown;
}

export interface Message {
  content: unknown[];
  id: string;
  model: string;
  role: string;
  stop_reason: string | null;
  stop_sequence: string | null;
  type: string;
  usage: AnthropicUsage;
}

export interface MessageCompleted {
  content: string;
  round?: number;
  toolCalls?: PendingToolCall[];
}

/** The model has answered. */
export interface MessageCompletedEvent {
  at: string;
  id: string;
  payload: MessageCompleted;
  runId: string;
  sequence: number;
  type: "assistant_message_completed";
}

export interface MessageDelta {
  content: string;
}

/** The model has written text. */
export interface MessageDeltaEvent {
  at: string;
  id: string;
  payload: MessageDelta;
  runId: string;
  sequence: number;
  type: "assistant_message_delta";
}

export interface Metrics {
  predict_time?: number;
  total_time?: number;
}

export interface Model {
  cover_image_url: string | null;
  default_example: string | null;
  description: string;
  github_url: string | null;
  latest_version: Version;
  license_url: string | null;
  name: string;
  owner: string;
  paper_url: string | null;
  run_count: number;
  url: string;
  visibility: string;
}

export interface ModelBudget {
  default: boolean;
  max_tokens_behavior: string;
  safety_margin_tokens: number;
  usable_context_length: number;
}

export interface ModelCapabilities {
  reasoning: boolean;
  tools?: string[];
}

export interface ModelChartMetadata {
  count: number;
  endDate: string;
  models: string[];
  network?: string;
  role: string;
  startDate: string;
}

export interface ModelChartReply {
  analytics: Record<string, Record<string, string>>;
  sparkAnalytics?: Record<string, Record<string, string>>;
}

export interface ModelDemand {
  jobsActive: number;
  jobsConcurrencyLimited: number;
  jobsQueued: number;
  jobsQueuedOther: number;
  jobsWaitingForWorker: number;
  servedBy: "workers" | "vendor" | "expected" | "preview" | "nobody";
  workersLoaded: number;
  workersReady: number;
}

export interface ModelFolder {
  connectionId: string;
  modelsDir: string;
  name: string;
  pull: Pull | null;
}

export interface ModelFolders {
  folders: ModelFolder[];
}

export interface ModelGalleryReply {
  samples: GallerySample[];
}

export interface ModelList {
  data: ModelRecord[];
  object: string;
}

export interface ModelPace {
  jobs: number;
  modelId: string;
  secondsPerSpark: number;
  spark: string;
  usualSecondsPerSpark: number | null;
}

export interface ModelRecord {
  capabilities: ModelCapabilities;
  context_length?: number;
  created: number;
  id: string;
  max_model_len?: number;
  object: string;
  owned_by: string;
  svc?: ModelBudget;
  type: string;
}

export interface ModelStats {
  modelId: string;
  rank?: number;
  renderCount: string;
  sparkValue?: string;
}

export interface ModelWeights {
  bytes: number;
  files: WeightFile[];
  gpuMemory?: GPUMemory;
  sizesUnknown: number;
}

export interface Moderation {
  id: string;
  model: string;
  results: ModerationResult[];
}

export interface ModerationResult {
  categories: Record<string, boolean>;
  category_applied_input_types: Record<string, string[]>;
  category_scores: Record<string, number>;
  flagged: boolean;
}

export interface Named {
  name: string;
}

export interface Network {
  models: NetworkModel[];
  workers: NetworkWorker[];
}

export interface NetworkChanged {
}

export interface NetworkHealth {
  active: number;
  draining: number;
  modelSwitches: number;
  network: string;
  queued: number;
  unavailable: number;
  workers: number;
}

export interface NetworkJob {
  modelId: string;
  own: boolean;
  progress: number;
  startedAt: string;
  toolName: string;
}

export interface NetworkModel {
  active: number;
  modelId: string;
  network: string;
  queued: number;
  waitingForWorker: number;
  workers: number;
}

export interface NetworkWorker {
  builtIn: boolean;
  capacity: number;
  draining: boolean;
  fallback: boolean;
  gpu: string;
  jobs: NetworkJob[];
  lastSeenAt: string;
  machine?: ReportedMachine;
  models: string[];
  name: string;
  network: string;
  notClaimingSince?: string;
  own: boolean;
  standing?: WorkerStanding;
  unavailable?: string;
  version: string;
  workerId?: string;
}

export interface NewArtifact {
  artifactId: string;
  kind: string;
  workflowId: string;
}

export interface NewClaim {
  amountMicroUsdc: string;
  amountSvc: string;
  amountUsd: number;
  claimId: string;
  months: string[];
  status: string;
}

export interface NewClaimReply {
  claim: NewClaim | null;
}

export interface NewKey {
  apiKey: string;
  createdAt: string;
  hint: string;
  keyId: string;
  lastUsedAt: string | null;
  limits: KeyLimits | null;
  name: string;
  revokedAt: string | null;
}

export interface NewKeyReply {
  key: NewKey;
}

export interface NewSeed {
  id: string;
  newSeed: number;
  seed: number;
  stepId: string;
}

export interface NftsDayReply {
  analytics: Record<string, Record<string, string>>;
  date: string;
}

export interface NodeHealth {
  freeBytes: number | null;
  lastSeenAt: string;
  memoryBytes: number | null;
  name: string;
  since: string;
  tasks: number;
  version: string;
}

export interface NotDeleted {
  artifactId: string;
  errorCode: number;
  message: string;
}

export interface NotMarked {
  errorCode: number;
  id: string;
  message: string;
}

export interface OpenaiDeleted {
  deleted: boolean;
  id: string;
  object: string;
}

export interface OpenedAccount {
  account: Account;
  apiKey: string;
}

export interface OperatorJob {
  attempt: number;
  code: string | null;
  createdAt: string;
  endedAt: string | null;
  jobId: string;
  message: string | null;
  modelId: string;
  network: string;
  progress: number;
  projectId: string;
  startedAt: string | null;
  state: string;
  toolName: string;
  username: string;
  walletAddress: string;
  workerId: string | null;
  workerName: string | null;
  workflowId: string | null;
}

export interface OperatorJobDetail {
  appSource: string | null;
  arguments: Record<string, unknown>;
  attempt: number;
  cancelRequested: boolean;
  code: string | null;
  cost: JobCost;
  coveredByPlan: boolean;
  createdAt: string;
  endedAt: string | null;
  jobId: string;
  leaseUntil: string | null;
  leases: number;
  message: string | null;
  modelId: string;
  network: string;
  progress: number;
  projectId: string;
  receipt: string | null;
  retryable: boolean;
  safeContentFilter: boolean;
  seed: number;
  startedAt: string | null;
  state: string;
  toolName: string;
  unresolved: number;
  unservedSince: string | null;
  username: string;
  walletAddress: string;
  workerId: string | null;
  workerName: string | null;
  workflowId: string | null;
}

export interface OperatorJobReply {
  job: OperatorJobDetail;
}

export interface OperatorJobs {
  jobs: OperatorJob[];
  nextCursor: string | null;
}

export interface OperatorKey {
  createdAt: string;
  hint: string;
  keyId: string;
  lastUsedAt: string | null;
  limits: KeyLimits | null;
  name: string;
  revokedAt: string | null;
}

export interface OperatorKeyReply {
  key: OperatorKey;
}

export interface OperatorKeys {
  keys: OperatorKey[];
  nextCursor: string | null;
}

export interface OperatorLora {
  bytes: number;
  createdAt: string;
  failureCode: "source_access" | "subscription_required" | "catalog_duplicate" | "invalid_artifact" | null;
  family: string;
  id: string;
  link: string;
  modelId: string;
  name: string;
  objectKey: string | null;
  provider: string;
  reason: string | null;
  requirements: string[];
  sha256: string | null;
  source: string;
  status: "queued" | "validating" | "review" | "ready" | "rejected" | "revoked";
  updatedAt: string;
  username: string;
  version: string;
  walletAddress: string;
}

export interface OperatorLoraReply {
  lora: OperatorLora;
}

export interface OperatorLoras {
  loras: OperatorLora[];
  nextCursor: string | null;
}

export interface OperatorWorker {
  capacity: number;
  connectedAt: string;
  draining: boolean;
  fallback: boolean;
  gpu: string;
  jobs: WorkerJob[];
  lastSeenAt: string;
  loadedModels: string[];
  machine: ReportedMachine | null;
  modelSwitches: number;
  models: string[];
  name: string;
  network: string;
  notClaimingSince: string | null;
  standing: WorkerStanding | null;
  unavailable: string | null;
  username: string;
  version: string;
  walletAddress: string;
  workerId: string;
}

export interface OperatorWorkerDetail {
  capacity: number;
  connectedAt: string;
  draining: boolean;
  failures: WorkerFailure[];
  fallback: boolean;
  gpu: string;
  jobs: WorkerJob[];
  jobsCompleted: number;
  jobsDropped: number;
  jobsFailed: number;
  lastSeenAt: string;
  loadedModels: string[];
  machine: ReportedMachine | null;
  modelSwitches: number;
  models: string[];
  name: string;
  network: string;
  notClaimingSince: string | null;
  standing: WorkerStanding | null;
  unavailable: string | null;
  username: string;
  version: string;
  walletAddress: string;
  workerId: string;
}

export interface OperatorWorkerDetailReply {
  worker: OperatorWorkerDetail;
}

export interface OperatorWorkerReply {
  worker: OperatorWorker;
}

export interface OperatorWorkers {
  nextCursor: string | null;
  workers: OperatorWorker[];
}

export interface Options {
  CLIP_stop_at_last_layers: number;
  enable_pnginfo: boolean;
  live_previews_enable: boolean;
  return_grid: boolean;
  samples_format: string;
  sd_checkpoint_hash: string | null;
  sd_model_checkpoint: string;
  sd_vae: string;
}

export interface OutputDetails {
  reasoning_tokens: number;
}

export interface Override {
  sd_model_checkpoint?: string;
}

export interface PendingToolCall {
  arguments: unknown;
  toolCallId: string;
  toolName: string;
}

export interface PersonalCatalogReply {
  loras: Row[];
}

export interface PersonalLora {
  bytes?: number;
  createdAt: number;
  failureCode?: "source_access" | "subscription_required" | "catalog_duplicate" | "invalid_artifact";
  id: string;
  modelId: string;
  modelIds: string[];
  name: string;
  progress?: number;
  reason?: string;
  requirements: string[];
  source: string;
  status: "queued" | "validating" | "review" | "ready" | "rejected" | "revoked";
  updatedAt: number;
}

export interface PictureInfo {
  info: string;
  items: Record<string, string>;
  parameters: Record<string, string>;
}

export interface Plan {
  displayName: string;
  google?: GooglePlan;
  interval: string;
  planId: string;
  priceUsd: number;
  term: string;
  tier: string;
  vendorDiscountBps: number;
}

export interface PlanUsage {
  periodJobs: number;
  periodRenderSpark: number;
  trialCreditsLimit?: number;
  trialCreditsUsed?: number;
  trialEndsAt?: string;
  value: UsageValue;
}

export interface PlansReply {
  plans: Plan[];
}

export interface Prediction {
  completed_at: string | null;
  created_at: string;
  data_removed: boolean;
  error: string | null;
  id: string;
  input: unknown;
  logs: string;
  metrics: Metrics;
  model: string;
  output: unknown;
  source: string;
  started_at: string | null;
  status: "starting" | "processing" | "succeeded" | "failed" | "canceled";
  urls: URLs;
  version: string;
  webhook?: string;
  webhook_events_filter?: string[];
}

export interface PredictionAccount {
  github_url: string | null;
  name: string;
  type: string;
  username: string;
}

export interface PreparedAsset {
  bytes: number;
  contentType: string;
  createdAt: number;
  expiresAt: number;
  id: string;
  name: string;
  reused: boolean;
  state: "uploading" | "ready";
  uploadHeaders?: Record<string, string>;
  uploadUrl?: string;
}

export interface Preset {
  kind: string;
  name: string;
  updatedAt: string;
  value: string;
}

export interface PresetReply {
  preset: Preset;
}

export interface Presets {
  limit: number;
  presets: Preset[];
}

export interface PreviewUpdated {
  billingPreview: RunPreview;
}

/** There is a cost to approve. */
export interface PreviewUpdatedEvent {
  at: string;
  id: string;
  payload: PreviewUpdated;
  runId: string;
  sequence: number;
  type: "billing_preview_updated";
}

export interface PriceFactor {
  argument: string;
  by: Record<string, string>;
}

export interface PriceSurcharge {
  input: string;
  spark: string;
  usd: string;
  when?: Record<string, string[]>;
}

export interface Profile {
  currentEmail: string | null;
  discord2FA: boolean;
  discordLinked: boolean;
  discordServerMember: boolean;
  discordUsername: string | null;
  emailVerified: boolean;
  member?: ProfileMember;
  requestedUpdatedEmail: string | null;
  username: string;
  walletAddress: string;
}

export interface ProfileMember {
  email: string | null;
  name: string;
  personId: string;
  role: "owner" | "editor" | "viewer";
}

export interface Progress {
  current_image: string | null;
  eta_relative: number;
  progress: number;
  state: State;
  textinfo: string | null;
}

export interface ProgressReply {
  alternatives?: number;
  cancel: boolean;
  leaseUntil: string;
}

export interface Project {
  artist: string;
  completedWorkerJobs: ProjectJob[];
  costActual?: ProjectCost;
  costEstimate: ProjectCost;
  createTime: number;
  endTime?: number;
  finished: boolean;
  id: string;
  imageCount: number;
  model: ProjectModel;
  network: string;
  personalLoras?: ProjectLora[];
  reason?: string;
  status: string;
  updateTime: number;
  workerJobs: ProjectJob[];
}

export interface ProjectCost {
  costInSpark: string;
  costInUSD: string;
}

export interface ProjectJob {
  createTime: number;
  endTime?: number;
  id: string;
  imgID: string;
  outputFormat?: string;
  progress: number;
  reason?: string;
  resultKey?: string;
  resultUrl?: string;
  seedUsed?: number;
  startTime?: number;
  status: string;
  triggeredNSFWFilter: boolean;
  worker: string;
}

export interface ProjectLora {
  loraId: string;
  modelId: string;
  name: string;
  provider: string;
  sha256: string;
  sourceUrl: string;
  sourceVersion: string;
  strength: number;
}

export interface ProjectModel {
  SID: number;
  id: string;
  name: string;
}

export interface ProjectReply {
  project: Project;
}

export interface Property {
  default?: unknown;
  description?: string;
  enum?: unknown[];
  format?: string;
  items?: Property;
  maxItems?: number;
  maxLength?: number;
  maximum?: number;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  pattern?: string;
  properties?: Record<string, Property>;
  required?: string[];
  title?: string;
  type: string;
  "x-order"?: number;
}

export interface ProtectedResource {
  bearer_methods_supported: string[];
  resource: string;
  resource_documentation: string;
  resource_name: string;
}

export interface ProvidersReply {
  providers: SignInProvider[];
}

export interface PublicLoraUI {
  category: string;
  creator: string;
  default: number;
  exampleGroups: string[];
  exampleNegativePrompt: string;
  examplePrompt: string;
  examples: string[];
  label: string;
  license: string | null;
  licenseUrl: string | null;
  max: number;
  min: number;
  nsfw: boolean;
  rangeLabels: RangeLabels;
  recommendedMax: number;
  recommendedMin: number;
  section: Section;
  sexual: boolean;
  sourceUrl: string;
  step: number;
}

export interface PublicLorasReply {
  constraints: LoraConstraints;
  lastUpdated: string;
  loras: Lora[];
  models: string[];
}

export interface PublishedTemplate {
  id: string;
  name: string;
  version: string;
  warnings: Issue[];
}

export interface PublishedTemplateReply {
  template: PublishedTemplate;
}

export interface Pull {
  bytesDone: number;
  bytesPerSecond: number;
  bytesTotal: number;
  connectionId: string;
  createdAt: string;
  endedAt: string | null;
  file: string | null;
  files: PullFile[];
  modelId: string;
  modelsDir: string;
  problem: string | null;
  pullId: string;
  startedAt: string | null;
  state: "queued" | "running" | "completed" | "failed" | "cancelled";
}

export interface PullFile {
  bytes: number;
  bytesDone: number;
  folder: string;
  name: string;
  state: "present" | "missing" | "fetched" | "failed";
}

export interface PullReply {
  pull: Pull;
}

export interface RangeLabels {
  max: string;
  min: string;
}

export interface Ready {
}

export interface Reasoning {
  effort: string | null;
  summary: string | null;
}

export interface Recovery {
  lastResumeAt?: string;
  reason?: string;
  resumeCount: number;
}

export interface Reinstatement {
  account: Account;
  reinstated: boolean;
}

export interface Release {
  digest: string | null;
  directUpgrade: boolean;
  imageType: string;
  latestVersion: string;
  releasedAt: string;
  repository: string;
  source: string;
  stale: boolean;
}

export interface ReleasesReply {
  releases: Record<string, Release | null>;
}

export interface RemakeOf {
  stepId: string;
  workflowId: string;
}

export interface RemovedMember {
  keysRevoked: number;
  personId: string;
  sessionsEnded: number;
  tokensEnded: boolean;
}

export interface RenamedConversation {
  conversation: Conversation;
}

export interface RenderedModel {
  id: string;
  upstreamId?: string;
}

export interface ReplayReply {
  createTime: number;
  record: {
    account_id?: string | null;
    asset_ids?: (string | null)[] | null;
    audit_results?: unknown[] | null;
    endedAt?: number | null;
    final_response?: string | null;
    job_ids?: (string | null)[] | null;
    model_id?: string | null;
    outcome?: {
      error_code?: unknown;
      error_message?: string | null;
      llm_calls?: unknown[] | null;
      status?: string | null;
    };
    redacted?: boolean | null;
    rounds?: ({
      assistant_message?: unknown;
      round?: number | null;
      tool_calls?: ({
        arguments?: unknown;
        cost_class?: unknown;
        id?: string | null;
        name?: string | null;
        risk_level?: unknown;
      })[] | null;
      tool_results?: ({
        error_type?: string | null;
        ok?: boolean | null;
        payload?: unknown;
      })[] | null;
    })[] | null;
    run_id: string | null;
    runtime_config?: Record<string, unknown> | null;
    schemaVersion?: number | null;
    schema_version?: number | null;
    session_id?: string | null;
    startedAt?: number | null;
    tool_schemas?: unknown[] | null;
    total_cost?: {
      byTool?: Record<string, unknown> | null;
      totalRenderSeconds?: number | null;
      totalSpark?: number | null;
      totalUsd?: number | null;
    };
    user_request?: string | null;
  };
}

export interface ReplaysReply {
  next: number | null;
  records: ListedRecord[];
}

export interface ReplicateFailure {
  code: string;
  detail: string;
  invalid_fields?: Invalid[];
  status: number;
  title: string;
}

export interface Reply {
  images: string[];
  info: string;
  parameters: Settings;
}

export interface ReportedMachine {
  diskFreeBytes: number | null;
  diskTotalBytes: number | null;
  gpus: GPU[];
  renderer: string;
  reportedAt: string;
}

export interface Requester {
  jobs: number;
  sharePct: number;
  svc: string;
  usd: string;
  username: string;
  walletAddress: string;
}

export interface Reseed {
  cloned_from_run_id: string;
  steps: NewSeed[];
}

export interface ReseededWorkflow {
  idempotent?: boolean;
  reseed: Reseed;
  workflow: Workflow;
}

export interface Response {
  background: boolean;
  created_at: number;
  error: ResponsesFailure | null;
  id: string;
  incomplete_details: Incomplete | null;
  instructions: string | null;
  max_output_tokens: number | null;
  metadata: Record<string, string>;
  model: string;
  object: string;
  output: unknown[];
  parallel_tool_calls: boolean;
  previous_response_id: string | null;
  reasoning: Reasoning;
  status: string;
  store: boolean;
  temperature: number | null;
  text: Text;
  tool_choice: unknown;
  tools: unknown;
  top_p: number | null;
  truncation: string;
  usage: Usage | null;
  user: string | null;
}

export interface ResponsesFailure {
  code: string;
  message: string;
}

export interface ResumedWorkflow {
  resumed: boolean;
  workflow: Workflow;
}

export interface RevokedAPIKey {
  key: APIKey;
  sessionsEnded: number;
  tokensEnded: boolean;
}

export interface RevokedKey {
  key: OperatorKey;
  sessionsEnded: number;
  tokensEnded: boolean;
  walletAddress: string;
}

export interface RevokedKeys {
  revoked: number;
  sessionsEnded: number;
  tokensEnded: boolean;
  walletAddress: string;
}

export interface RoundStarted {
  round: number;
}

/** The model is asked. */
export interface RoundStartedEvent {
  at: string;
  id: string;
  payload: RoundStarted;
  runId: string;
  sequence: number;
  type: "llm_round_started";
}

export interface Routing {
  alternatives: Alternative[];
  reasons: string[];
  selectedBy: string;
}

export interface Row {
  description: string;
  loraId: string;
  modelIds: string[];
  name: string;
  relatedLoraIds: string[];
  requirements: string[];
  slug: string;
  ui: LoraUI;
}

export interface Run {
  artifacts: RunArtifact[];
  backbone: Backbone;
  billingPreview?: RunPreview;
  billingPreviews?: RunPreview[];
  cancellationReason?: string;
  childWorkflowIds: string[];
  createTime: number;
  error?: RunFailure;
  events: RunEvent[];
  failureReason?: string;
  finalResponse?: RunFinalResponse;
  mediaContext: MediaContext;
  messages: RunMessage[];
  ownerWalletAddress: string;
  recovery: RunRecovery;
  request: RunRequest;
  runId: string;
  schemaVersion: string;
  scope: RunScope;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  timestamps: Timestamps;
  toolCalls: RunToolCall[];
  toolResults: RunToolResult[];
  updateTime: number;
  usage?: RunUsage;
  waiting?: RunWaiting;
}

export interface RunArtifact {
  id: string;
  mediaType?: string;
  metadata?: Record<string, unknown>;
  mimeType?: string;
  modelDisplayName?: string;
  modelKey?: string;
  stepId?: string;
  toolCallId?: string;
  toolName?: string;
  url?: string;
  workflowId?: string;
}

export interface RunCancelled {
  reason: string;
}

/** The run was cancelled. */
export interface RunCancelledEvent {
  at: string;
  id: string;
  payload: RunCancelled;
  runId: string;
  sequence: number;
  type: "run_cancelled";
}

export interface RunCompleted {
  finalResponse: RunFinalResponse;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

/** The run is over. */
export interface RunCompletedEvent {
  at: string;
  id: string;
  payload: RunCompleted;
  runId: string;
  sequence: number;
  type: "run_completed";
}

export interface RunCreated {
  runId: string;
}

/** The run was accepted. */
export interface RunCreatedEvent {
  at: string;
  id: string;
  payload: RunCreated;
  runId: string;
  sequence: number;
  type: "run_created";
}

export type RunEvent = RunCreatedEvent | RunResumedEvent | RunCompletedEvent | RunPartialFailureEvent | RunFailedEvent | RunCancelledEvent | RunPausedEvent | RoundStartedEvent | MessageDeltaEvent | MessageCompletedEvent | CallDispatchedEvent | CallProgressEvent | CallResolvedEvent | MediaContextUpdatedEvent | SpendEvent | PreviewUpdatedEvent | AwaitingCostEvent | CostResolvedEvent;

export interface RunEvents {
  events: RunEvent[];
  trimmed?: boolean;
}

export interface RunFailed {
  error: RunFailure;
  failureReason: string;
}

/** The run has failed. */
export interface RunFailedEvent {
  at: string;
  id: string;
  payload: RunFailed;
  runId: string;
  sequence: number;
  type: "run_failed";
}

export interface RunFailure {
  code: string;
  message: string;
}

export interface RunFinalResponse {
  content?: string;
  finishReason: string;
  pendingToolCalls?: PendingToolCall[];
}

export interface RunFunctionCall {
  arguments: string;
  name: string;
}

export interface RunMessage {
  content: unknown;
  name?: string;
  role: string;
  tool_call_id?: string;
  tool_calls?: RunMessageCall[];
}

export interface RunMessageCall {
  function: RunFunctionCall;
  id: string;
  type: string;
}

export interface RunPartialFailure {
  error?: RunFailure;
  failureReason?: string;
  finalResponse: RunFinalResponse;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

/** The run is over; a part of it has failed. */
export interface RunPartialFailureEvent {
  at: string;
  id: string;
  payload: RunPartialFailure;
  runId: string;
  sequence: number;
  type: "run_partial_failure";
}

export interface RunPaused {
  details: RunWaitingDetails;
  message: string;
  reason: string;
}

/** The run is paused until its user does something. */
export interface RunPausedEvent {
  at: string;
  id: string;
  payload: RunPaused;
  runId: string;
  sequence: number;
  type: "run_waiting_for_user";
}

export interface RunPreview {
  perToolBreakdown: ToolCost[];
  tokenType: string;
  totalEstimatedCapacityUnits: number;
  validityUntil: string;
}

export interface RunRecovery {
  resumeCount: number;
}

export interface RunReply {
  idempotent?: boolean;
  run: Run;
}

export interface RunRequest {
  clientMessageId?: string;
  confirmCost?: boolean;
  idempotencyKey?: string;
  maxEstimatedCapacityUnits?: number;
  mediaReferences?: Record<string, unknown>[];
  messages: RunMessage[];
  model?: string;
  runtimeConfig: Record<string, unknown>;
  sampling: Record<string, unknown>;
  sessionId?: string;
  toolChoice?: unknown;
  tools?: unknown[];
}

export interface RunResumed {
  reason: string;
}

/** The run is continued after a pause or an interruption. */
export interface RunResumedEvent {
  at: string;
  id: string;
  payload: RunResumed;
  runId: string;
  sequence: number;
  type: "run_resumed";
}

export interface RunScope {
  appSource: string;
  billingMode: string;
  ownerWalletAddress: string;
  tokenType: string;
}

export interface RunStatus {
  payload: RunStatusPayload;
  runId: string;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  type: string;
  waitingReason?: string;
}

export interface RunStatusPayload {
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

export interface RunText {
  content: string;
  first: boolean;
  round: number;
  runId: string;
  type: string;
}

export interface RunToolCall {
  arguments: unknown;
  sequence: number;
  toolCallId: string;
  toolName: string;
}

export interface RunToolResult {
  errorCode?: string;
  sequence: number;
  status: string;
  summary?: string;
  toolCallId: string;
}

export interface RunUsage {
  cachedTokens: number;
  completionTokens: number;
  costInSpark: string;
  costInSvc: string;
  costInUSD: string;
  coveredByPlan: boolean;
  model: string;
  promptTokens: number;
  seconds: number;
}

export interface RunWaiting {
  details: RunWaitingDetails;
  message: string;
  reason: string;
}

export interface RunWaitingDetails {
  costApprovalPreview?: RunPreview;
  flavor?: string;
  pendingToolCallIds: string[];
  review?: WaitingDetails;
  toolCallId: string;
  workflowId?: string;
}

export interface Sample {
  guidance: number;
  height?: number;
  imageURL: string;
  isMature: boolean;
  modelId: string;
  negativePrompt: string;
  positivePrompt: string;
  preview?: boolean;
  sampler?: string;
  scheduler?: string;
  seed: number;
  steps: number;
  stylePrompt: string;
  videoURL?: string;
  width?: number;
}

export interface Sampler {
  aliases: string[];
  name: string;
  options: Record<string, string>;
}

export interface SavedFile {
  bytes: number;
  created_at: number;
  expires_at: number;
  filename: string;
  id: string;
  object: string;
  purpose: string;
  status: string;
}

export interface Scheduler {
  aliases: string[];
  default_rho: number;
  label: string;
  name: string;
  need_inner_model: boolean;
}

export interface Schemas {
  Input: Property;
  Output: Property;
}

export interface Scripts {
  img2img: string[];
  txt2img: string[];
}

export interface SdapiFailure {
  body: string;
  detail: string;
  error: string;
  errors: string;
  field?: string;
}

export interface SdapiLora {
  alias: string;
  metadata: LoraMetadata;
  name: string;
  path: string;
}

export interface SearchResult {
  id: string;
  kind: "account" | "key" | "job" | "workflow" | "run";
  label: string;
  walletAddress: string;
}

export interface SearchResults {
  results: SearchResult[];
}

export interface Secret {
  key: string;
}

export interface Section {
  id: string;
  label: string;
  order: number;
}

export interface Session {
  createdAt: string;
  current: boolean;
  keyId: string;
  keyName: string;
  personId?: string;
  sessionId: string;
  usedAt: string;
}

export interface SessionReply {
  session: ConsoleSession;
}

export interface SessionToken {
  expiresAt: string;
  token: string;
}

export interface SessionTokenReply {
  token: SessionToken;
}

export interface Sessions {
  sessions: Session[];
}

export interface Settings {
  batch_size: number;
  cfg_scale: number;
  denoising_strength: number | null;
  height: number;
  n_iter: number;
  negative_prompt: string;
  override_settings: Override;
  prompt: string;
  sampler_name: string;
  scheduler: string;
  seed: number;
  send_images: boolean | null;
  steps: number;
  width: number;
}

export interface SignInProvider {
  name: string;
  path: string;
  title: string;
}

export interface SignedOut {
  signOutUrl?: string;
}

export interface SparkBalance {
  credit: string;
  debit: string;
  fastUnclaimed: string;
  held: string;
  net: string;
  premiumCredit: string;
  relaxedUnclaimed: string;
  settled: string;
}

export interface Spend {
  cachedTokens: number;
  costInSpark: string;
  costInSvc: string;
  costInToken: string;
  costInUSD: string;
  coveredByPlan?: boolean;
  eventId: string;
  inputTokens: number;
  modelName: string;
  outputTokens: number;
  tokenType: string;
}

/** A call of the model was paid. */
export interface SpendEvent {
  at: string;
  id: string;
  payload: Spend;
  runId: string;
  sequence: number;
  type: "llm_spend";
}

export interface SpotCheck {
  atFault: string | null;
  createdAt: string;
  decidedAt: string | null;
  jobId: string;
  modelId: string;
  network: string;
  reason: string;
  renders: SpotCheckRender[];
  status: string;
  username: string;
  walletAddress: string;
}

export interface SpotCheckCount {
  compared: number;
  wrong: number;
}

export interface SpotCheckRender {
  username: string;
  walletAddress: string | null;
  worker: string;
}

export interface SpotChecks {
  nextCursor: string | null;
  spotChecks: SpotCheck[];
}

export interface StageSettlement {
  estimatedUnits: number;
  jobIds?: string[];
  projectId?: string;
  settledUnits?: number;
  stageId: string;
  status: string;
}

export interface State {
  interrupted: boolean;
  job: string;
  job_count: number;
  job_no: number;
  job_timestamp: string;
  sampling_step: number;
  sampling_steps: number;
  skipped: boolean;
  stopping_generation: boolean;
}

export interface Step {
  arguments: Record<string, unknown>;
  artifacts: Artifact[];
  backbone: Backbone;
  cost: StepCost;
  dependsOn: Binding[];
  error?: StepError;
  generation?: Generation;
  id: string;
  idempotencyKey: string;
  implementation: Implementation;
  input: StepArguments;
  previewUrl?: string;
  progress: number;
  projectId?: string;
  remake?: StepRemake;
  retry: StepRetry;
  routing?: Routing;
  seed?: number;
  sequence: number;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  timestamps: StepTimes;
  tool: StepTool;
  toolName: string;
  wait?: Waiting;
  waiting?: Waiting;
  waitingFor?: WaitingFor;
  waitingReason?: string;
}

export interface StepArguments {
  arguments: Record<string, unknown>;
  normalizedArguments: Record<string, unknown>;
}

export interface StepCompleted {
  artifacts: Artifact[];
  stepId: string;
  toolName: string;
}

/** A step is done. */
export interface StepCompletedEvent {
  at: string;
  data: StepCompleted;
  id: string;
  message?: string;
  payload: StepCompleted;
  sequence: number;
  timestamp: string;
  type: "step_completed";
  workflowId: string;
}

export interface StepCost {
  actual?: ActualCost;
  beforeDiscount?: string;
  estimate: unknown;
  estimatedSpark: string;
}

export interface StepError {
  classification: string;
  code: string;
  details?: Record<string, unknown>;
  message: string;
  retryable: boolean;
  stepId?: string;
  toolName?: string;
}

export interface StepFailed {
  error: EventError;
  errorType: string;
  retryable: boolean;
  stepId: string;
  toolName: string;
}

/** A step has failed. */
export interface StepFailedEvent {
  at: string;
  data: StepFailed;
  id: string;
  message?: string;
  payload: StepFailed;
  sequence: number;
  timestamp: string;
  type: "step_failed";
  workflowId: string;
}

export interface StepInput {
  arguments: Record<string, unknown>;
  dependsOn?: Binding[];
  id: string;
  toolName: string;
}

export interface StepRemake {
  state: string;
  workflowId?: string;
}

export interface StepRetry {
  classification: string;
  count: number;
}

export interface StepStarted {
  attempt: number;
  sequence: number;
  stepId: string;
  toolName: string;
}

/** A worker has begun to render a step. */
export interface StepStartedEvent {
  at: string;
  data: StepStarted;
  id: string;
  message?: string;
  payload: StepStarted;
  sequence: number;
  timestamp: string;
  type: "step_started";
  workflowId: string;
}

export interface StepTimes {
  completedAt?: string;
  startedAt?: string;
}

export interface StepTool {
  name: string;
  schemaVersion: string;
}

export interface StepWaiting {
  details: WaitingDetails;
  message: string;
  reason: string;
  stepId: string;
}

/** A step is paused until its user does something. */
export interface StepWaitingEvent {
  at: string;
  data: StepWaiting;
  id: string;
  message?: string;
  payload: StepWaiting;
  sequence: number;
  timestamp: string;
  type: "step_waiting_for_user";
  workflowId: string;
}

export interface Subscription {
  active: boolean;
  cancelAtPeriodEnd?: boolean;
  capabilities?: Record<string, boolean>;
  currentPeriodEnd?: string;
  currentPeriodStart?: string;
  fairUse?: FairUse;
  frontierDiscountBps?: number;
  paymentPending?: boolean;
  provider?: string;
  status: "none" | "trialing" | "active" | "cancel_at_period_end" | "grace_period" | "past_due" | "expired" | "canceled";
  term?: string;
  tier?: string;
}

export interface SubscriptionReply {
  subscription: Subscription;
}

export interface Suspension {
  account: Account;
  alreadySuspended: boolean;
  cancelled: number;
}

export interface Template {
  author: "system" | {
    displayName: string;
    userId: string;
  };
  brief?: string;
  category: "portrait" | "video-social" | "makeover" | "cinematic" | "music" | "analysis" | "custom" | "other";
  clonedFromTemplateId?: string;
  createdAt?: string;
  description?: string;
  estimatedCapacityUnits?: EstimateRange;
  estimatedCredits?: EstimateRange;
  exposeToLLM: boolean;
  graph?: unknown;
  id: string;
  inputs: ({
    default?: unknown;
    description?: string;
    internal?: boolean;
    jsonSchema?: Record<string, unknown>;
    multiple?: unknown;
    name: string;
    options?: unknown[];
    required?: boolean;
    type: "image" | "audio" | "video" | "text" | "number" | "select" | "boolean";
  })[];
  llmPriority: number;
  metadata?: unknown;
  name: string;
  previewArtifacts?: unknown;
  reviewFocus?: string[];
  stability: "experimental" | "beta" | "production";
  stages: ({
    args?: Record<string, unknown>;
    id: string;
    tool?: string;
    type?: "fixed" | "batch";
  })[];
  tags: string[];
  thumbnailUrl?: string;
  updatedAt?: string;
  version: string;
  visibility: "private" | "public";
}

export interface TemplateReply {
  template: Template;
  validation?: TemplateValidation;
}

export interface TemplateValidation {
  issues: Issue[];
  valid: boolean;
}

export interface TemplatesReply {
  next: number | null;
  templates: Template[];
}

export interface Text {
  format: unknown;
  verbosity?: string;
}

export interface TextChoice {
  finish_reason: string | null;
  index: number;
  logprobs: number | null;
  text: string;
}

export interface TextReply {
  choices: TextChoice[];
  created: number;
  id: string;
  model: string;
  object: string;
  usage?: CompletionUsage;
}

export interface Timestamps {
  completedAt?: string;
  createdAt: string;
  updatedAt: string;
}

export interface TokenBalance {
  credit: string;
  debit: string;
  fastUnclaimed: string;
  held: string;
  net: string;
  relaxedUnclaimed: string;
  settled: string;
}

export interface TokenCount {
  input_tokens: number;
}

export interface ToolCall {
  function: FunctionCall;
  id: string;
  type: string;
}

export interface ToolCost {
  capacityUnits: number;
  toolCallId: string;
  toolName: string;
}

export interface ToolEntry {
  arguments: Argument[];
  countArgument?: string;
  defaultModel?: string;
  description: string;
  example?: Record<string, unknown>;
  modelArgument?: string;
  models: ToolModel[];
  name: string;
  needs: ToolNeed[];
  price?: ToolPrice;
  produces?: string;
  runs: string;
}

export interface ToolModel {
  modelId: string;
  name: string;
  price: ToolPrice;
  selectors: string[];
}

export interface ToolNeed {
  arguments: string[];
  kind: string;
}

export interface ToolPrice {
  factors?: PriceFactor[];
  free?: boolean;
  per?: string;
  spark?: string;
  surcharges?: PriceSurcharge[];
  usd?: string;
}

export interface ToolReply {
  tool: ToolEntry;
}

export interface ToolsReply {
  count: number;
  tools: ToolEntry[];
}

export interface Transcript {
  text: string;
}

export interface URLs {
  cancel: string;
  get: string;
  stream: string;
  web: string;
}

export interface USDBalance {
  subscriptionUnclaimed: string;
}

export interface Unknown {
  error: string;
}

export interface UnresolvedJob {
  asked: number;
  cancelled: boolean;
  createdAt: string;
  jobId: string;
  message: string;
  modelId: string;
  receipt: string;
  username: string;
  walletAddress: string;
}

export interface UnresolvedJobs {
  jobs: UnresolvedJob[];
  nextCursor: string | null;
}

export interface UnresolvedReply {
  job: UnresolvedJob;
}

export interface Upload {
  boards: string[];
  bytes: number;
  contentType: string;
  createdAt: number;
  expiresAt: number;
  favourite: boolean;
  id: string;
  name: string;
  state: "uploading" | "ready";
  tags: string[];
}

export interface UploadForm {
  allowedContentTypes: string[];
  fields: Record<string, string>;
  maxSizeBytes: number;
  url: string;
}

export interface Upscaler {
  model_name: string | null;
  model_path: string | null;
  model_url: string | null;
  name: string;
  scale: number;
}

export interface Usage {
  input_tokens: number;
  input_tokens_details: InputDetails;
  output_tokens: number;
  output_tokens_details: OutputDetails;
  total_tokens: number;
}

export interface UsageDay {
  date: string;
  jobs: number;
  paidSparkSpent: number;
  planJobs: number;
  planSpark: number;
  planUsd: number;
  sparkSpent: number;
}

export interface UsageDetails {
  cached_tokens: number;
}

export interface UsageHistory {
  days: UsageDay[];
  totals: UsageSums;
}

export interface UsageKey {
  date: string;
  jobs: number;
  keyId: string;
  keyName: string;
  paidSparkSpent: string;
  planJobs: number;
  planSpark: string;
  spark: string;
  sparkSpent: string;
  svcSpent: string;
  usd: string;
}

export interface UsageKeys {
  rows: UsageKey[];
}

export interface UsagePart {
  appSource: string;
  date: string;
  jobs: number;
  modelId: string;
  network: string;
  paidSparkSpent: string;
  planJobs: number;
  planSpark: string;
  spark: string;
  sparkSpent: string;
  svcSpent: string;
}

export interface UsageParts {
  rows: UsagePart[];
}

export interface UsageReply {
  fairUse: FairUse | null;
  promotionalCredit: {
  } | null;
  usage: PlanUsage;
}

export interface UsageSums {
  jobs: number;
  paidSparkSpent: number;
  planJobs: number;
  planSpark: number;
  planUsd: number;
  sparkSpent: number;
}

export interface UsageValue {
  cycle: UsageWindow;
  daily: UsageWindow;
  lifetime: UsageWindow;
}

export interface UsageWindow {
  jobs: number;
  renderSpark: number;
  renderUsd: number;
  resetAt?: string;
  windowEnd?: string;
  windowStart?: string;
}

export interface UserStatsReply {
  modelStats: ModelStats[];
  totalModels: number;
  totalPages: number;
}

export interface Validation {
  issues: Issue[];
}

export interface VendorConnection {
  adapter?: string;
  baseUrl: string;
  concurrency?: number;
  headers?: Record<string, string>;
  idempotencyHeader?: string;
  models: RenderedModel[];
  patienceSeconds?: number;
  protocol: string;
  timeoutSeconds?: number;
}

export interface Version {
  cog_version: string;
  created_at: string;
  id: string;
  openapi_schema: Document;
}

export interface Video {
  completed_at: number | null;
  created_at: number;
  error: VideoError | null;
  expires_at: number | null;
  id: string;
  model: string;
  object: string;
  progress: number;
  prompt: string | null;
  remixed_from_video_id: string | null;
  seconds: string;
  size: string;
  status: string;
}

export interface VideoError {
  code: string;
  message: string;
}

export interface Waiting {
  details?: WaitingDetails;
  message: string;
  position?: number;
  reason: string;
  until?: string;
}

export interface WaitingDetails {
  categories?: string[];
  costApprovalPreview?: CostPreview;
  help?: string;
  source?: string;
  stepId?: string;
}

export interface WaitingFor {
  fallbackAt?: string;
  model: string;
  network: string;
  reason: string;
  since: string;
}

export interface WaitingJob {
  createdAt: string;
  jobId: string;
  modelId: string;
  network: string;
}

export interface Webhook {
  createdAt: string;
  disabledAt?: string;
  events: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low" | "started" | "test")[];
  failingSince?: string;
  id: string;
  nextAttemptAt?: string;
  oldSecretUntil?: string;
  reason?: string;
  secret?: string;
  status: "enabled" | "disabled";
  updatedAt: string;
  url: string | null;
}

export interface WebhookDeliveries {
  deliveries: WebhookDelivery[];
  nextCursor: string | null;
}

export interface WebhookDelivery {
  attempts: number;
  createdAt: string;
  durationMs: number | null;
  endedAt: string | null;
  error?: string;
  id: string;
  lastAttemptAt: string | null;
  nextAttemptAt: string | null;
  payload: Record<string, unknown>;
  response?: string;
  responseStatus: number | null;
  status: "waiting" | "sending" | "delivered" | "failed";
  subject: string;
  type: "*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low" | "started" | "test";
  url: string;
  webhookId: string;
}

export interface WebhookDeliveryReply {
  delivery: WebhookDelivery;
}

export interface WebhookReply {
  webhook: Webhook;
}

export interface Webhooks {
  privateAddresses: boolean;
  requests: Webhook | null;
  webhooks: Webhook[];
}

export interface WeightFile {
  approximate?: boolean;
  bytes?: number;
  folder: string;
  name: string;
  sha256?: string;
  unknown?: string;
  url?: string;
}

export interface WithdrawnInvitation {
  invitationId: string;
  withdrawn: boolean;
}

export interface WithdrawnTemplate {
  id: string;
  withdrawn: boolean;
}

export interface WorkerFailure {
  code: string;
  endedAt: string;
  jobId: string;
  message: string;
  modelId: string;
  toolName: string;
}

export interface WorkerHistory {
  points: WorkerHistoryPoint[];
  stepSeconds: number;
  window: "hour" | "day" | "week";
}

export interface WorkerHistoryPoint {
  at: string;
  diskFreeBytes: number | null;
  gpus: GPUHistory[];
}

export interface WorkerHistoryReply {
  history: WorkerHistory;
}

export interface WorkerJob {
  jobId: string;
  modelId: string;
  progress: number;
  startedAt: string;
  toolName: string;
  username: string;
  walletAddress: string;
}

export interface WorkerLapse {
  at: string;
  code: "dropped" | "worker_unavailable" | "lease_expired";
  jobId: string;
  message: string;
  modelId: string;
}

export interface WorkerSession {
  heartbeatSeconds: number;
  leaseSeconds: number;
  workerId: string;
}

export interface WorkerSessionReply {
  worker: WorkerSession;
}

export interface WorkerStanding {
  lapses: WorkerLapse[];
  low: boolean;
  reason?: string;
  since?: string;
  trialAt?: string;
}

export interface Workflow {
  appSource?: string;
  artifacts: Artifact[];
  authorization?: Authorization;
  awaitingCostApproval?: boolean;
  backbone: Backbone;
  billingMode: string;
  billingPreview?: CostPreview;
  billingPreviews?: CostPreview[];
  createTime: number;
  error?: StepError;
  estimatedCapacityUnits: number;
  events: WorkflowEvent[];
  input: WorkflowInput;
  mediaReferences?: unknown[];
  plan?: WorkflowPlan;
  recovery: Recovery;
  remakeOf?: RemakeOf;
  safeContentFilter: boolean;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  steps: Step[];
  template?: WorkflowOrigin;
  timestamps: Timestamps;
  title?: string;
  tokenType: string;
  updateTime: number;
  usage?: Record<string, number>;
  waiting?: Waiting;
  waitingReason?: string;
  workflowId: string;
}

export interface WorkflowCancelled {
  reason: string;
}

/** The workflow was cancelled. */
export interface WorkflowCancelledEvent {
  at: string;
  data: WorkflowCancelled;
  id: string;
  message?: string;
  payload: WorkflowCancelled;
  sequence: number;
  timestamp: string;
  type: "workflow_cancelled";
  workflowId: string;
}

export interface WorkflowCompleted {
  artifacts: Artifact[];
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

/** The workflow is over, completed or in part. */
export interface WorkflowCompletedEvent {
  at: string;
  data: WorkflowCompleted;
  id: string;
  message?: string;
  payload: WorkflowCompleted;
  sequence: number;
  timestamp: string;
  type: "workflow_completed";
  workflowId: string;
}

export interface WorkflowCounts {
  complete: boolean;
  counts: Record<string, number>;
  models: string[];
  reasons: string[];
  tools: string[];
  total: number;
}

export type WorkflowEvent = WorkflowStartedEvent | WorkflowProgressEvent | WorkflowWaitingEvent | WorkflowCompletedEvent | WorkflowFailedEvent | WorkflowCancelledEvent | StepStartedEvent | StepCompletedEvent | StepFailedEvent | StepWaitingEvent | ArtifactCreatedEvent | CustomEvent;

export interface WorkflowEvents {
  events: WorkflowEvent[];
}

export interface WorkflowFailed {
  error: EventError;
  retryable: boolean;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
}

/** The workflow is over without a result. */
export interface WorkflowFailedEvent {
  at: string;
  data: WorkflowFailed;
  id: string;
  message?: string;
  payload: WorkflowFailed;
  sequence: number;
  timestamp: string;
  type: "workflow_failed";
  workflowId: string;
}

export interface WorkflowInput {
  steps: StepInput[];
  title?: string;
}

export interface WorkflowOnBoard {
  boardId: string;
  workflowId: string;
}

export interface WorkflowOrigin {
  id: string;
  version: string;
}

export interface WorkflowPlan {
  artifacts: Artifact[];
  backbone: Backbone;
  events: WorkflowEvent[];
  input: WorkflowInput;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  steps: Step[];
  timestamps: Timestamps;
  title?: string;
  workflowId: string;
}

export interface WorkflowProgress {
  message: string;
  previewUrl?: string;
  progress: number;
  stepId: string;
  stepProgress: number;
  waitingFor?: WaitingFor | null;
}

/** A step has progressed, or it is known whether a worker can render it. */
export interface WorkflowProgressEvent {
  at: string;
  data: WorkflowProgress;
  id: string;
  message?: string;
  payload: WorkflowProgress;
  sequence: number;
  timestamp: string;
  type: "workflow_progress";
  workflowId: string;
}

export interface WorkflowRef {
  eventsUrl: string;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  streamUrl: string;
  url: string;
  workflowId: string;
}

export interface WorkflowReply {
  idempotent?: boolean;
  preview?: CostPreview;
  waitingForCostApproval?: boolean;
  workflow: Workflow;
}

export interface WorkflowStarted {
  stepCount: number;
  title: string;
  workflowId: string;
}

/** The workflow was accepted. */
export interface WorkflowStartedEvent {
  at: string;
  data: WorkflowStarted;
  id: string;
  message?: string;
  payload: WorkflowStarted;
  sequence: number;
  timestamp: string;
  type: "workflow_started";
  workflowId: string;
}

export interface WorkflowStatus {
  awaitingCostApproval?: boolean;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  waitingReason?: string;
  workflowId: string;
}

export interface WorkflowSummaries {
  nextCursor: string | null;
  workflows: WorkflowSummary[];
}

export interface WorkflowSummary {
  about: string;
  appSource: string | null;
  artifactCount: number;
  completedAt: string | null;
  cost: string;
  coveredByPlan: string;
  createdAt: string;
  kind: string | null;
  progress: number;
  reason: EndReason | null;
  startedAt: string | null;
  status: "queued" | "running" | "waiting_for_user" | "completed" | "partial_failure" | "failed" | "cancelled";
  steps: number;
  stepsDone: number;
  templateId: string | null;
  thumbnailUrl: string | null;
  title: string;
  updatedAt: string;
  waiting: Waiting | null;
  workflowId: string;
}

export interface WorkflowWaiting {
  details: WaitingDetails;
  message: string;
  preview?: CostPreview;
  reason: string;
  stepId?: string;
}

/** The workflow is paused until its user does something. */
export interface WorkflowWaitingEvent {
  at: string;
  data: WorkflowWaiting;
  id: string;
  message?: string;
  payload: WorkflowWaiting;
  sequence: number;
  timestamp: string;
  type: "workflow_waiting_for_user";
  workflowId: string;
}

export interface Workflows {
  next: number | null;
  workflows: Workflow[];
}

export interface WrittenRecord {
  createTime: number;
  redacted: boolean;
  runId: string;
  schemaVersion: number;
  updateTime: number;
}

/** The data of each event of the account's stream. */
export interface AccountEvents {
  ready: Ready;
  workflow: ChangedWorkflow;
  run: ChangedRun;
  artifact: NewArtifact;
  artifacts_deleted: ArtifactsDeleted;
  balance: BalanceChanged;
  lora: ChangedLora;
  network: NetworkChanged;
}

/** The JSON that each endpoint takes. */
export interface Bodies {
  "POST /mcp": {
    id?: string | number;
    jsonrpc: "2.0";
    method: string;
    params?: Record<string, unknown>;
  };
  "POST /replicate/v1/models/{owner}/{name}/predictions": {
    app_source?: string;
    input: unknown;
    stream?: boolean;
    webhook?: string;
    webhook_events_filter?: string[];
  };
  "POST /replicate/v1/predictions": {
    app_source?: string;
    input: unknown;
    stream?: boolean;
    version: string;
    webhook?: string;
    webhook_events_filter?: string[];
  };
  "POST /sdapi/v1/extra-batch-images": {
    app_source?: string;
    imageList: {
      data: string;
      name?: string;
    }[];
    resize_mode?: number;
    upscaler_1?: string;
    upscaling_resize?: number;
    upscaling_resize_h?: number;
    upscaling_resize_w?: number;
  };
  "POST /sdapi/v1/extra-single-image": {
    app_source?: string;
    image: string;
    resize_mode?: number;
    upscaler_1?: string;
    upscaling_resize?: number;
    upscaling_resize_h?: number;
    upscaling_resize_w?: number;
  };
  "POST /sdapi/v1/img2img": {
    app_source?: string;
    batch_size?: number;
    cfg_scale?: number;
    denoising_strength?: number;
    height?: number;
    init_images: string[];
    inpainting_mask_invert?: number;
    mask?: string;
    n_iter?: number;
    negative_prompt?: string;
    override_settings?: {
      sd_model_checkpoint?: string;
      [name: string]: unknown;
    };
    prompt: string;
    sampler_name?: string;
    scheduler?: string;
    seed?: number;
    send_images?: boolean;
    steps?: number;
    width?: number;
    [name: string]: unknown;
  };
  "POST /sdapi/v1/options": {
    sd_model_checkpoint?: string;
  };
  "POST /sdapi/v1/png-info": {
    image: string;
  };
  "POST /sdapi/v1/txt2img": {
    app_source?: string;
    batch_size?: number;
    cfg_scale?: number;
    denoising_strength?: number;
    height?: number;
    n_iter?: number;
    negative_prompt?: string;
    override_settings?: {
      sd_model_checkpoint?: string;
      [name: string]: unknown;
    };
    prompt: string;
    sampler_name?: string;
    scheduler?: string;
    seed?: number;
    send_images?: boolean;
    steps?: number;
    width?: number;
    [name: string]: unknown;
  };
  "POST /v1/account/keys": {
    limits?: {
      addresses?: string[];
      budget?: {
        day?: string;
        month?: string;
        total?: string;
        unit?: "spark" | "usd";
      };
      expiresAt?: string;
      groups?: ("chat" | "media" | "workflows" | "account" | "worker" | "operator")[];
      models?: string[];
      readOnly?: boolean;
      requestsPerMinute?: number;
      tools?: string[];
    };
    name: string;
  };
  "PATCH /v1/account/keys/{id}": {
    limits?: {
      addresses?: string[];
      budget?: {
        day?: string;
        month?: string;
        total?: string;
        unit?: "spark" | "usd";
      };
      expiresAt?: string;
      groups?: ("chat" | "media" | "workflows" | "account" | "worker" | "operator")[];
      models?: string[];
      readOnly?: boolean;
      requestsPerMinute?: number;
      tools?: string[];
    } | null;
    name?: string;
  };
  "POST /v1/account/members": {
    budget?: {
      day?: string;
      month?: string;
      total?: string;
      unit?: "spark" | "usd";
    };
    email?: string;
    name?: string;
    role?: "owner" | "editor" | "viewer";
  };
  "PATCH /v1/account/members/{id}": {
    budget?: {
      day?: string;
      month?: string;
      total?: string;
      unit?: "spark" | "usd";
    };
    noBudget?: boolean;
    role?: "owner" | "editor" | "viewer";
  };
  "POST /v1/account/tokens": {
    ttlSeconds: number;
  };
  "POST /v1/artifacts/delete": {
    artifactIds: string[];
  };
  "PATCH /v1/artifacts/{id}": {
    boards?: string[];
    favourite?: boolean;
    tags?: string[];
  };
  "POST /v1/assets/prepare": {
    bytes: number;
    contentType: string;
    name?: string;
    sha256: string;
  };
  "PATCH /v1/assets/{id}": {
    boards?: string[];
    favourite?: boolean;
    tags?: string[];
  };
  "POST /v1/assets/{id}/bind": {
    id?: string;
    projectId: string;
    type: string;
  };
  "POST /v1/audio/speech": {
    app_source?: string;
    input: string;
    instructions?: string;
    model?: string;
    response_format?: "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm";
    speed?: number;
    stream_format?: "audio" | "sse";
    voice?: string;
  };
  "POST /v1/chat/completions": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    chat_template_kwargs?: Record<string, unknown>;
    frequency_penalty?: number;
    logit_bias?: Record<string, unknown>;
    max_tokens?: number;
    media_references?: ({
      data_uri?: string;
      kind: "image" | "video" | "audio" | "model";
      url?: string;
      value?: string;
      [name: string]: unknown;
    })[];
    messages: unknown;
    min_p?: number;
    model?: string;
    n?: number;
    parallel_tool_calls?: boolean;
    presence_penalty?: number;
    reasoning?: {
      effort?: "minimal" | "low" | "medium" | "high";
    };
    reasoning_effort?: "minimal" | "low" | "medium" | "high";
    repetition_penalty?: number;
    response_format?: Record<string, unknown>;
    safe_content_filter?: boolean;
    seed?: number;
    session_id?: string;
    stop?: string | string[];
    stream?: boolean;
    stream_options?: {
      include_usage?: boolean;
    };
    svc_tool_execution?: boolean;
    svc_tools?: string | boolean;
    task_profile?: "general" | "coding" | "reasoning";
    temperature?: number;
    token_type?: string;
    tool_choice?: unknown;
    tools?: unknown;
    top_k?: number;
    top_p?: number;
    [name: string]: unknown;
  };
  "PATCH /v1/chat/conversations/{sessionId}": {
    title: string;
  };
  "POST /v1/chat/runs": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    client_message_id?: string;
    confirm_cost?: boolean;
    idempotency_key?: string;
    max_estimated_capacity_units?: number;
    media_context?: {
      audio?: string[];
      images?: string[];
      uploadedAudio?: string[];
      uploadedImages?: string[];
      uploadedVideos?: string[];
      videos?: string[];
    };
    media_references?: ({
      data_uri?: string;
      kind: "image" | "video" | "audio" | "model";
      url?: string;
      value?: string;
      [name: string]: unknown;
    })[];
    messages: unknown;
    model?: string;
    runtime_config?: {
      qualityTier?: "fast" | "hq" | "pro";
      requireJobConfirmation?: boolean;
      requireSpendConfirmation?: boolean;
      safeContentFilter?: boolean;
      [name: string]: unknown;
    };
    sampling?: {
      frequency_penalty?: number;
      max_tokens?: number;
      min_p?: number;
      presence_penalty?: number;
      repetition_penalty?: number;
      task_profile?: "general" | "coding" | "reasoning";
      temperature?: number;
      think?: boolean;
      top_k?: number;
      top_p?: number;
    };
    session_id?: string;
    token_type?: "spark" | "svc" | "auto";
    tool_choice?: unknown;
    tools?: unknown;
    webhook?: string | {
      events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
      url: string;
    };
  };
  "POST /v1/chat/runs/{id}/cancel": {
    reason?: string;
  };
  "POST /v1/chat/runs/{id}/confirm-cost": {
    accepted_cost_preview?: {
      perToolBreakdown?: {
        capacityUnits: number;
        toolCallId: string;
        toolName: string;
      }[];
      tokenType: string;
      totalEstimatedCapacityUnits: number;
      validityUntil: string;
    };
    decision: "confirm" | "cancel";
    idempotency_key?: string;
    overrides?: {
      prompt?: string;
      prompts?: string[];
      qualityTier?: "fast" | "hq" | "pro";
      safeContentFilter?: boolean;
    };
    reason?: string;
    tool_call_id: string;
  };
  "POST /v1/completions": {
    app_source?: string;
    best_of?: number;
    echo?: boolean;
    frequency_penalty?: number;
    logit_bias?: Record<string, unknown>;
    logprobs?: number;
    max_tokens?: number;
    min_p?: number;
    model?: string;
    n?: number;
    parallel_tool_calls?: boolean;
    presence_penalty?: number;
    prompt: unknown;
    repetition_penalty?: number;
    seed?: number;
    stop?: string | string[];
    stream?: boolean;
    stream_options?: {
      include_usage?: boolean;
    };
    suffix?: string;
    temperature?: number;
    top_k?: number;
    top_p?: number;
  };
  "PATCH /v1/console/session": {
    account: string;
  };
  "POST /v1/console/sessions": {
    apiKey?: string;
    code?: string;
  };
  "POST /v1/creative-agent/tools/execute": {
    app_source?: string;
    arguments: Record<string, unknown>;
    billing_mode?: "auto" | "subscription" | "tokens";
    safe_content_filter?: boolean;
    token_type?: "spark" | "svc" | "auto";
    tool: string;
  };
  "POST /v1/creative-agent/workflows": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    confirm_cost?: boolean;
    continues?: string;
    input?: {
      steps: ({
        arguments: Record<string, unknown>;
        dependsOn?: ({
          mediaType?: "image" | "video" | "audio";
          required?: boolean;
          sourceArtifactId?: string;
          sourceArtifactIndex?: number;
          sourceStepId: string;
          targetArgument: string;
          transform: string;
        })[];
        id: string;
        toolName: string;
      })[];
      title?: string;
    };
    inputs?: Record<string, unknown>;
    max_estimated_capacity_units?: number;
    media_references?: ({
      kind: "image" | "video" | "audio" | "model";
      url: string;
      [name: string]: unknown;
    })[];
    safe_content_filter?: boolean;
    token_type?: "spark" | "svc" | "auto";
    webhook?: string | {
      events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
      url: string;
    };
    workflow_id?: string;
  };
  "POST /v1/creative-agent/workflows/estimate": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    confirm_cost?: boolean;
    continues?: string;
    input?: {
      steps: ({
        arguments: Record<string, unknown>;
        dependsOn?: ({
          mediaType?: "image" | "video" | "audio";
          required?: boolean;
          sourceArtifactId?: string;
          sourceArtifactIndex?: number;
          sourceStepId: string;
          targetArgument: string;
          transform: string;
        })[];
        id: string;
        toolName: string;
      })[];
      title?: string;
    };
    inputs?: Record<string, unknown>;
    max_estimated_capacity_units?: number;
    media_references?: ({
      kind: "image" | "video" | "audio" | "model";
      url: string;
      [name: string]: unknown;
    })[];
    safe_content_filter?: boolean;
    token_type?: "spark" | "svc" | "auto";
    webhook?: string | {
      events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
      url: string;
    };
    workflow_id?: string;
  };
  "POST /v1/creative-agent/workflows/templates": {
    [name: string]: unknown;
  };
  "POST /v1/creative-agent/workflows/templates/validate": {
    [name: string]: unknown;
  };
  "PATCH /v1/creative-agent/workflows/templates/{id}": {
    replaces?: string;
    [name: string]: unknown;
  };
  "POST /v1/creative-agent/workflows/templates/{id}/fork": {
    name?: string;
  };
  "POST /v1/creative-agent/workflows/{id}/confirm-cost": {
    acceptedCostPreview?: {
      tokenType: string;
      totalEstimatedCapacityUnits: number;
      validityUntil: string;
    };
    decision: "confirm" | "cancel";
    idempotency_key?: string;
  };
  "POST /v1/creative-agent/workflows/{id}/reseed": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    seed_overrides?: Record<string, number>;
    token_type?: "spark" | "svc" | "auto";
  };
  "POST /v1/creative-agent/workflows/{id}/resume": {
    app_source?: string;
    billing_mode?: "auto" | "subscription" | "tokens";
    safe_content_filter?: boolean;
    token_type?: "spark" | "svc" | "auto";
  };
  "POST /v1/embeddings": {
    app_source?: string;
    dimensions?: number;
    encoding_format?: "float" | "base64";
    input: unknown;
    model: string;
    user?: string;
  };
  "POST /v1/images/generations": {
    app_source?: string;
    background?: "auto" | "opaque" | "transparent";
    model?: string;
    moderation?: "auto" | "low";
    n?: number;
    output_compression?: number;
    output_format?: "png" | "jpeg" | "webp";
    partial_images?: number;
    prompt: string;
    quality?: "auto" | "low" | "medium" | "high" | "standard" | "hd";
    response_format?: "url" | "b64_json";
    size?: string;
    stream?: boolean;
    style?: "vivid" | "natural";
    user?: string;
  };
  "POST /v1/invitations/accept": {
    code: string;
    name?: string;
  };
  "POST /v1/library/boards": {
    name: string;
  };
  "PATCH /v1/library/boards/{id}": {
    name: string;
  };
  "POST /v1/library/marks": {
    addBoards?: string[];
    addTags?: string[];
    artifactIds?: string[];
    assetIds?: string[];
    favourite?: boolean;
    removeBoards?: string[];
    removeTags?: string[];
  };
  "POST /v1/loras/personal": {
    modelId: string;
    name: string;
    rightsConfirmed: boolean;
    url: string;
  };
  "POST /v1/messages": {
    app_source?: string;
    max_tokens: number;
    messages: unknown;
    model: string;
    stop_sequences?: string[];
    stream?: boolean;
    system?: unknown;
    temperature?: number;
    thinking?: {
      type: "enabled" | "disabled" | "adaptive";
    };
    tool_choice?: {
      disable_parallel_tool_use?: boolean;
      name?: string;
      type: "auto" | "any" | "tool" | "none";
    };
    tools?: unknown;
    top_k?: number;
    top_p?: number;
  };
  "POST /v1/messages/count_tokens": {
    messages: unknown;
    model: string;
    system?: unknown;
    thinking?: {
      type: "enabled" | "disabled" | "adaptive";
    };
    tool_choice?: {
      disable_parallel_tool_use?: boolean;
      name?: string;
      type: "auto" | "any" | "tool" | "none";
    };
    tools?: unknown;
  };
  "POST /v1/moderations": {
    app_source?: string;
    input: unknown;
    model?: string;
  };
  "POST /v1/operator/accounts": {
    operator?: boolean;
    plan?: "none" | "unlimited" | "unlimited_pro";
    premiumSpark?: string;
    reason?: string;
    spark?: string;
    svc?: string;
    unfiltered?: boolean;
    username?: string;
    walletAddress?: string;
    worker?: boolean;
  };
  "POST /v1/operator/accounts/{wallet}/claim": {
    approve?: boolean;
    reason?: string;
  };
  "POST /v1/operator/accounts/{wallet}/credit": {
    premiumSpark?: string;
    reason?: string;
    spark?: string;
    svc?: string;
  };
  "POST /v1/operator/accounts/{wallet}/keys": {
    limits?: {
      addresses?: string[];
      budget?: {
        day?: string;
        month?: string;
        total?: string;
        unit?: "spark" | "usd";
      };
      expiresAt?: string;
      groups?: ("chat" | "media" | "workflows" | "account" | "worker" | "operator")[];
      models?: string[];
      readOnly?: boolean;
      requestsPerMinute?: number;
      tools?: string[];
    };
    name?: string;
    reason?: string;
  };
  "PUT /v1/operator/accounts/{wallet}/keys/{id}/limits": {
    limits?: {
      addresses?: string[];
      budget?: {
        day?: string;
        month?: string;
        total?: string;
        unit?: "spark" | "usd";
      };
      expiresAt?: string;
      groups?: ("chat" | "media" | "workflows" | "account" | "worker" | "operator")[];
      models?: string[];
      readOnly?: boolean;
      requestsPerMinute?: number;
      tools?: string[];
    };
    reason?: string;
  };
  "POST /v1/operator/accounts/{wallet}/members": {
    budget?: {
      day?: string;
      month?: string;
      total?: string;
      unit?: "spark" | "usd";
    };
    email?: string;
    name?: string;
    reason?: string;
    role?: "owner" | "editor" | "viewer";
  };
  "PATCH /v1/operator/accounts/{wallet}/members/{id}": {
    budget?: {
      day?: string;
      month?: string;
      total?: string;
      unit?: "spark" | "usd";
    };
    noBudget?: boolean;
    reason?: string;
    role?: "owner" | "editor" | "viewer";
  };
  "PUT /v1/operator/accounts/{wallet}/nfts/{nftTokenId}": {
    reason?: string;
  };
  "PUT /v1/operator/accounts/{wallet}/operator": {
    operator: boolean;
    reason?: string;
  };
  "PUT /v1/operator/accounts/{wallet}/plan": {
    periodEnd?: string;
    plan: "none" | "unlimited" | "unlimited_pro";
    reason?: string;
    status?: "none" | "trialing" | "active" | "cancel_at_period_end" | "grace_period" | "past_due" | "expired" | "canceled";
  };
  "POST /v1/operator/accounts/{wallet}/reinstate": {
    reason?: string;
  };
  "POST /v1/operator/accounts/{wallet}/suspend": {
    reason?: string;
  };
  "POST /v1/operator/accounts/{wallet}/tokens": {
    reason?: string;
    ttlSeconds?: number;
  };
  "POST /v1/operator/claims/{claimId}": {
    decision: "pay" | "refuse";
    reason?: string;
  };
  "POST /v1/operator/connections": {
    apiKey?: string;
    comfyui?: {
      baseUrl: string;
      models?: string[];
      modelsDir?: string;
    };
    images?: {
      baseUrl: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      protocol?: "openai-images" | "sdcpp";
    };
    llm?: {
      baseUrl: string;
      extraParams?: string[];
      models?: ({
        contextLength?: number;
        coveredByPlans?: boolean;
        id: string;
        pricePerMillionInput?: string;
        pricePerMillionOutput?: string;
        reasoning?: boolean;
        replaces?: string[];
        tools?: "auto" | "full" | "compact" | "none";
        upstreamId?: string;
        vision?: boolean;
      })[];
      protocol?: "openai" | "anthropic";
    };
    loraSource?: {
      baseUrl: string;
      host: string;
      site: "huggingface" | "civitai";
    };
    name?: string;
    reason?: string;
    vendor?: {
      adapter?: string;
      baseUrl: string;
      concurrency?: number;
      headers?: Record<string, string>;
      idempotencyHeader?: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      patienceSeconds?: number;
      protocol?: "openai-images" | "queue";
      timeoutSeconds?: number;
    };
  };
  "POST /v1/operator/connections/test": {
    apiKey?: string;
    comfyui?: {
      baseUrl: string;
      models?: string[];
      modelsDir?: string;
    };
    connectionId?: string;
    images?: {
      baseUrl: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      protocol?: "openai-images" | "sdcpp";
    };
    llm?: {
      baseUrl: string;
      extraParams?: string[];
      models?: ({
        contextLength?: number;
        coveredByPlans?: boolean;
        id: string;
        pricePerMillionInput?: string;
        pricePerMillionOutput?: string;
        reasoning?: boolean;
        replaces?: string[];
        tools?: "auto" | "full" | "compact" | "none";
        upstreamId?: string;
        vision?: boolean;
      })[];
      protocol?: "openai" | "anthropic";
    };
    loraSource?: {
      baseUrl: string;
      host: string;
      site: "huggingface" | "civitai";
    };
    vendor?: {
      adapter?: string;
      baseUrl: string;
      concurrency?: number;
      headers?: Record<string, string>;
      idempotencyHeader?: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      patienceSeconds?: number;
      protocol?: "openai-images" | "queue";
      timeoutSeconds?: number;
    };
  };
  "PATCH /v1/operator/connections/{id}": {
    apiKey?: string;
    comfyui?: {
      baseUrl: string;
      models?: string[];
      modelsDir?: string;
    };
    images?: {
      baseUrl: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      protocol?: "openai-images" | "sdcpp";
    };
    llm?: {
      baseUrl: string;
      extraParams?: string[];
      models?: ({
        contextLength?: number;
        coveredByPlans?: boolean;
        id: string;
        pricePerMillionInput?: string;
        pricePerMillionOutput?: string;
        reasoning?: boolean;
        replaces?: string[];
        tools?: "auto" | "full" | "compact" | "none";
        upstreamId?: string;
        vision?: boolean;
      })[];
      protocol?: "openai" | "anthropic";
    };
    loraSource?: {
      baseUrl: string;
      host: string;
      site: "huggingface" | "civitai";
    };
    name?: string;
    reason?: string;
    vendor?: {
      adapter?: string;
      baseUrl: string;
      concurrency?: number;
      headers?: Record<string, string>;
      idempotencyHeader?: string;
      models: {
        id: string;
        upstreamId?: string;
      }[];
      patienceSeconds?: number;
      protocol?: "openai-images" | "queue";
      timeoutSeconds?: number;
    };
  };
  "POST /v1/operator/filter-reviews/{id}": {
    note?: string;
    verdict: "upheld" | "overturned";
  };
  "POST /v1/operator/graphs": {
    connectionId?: string;
    name: string;
    reason?: string;
    set?: Record<string, string>;
    title?: string;
    tool?: string;
    workflow: Record<string, unknown>;
  };
  "POST /v1/operator/graphs/inspect": {
    connectionId?: string;
    name?: string;
    set?: Record<string, string>;
    title?: string;
    tool?: string;
    workflow: Record<string, unknown>;
  };
  "PUT /v1/operator/graphs/{name}": {
    connectionId?: string;
    reason?: string;
    set?: Record<string, string>;
    title?: string;
    tool?: string;
    workflow: Record<string, unknown>;
  };
  "POST /v1/operator/keys/revoke": {
    apiKey: string;
    reason?: string;
  };
  "POST /v1/operator/loras/{id}/review": {
    reason?: string;
    release?: boolean;
  };
  "POST /v1/operator/loras/{id}/revoke": {
    reason?: string;
  };
  "POST /v1/operator/models/{name}/pull": {
    connectionId?: string;
    reason?: string;
  };
  "POST /v1/operator/templates": {
    reason?: string;
    replaces?: string;
    template: Record<string, unknown>;
  };
  "POST /v1/operator/unresolved/{jobId}/resolve": {
    reason?: string;
  };
  "POST /v1/operator/workers/{id}/drain": {
    draining: boolean;
    reason?: string;
  };
  "PUT /v1/presets/{kind}/{name}": {
    value: string;
  };
  "POST /v1/replay/records": {
    account_id?: string | null;
    asset_ids?: (string | null)[] | null;
    audit_results?: unknown[] | null;
    endedAt?: number | null;
    final_response?: string | null;
    job_ids?: (string | null)[] | null;
    model_id?: string | null;
    outcome?: {
      error_code?: unknown;
      error_message?: string | null;
      llm_calls?: unknown[] | null;
      status?: string | null;
    };
    redacted?: boolean | null;
    rounds?: ({
      assistant_message?: unknown;
      round?: number | null;
      tool_calls?: ({
        arguments?: unknown;
        cost_class?: unknown;
        id?: string | null;
        name?: string | null;
        risk_level?: unknown;
      })[] | null;
      tool_results?: ({
        error_type?: string | null;
        ok?: boolean | null;
        payload?: unknown;
      })[] | null;
    })[] | null;
    run_id: string | null;
    runtime_config?: Record<string, unknown> | null;
    schemaVersion?: number | null;
    schema_version?: number | null;
    session_id?: string | null;
    startedAt?: number | null;
    tool_schemas?: unknown[] | null;
    total_cost?: {
      byTool?: Record<string, unknown> | null;
      totalRenderSeconds?: number | null;
      totalSpark?: number | null;
      totalUsd?: number | null;
    };
    user_request?: string | null;
  };
  "POST /v1/responses": {
    app_source?: string;
    background?: boolean;
    conversation?: unknown;
    input: unknown;
    instructions?: string;
    max_output_tokens?: number;
    metadata?: Record<string, string>;
    model?: string;
    parallel_tool_calls?: boolean;
    previous_response_id?: string;
    prompt?: unknown;
    reasoning?: {
      effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
      summary?: string;
    };
    store?: boolean;
    stream?: boolean;
    temperature?: number;
    text?: {
      format?: unknown;
      verbosity?: "low" | "medium" | "high";
    };
    tool_choice?: unknown;
    tools?: unknown;
    top_p?: number;
    truncation?: "auto" | "disabled";
    user?: string;
  };
  "POST /v1/videos/{id}/remix": {
    app_source?: string;
    prompt: string;
  };
  "POST /v1/webhooks": {
    events: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
    url: string;
  };
  "PATCH /v1/webhooks/{id}": {
    events?: ("*" | "workflow.waiting" | "workflow.completed" | "workflow.failed" | "workflow.cancelled" | "run.waiting" | "run.completed" | "run.failed" | "run.cancelled" | "lora.ready" | "lora.rejected" | "balance.credited" | "balance.low")[];
    status?: "enabled" | "disabled";
    url?: string;
  };
  "POST /v1/worker/sessions": {
    capacity?: number;
    fallback?: boolean;
    gpu?: string;
    models: string[];
    name: string;
    network: "fast" | "relaxed";
    nftTokenId?: string;
    version?: string;
  };
  "POST /v1/worker/sessions/{workerId}/claim": {
    waitSeconds?: number;
  };
  "POST /v1/worker/sessions/{workerId}/heartbeat": {
    loadedModels?: string[];
    machine?: {
      diskFreeBytes?: number;
      diskTotalBytes?: number;
      gpus?: {
        memoryFreeBytes?: number;
        memoryTotalBytes?: number;
        name?: string;
        powerWatts?: number;
        temperatureCelsius?: number;
      }[];
      renderer?: string;
    };
    models?: string[];
    unavailable?: string;
  };
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/complete": {
    artifacts: {
      contentType?: string;
      data?: string;
      durationSeconds?: number;
      height?: number;
      id: string;
      metadata?: Record<string, unknown>;
      seed?: number;
      width?: number;
    }[];
    claimNext?: boolean;
    metrics?: {
      modelSwitchSeconds?: number;
      primingSeconds?: number;
      renderSeconds?: number;
    };
  };
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/fail": {
    code: "error" | "lora_mismatch" | "content_filtered" | "out_of_memory" | "dropped" | "worker_unavailable" | "unknown";
    message?: string;
    retryable?: boolean;
  };
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/progress": {
    message?: string;
    progress: number;
    receipt?: string;
  };
}

/** The data that each endpoint answers with. */
export interface Answers {
  "GET /.well-known/oauth-protected-resource": ProtectedResource;
  "GET /.well-known/oauth-protected-resource/mcp": ProtectedResource;
  "GET /healthz": ApiHealth;
  "GET /openapi.json": unknown;
  "GET /readyz": ApiHealth;
  "GET /replicate/v1/account": PredictionAccount;
  "GET /replicate/v1/collections": {
    next: string | null;
    previous: string | null;
    results: Collection[];
  };
  "GET /replicate/v1/collections/{slug}": Collection;
  "GET /replicate/v1/deployments": {
    next: string | null;
    previous: string | null;
    results: Empty[];
  };
  "GET /replicate/v1/files": {
    next: string | null;
    previous: string | null;
    results: File[];
  };
  "POST /replicate/v1/files": File;
  "GET /replicate/v1/files/{id}": File;
  "GET /replicate/v1/hardware": Hardware[];
  "GET /replicate/v1/models": {
    next: string | null;
    previous: string | null;
    results: Model[];
  };
  "GET /replicate/v1/models/{owner}/{name}": Model | null;
  "POST /replicate/v1/models/{owner}/{name}/predictions": Prediction | null;
  "GET /replicate/v1/models/{owner}/{name}/versions": {
    next: string | null;
    previous: string | null;
    results: Version[];
  };
  "GET /replicate/v1/models/{owner}/{name}/versions/{version}": Version;
  "GET /replicate/v1/predictions": {
    next: string | null;
    previous: string | null;
    results: Prediction[];
  };
  "POST /replicate/v1/predictions": Prediction | null;
  "GET /replicate/v1/predictions/{id}": Prediction | null;
  "POST /replicate/v1/predictions/{id}/cancel": Prediction | null;
  "GET /replicate/v1/webhooks/default/secret": Secret;
  "GET /sdapi/v1/cmd-flags": Flags;
  "GET /sdapi/v1/embeddings": Embeddings;
  "POST /sdapi/v1/extra-batch-images": ExtraReplies | null;
  "POST /sdapi/v1/extra-single-image": ExtraReply | null;
  "GET /sdapi/v1/hypernetworks": Named[];
  "POST /sdapi/v1/img2img": Reply | null;
  "POST /sdapi/v1/interrupt": Empty;
  "GET /sdapi/v1/latent-upscale-modes": Named[];
  "GET /sdapi/v1/loras": SdapiLora[];
  "GET /sdapi/v1/memory": Memory;
  "GET /sdapi/v1/options": Options;
  "POST /sdapi/v1/options": Empty | null;
  "POST /sdapi/v1/png-info": PictureInfo;
  "GET /sdapi/v1/progress": Progress;
  "GET /sdapi/v1/prompt-styles": Named[];
  "GET /sdapi/v1/samplers": Sampler[];
  "GET /sdapi/v1/schedulers": Scheduler[];
  "GET /sdapi/v1/scripts": Scripts;
  "GET /sdapi/v1/sd-models": Checkpoint[];
  "GET /sdapi/v1/sd-modules": Named[];
  "GET /sdapi/v1/sd-vae": Named[];
  "POST /sdapi/v1/skip": Empty;
  "POST /sdapi/v1/txt2img": Reply | null;
  "GET /sdapi/v1/upscalers": Upscaler[];
  "GET /v1/account/actions": AccountActions;
  "DELETE /v1/account/invitations/{id}": WithdrawnInvitation;
  "GET /v1/account/keys": APIKeys;
  "POST /v1/account/keys": APIKeyReply;
  "DELETE /v1/account/keys/{id}": RevokedAPIKey;
  "PATCH /v1/account/keys/{id}": APIKeyReply;
  "GET /v1/account/ledger": Ledger;
  "GET /v1/account/members": Members;
  "POST /v1/account/members": InvitationReply;
  "DELETE /v1/account/members/{id}": RemovedMember;
  "PATCH /v1/account/members/{id}": MemberReply;
  "DELETE /v1/account/sessions": EndedCredentials;
  "GET /v1/account/sessions": Sessions;
  "DELETE /v1/account/sessions/{id}": EndedSession;
  "POST /v1/account/tokens": SessionTokenReply;
  "GET /v1/account/usage": UsageParts;
  "GET /v1/account/usage/keys": UsageKeys;
  "GET /v1/analytics/chart/daily/events/query": EventChartReply;
  "GET /v1/analytics/chart/daily/model-use/query": ModelChartReply;
  "GET /v1/analytics/day": DayAnalyticsReply;
  "GET /v1/analytics/day/nft/{nftTokenId}": DayAnalyticsReply;
  "GET /v1/analytics/day/nfts": NftsDayReply;
  "GET /v1/analytics/lifetime": Record<string, string>;
  "GET /v1/analytics/lifetime/nft/{nftTokenId}": Record<string, string>;
  "GET /v1/analytics/model-use/lifetime": LifetimeModelsReply;
  "GET /v1/artifacts": LibraryPage;
  "GET /v1/artifacts/days": LibraryDays;
  "POST /v1/artifacts/delete": DeletedArtifacts;
  "DELETE /v1/artifacts/{id}": Empty;
  "GET /v1/artifacts/{id}": LibraryArtifactReply;
  "PATCH /v1/artifacts/{id}": MarkedItemReply;
  "GET /v1/assets": AssetsReply;
  "GET /v1/assets/capabilities": AssetCapabilities;
  "POST /v1/assets/prepare": PreparedAsset;
  "DELETE /v1/assets/{id}": Empty;
  "PATCH /v1/assets/{id}": MarkedItemReply;
  "POST /v1/assets/{id}/bind": Bound;
  "POST /v1/assets/{id}/finalize": AssetRecord;
  "POST /v1/audio/transcriptions": Transcript | null;
  "POST /v1/audio/translations": Transcript | null;
  "POST /v1/chat/completions": CompletionReply | null;
  "GET /v1/chat/conversations": Conversations;
  "DELETE /v1/chat/conversations/{sessionId}": DeletedConversation;
  "GET /v1/chat/conversations/{sessionId}": ConversationReply;
  "PATCH /v1/chat/conversations/{sessionId}": RenamedConversation;
  "POST /v1/chat/runs": RunReply;
  "GET /v1/chat/runs/{id}": RunReply;
  "POST /v1/chat/runs/{id}/cancel": CancelledRunReply;
  "POST /v1/chat/runs/{id}/confirm-cost": RunReply;
  "GET /v1/chat/runs/{id}/events": RunEvents;
  "POST /v1/completions": TextReply | null;
  "GET /v1/console/providers": ProvidersReply;
  "DELETE /v1/console/session": SignedOut;
  "GET /v1/console/session": SessionReply;
  "PATCH /v1/console/session": SessionReply;
  "POST /v1/console/sessions": SessionReply;
  "POST /v1/creative-agent/tools/execute": Executed;
  "GET /v1/creative-agent/workflows": Workflows;
  "POST /v1/creative-agent/workflows": WorkflowReply;
  "GET /v1/creative-agent/workflows/counts": WorkflowCounts;
  "POST /v1/creative-agent/workflows/estimate": EstimateReply;
  "GET /v1/creative-agent/workflows/summaries": WorkflowSummaries;
  "GET /v1/creative-agent/workflows/templates": TemplatesReply;
  "POST /v1/creative-agent/workflows/templates": TemplateReply;
  "POST /v1/creative-agent/workflows/templates/validate": TemplateValidation;
  "DELETE /v1/creative-agent/workflows/templates/{id}": DeletedTemplate;
  "GET /v1/creative-agent/workflows/templates/{id}": TemplateReply;
  "PATCH /v1/creative-agent/workflows/templates/{id}": TemplateReply;
  "POST /v1/creative-agent/workflows/templates/{id}/fork": TemplateReply;
  "GET /v1/creative-agent/workflows/{id}": WorkflowReply;
  "POST /v1/creative-agent/workflows/{id}/cancel": CancelledWorkflow;
  "POST /v1/creative-agent/workflows/{id}/confirm-cost": ConfirmedWorkflow;
  "GET /v1/creative-agent/workflows/{id}/events": WorkflowEvents;
  "POST /v1/creative-agent/workflows/{id}/reseed": ReseededWorkflow;
  "POST /v1/creative-agent/workflows/{id}/resume": ResumedWorkflow;
  "POST /v1/creative-agent/workflows/{id}/steps/{stepId}/remake": WorkflowReply;
  "POST /v1/embeddings": EmbeddingReply;
  "GET /v1/files": SavedFile[];
  "POST /v1/files": SavedFile;
  "DELETE /v1/files/{id}": OpenaiDeleted;
  "GET /v1/files/{id}": SavedFile;
  "POST /v1/images/edits": ImageReply | null;
  "POST /v1/images/generations": ImageReply | null;
  "POST /v1/images/variations": ImageReply | null;
  "POST /v1/invitations/accept": AcceptedInvitation;
  "GET /v1/library/boards": Boards;
  "POST /v1/library/boards": BoardReply;
  "DELETE /v1/library/boards/{id}": DeletedBoard;
  "PATCH /v1/library/boards/{id}": BoardReply;
  "PUT /v1/library/boards/{id}/workflows/{workflowId}": WorkflowOnBoard;
  "POST /v1/library/marks": MarkedItems;
  "GET /v1/library/tags": LibraryTags;
  "GET /v1/loras/comfy": PublicLorasReply;
  "GET /v1/loras/personal": LoraLibrary;
  "POST /v1/loras/personal": PersonalLora;
  "GET /v1/loras/personal/catalog": PersonalCatalogReply;
  "POST /v1/loras/personal/upload": PersonalLora;
  "DELETE /v1/loras/personal/{id}": Empty;
  "GET /v1/loras/personal/{id}": PersonalLora;
  "POST /v1/messages": Message | null;
  "POST /v1/messages/count_tokens": TokenCount;
  "GET /v1/model-catalog": CatalogReply;
  "GET /v1/model-catalog/{modelId}": CatalogModelReply;
  "GET /v1/model-demand": DemandReply;
  "GET /v1/model-gallery": GalleryReply;
  "GET /v1/model-gallery/{modelId}": ModelGalleryReply;
  "GET /v1/model-renders/user-stats": UserStatsReply;
  "GET /v1/models": ModelList;
  "GET /v1/models/{model_id}": ModelRecord;
  "POST /v1/moderations": Moderation;
  "GET /v1/network": Network;
  "GET /v1/operator/accounts": Accounts;
  "POST /v1/operator/accounts": OpenedAccount;
  "GET /v1/operator/accounts/{wallet}": AccountDetail;
  "POST /v1/operator/accounts/{wallet}/claim": ClaimReply;
  "POST /v1/operator/accounts/{wallet}/credit": AccountReply;
  "DELETE /v1/operator/accounts/{wallet}/keys": RevokedKeys;
  "GET /v1/operator/accounts/{wallet}/keys": OperatorKeys;
  "POST /v1/operator/accounts/{wallet}/keys": NewKeyReply;
  "DELETE /v1/operator/accounts/{wallet}/keys/{id}": RevokedKey;
  "PUT /v1/operator/accounts/{wallet}/keys/{id}/limits": OperatorKeyReply;
  "GET /v1/operator/accounts/{wallet}/members": Members;
  "POST /v1/operator/accounts/{wallet}/members": InvitationReply;
  "DELETE /v1/operator/accounts/{wallet}/members/{id}": RemovedMember;
  "PATCH /v1/operator/accounts/{wallet}/members/{id}": MemberReply;
  "DELETE /v1/operator/accounts/{wallet}/nfts/{nftTokenId}": AccountReply;
  "PUT /v1/operator/accounts/{wallet}/nfts/{nftTokenId}": AddedNFT;
  "PUT /v1/operator/accounts/{wallet}/operator": AccountReply;
  "PUT /v1/operator/accounts/{wallet}/plan": AccountReply;
  "POST /v1/operator/accounts/{wallet}/reinstate": Reinstatement;
  "POST /v1/operator/accounts/{wallet}/suspend": Suspension;
  "POST /v1/operator/accounts/{wallet}/tokens": SessionTokenReply;
  "GET /v1/operator/actions": Actions;
  "GET /v1/operator/claims": Claims;
  "POST /v1/operator/claims/{claimId}": ClaimReply;
  "GET /v1/operator/connections": Connections;
  "POST /v1/operator/connections": ConnectionReply;
  "POST /v1/operator/connections/discover": FoundServers;
  "POST /v1/operator/connections/test": ConnectionTest;
  "DELETE /v1/operator/connections/{id}": ConnectionReply;
  "GET /v1/operator/connections/{id}": ConnectionReply;
  "PATCH /v1/operator/connections/{id}": ConnectionReply;
  "POST /v1/operator/connections/{id}/test": ConnectionTest;
  "GET /v1/operator/failures": Failures;
  "GET /v1/operator/filter-reviews": FilterReviews;
  "POST /v1/operator/filter-reviews/{id}": FilterReviewReply;
  "GET /v1/operator/graphs": Graphs;
  "POST /v1/operator/graphs": GraphReply;
  "POST /v1/operator/graphs/inspect": GraphInspectionReply;
  "DELETE /v1/operator/graphs/{name}": GraphReply;
  "GET /v1/operator/graphs/{name}": GraphWithFiles;
  "PUT /v1/operator/graphs/{name}": GraphReply;
  "GET /v1/operator/health": HealthReply;
  "GET /v1/operator/history": HistoryReply;
  "GET /v1/operator/jobs": OperatorJobs;
  "GET /v1/operator/jobs/{id}": OperatorJobReply;
  "POST /v1/operator/keys/revoke": RevokedKey;
  "GET /v1/operator/loras": OperatorLoras;
  "GET /v1/operator/loras/{id}": OperatorLoraReply;
  "POST /v1/operator/loras/{id}/review": OperatorLoraReply;
  "POST /v1/operator/loras/{id}/revoke": OperatorLoraReply;
  "DELETE /v1/operator/models/{name}/pull": PullReply;
  "GET /v1/operator/models/{name}/pull": ModelFolders;
  "POST /v1/operator/models/{name}/pull": PullReply;
  "GET /v1/operator/search": SearchResults;
  "GET /v1/operator/spot-checks": SpotChecks;
  "POST /v1/operator/templates": PublishedTemplateReply;
  "DELETE /v1/operator/templates/{id}": WithdrawnTemplate;
  "GET /v1/operator/unresolved": UnresolvedJobs;
  "POST /v1/operator/unresolved/{jobId}/resolve": UnresolvedReply;
  "GET /v1/operator/workers": OperatorWorkers;
  "GET /v1/operator/workers/{id}": OperatorWorkerDetailReply;
  "POST /v1/operator/workers/{id}/drain": OperatorWorkerReply;
  "GET /v1/operator/workers/{id}/history": WorkerHistoryReply;
  "GET /v1/presets": Presets;
  "DELETE /v1/presets/{kind}/{name}": DeletedPreset;
  "PUT /v1/presets/{kind}/{name}": PresetReply;
  "GET /v1/replay/records": ReplaysReply;
  "POST /v1/replay/records": WrittenRecord;
  "GET /v1/replay/records/{id}": ReplayReply;
  "POST /v1/responses": Response | null;
  "DELETE /v1/responses/{id}": Deleted;
  "GET /v1/responses/{id}": Response | null;
  "POST /v1/responses/{id}/cancel": Response | null;
  "GET /v1/responses/{id}/input_items": ItemList;
  "GET /v1/subscriptions/plans": PlansReply;
  "GET /v1/subscriptions/status": SubscriptionReply;
  "GET /v1/subscriptions/usage": UsageReply;
  "GET /v1/subscriptions/usage/history": UsageHistory;
  "GET /v1/subscriptions/worker/earnings": Earnings;
  "POST /v1/subscriptions/worker/earnings/claim": NewClaimReply;
  "GET /v1/tools": ToolsReply;
  "GET /v1/tools/{name}": ToolReply;
  "GET /v1/videos": Video[];
  "POST /v1/videos": Video;
  "DELETE /v1/videos/{id}": OpenaiDeleted;
  "GET /v1/videos/{id}": Video;
  "POST /v1/videos/{id}/remix": Video;
  "GET /v1/webhooks": Webhooks;
  "POST /v1/webhooks": WebhookReply;
  "DELETE /v1/webhooks/{id}": DeletedWebhook;
  "GET /v1/webhooks/{id}": WebhookReply;
  "PATCH /v1/webhooks/{id}": WebhookReply;
  "GET /v1/webhooks/{id}/deliveries": WebhookDeliveries;
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": WebhookDeliveryReply;
  "POST /v1/webhooks/{id}/rotate-secret": WebhookReply;
  "POST /v1/webhooks/{id}/test": WebhookDeliveryReply;
  "GET /v1/worker/releases": ReleasesReply;
  "POST /v1/worker/sessions": WorkerSessionReply;
  "DELETE /v1/worker/sessions/{workerId}": Empty;
  "POST /v1/worker/sessions/{workerId}/claim": ClaimedJob;
  "POST /v1/worker/sessions/{workerId}/heartbeat": HeartbeatReply;
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/complete": ClaimedJob;
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/fail": Empty;
  "POST /v1/worker/sessions/{workerId}/jobs/{jobId}/progress": ProgressReply;
  "GET /v2/account/me": Profile;
  "GET /v2/image/downloadUrl": DownloadReply;
  "GET /v2/image/uploadUrl": UploadForm;
  "GET /v2/media/downloadUrl": DownloadReply;
  "GET /v2/media/uploadUrl": UploadForm;
  "GET /v2/projects/{id}": ProjectReply;
  "GET /v2/wallet/balance": Balances;
  "GET /v4/account/balance": Balance;
}
