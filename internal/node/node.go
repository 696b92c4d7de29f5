package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/console"
	"github.com/atelier-project/atelier/internal/api"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chain"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/compose"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/library"
	"github.com/atelier-project/atelier/internal/live"
	"github.com/atelier-project/atelier/internal/lora"
	"github.com/atelier-project/atelier/internal/mcp"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/pull"
	"github.com/atelier-project/atelier/internal/replay"
	"github.com/atelier-project/atelier/internal/replicate"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/run"
	"github.com/atelier-project/atelier/internal/seal"
	"github.com/atelier-project/atelier/internal/spotcheck"
	"github.com/atelier-project/atelier/internal/telemetry"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/webhook"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
	"github.com/atelier-project/atelier/internal/workflow"
)

// Node is one process of the service.
type Node struct {
	*Admin
	Fleet       *fleet.Engine
	HTTP        *http.Server
	config      *config.Config
	log         *slog.Logger
	bus         *bus.Bus
	blobs       blob.SignedStore
	media       *media.Engine
	library     *library.Engine
	workflows   *workflow.Engine
	chats       *chat.Engine
	runs        *run.Engine
	loras       *lora.Engine
	webhooks    *webhook.Engine
	checks      *spotcheck.Engine
	retention   *retention.Engine
	pulls       *pull.Engine
	toolServers *mcp.ToolServers
	language    *language
	attached    *attached  // workers of connections
	applying    sync.Mutex // see useConnections
	applied     int64      // the number of the last change of connections in use
	catalog     *catalog.Catalog
	plain       *catalog.Catalog // without the graphs that operators have brought
	graphs      *comfyui.Library // of the program and graphs_dir, for the ComfyUI servers that are connected
	usedGraphs  atomic.Int64     // the number of the last change of graphs in use
	metrics     *telemetry.Metrics

	metricsListener net.Listener // nil where /metrics is beside the API
	ledgerFaults    telemetry.Gauge

	vendors   []renderServer // of the configuration
	canceller canceller
	version   string
	listener  net.Listener
	inside    *insideListener // for the workers in this process
	api       *api.Server
	stopping  context.CancelFunc // ends what would go on for ever, such as streams

	renderCommand []string
}

// Options are what a node is given besides its configuration.
type Options struct {
	Log     *slog.Logger
	Now     func() time.Time // time.Now when nil
	Version string

	// RenderCommand starts the processes in which the embedded worker renders: a
	// program and its arguments, see the child package. Without one it renders in
	// this process.
	RenderCommand []string

	// KeyCommand makes an API key of this installation in a shell; the sign-in page shows it to a browser on this
	// machine.
	KeyCommand string

	NoSync bool // for tests: see store.Options
}

// Open opens every part and begins to listen. What it has opened when
// something fails, it closes again.
func Open(ctx context.Context, c *config.Config, o Options) (n *Node, err error) {
	n = &Node{config: c, log: o.Log, version: o.Version, inside: newInsideListener(), renderCommand: o.RenderCommand}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	metrics := telemetry.NewMetrics()
	n.metrics = metrics
	wallets, err := chains(c)
	if err != nil {
		return n, err
	}
	models, err := catalog.Load(c.CatalogDir)
	if err != nil {
		return n, fmt.Errorf("catalog: %w", err)
	}
	n.catalog, n.plain = models, models.Clone()
	if n.graphs, err = comfyui.LoadLibrary(c.GraphsDir); err != nil {
		return n, fmt.Errorf("graphs_dir: %w", err)
	}
	if n.vendors, err = openVendors(c, models, o.Log); err != nil {
		return n, err
	}
	builtin, err := kit.NewCompleter(models)
	if err != nil {
		return n, err
	}
	if n.language, err = newLanguage(c.LLM, models, builtin, observeModels(metrics), o.Log); err != nil {
		return n, err
	}
	if n.Admin, err = OpenAdmin(ctx, c, AdminOptions{
		Now: o.Now, Reserve: min(reserveBytes, c.Limits.FreeSpaceBytes), NoSync: o.NoSync, Server: true, Catalog: models, Metrics: metrics,
	}); err != nil {
		return n, err
	}
	n.DB.LimitStored(c.Limits.StoredBytesPerAccount)
	n.attached = newAttached(n)
	if err := n.connect(c, parts{
		plain: func() (*catalog.Catalog, error) { return n.plain, nil }, files: func() (*comfyui.Library, error) { return n.graphs, nil },
		catalog: func() (*catalog.Catalog, error) { return models, nil }, graphs: func() (*comfyui.Library, error) { return n.attached.graphs.Load().Library, nil },
		connectionsChanged: n.connectionsChanged, graphsChanged: n.graphsChanged,
	}); err != nil {
		return n, err
	}
	if err := n.Connections.Reseal(ctx); err != nil {
		return n, err
	}
	if n.bus, err = bus.Open(ctx, bus.Options{NATSURL: c.NATSURL, Channel: n.DB.Channel("atelier"), Log: o.Log}); err != nil {
		return n, err // it names nats_url
	}
	n.DB.OnLost(n.bus.PublishAll)
	if n.listener, err = net.Listen("tcp", c.Listen); err != nil {
		return n, fmt.Errorf("listen: %w", err)
	}
	if n.metricsListener, err = listenMetrics(c); err != nil {
		return n, err
	}
	storage, err := n.openStorage(ctx)
	if err != nil {
		return n, err
	}
	n.observeParts()
	n.blobs = blob.Observed(n.blobs, observeStorage(metrics))
	metrics.GaugeFunc("bus_connected", "Whether nudges of other nodes arrive: 1 or 0.", func() float64 {
		if n.bus.Ping(ctx) != nil {
			return 0
		}
		return 1
	})
	n.Fleet = fleet.New(n.DB, n.bus, n.blobs, n.Billing, fleet.Options{
		Lease: c.Workers.Lease, RenderTimeout: c.Workers.RenderTimeout, DownloadTTL: c.Limits.DownloadTTL,
		UploadBytes: c.Limits.UploadBytes, FormTTL: c.Limits.UploadFormTTL, Catalog: models,
		NoWorkerTimeout: c.Workers.NoWorkerTimeout, FallbackAfter: c.Workers.FallbackAfter, NoFallback: c.Workers.Fallback == config.FallbackNever, Sessions: n.workerSessions, NFTs: c.Limits.NFTsPerAccount, KeepsRefs: n.mayKeepReceipts, Service: embeddedWallet,
		EmbedSettings: c.Workers.EmbedSettings, Version: o.Version,
		Node: fmt.Sprintf("node on %s, process %d", hostName(), os.Getpid()), Inspect: media.InspectResult, Now: n.now, Log: o.Log, Metrics: metrics,
	})
	n.media = newMedia(n.Admin, c, n.blobs, o.RenderCommand)
	if err := n.media.Tie(ctx); err != nil {
		return n, err
	}
	if n.checks, err = n.openSpotChecks(ctx, metrics); err != nil {
		return n, err
	}
	thumbnails := library.Links{Secrets: n.secrets, URL: n.URL()}
	n.library = library.New(n.DB, n.blobs, n.media, library.Options{
		Links: thumbnails, Catalog: models, DownloadTTL: c.Limits.DownloadTTL, Now: n.now, Log: o.Log, FirstFrame: kit.Renderer{}.FirstFrame,
	})
	contentFilter, err := filter.New(filter.Options{
		Endpoint: c.Filter.ModerationURL, APIKey: c.Filter.ModerationKey, Model: c.Filter.ModerationModel, Timeout: c.Filter.ModerationTimeout,
	})
	if err != nil {
		return n, fmt.Errorf("filter.moderation_url: %w", err)
	}
	if n.webhooks, err = webhook.New(n.DB, n.bus, n.Fleet, webhook.Options{
		Secrets: n.secrets, Fetch: fetch.Options{AllowPrivate: c.AllowPrivateMedia}, Limit: c.Limits.WebhooksPerAccount, Now: n.now, Log: o.Log, Metrics: metrics,
	}); err != nil {
		return n, err
	}
	if err := n.webhooks.Reseal(ctx); err != nil {
		return n, err
	}
	links, err := seal.New("streams of predictions", n.secrets)
	if err != nil {
		return n, err
	}
	predictions := replicate.New(n.URL()+"/replicate/v1", models, n.language.models, links)
	logs := journal.New(n.DB, n.bus)
	templates := n.newTemplates(models, c, n.URL()+"/gallery/")
	n.workflows = workflow.New(n.DB, n.blobs, n.Billing, models, n.Fleet, logs, workflow.Options{
		ActiveLimit: c.Limits.ActiveWorkflows, PausedLimit: c.Limits.PausedWorkflows, Capacity: c.Limits.ActiveWorkflowsInAll, PreviewTTL: c.Limits.CostPreviewTTL,
		DownloadTTL: c.Limits.DownloadTTL, Now: n.now, Log: o.Log, Filter: contentFilter,
		Web:       fetch.New(fetch.Options{AllowPrivate: c.AllowPrivateMedia, MaxBytes: c.Limits.UploadBytes}),
		Templates: templates, Media: n.media, Thumbnail: thumbnails.Thumbnail, Webhooks: n.webhooks,
		Shapes: map[string]func(atelier.Wallet, apitype.Workflow) any{replicate.Protocol: predictions.WorkflowBody},
	})
	n.chats = chat.New(n.DB, n.language.models, models, n.workflows, n.Billing, chat.Options{
		Heartbeat: c.Limits.SSEHeartbeat, Now: n.now, Log: o.Log, Metrics: metrics, Composer: compose.New(models, builtin), Filter: contentFilter, Keep: n.media.Keep,
		Templates: templates.ForLLM,
	})
	if n.toolServers, err = n.openToolServers(c.MCP, metrics, o.Version); err != nil {
		return n, err
	}
	n.runs = run.New(n.DB, n.bus, n.blobs, n.Billing, models, n.workflows, n.chats, logs, run.Options{
		PreviewTTL: c.Limits.CostPreviewTTL, DownloadTTL: c.Limits.DownloadTTL, Now: n.now, Log: o.Log, Media: n.media, IsAlone: n.bus.IsAlone(), Webhooks: n.webhooks,
		Shapes: map[string]func(apitype.Run, []byte) any{replicate.Protocol: predictions.RunBody},
	})
	n.retention = retention.New(n.DB, n.media, retention.Options{
		Ages: retention.Ages{
			Workflows: c.Retention.Workflows, ChatRuns: c.Retention.ChatRuns, Logs: c.Retention.Logs, Uploads: c.Retention.Uploads,
			Deliveries: c.Retention.WebhookDeliveries, Replays: c.Retention.ReplayRecords, Actions: c.Retention.OperatorActions,
		},
		Now: n.now, Log: o.Log, Metrics: metrics,
	})
	if n.loras, err = openLoras(n, c); err != nil {
		return n, err
	}
	if err := n.useGraphs(ctx); err != nil {
		return n, err
	}
	if err := n.useConnections(ctx); err != nil {
		return n, err
	}
	n.canceller = canceller{n.workflows, n.runs, n.Accounts}
	n.pulls = n.openPulls()
	n.operate(n.Fleet, n.canceller, func() (*template.Engine, error) { return templates, nil }, freeSpace(c), n.pulls)
	origins, err := n.storageOrigins(ctx)
	if err != nil {
		return n, err
	}
	for _, name := range openai.Unknown(models, c.ModelAliases) { // such as one whose graph was removed
		o.Log.Warn("the catalog has no model that is meant by model_aliases."+name, "model", c.ModelAliases[name])
	}
	people, err := n.openSignIn(c.SignIn)
	if err != nil {
		return n, err
	}
	generations := generation.New(n.workflows, n.media, n.blobs, c.Limits.SSEHeartbeat)
	n.api = api.New(api.Config{
		Generations: generations, Aliases: openai.NewAliases(c.ModelAliases), Predictions: predictions,
		MCP: mcp.New(mcp.Options{
			Catalog: models, Generations: generations, Workflows: n.workflows, Templates: templates, Chat: n.chats, Library: n.library, Version: o.Version, Log: o.Log,
		}),
		Operators: n.Operators,
		Accounts:  n.Accounts, SignIn: people, Billing: n.Billing, Analytics: n.Analytics, Catalog: models, Models: n.language.models, Demand: n.Fleet.Demand,
		Live: live.New(n.DB, n.bus), Library: n.library, Webhooks: n.webhooks, Media: n.media, Fleet: n.Fleet, Workflows: n.workflows, Runs: n.runs, Templates: templates, Replays: replay.New(n.DB, n.now), Loras: n.loras, Chat: n.chats, Heartbeat: c.Limits.SSEHeartbeat, Chains: wallets, Metrics: metrics, Storage: storage,
		MetricsToken: c.Metrics.Token, HideMetrics: c.Metrics.Listen != "",
		Parts: []api.Part{
			{Name: "database", Ping: n.DB.Ping},
			{Name: "bus", Ping: n.bus.Ping, Optional: true},
			{Name: "storage", Ping: n.blobs.Ping},
		},
		Pages: n.pages(console.Handler(origins...), o.KeyCommand), MediaOrigins: origins,
		CheckSpace: checkBacklog(n.DB.Changes, newSpaceCheck(c, o.Log).check),
		Limits: endpoint.Limits{
			PublicReads:     c.Limits.PublicReadsPerMinute,
			AccountReads:    c.Limits.AccountReadsPerMinute,
			LLMRequests:     c.Limits.LLMRequestsPerMinute,
			MediaURLs:       c.Limits.MediaURLsPerMinute,
			ToolExecutions:  c.Limits.ToolExecutionsPerMinute,
			TemplateChanges: c.Limits.TemplateChangesPerMinute,
			WorkflowStarts:  c.Limits.WorkflowStartsPerMinute,
			RunStarts:       c.Limits.ChatRunStartsPerMinute,
			Confirms:        c.Limits.ConfirmsPerMinute,
			LoraReads:       c.Limits.LoraReadsPerMinute,
			LoraImports:     c.Limits.LoraImportsPerMinute,
			WorkerConnects:  c.Limits.WorkerConnectsPerMinute,
			AuthFailures:    c.Limits.AuthFailuresPerMinute,
		},
		Open: endpoint.OpenLimits{
			PerAccount: c.Limits.StreamsPerAccount, Completions: c.Limits.CompletionsPerAccount,
			InAll: streamLimit(connectionLimit(c.Limits.Connections, mostFiles())),
		},
		TrustedProxies: prefixes(c.TrustedProxies),
		PublicURL:      n.URL(), Listen: c.Listen, Version: o.Version, Log: o.Log, Now: n.clock,
	})
	base, cancel := context.WithCancel(context.Background())
	n.stopping = cancel
	n.HTTP = n.api.HTTP()
	n.HTTP.BaseContext = func(net.Listener) context.Context { return base }
	bound := newConnections(n.listener, connectionLimit(c.Limits.Connections, mostFiles()), n.isProxy, o.Log)
	n.HTTP.ConnState = bound.state
	n.listener = bound
	return n, nil
}

// reserveBytes is how much of the disk of a SQLite file is kept for deletions.
const reserveBytes = 16 << 20

// isProxy reports whether many clients may come from an address: those of
// trusted proxies do, and so may those that come through this machine or a
// private network.
func (n *Node) isProxy(addr netip.Addr) bool {
	return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast() ||
		slices.ContainsFunc(n.config.TrustedProxies, func(trusted config.Network) bool { return trusted.Contains(addr) })
}

// URL is how clients reach the node.
func (n *Node) URL() string {
	if n.config.PublicURL != "" {
		return strings.TrimRight(n.config.PublicURL, "/")
	}
	return n.loopback()
}

// Serve serves until ctx ends, then drains: readiness turns false, in-flight requests get
// the grace period, and the rest are aborted.
func (n *Node) Serve(ctx context.Context) error {
	// Background tasks run until the last request is answered.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { n.sweep(background) })
	running.Go(func() { n.audit(background) })
	running.Go(func() { n.Fleet.Run(background) })
	running.Go(func() { n.library.Run(background) })
	running.Go(func() { n.checks.Run(background) })
	running.Go(func() { n.webhooks.Run(background) })
	running.Go(func() { n.retention.Run(background) })
	running.Go(func() { n.finishSuspensions(background) })
	running.Go(func() { n.sample(background) })
	running.Go(func() {
		n.Analytics.Run(background, func(err error) { n.log.Warn("count ended work failed", "error", err) })
	})
	running.Go(func() {
		n.Accounts.Run(background, func(err error) { n.log.Warn("record use of keys failed", "error", err) })
	})
	begin, begun := context.WithTimeout(ctx, beginPatience)
	defer begun()
	listed := make(chan struct{})
	running.Go(func() {
		n.toolServers.Refresh(begin)
		close(listed)
		n.toolServers.Run(background)
	})
	running.Go(func() {
		<-listed // runs may be about to call these tools
		n.runs.Serve(ctx)
	})
	running.Go(func() { n.followConnections(background) })
	running.Go(func() { n.watchConnections(background) })
	running.Go(func() { n.pulls.Run(ctx) })
	running.Go(func() { n.followGraphs(background) })
	defer running.Wait()
	defer stop()
	go func() { _ = n.HTTP.Serve(n.inside) }() // ends with the other
	ended, connected := n.startWorkers(ctx, &running)
	<-listed
	select { // before that, clients would read that no worker serves the models of these
	case <-connected:
	case <-begin.Done():
		if ctx.Err() == nil {
			n.log.Warn("workers of this process not connected yet")
		}
	}
	failed := make(chan error, 2)
	go func() { failed <- n.HTTP.Serve(n.listener) }()
	if n.metricsListener != nil {
		server := n.metricsServer()
		defer server.Close()
		go func() { failed <- server.Serve(n.metricsListener) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	n.api.Drain()
	n.Fleet.Drain()
	n.log.Info("shutting down", "delay", n.config.ShutdownDelay, "grace", n.config.ShutdownGrace)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.config.ShutdownGrace)
	defer cancel()
	clock.Sleep(grace, n.config.ShutdownDelay)
	select { // they speak over the connection that is about to close
	case <-ended:
	case <-grace.Done():
	}
	err := n.HTTP.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		n.log.Warn("shutdown grace over, unfinished requests aborted")
		n.stopping()
		err = n.HTTP.Close()
	}
	return err
}

// beginPatience is how long clients wait at most until the workers of this process are connected, and servers of tools
// have listed them.
const beginPatience = 10 * time.Second

// Close closes every part that is open.
func (n *Node) Close() error {
	var errs []error
	if n.stopping != nil {
		n.stopping()
	}
	if n.HTTP != nil {
		errs = append(errs, n.HTTP.Close())
	}
	if n.listener != nil {
		_ = n.listener.Close() // the HTTP server has usually closed it
	}
	if n.metricsListener != nil {
		_ = n.metricsListener.Close()
	}
	if n.language != nil {
		n.language.close()
	}
	if n.bus != nil {
		n.bus.Close()
	}
	if n.blobs != nil {
		errs = append(errs, n.blobs.Close())
	}
	if n.Admin != nil {
		errs = append(errs, n.Admin.Close())
	}
	return errors.Join(errs...)
}

func prefixes(networks []config.Network) []netip.Prefix {
	var out []netip.Prefix
	for _, n := range networks {
		out = append(out, n.Prefix)
	}
	return out
}

func chains(c *config.Config) (*chain.Reader, error) {
	return chain.New(map[string]chain.Chain{
		"base":      {RPCURL: c.Chains.Base.RPCURL, Svc: c.Chains.Base.Svc, Spark: c.Chains.Base.Spark},
		"etherlink": {RPCURL: c.Chains.Etherlink.RPCURL, Svc: c.Chains.Etherlink.Svc, Spark: c.Chains.Etherlink.Spark},
	}, nil)
}
