package config

import (
	"net/netip"
	"time"

	"github.com/atelier-project/atelier"
)

// Config is everything an operator can set.
type Config struct {
	Listen            string            `yaml:"listen" doc:"Address and port to serve on."`
	PublicURL         string            `yaml:"public_url" doc:"How clients reach this service. Default: http:// and the listen address."`
	DataDir           string            `yaml:"data_dir" doc:"Directory of the SQLite database, media and the session secret."`
	DatabaseURL       string            `yaml:"database_url" doc:"Empty: SQLite in data_dir. A postgres:// URL for many nodes."`
	DatabaseReplica   string            `yaml:"database_replica_url" doc:"A standby of the PostgreSQL of database_url. Charts, analytics and histories are read from it while it is close behind; everything else, and all of it otherwise, from database_url. Empty: none."`
	ReplicaLag        time.Duration     `yaml:"database_replica_lag" doc:"How far behind database_replica_url may be."`
	NATSURL           string            `yaml:"nats_url" doc:"nats://a,nats://b for many nodes. Empty: nodes that share a PostgreSQL notify each other through it."`
	StorageURL        string            `yaml:"storage_url" doc:"Empty: files in data_dir. s3://bucket?endpoint=http://host:port&region=r&path_style=true for S3."`
	CatalogDir        string            `yaml:"catalog_dir" doc:"A directory of catalog files that add to or change the built-in ones."`
	GraphsDir         string            `yaml:"graphs_dir" doc:"A directory of graphs for ComfyUI that add to or change the built-in ones, for the ComfyUI servers that are connected to the service."`
	AllowPrivateMedia bool              `yaml:"allow_private_media" doc:"Whether media and webhook URLs may point at private or loopback addresses."`
	TrustedProxies    []Network         `yaml:"trusted_proxies" doc:"Addresses or networks whose X-Forwarded-For header is trusted."`
	SessionSecret     string            `yaml:"session_secret" secret:"true" doc:"Signs session tokens. Empty: created in data_dir. With many nodes it must be set, to the same value on each. To change it, list several, separated by commas: the first signs, all are accepted."`
	ShutdownGrace     time.Duration     `yaml:"shutdown_grace" doc:"How long requests may take to finish after SIGTERM."`
	ShutdownDelay     time.Duration     `yaml:"shutdown_delay" doc:"How long the node keeps serving after SIGTERM while /readyz already fails, so that a load balancer can stop sending requests."`
	LogLevel          string            `yaml:"log_level" doc:"debug, info, warn or error."`
	LogFormat         string            `yaml:"log_format" doc:"text or json."`
	Metrics           Metrics           `yaml:"metrics"`
	SignIn            SignIn            `yaml:"sign_in"`
	LLM               LLM               `yaml:"llm"`
	Filter            Filter            `yaml:"filter"`
	Workers           Workers           `yaml:"workers"`
	Vendors           []Vendor          `yaml:"vendors" doc:"Vendor backends for Premium Spark models: docs/guides/vendors.md."`
	ModelAliases      map[string]string `yaml:"model_aliases" doc:"Names that clients of OpenAI's API send for models of pictures and speech, and the model of the catalog that each means, such as {gpt-image-1: z-turbo}. Empty: the default of the tool, which the usual names of OpenAI mean without being listed."`
	MCP               MCP               `yaml:"mcp"`
	Lora              Lora              `yaml:"lora"`
	Earnings          Earnings          `yaml:"earnings"`
	Chains            Chains            `yaml:"chains"`
	Limits            Limits            `yaml:"limits"`
	Retention         Retention         `yaml:"retention"`
}

// Metrics says who may read the metrics for Prometheus.
type Metrics struct {
	Listen string `yaml:"listen" doc:"Address and port of a listener for /metrics alone, such as 127.0.0.1:9090; the other one then has none. Empty: /metrics is beside the API."`
	Token  string `yaml:"token" secret:"true" doc:"Readers of /metrics must send it as a bearer token. Empty: anyone may read them."`

	LedgerInterval time.Duration `yaml:"ledger_interval" doc:"How often a node verifies the ledger, for atelier_ledger_differences. The first time is a quarter of an hour after its start, or earlier if this is shorter."`
}

// LLM says which language models are offered.
type LLM struct {
	Builtin      bool       `yaml:"builtin" doc:"Whether the built-in offline model is offered."`
	DefaultModel string     `yaml:"default_model" doc:"Empty: the first upstream model, else the built-in one."`
	Upstreams    []Upstream `yaml:"upstreams" doc:"OpenAI-compatible servers: vLLM, llama.cpp, Ollama, a vendor."`
}

// Upstream is one OpenAI-compatible server.
type Upstream struct {
	Name        string          `yaml:"name" doc:"Its name in logs and metrics."`
	Kind        string          `yaml:"kind" doc:"What it speaks: openai (the default; as vLLM, llama.cpp, Ollama and most vendors do) or anthropic."`
	BaseURL     string          `yaml:"base_url" doc:"Such as http://127.0.0.1:9000/v1."`
	APIKey      string          `yaml:"api_key" secret:"true" doc:"Sent as the protocol wants it, when set."`
	ExtraParams []string        `yaml:"extra_params" doc:"Request fields passed on in addition to those of the specification and the usual sampling ones, such as [guided_choice]. Callers can set them to any value: check what they cost or select before you list them."`
	Models      []UpstreamModel `yaml:"models" doc:"The models it serves."`
}

// UpstreamModel is one model of an upstream.
type UpstreamModel struct {
	ID             string        `yaml:"id" doc:"The id that clients use."`
	UpstreamID     string        `yaml:"upstream_id" doc:"The model's id on the upstream server, when it differs."`
	ContextLength  int           `yaml:"context_length" doc:"Its full context in tokens. When omitted: the length that the server reports (vLLM, llama.cpp, Ollama), else the catalog's, else 32768. When the server reports less than is set here, its number is used and the log has a warning."`
	Reasoning      bool          `yaml:"reasoning" doc:"Whether it can think before it answers."`
	Vision         bool          `yaml:"vision" doc:"Whether it takes images."`
	Tools          string        `yaml:"tools" doc:"How hosted tools are described to it: auto (depends on its context length), full, compact or none."`
	PricePerMInput atelier.Money `yaml:"price_per_million_input" doc:"USD for a million input tokens."`
	PricePerMOut   atelier.Money `yaml:"price_per_million_output" doc:"USD for a million output tokens."`
	CoveredByPlans *bool         `yaml:"covered_by_plans" doc:"Whether plans cover it, within their fair use. Otherwise the balance pays. Default: false for a model with a price on a server with an api_key, else true."`
	Replaces       []string      `yaml:"replaces" doc:"Retired ids that now mean this model."`
}

// Covers reports whether plans cover a model of the server.
func (u Upstream) Covers(m UpstreamModel) bool {
	if m.CoveredByPlans != nil {
		return *m.CoveredByPlans
	}
	return u.APIKey == "" || (m.PricePerMInput == 0 && m.PricePerMOut == 0)
}

// Filter configures the moderation server, which is used besides the built-in lexicon.
type Filter struct {
	ModerationURL     string        `yaml:"moderation_url" doc:"An OpenAI-compatible server whose /moderations endpoint is used as well, such as http://127.0.0.1:9000/v1. Empty: only the built-in lexicon."`
	ModerationKey     string        `yaml:"moderation_key" secret:"true" doc:"Sent as a bearer token when set."`
	ModerationModel   string        `yaml:"moderation_model" doc:"The moderation model, when the server requires one."`
	ModerationTimeout time.Duration `yaml:"moderation_timeout" doc:"How long to wait for it."`
}

// Workers configures rendering.
type Workers struct {
	Embedded        bool          `yaml:"embedded" doc:"Whether a CPU worker runs inside the server process. It is a fallback worker: workers.fallback says when it gets a job."`
	NoWorkerTimeout time.Duration `yaml:"no_worker_timeout" doc:"A queued job whose model no connected worker offers fails after this time, and its hold is released. 0s: never."`
	Fallback        string        `yaml:"fallback" doc:"auto: fallback workers, such as the CPU worker, render a model that no other connected worker offers, and that none has offered within no_worker_timeout (10m if that is 0s). never: they get only jobs of tools that need no model, which every worker does equally well."`
	FallbackAfter   time.Duration `yaml:"fallback_after" doc:"A queued job goes to a fallback worker after this time although other workers offer its model, if none of them completed a job of it meanwhile. Choose it longer than a render takes. 0s: never."`
	RenderTimeout   time.Duration `yaml:"render_timeout" doc:"The longest time that a render may take, even while its worker reports progress."`
	EmbeddedPace    time.Duration `yaml:"embedded_pace" doc:"Minimum time of an embedded render. Makes progress visible in a demo."`
	Lease           time.Duration `yaml:"lease" doc:"A worker that does not report for this long loses its job."`
	EmbedSettings   bool          `yaml:"embed_settings" doc:"Whether workers write into pictures, clips and recordings what they were made with: tool, model, prompt, seed and other arguments. Addresses, and what belongs to one account, are left out."`

	SpotCheckPercent float64  `yaml:"spot_check_percent" doc:"How many of the pictures that workers are paid for are made again by workers of the accounts of spot_check_by and compared. The account atelier-embedded pays for it. 0: none."`
	SpotCheckBy      []string `yaml:"spot_check_by" doc:"The accounts that you trust to make pictures again, by wallet or username. Their own renders are not checked."`
	SpotCheckAction  string   `yaml:"spot_check_action" doc:"What happens when a worker has made something else than two of those have. report: operators see it, and claims of its account wait for one. drain: its account's connected workers get no more jobs, too."`
}

// Whether fallback workers render models.
const (
	FallbackAuto  = "auto"
	FallbackNever = "never"
)

// The actions after a spot check.
const (
	SpotCheckReport = "report"
	SpotCheckDrain  = "drain"
)

// Earnings says which claims of workers wait for an operator.
type Earnings struct {
	ReviewAboveUSD         atelier.Money `yaml:"review_above_usd" doc:"A claim that is worth more dollars than this waits for an operator. 0: none does because of its size."`
	ReviewOddFromUSD       atelier.Money `yaml:"review_odd_from_usd" doc:"A claim that is worth this many dollars or more waits for an operator if it is odd, as the next two keys say."`
	ReviewRequesterPercent int           `yaml:"review_requester_percent" doc:"It is odd if one account asked for at least this much of it. 0: never."`
	ReviewSpeed            int           `yaml:"review_speed" doc:"It is odd if the renders of a model ended this many times sooner than those of other workers, by their price. 0: never."`
}

// Lora says where LoRA files come from.
type Lora struct {
	Sources []LoraSource `yaml:"sources" doc:"Link hosts, and the server that each is fetched from (a mirror, a test server)."`
}

// LoraSource is one hosting site.
type LoraSource struct {
	Kind    string `yaml:"kind" doc:"huggingface or civitai."`
	Host    string `yaml:"host" doc:"The host of links."`
	BaseURL string `yaml:"base_url" doc:"The server that files are fetched from."`
}

// Chains are the chains that wallet balances are read from.
type Chains struct {
	Base      Chain `yaml:"base"`
	Etherlink Chain `yaml:"etherlink"`
}

// Chain is one EVM chain: a JSON-RPC node and the contracts of the tokens.
type Chain struct {
	RPCURL string `yaml:"rpc_url" doc:"EVM JSON-RPC node."`
	Svc    string `yaml:"svc" doc:"Contract of the svc token."`
	Spark  string `yaml:"spark" doc:"Contract of the spark token."`
}

// Limits are the limits of an account or client.
type Limits struct {
	ActiveWorkflows          int           `yaml:"active_workflows" doc:"Workflows queued or running, per account."`
	WorkflowStartsPerMinute  int           `yaml:"workflow_starts_per_minute" doc:"Per account."`
	ChatRunStartsPerMinute   int           `yaml:"chat_run_starts_per_minute" doc:"Per account."`
	ConfirmsPerMinute        int           `yaml:"confirms_per_minute" doc:"Cost decisions, per account."`
	TemplatesPerAccount      int           `yaml:"templates_per_account" doc:"Templates an account may have."`
	TemplateBytes            int64         `yaml:"template_bytes" doc:"Size of one template."`
	TemplateChangesPerMinute int           `yaml:"template_changes_per_minute" doc:"Changes of templates and webhooks and writes of replay records, per account; as many changes of API keys and session tokens, per key and client address."`
	PublicReadsPerMinute     int           `yaml:"public_reads_per_minute" doc:"Per client address, shared by analytics, discovery and the sign-in of the console."`
	LLMRequestsPerMinute     int           `yaml:"llm_requests_per_minute" doc:"Chat completions and model reads, per account."`
	ToolExecutionsPerMinute  int           `yaml:"tool_executions_per_minute" doc:"Per account."`
	MediaURLsPerMinute       int           `yaml:"media_urls_per_minute" doc:"Per account."`
	AccountReadsPerMinute    int           `yaml:"account_reads_per_minute" doc:"Per account."`
	AuthFailuresPerMinute    int           `yaml:"auth_failures_per_minute" doc:"Per client address, then 429 for that client."`
	LoraReadsPerMinute       int           `yaml:"lora_reads_per_minute" doc:"Per account."`
	LoraImportsPerMinute     int           `yaml:"lora_imports_per_minute" doc:"Import attempts, per account."`
	LoraFileBytes            int64         `yaml:"lora_file_bytes" doc:"Size of one LoRA file."`
	AssetFileBytes           int64         `yaml:"asset_file_bytes" doc:"Size of one saved asset."`
	AssetEntries             int           `yaml:"asset_entries" doc:"Saved assets an account may have."`
	AssetLibraryBytes        int64         `yaml:"asset_library_bytes" doc:"Size of all saved assets of an account."`
	AssetCopyBytesPerDay     int64         `yaml:"asset_copy_bytes_per_day" doc:"Bytes of saved assets reused per UTC day and account."`
	AssetBindingsPerDay      int           `yaml:"asset_bindings_per_day" doc:"Reuses of saved assets per UTC day and account."`
	UploadBytes              int64         `yaml:"upload_bytes" doc:"Size of one upload."`
	CostPreviewTTL           time.Duration `yaml:"cost_preview_ttl" doc:"How long a cost preview can be confirmed."`
	UploadFormTTL            time.Duration `yaml:"upload_form_ttl" doc:"How long an upload form is valid."`
	DownloadTTL              time.Duration `yaml:"download_ttl" doc:"How long a download URL is valid."`
	AssetPutWindow           time.Duration `yaml:"asset_put_window" doc:"How long a saved asset can be put."`
	AssetFinalizeWindow      time.Duration `yaml:"asset_finalize_window" doc:"How long a saved asset can be finalized."`
	SSEHeartbeat             time.Duration `yaml:"sse_heartbeat" doc:"Time between heartbeats of a stream."`
	ActiveWorkflowsInAll     int           `yaml:"active_workflows_in_all" doc:"Workflows queued or running, of all accounts; more starts get 429."`
	WorkerSessions           int           `yaml:"worker_sessions" doc:"Workers connected at once, per account."`
	WorkerConnectsPerMinute  int           `yaml:"worker_connects_per_minute" doc:"Worker connects, per account."`
	UploadBytesPerDay        int64         `yaml:"upload_bytes_per_day" doc:"Bytes of all uploads per UTC day and account; then 429. With S3, an open form counts as upload_bytes until it closes."`
	UploadFormsPerDay        int           `yaml:"upload_forms_per_day" doc:"Upload forms per UTC day and account; then 429."`
	UploadMegapixels         int64         `yaml:"upload_megapixels_per_minute" doc:"Megapixels of uploaded pictures that are decoded, per account; then 429."`
	FreeSpaceBytes           int64         `yaml:"free_space_bytes" doc:"Free disk space below which nothing new is stored (503): no upload, import, start, template or replay record. It is that of the disks of this machine on which media or SQLite are."`
	UnusedUploadTTL          time.Duration `yaml:"unused_upload_ttl" doc:"How long an upload into a project is kept when no workflow and no chat run uses it."`
	PausedWorkflows          int           `yaml:"paused_workflows" doc:"Workflows paused, per account; more starts get 409."`
	StreamsPerAccount        int           `yaml:"streams_per_account" doc:"Event streams and chat completions open at once, per account and node; more get 429. The default suits a back end that serves a thousand people with one key. All accounts share three quarters of limits.connections: none gets more of it than is free, and the last quarter of that is for accounts with fewer than 16 open."`
	CompletionsPerAccount    int           `yaml:"completions_per_account" doc:"Of them, chat completions and calls of /mcp, which occupy a language model; more get 429."`
	Connections              int           `yaml:"connections" doc:"Client connections open at once, at most half of the process's limit of open files. One remote address gets at most a quarter of them."`
	NFTsPerAccount           int           `yaml:"nfts_per_account" doc:"An account that has this many NFTs gets no more by naming them when its workers connect, which is a 403. Operators may add others."`
	StoredBytesPerAccount    int64         `yaml:"stored_bytes_per_account" doc:"What the chat runs, workflows and sessions of an account take in the database, with their logs and jobs. When a start would exceed it, those that ended first are deleted; if too few are over, 409."`
	WebhooksPerAccount       int           `yaml:"webhooks_per_account" doc:"Webhooks an account may have."`
}

// Retention is how long what has ended is kept. Zero is for ever.
type Retention struct {
	Workflows         time.Duration `yaml:"workflows" doc:"How long a workflow is kept after it ended, with its steps, jobs, log and results. One with a result that is a favourite, has a tag or is on a board stays. 0s: for ever. Otherwise at least 720h, for which idempotency keys are remembered."`
	ChatRuns          time.Duration `yaml:"chat_runs" doc:"How long a chat run is kept after it ended, with its log; a conversation goes with its last run. What it has made stays. 0s: for ever. Otherwise at least 720h. The other keys are 0s or at least 24h."`
	Logs              time.Duration `yaml:"logs" doc:"How long the event log of a workflow or chat run is kept after it ended: after that, only its last event is. 0s: as long as the workflow or run."`
	Uploads           time.Duration `yaml:"uploads" doc:"How long an upload into a project is kept after a workflow was last started with it, unless a chat run refers to it. At least as long as workflows, which must be set too. 0s: for ever."`
	WebhookDeliveries time.Duration `yaml:"webhook_deliveries" doc:"How long a delivery stays in the log of its webhook after it ended. A webhook has its newest 1000 there at most. 0s: no other limit than that."`
	ReplayRecords     time.Duration `yaml:"replay_records" doc:"How long a replay record is kept after it was written last. 0s: for ever."`
	OperatorActions   time.Duration `yaml:"operator_actions" doc:"How long is kept what operators did, and accounts with their keys and sessions. 0s: for ever."`
	FilterRefusals    time.Duration `yaml:"filter_refusals" doc:"How long is kept what the content filter refused, for operators to judge. The newest 100 of each account are kept at most, and 10,000 in all. 0s: no other limit than that."`
}

// Network is an address or a network, as operators write them.
type Network struct{ netip.Prefix }

// UnmarshalText reads 10.0.0.0/8 or a single address.
func (n *Network) UnmarshalText(text []byte) error {
	if addr, err := netip.ParseAddr(string(text)); err == nil {
		n.Prefix = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	prefix, err := netip.ParsePrefix(string(text))
	n.Prefix = prefix.Masked()
	return err
}

// Default is the configuration without a file.
func Default() *Config {
	return &Config{
		Listen: "127.0.0.1:8080", DataDir: "./atelier-data", ShutdownGrace: 20 * time.Second,
		ReplicaLag: 10 * time.Second,
		LogLevel:   "info", LogFormat: "text",
		Metrics: Metrics{LedgerInterval: 24 * time.Hour},
		LLM:     LLM{Builtin: true},
		Filter:  Filter{ModerationTimeout: 5 * time.Second},
		Workers: Workers{Embedded: true, EmbedSettings: true, Fallback: FallbackAuto, NoWorkerTimeout: 10 * time.Minute, FallbackAfter: 30 * time.Minute, RenderTimeout: 30 * time.Minute, Lease: 15 * time.Second, SpotCheckAction: SpotCheckReport},
		Earnings: Earnings{
			ReviewAboveUSD: 50 * atelier.MoneyUnit, ReviewOddFromUSD: 5 * atelier.MoneyUnit, ReviewRequesterPercent: 80, ReviewSpeed: 4,
		},
		Lora: Lora{Sources: []LoraSource{
			{"huggingface", "huggingface.co", "https://huggingface.co"},
			{"civitai", "civitai.com", "https://civitai.com"},
		}},
		Limits: Limits{
			ActiveWorkflows: 10, PausedWorkflows: 1000, StreamsPerAccount: 2000, CompletionsPerAccount: 200, Connections: 32768, ActiveWorkflowsInAll: 100_000, WorkflowStartsPerMinute: 60, ChatRunStartsPerMinute: 60, ConfirmsPerMinute: 30,
			TemplatesPerAccount: 100, WebhooksPerAccount: 20, TemplateBytes: 256 << 10, TemplateChangesPerMinute: 60,
			PublicReadsPerMinute: 600, LLMRequestsPerMinute: 600, ToolExecutionsPerMinute: 120, MediaURLsPerMinute: 600,
			AccountReadsPerMinute: 600, AuthFailuresPerMinute: 60, LoraReadsPerMinute: 120, LoraImportsPerMinute: 20,
			LoraFileBytes: 2 << 30, AssetFileBytes: 100 << 20,
			AssetEntries: 200, AssetLibraryBytes: 10 << 30, AssetCopyBytesPerDay: 20 << 30, AssetBindingsPerDay: 1000, UploadBytes: 100 << 20,
			UploadBytesPerDay: 20 << 30, UploadFormsPerDay: 50_000, UploadMegapixels: 600, FreeSpaceBytes: 1 << 30, UnusedUploadTTL: 7 * 24 * time.Hour,
			CostPreviewTTL: 5 * time.Minute, UploadFormTTL: time.Hour, DownloadTTL: 48 * time.Hour,
			AssetPutWindow: 5 * time.Minute, AssetFinalizeWindow: time.Hour, SSEHeartbeat: 15 * time.Second,
			WorkerSessions: 256, WorkerConnectsPerMinute: 600, NFTsPerAccount: 20, StoredBytesPerAccount: 256 << 20,
		},
		Retention: Retention{WebhookDeliveries: 30 * 24 * time.Hour, FilterRefusals: 30 * 24 * time.Hour},
	}
}
