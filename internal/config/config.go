package config

import (
	"net/netip"
	"time"

	"github.com/atelier-project/atelier"
)

// Config is everything an operator can set.
type Config struct {
	Listen            string        `yaml:"listen" doc:"Address and port to serve on."`
	PublicURL         string        `yaml:"public_url" doc:"How clients reach this service. Default: http:// and the listen address."`
	DataDir           string        `yaml:"data_dir" doc:"Where SQLite, media and the session secret live."`
	DatabaseURL       string        `yaml:"database_url" doc:"Empty: SQLite in data_dir. A postgres:// URL for many nodes."`
	NATSURL           string        `yaml:"nats_url" doc:"Empty: one node. nats://a,nats://b for many."`
	StorageURL        string        `yaml:"storage_url" doc:"Empty: files in data_dir. s3://bucket?endpoint=http://host:port&region=r&path_style=true for S3."`
	CatalogDir        string        `yaml:"catalog_dir" doc:"A directory of catalog files that add to or change the built-in ones."`
	AllowPrivateMedia bool          `yaml:"allow_private_media" doc:"Whether media and webhook URLs may point at private or loopback addresses."`
	TrustedProxies    []Network     `yaml:"trusted_proxies" doc:"Addresses or networks whose X-Forwarded-For is believed."`
	SessionSecret     string        `yaml:"session_secret" doc:"Signs session tokens. Empty: created in data_dir. Must be set, and equal, on many nodes. Several, separated by commas, during a change: the first signs, all are believed."`
	ShutdownGrace     time.Duration `yaml:"shutdown_grace" doc:"How long requests may take to finish after SIGTERM."`
	ShutdownDelay     time.Duration `yaml:"shutdown_delay" doc:"How long to go on after SIGTERM with readiness already false, so that a load balancer can turn away."`
	LogLevel          string        `yaml:"log_level" doc:"debug, info, warn or error."`
	LogFormat         string        `yaml:"log_format" doc:"text or json."`
	LLM               LLM           `yaml:"llm"`
	Filter            Filter        `yaml:"filter"`
	Workers           Workers       `yaml:"workers"`
	Vendors           []Vendor      `yaml:"vendors" doc:"Vendor backends for Premium Spark models: docs/guides/vendors.md."`
	Lora              Lora          `yaml:"lora"`
	Chains            Chains        `yaml:"chains"`
	Limits            Limits        `yaml:"limits"`
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
	BaseURL     string          `yaml:"base_url" doc:"Such as http://127.0.0.1:9000/v1."`
	APIKey      string          `yaml:"api_key" doc:"Sent as a bearer token when set."`
	ExtraParams []string        `yaml:"extra_params" doc:"Request fields passed on besides those of the specification and the usual sampling ones, such as [guided_choice]. What they cost or choose is yours to judge: callers set them as they like."`
	Models      []UpstreamModel `yaml:"models" doc:"The models it serves."`
}

// UpstreamModel is one model of an upstream.
type UpstreamModel struct {
	ID             string        `yaml:"id" doc:"The id that clients use."`
	UpstreamID     string        `yaml:"upstream_id" doc:"The id that the upstream knows, when it is another."`
	ContextLength  int           `yaml:"context_length" doc:"Its full context in tokens. Left out: what the server reports (vLLM, llama.cpp, Ollama), else what the catalog knows, else 32768. Where the server reports less, that is used, and the log has a warning."`
	Reasoning      bool          `yaml:"reasoning" doc:"Whether it can think before it answers."`
	Vision         bool          `yaml:"vision" doc:"Whether it takes images."`
	Tools          string        `yaml:"tools" doc:"How hosted tools are described to it: auto (by what its context has room for), full, compact or none."`
	PricePerMInput atelier.Money `yaml:"price_per_million_input" doc:"USD for a million input tokens."`
	PricePerMOut   atelier.Money `yaml:"price_per_million_output" doc:"USD for a million output tokens."`
	Replaces       []string      `yaml:"replaces" doc:"Retired ids that now mean this model."`
}

// Filter says who looks at what callers write, besides the lexicon that is
// built in.
type Filter struct {
	ModerationURL     string        `yaml:"moderation_url" doc:"An OpenAI-compatible server whose /moderations is asked as well, such as http://127.0.0.1:9000/v1. Empty: the built-in lexicon alone."`
	ModerationKey     string        `yaml:"moderation_key" doc:"Sent as a bearer token when set."`
	ModerationModel   string        `yaml:"moderation_model" doc:"The model to ask for, when the server wants one named."`
	ModerationTimeout time.Duration `yaml:"moderation_timeout" doc:"How long to wait for it."`
}

// Workers says how rendering is done.
type Workers struct {
	Embedded        bool          `yaml:"embedded" doc:"Whether a CPU worker runs inside the server process. It takes a job only where no other connected worker offers the model."`
	NoWorkerTimeout time.Duration `yaml:"no_worker_timeout" doc:"A queued job that no connected worker offers fails after this, its money released. 0s: never."`
	RenderTimeout   time.Duration `yaml:"render_timeout" doc:"The longest a render may take, however often its worker reports."`
	EmbeddedPace    time.Duration `yaml:"embedded_pace" doc:"The least time an embedded render takes: makes progress visible in a demo."`
	Lease           time.Duration `yaml:"lease" doc:"A worker silent for this long has dropped its job."`
}

// Lora says where LoRA files come from.
type Lora struct {
	Sources []LoraSource `yaml:"sources" doc:"Link hosts, and where each is really fetched from (a mirror, a test server)."`
}

// LoraSource is one hosting site.
type LoraSource struct {
	Kind    string `yaml:"kind" doc:"huggingface or civitai."`
	Host    string `yaml:"host" doc:"The host of links."`
	BaseURL string `yaml:"base_url" doc:"Where files are really fetched from."`
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

// Limits are the numbers that bound what one account or client can ask for.
type Limits struct {
	ActiveWorkflows          int           `yaml:"active_workflows" doc:"Workflows queued or running, per account."`
	WorkflowStartsPerMinute  int           `yaml:"workflow_starts_per_minute" doc:"Per account."`
	ChatRunStartsPerMinute   int           `yaml:"chat_run_starts_per_minute" doc:"Per account."`
	ConfirmsPerMinute        int           `yaml:"confirms_per_minute" doc:"Cost decisions, per account."`
	TemplatesPerAccount      int           `yaml:"templates_per_account" doc:"Templates an account may have."`
	TemplateBytes            int64         `yaml:"template_bytes" doc:"Size of one template."`
	TemplateChangesPerMinute int           `yaml:"template_changes_per_minute" doc:"Per account."`
	PublicReadsPerMinute     int           `yaml:"public_reads_per_minute" doc:"Per client address, shared by analytics and discovery."`
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
	AssetCopyBytesPerDay     int64         `yaml:"asset_copy_bytes_per_day" doc:"Bytes of saved assets reused a UTC day, per account."`
	AssetBindingsPerDay      int           `yaml:"asset_bindings_per_day" doc:"Reuses of saved assets a UTC day, per account."`
	UploadBytes              int64         `yaml:"upload_bytes" doc:"Size of one upload."`
	CostPreviewTTL           time.Duration `yaml:"cost_preview_ttl" doc:"How long a cost preview can be confirmed."`
	UploadFormTTL            time.Duration `yaml:"upload_form_ttl" doc:"How long an upload form is valid."`
	DownloadTTL              time.Duration `yaml:"download_ttl" doc:"How long a download URL is valid."`
	AssetPutWindow           time.Duration `yaml:"asset_put_window" doc:"How long a saved asset can be put."`
	AssetFinalizeWindow      time.Duration `yaml:"asset_finalize_window" doc:"How long a saved asset can be finalized."`
	SSEHeartbeat             time.Duration `yaml:"sse_heartbeat" doc:"Time between heartbeats of a stream."`
	ActiveWorkflowsInAll     int           `yaml:"active_workflows_in_all" doc:"Workflows queued or running, of all accounts; more starts get 429."`
	WorkerSessions           int           `yaml:"worker_sessions" doc:"Workers connected at once, per account."`
	WorkerConnectsPerMinute  int           `yaml:"worker_connects_per_minute" doc:"Workers that connect, per account."`
	UploadBytesPerDay        int64         `yaml:"upload_bytes_per_day" doc:"Bytes of all uploads a UTC day, per account; then 429. With S3, all of upload_bytes is set aside for a form until it has closed."`
	UploadFormsPerDay        int           `yaml:"upload_forms_per_day" doc:"Upload forms a UTC day, per account; then 429."`
	UploadMegapixels         int64         `yaml:"upload_megapixels_per_minute" doc:"Megapixels of uploaded pictures that are decoded, per account; then 429."`
	FreeSpaceBytes           int64         `yaml:"free_space_bytes" doc:"Free space below which nothing can be uploaded (503), where media or the database are on a disk of this machine."`
	UnusedUploadTTL          time.Duration `yaml:"unused_upload_ttl" doc:"How long an upload into a project is kept that no workflow uses."`
	PausedWorkflows          int           `yaml:"paused_workflows" doc:"Workflows paused, per account; more starts get 409."`
	StreamsPerAccount        int           `yaml:"streams_per_account" doc:"Event streams and chat completions open at once, per account and node; more get 429."`
	Connections              int           `yaml:"connections" doc:"Connections of clients open at once, and at most half as many as the process may open files; a client outside gets a quarter of them."`
	WorkflowRetention        time.Duration `yaml:"workflow_retention" doc:"How long a workflow is kept after it ended, with its log and jobs. 0s: for ever. Never less than 720h, as long as idempotency keys are remembered."`
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

// Default is what a newcomer gets.
func Default() *Config {
	return &Config{
		Listen: "127.0.0.1:8080", DataDir: "./atelier-data", ShutdownGrace: 20 * time.Second,
		LogLevel: "info", LogFormat: "text",
		LLM:     LLM{Builtin: true},
		Filter:  Filter{ModerationTimeout: 5 * time.Second},
		Workers: Workers{Embedded: true, NoWorkerTimeout: 10 * time.Minute, RenderTimeout: 30 * time.Minute, Lease: 15 * time.Second},
		Lora: Lora{Sources: []LoraSource{
			{"huggingface", "huggingface.co", "https://huggingface.co"},
			{"civitai", "civitai.com", "https://civitai.com"},
		}},
		Limits: Limits{
			ActiveWorkflows: 10, PausedWorkflows: 1000, StreamsPerAccount: 100, Connections: 32768, ActiveWorkflowsInAll: 100_000, WorkflowStartsPerMinute: 60, ChatRunStartsPerMinute: 60, ConfirmsPerMinute: 30,
			TemplatesPerAccount: 100, TemplateBytes: 256 << 10, TemplateChangesPerMinute: 60,
			PublicReadsPerMinute: 600, LLMRequestsPerMinute: 600, ToolExecutionsPerMinute: 120, MediaURLsPerMinute: 600,
			AccountReadsPerMinute: 600, AuthFailuresPerMinute: 60, LoraReadsPerMinute: 120, LoraImportsPerMinute: 20,
			LoraFileBytes: 2 << 30, AssetFileBytes: 100 << 20,
			AssetEntries: 200, AssetLibraryBytes: 10 << 30, AssetCopyBytesPerDay: 20 << 30, AssetBindingsPerDay: 1000, UploadBytes: 100 << 20,
			UploadBytesPerDay: 20 << 30, UploadFormsPerDay: 50_000, UploadMegapixels: 600, FreeSpaceBytes: 1 << 30, UnusedUploadTTL: 7 * 24 * time.Hour,
			CostPreviewTTL: 5 * time.Minute, UploadFormTTL: time.Hour, DownloadTTL: 48 * time.Hour,
			AssetPutWindow: 5 * time.Minute, AssetFinalizeWindow: time.Hour, SSEHeartbeat: 15 * time.Second,
			WorkerSessions: 256, WorkerConnectsPerMinute: 600,
		},
	}
}
