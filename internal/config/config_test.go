package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/config"
)

func load(t *testing.T, text string, environ ...string) (*config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "atelier.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(file, environ)
}

// contract is the example of the operator contract, with a value for each key.
const contract = `
listen: 127.0.0.1:9999
public_url: "https://atelier.example"
data_dir: ./data
database_url: "postgres://localhost/atelier"
nats_url: "nats://a:4222,nats://b:4222"
storage_url: "s3://bucket?endpoint=http://127.0.0.1:9000&region=r&path_style=true"
allow_private_media: true
trusted_proxies: [10.0.0.1, 192.168.0.0/16]
session_secret: "0123456789abcdef,older-0123456789"
llm:
  builtin: false
  default_model: "my-model"
  upstreams:
    - name: local
      base_url: http://127.0.0.1:9000/v1
      api_key: "x"
      extra_params: [top_a]
      models:
        - { id: my-model, upstream_id: "m", context_length: 32768, reasoning: true, vision: false,
            price_per_million_input: "0.5", price_per_million_output: "1.5", replaces: [old-model] }
workers:
  embedded: false
  embedded_pace: 2s
  lease: 30s
vendors:
  - name: gpt
    kind: openai-images
    base_url: https://api.openai.com/v1
    api_key_env: OPENAI_API_KEY
    models: [{ id: gpt-image-2, vendor_id: gpt-image-2-2026 }]
    concurrency: 8
    timeout: 5m
    patience: 2h
    idempotency_header: Idempotency-Key
  - name: clips
    kind: queue
    base_url: https://clips.example/api
    api_key_file: /run/secrets/clips
    headers: { X-Api-Key: "{{key}}", X-Team: art }
    models: [{ id: seedance-2-0 }]
    adapter: generic
lora:
  sources:
    - { kind: huggingface, host: huggingface.co, base_url: "https://mirror.example" }
chains:
  base: { rpc_url: "http://127.0.0.1:8545", svc: "0x1", spark: "0x2" }
  etherlink: { rpc_url: "", svc: "", spark: "" }
limits:
  active_workflows: 1
  workflow_starts_per_minute: 2
  chat_run_starts_per_minute: 3
  confirms_per_minute: 4
  templates_per_account: 5
  template_bytes: 6
  template_changes_per_minute: 7
  public_reads_per_minute: 8
  llm_requests_per_minute: 9
  tool_executions_per_minute: 10
  media_urls_per_minute: 11
  account_reads_per_minute: 12
  auth_failures_per_minute: 13
  lora_reads_per_minute: 14
  lora_imports_per_minute: 15
  lora_file_bytes: 16
  asset_file_bytes: 17
  asset_entries: 18
  asset_library_bytes: 19
  asset_copy_bytes_per_day: 20
  asset_bindings_per_day: 21
  upload_bytes: 22
  cost_preview_ttl: 23s
  upload_form_ttl: 24s
  download_ttl: 25s
  asset_put_window: 26s
  asset_finalize_window: 27s
  sse_heartbeat: 28s
  active_workflows_in_all: 29
  worker_sessions: 30
  worker_connects_per_minute: 31
  upload_bytes_per_day: 32
  upload_forms_per_day: 33
  upload_megapixels_per_minute: 34
  free_space_bytes: 35
  unused_upload_ttl: 36s
  paused_workflows: 37
  streams_per_account: 38
  completions_per_account: 39
  connections: 40
  nfts_per_account: 41
  stored_bytes_per_account: 42
  webhooks_per_account: 43
retention:
  workflows: 720h
  chat_runs: 721h
  logs: 722h
  uploads: 723h
  webhook_deliveries: 724h
  replay_records: 725h
  operator_actions: 726h
  filter_refusals: 727h
`

func TestEveryKeyOfTheContract(t *testing.T) {
	t.Parallel()
	c, err := load(t, contract)
	if err != nil {
		t.Fatal(err)
	}
	limits := reflect.ValueOf(c.Limits)
	for i := range limits.NumField() {
		want := int64(i + 1)
		if limits.Field(i).Type() == reflect.TypeFor[time.Duration]() {
			want *= int64(time.Second)
		}
		if got := limits.Field(i).Int(); got != want {
			t.Errorf("limits.%s: got %d, want %d", limits.Type().Field(i).Tag.Get("yaml"), got, want)
		}
	}
	retention := reflect.ValueOf(c.Retention)
	for i := range retention.NumField() {
		if got, want := time.Duration(retention.Field(i).Int()), time.Duration(720+i)*time.Hour; got != want {
			t.Errorf("retention.%s: got %v, want %v", retention.Type().Field(i).Tag.Get("yaml"), got, want)
		}
	}
	if got := c.SessionSecrets(); !reflect.DeepEqual(got, []string{"0123456789abcdef", "older-0123456789"}) {
		t.Errorf("session secrets: got %q", got)
	}
	if got := c.TrustedProxies[1].String(); got != "192.168.0.0/16" {
		t.Errorf("trusted proxies: got %s", got)
	}
	if extra := c.LLM.Upstreams[0].ExtraParams; len(extra) != 1 || extra[0] != "top_a" {
		t.Errorf("extra_params are %q", extra)
	}
	if m := c.LLM.Upstreams[0].Models[0]; m.ContextLength != 32768 || m.PricePerMOut != 1_500_000 || m.Replaces[0] != "old-model" {
		t.Errorf("upstream model: got %+v", m)
	}
	if v := c.Vendors[0]; v.Models[0].VendorID != "gpt-image-2-2026" || v.Concurrency != 8 || v.Timeout != 5*time.Minute || v.Patience != 2*time.Hour || c.Vendors[1].Headers["X-Team"] != "art" {
		t.Errorf("vendors: got %+v", c.Vendors)
	}
	if c.Chains.Base.Spark != "0x2" || c.Workers.Lease != 30*time.Second || c.Lora.Sources[0].BaseURL != "https://mirror.example" {
		t.Errorf("got %+v", c)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c, err := load(t, "listen: 127.0.0.1:1\n", "ATELIER_LISTEN=127.0.0.1:2", "ATELIER_LIMITS_ACTIVE_WORKFLOWS=3",
		"ATELIER_LLM_BUILTIN=false", "ATELIER_WORKERS_EMBEDDED_PACE=3s", "ATELIER_CHAINS_BASE_RPC_URL=http://node",
		"ATELIER_URL=http://elsewhere", "ATELIER_TEST_POSTGRES_URL=x", "ATELIER_CONFIG=x", "HOME=/")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:2" || c.Limits.ActiveWorkflows != 3 || c.LLM.Builtin || c.Workers.EmbeddedPace != 3*time.Second || c.Chains.Base.RPCURL != "http://node" {
		t.Errorf("got %+v", c)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, env, key string }{
		{"lisen: x", "", "lisen"},
		{"llm: { bultin: true }", "", "llm.bultin"},
		{"limits: { active_workflows: many }", "", "limits.active_workflows"},
		{"limits: { active_workflows: 0 }", "", "limits.active_workflows"},
		{"limits: { paused_workflows: 0 }", "", "limits.paused_workflows"},
		{"limits: { streams_per_account: -1 }", "", "limits.streams_per_account"},
		{"limits: { completions_per_account: 0 }", "", "limits.completions_per_account"},
		{"limits: { connections: all }", "", "limits.connections"},
		{"limits: { download_ttl: -1s }", "", "limits.download_ttl"},
		{"limits: { download_ttl: 5 }", "", "limits.download_ttl"},
		{"listen: nowhere", "", "listen"},
		{"data_dir: ''", "", "data_dir"},
		{"database_url: mysql://x", "", "database_url"},
		{"storage_url: http://x", "", "storage_url"},
		{"database_replica_url: postgres://standby/atelier", "", "database_replica_url"},
		{"{ database_url: 'postgres://a/x', database_replica_url: 'mysql://b/x' }", "", "database_replica_url"},
		{"database_replica_lag: 10ms", "", "database_replica_lag"},
		{"nats_url: http://x", "", "nats_url"},
		{"nats_url: nats://x:4222", "", "session_secret"},
		{"session_secret: short", "", "session_secret"},
		{"public_url: ftp://x", "", "public_url"},
		{"trusted_proxies: [somewhere]", "", "trusted_proxies[0]"},
		{"log_level: loud", "", "log_level"},
		{"log_format: xml", "", "log_format"},
		{"workers: { lease: 0s }", "", "workers.lease"},
		{"workers: { no_worker_timeout: -1s }", "", "workers.no_worker_timeout"},
		{"workers: { fallback_after: -1s }", "", "workers.fallback_after"},
		{"workers: { fallback: sometimes }", "", "workers.fallback"},
		{"", "ATELIER_WORKERS_FALLBACK=off", "workers.fallback"},
		{"workers: { render_timeout: 0s }", "", "workers.render_timeout"},
		{"limits: { worker_sessions: 0 }", "", "limits.worker_sessions"},
		{"limits: { nfts_per_account: 0 }", "", "limits.nfts_per_account"},
		{"shutdown_grace: 0s", "", "shutdown_grace"},
		{"limits: { workflow_retention: 720h }", "", "limits.workflow_retention"},
		{"retention: { workflows: 719h }", "", "retention.workflows"},
		{"retention: { chat_runs: 719h }", "", "retention.chat_runs"},
		{"retention: { logs: 23h }", "", "retention.logs"},
		{"retention: { chat_runs: -24h }", "", "retention.chat_runs"},
		{"retention: { logs: soon }", "", "retention.logs"},
		{"retention: { jobs: 24h }", "", "retention.jobs"},
		{"retention: { workflows: 1000h, uploads: 999h }", "", "retention.uploads"},
		{"retention: { uploads: 2160h }", "", "retention.uploads"},
		{"", "ATELIER_RETENTION_FILTER_REFUSALS=1h", "retention.filter_refusals"},
		{"metrics: { ledger_interval: 10ms }", "", "metrics.ledger_interval"},
		{"vendors: [{name: x}]", "", "vendors[0].kind"},
		{"lora: { sources: [{kind: ftp, host: x, base_url: 'http://x'}] }", "", "lora.sources[0].kind"},
		{"llm: { upstreams: [{name: a, base_url: nope}] }", "", "llm.upstreams[0].base_url"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', models: [{id: m}, {id: n, replaces: [m]}]}] }", "", "llm.upstreams[0].models[1]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', models: [{id: m}, {id: m}]}] }", "", "llm.upstreams[0].models[1]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', models: [{id: m}]}, {name: b, base_url: 'http://y', models: [{id: m, vision: true}]}] }", "", "llm.upstreams[1].models[0]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', models: [{id: m, tools: some}]}] }", "", "llm.upstreams[0].models[0].tools"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', extra_params: [top_a, max_tokens]}] }", "", "llm.upstreams[0].extra_params[1]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', extra_params: [N_Predict]}] }", "", "llm.upstreams[0].extra_params[0]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', extra_params: [model]}] }", "", "llm.upstreams[0].extra_params[0]"},
		{"llm: { upstreams: [{name: a, base_url: 'http://x', extra_params: [top_a, top_a]}] }", "", "llm.upstreams[0].extra_params[1]"},
		{`llm: { upstreams: [{name: a, base_url: 'http://x', extra_params: ['a":1,"n']}] }`, "", "llm.upstreams[0].extra_params[0]"},
		{"chains: { base: { rpc_url: x } }", "", "chains.base.rpc_url"},
		{"chains: { moon: { rpc_url: x } }", "", "chains.moon"},
		{"", "ATELIER_LISEN=x", "ATELIER_LISEN"},
		{"", "ATELIER_LLM_BUILTIN=maybe", "ATELIER_LLM_BUILTIN"},
		{"", "ATELIER_WORKERS_LEASE=long", "ATELIER_WORKERS_LEASE"},
		{"listen: [", "", ""},
	} {
		_, err := load(t, tc.text, tc.env)
		if err == nil || !strings.Contains(err.Error(), tc.key) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q %s: got %q, want one line that names %s", tc.text, tc.env, err, tc.key)
		}
	}
}

// Servers of one model take turns. They may call it differently, and have
// different contexts.
func TestSeveralServersOfAModel(t *testing.T) {
	t.Parallel()
	c, err := load(t, `llm: { upstreams: [
		{name: a, base_url: 'http://x', models: [{id: m, replaces: [old], reasoning: true, context_length: 4096}]},
		{name: b, base_url: 'http://y', models: [{id: m, replaces: [old], reasoning: true, upstream_id: theirs}]}] }`)
	if err != nil || len(c.LLM.Upstreams) != 2 {
		t.Errorf("got %v", err)
	}
}
