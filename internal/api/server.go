package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chain"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mcp"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/replay"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/webhook"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Config has the parts and settings of a server.
type Config struct {
	Operators   *operator.Engine
	Accounts    *account.Engine
	SignIn      SignIn
	Billing     *billing.Engine
	Analytics   *analytics.Engine
	Catalog     *catalog.Catalog
	Models      *llm.Models
	Demand      func(context.Context) (atelier.Demand, error)
	Media       *media.Engine
	Fleet       *fleet.Engine
	Chat        *chat.Engine
	Templates   *template.Engine
	Replays     *replay.Engine
	Loras       *lora.Engine
	Workflows   *workflow.Engine
	Runs        *run.Engine
	Live        *live.Engine
	Library     *library.Engine
	Webhooks    *webhook.Engine
	Generations *generation.Engine
	Aliases     openai.Aliases
	Predictions *replicate.Translator
	MCP         *mcp.Server
	Chains      *chain.Reader
	Metrics     *telemetry.Metrics

	MetricsToken string // that readers of /metrics send; any may read them when empty
	HideMetrics  bool   // /metrics is served elsewhere

	CheckSpace func(endpoint.Storage) error // refuses to store something while there is too little space, or too much to do

	// Storage serves clients that have signed terms for the object of a key. It is nil
	// when they use an S3 directly.
	Storage func(w http.ResponseWriter, r *http.Request, key string) error

	Parts          []Part          // what readiness checks
	Pages          http.Handler    // the console and the reference, for paths that are no endpoint
	Limits         endpoint.Limits // rates
	Open           endpoint.OpenLimits
	Timeouts       endpoint.Timeouts // of slow clients
	Heartbeat      time.Duration     // between heartbeats of a stream
	TrustedProxies []netip.Prefix    // whose X-Forwarded-For is trusted
	PublicURL      string            // how clients reach this service
	MediaOrigins   []string          // where the console may load media from, besides this service
	Listen         string            // the address that it serves on, as it is configured
	Version        string
	Log            *slog.Logger
	Now            func() time.Time
}

// Part is a part of the service that readiness checks.
type Part struct {
	Name     string
	Ping     func(context.Context) error
	Optional bool // without it the service is slower, and ready
}

// Server serves the API. It is an http.Handler.
type Server struct {
	operators   *operator.Engine
	started     time.Time
	accounts    *account.Engine
	people      SignIn
	billing     *billing.Engine
	analytics   *analytics.Engine
	catalog     *catalog.Catalog
	models      *llm.Models
	demand      func(context.Context) (atelier.Demand, error)
	media       *media.Engine
	fleet       *fleet.Engine
	chat        *chat.Engine
	templates   *template.Engine
	replays     *replay.Engine
	loras       *lora.Engine
	workflows   *workflow.Engine
	runs        *run.Engine
	live        *live.Engine
	library     *library.Engine
	webhooks    *webhook.Engine
	generations *generation.Engine
	aliases     openai.Aliases
	predictions *replicate.Translator
	mcp         *mcp.Server
	chains      *chain.Reader
	metrics     *telemetry.Metrics

	metricsToken string
	hidesMetrics bool

	storage   func(w http.ResponseWriter, r *http.Request, key string) error
	parts     []Part
	publicURL string
	origins   []string // of media, besides this service
	version   string
	heartbeat time.Duration // between heartbeats of a stream
	log       *slog.Logger
	now       func() time.Time
	draining  atomic.Bool
	readiness readiness
	endpoints *endpoint.Server
}

// New builds the server and its route table.
func New(c Config) *Server {
	s := &Server{
		operators: c.Operators, started: c.Now(),
		accounts: c.Accounts, people: c.SignIn, billing: c.Billing, analytics: c.Analytics, catalog: c.Catalog, models: c.Models, demand: c.Demand,
		media: c.Media, fleet: c.Fleet, workflows: c.Workflows, runs: c.Runs, live: c.Live, library: c.Library, webhooks: c.Webhooks, generations: c.Generations, aliases: c.Aliases, predictions: c.Predictions, mcp: c.MCP, templates: c.Templates, replays: c.Replays, loras: c.Loras, chat: c.Chat, heartbeat: c.Heartbeat, chains: c.Chains, metrics: c.Metrics,
		storage: c.Storage, parts: c.Parts, publicURL: c.PublicURL, origins: c.MediaOrigins, version: c.Version, log: c.Log, now: c.Now, metricsToken: c.MetricsToken, hidesMetrics: c.HideMetrics,
	}
	s.endpoints = endpoint.New(endpoint.Config{
		Authenticate: s.authenticate, CredentialChanges: c.Accounts.Changes, NoteUse: c.Accounts.NoteUse, CheckSpace: c.CheckSpace, Failures: failures,
		Reference: s.reference,
		Pages:     c.Pages, Limits: c.Limits, Open: c.Open, Timeouts: c.Timeouts, Heartbeat: c.Heartbeat, TrustedProxies: c.TrustedProxies,
		PublicURL: c.PublicURL, Listen: c.Listen, Version: c.Version, Metrics: c.Metrics, Log: c.Log, Now: c.Now,
	}, s.table())
	return s
}

// table is the route table as package endpoint takes it.
func (s *Server) table() (table []endpoint.Route) {
	for _, line := range s.routes() {
		line.Handler = line.Handler.In(groupsOf(line.Pattern), changesNothing(line.Method, line.Pattern), leastRole(line.Method, line.Pattern))
		table = append(table, endpoint.Route(line))
	}
	return table
}

// authenticate finds the owner of a credential.
func (s *Server) authenticate(ctx context.Context, shown endpoint.Credential) (atelier.Caller, error) {
	if shown.Token != "" {
		return s.accounts.AuthenticateSession(ctx, shown.Token, strings.Split(shown.Cookies, ";"))
	}
	return s.accounts.Authenticate(ctx, shown.Bearer)
}

// HTTP is the HTTP server of the API.
func (s *Server) HTTP() *http.Server { return s.endpoints.HTTP() }

// Drain makes readiness fail, so that a load balancer sends no more requests, and ends the
// streams: their readers reconnect to another node.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.endpoints.EndStreams()
}
