package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/analytics"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chain"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/operator"
	"github.com/atelier-project/atelier/internal/replay"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/workflow"
)

// How much memory the requests of a node hold together.
const (
	bodyMemory  = 512 << 20 // their bodies
	valueMemory = 256 << 20 // the values decoded from them
)

// bodyShare is how much of that the bodies of one account hold: one of the largest.
var bodyShare = openai.BodyBounds.Total() + readSize

// Config has the parts and settings of a server.
type Config struct {
	Operators *operator.Engine
	Accounts  *account.Engine
	Billing   *billing.Engine
	Analytics *analytics.Engine
	Catalog   *catalog.Catalog
	Models    *llm.Models
	Demand    func(context.Context) (atelier.Demand, error)
	Media     *media.Engine
	Fleet     *fleet.Engine
	Chat      *chat.Engine
	Templates *template.Engine
	Replays   *replay.Engine
	Loras     *lora.Engine
	Workflows *workflow.Engine
	Runs      *run.Engine
	Live      *live.Engine
	Library   *library.Engine
	Chains    *chain.Reader
	Metrics   *telemetry.Metrics

	// Storage serves clients that have signed terms for the object of a key. It is nil
	// when they use an S3 directly.
	Storage func(w http.ResponseWriter, r *http.Request, key string) error

	Parts          []Part         // what readiness checks
	Pages          http.Handler   // the console and the reference, for paths that are no endpoint
	Limits         Limits         // rates
	Streams        int            // open at once, per account; any number when zero
	Timeouts       Timeouts       // of slow clients
	Heartbeat      time.Duration  // between heartbeats of a stream
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is trusted
	PublicURL      string         // how clients reach this service
	Listen         string         // the address that it serves on, as it is configured
	Version        string
	Log            *slog.Logger
	Now            func() time.Time
}

// Part is a part of the service that readiness checks.
type Part struct {
	Name string
	Ping func(context.Context) error
}

// Server serves the API. It is an http.Handler.
type Server struct {
	operators *operator.Engine
	started   time.Time
	accounts  *account.Engine
	billing   *billing.Engine
	analytics *analytics.Engine
	catalog   *catalog.Catalog
	models    *llm.Models
	demand    func(context.Context) (atelier.Demand, error)
	media     *media.Engine
	fleet     *fleet.Engine
	chat      *chat.Engine
	templates *template.Engine
	replays   *replay.Engine
	loras     *lora.Engine
	workflows *workflow.Engine
	runs      *run.Engine
	live      *live.Engine
	library   *library.Engine
	chains    *chain.Reader
	metrics   *telemetry.Metrics

	storage    func(w http.ResponseWriter, r *http.Request, key string) error
	parts      []Part
	pages      http.Handler
	trusted    []netip.Prefix
	publicURL  string
	origins    origins // that may use the cookie of the console
	version    string
	log        *slog.Logger
	now        func() time.Time
	timeouts   Timeouts
	limiters   [limitClasses]*admission.Rate
	open       *admission.Open   // streams and completions
	lookups    chan struct{}     // holds one entry for each slow lookup
	warned     atomic.Bool       // of an untrusted proxy
	bodies     *admission.Memory // for the bodies
	values     *admission.Memory // for the values decoded from them
	table      []route
	tree       tree
	document   func() []byte // the OpenAPI document, made when it is first read
	heartbeat  time.Duration
	rechecks   *rechecks
	draining   atomic.Bool
	readiness  readiness
	streams    context.Context // ends when streams must end
	endStreams context.CancelFunc
}

// New builds the server and its route table.
func New(c Config) *Server {
	s := &Server{
		operators: c.Operators, started: c.Now(),
		accounts: c.Accounts, billing: c.Billing, analytics: c.Analytics, catalog: c.Catalog, models: c.Models, demand: c.Demand,
		media: c.Media, fleet: c.Fleet, workflows: c.Workflows, runs: c.Runs, live: c.Live, library: c.Library, templates: c.Templates, replays: c.Replays, loras: c.Loras, chat: c.Chat, heartbeat: c.Heartbeat, chains: c.Chains, metrics: c.Metrics,
		storage: c.Storage, parts: c.Parts, pages: c.Pages, trusted: c.TrustedProxies, publicURL: c.PublicURL, version: c.Version, log: c.Log, now: c.Now,
	}
	s.rechecks = newRechecks(c.Heartbeat, s.checkCredential)
	s.origins = newOrigins(c.PublicURL, c.Listen)
	s.open = admission.NewOpen(c.Streams)
	s.lookups = make(chan struct{}, slowLookups)
	s.timeouts = c.Timeouts.orDefault()
	s.streams, s.endStreams = context.WithCancel(context.Background())
	for class := unlimited + 1; class < limitClasses; class++ {
		s.limiters[class] = admission.NewRate(c.Limits.perMinute(class), class == publicReads)
	}
	s.bodies = admission.NewMemory(bodyMemory, bodyShare)
	s.values = admission.NewMemory(valueMemory, valueMemory/4)
	s.table = s.routes()
	s.document = sync.OnceValue(func() []byte { return describe(s.table, c.PublicURL, c.Version) })
	s.mount()
	return s
}

// Drain makes readiness fail, so that a load balancer sends no more requests, and ends the
// streams: their readers reconnect to another node.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.endStreams()
}
