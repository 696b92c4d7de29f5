package node

import (
	"context"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/lora/source"
	"github.com/atelier-project/atelier/internal/modeldir"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// parts are what the engines of connections and of graphs need of a node.
type parts struct {
	plain   func() (*catalog.Catalog, error) // of the program and catalog_dir
	files   func() (*comfyui.Library, error) // of the program and graphs_dir
	catalog func() (*catalog.Catalog, error) // with the graphs that operators have brought
	graphs  func() (*comfyui.Library, error) // with those

	connectionsChanged, graphsChanged func(context.Context) // called after each change that they make
}

// connect makes the engines of connections and of graphs.
func (o *Admin) connect(c *config.Config, with parts) (err error) {
	p := prober{config: c, catalog: with.catalog, graphs: with.graphs}
	o.Connections, err = connection.New(o.DB, connection.Options{
		Secrets: o.secrets, Config: c, VendorKey: vendorKey, Check: p.check, CheckFolder: checkFolder,
		Probe: p.probe, Ping: p.ping, Changed: with.connectionsChanged, Places: connection.Places(c.Listen), Now: o.now,
	})
	o.Graphs = graph.New(o.DB, with.graphOptions(o, c))
	return err
}

// checkFolder says why this machine cannot write files of models to a folder.
func checkFolder(dir string) error {
	f, err := modeldir.Open(dir)
	if err != nil {
		return err
	}
	return f.Writable()
}

// connectAlone makes the engines for a command, which needs the catalog and the graphs only for some of what they do.
func (o *Admin) connectAlone(ctx context.Context, c *config.Config, plain func() (*catalog.Catalog, error)) error {
	files := sync.OnceValues(func() (*comfyui.Library, error) { return comfyui.LoadLibrary(c.GraphsDir) })
	used := sync.OnceValues(func() (graph.Used, error) { return o.Graphs.Used(ctx) })
	nothing := func(context.Context) {}
	return o.connect(c, parts{
		plain: plain, files: files, connectionsChanged: nothing, graphsChanged: nothing,
		catalog: func() (*catalog.Catalog, error) {
			u, err := used()
			return u.Catalog, err
		},
		graphs: func() (*comfyui.Library, error) {
			u, err := used()
			if err != nil {
				return nil, err
			}
			library, err := files()
			if err != nil {
				return nil, err
			}
			return library.With(sources(u.Graphs)...)
		},
	})
}

// connectionsChanged uses connections that this node has changed, and tells the others.
func (n *Node) connectionsChanged(ctx context.Context) {
	n.bus.Publish(connection.Topic)
	if err := n.useConnections(ctx); err != nil {
		n.log.Warn("use changed connections failed, will retry", "error", err)
	}
}

// useConnections uses the connections as they are stored now, without a restart. Requests and
// renders that have begun continue at the servers where they are.
func (n *Node) useConnections(ctx context.Context) error {
	n.applying.Lock()
	defer n.applying.Unlock()
	used, change, err := n.Connections.Used(ctx)
	if err != nil {
		return err
	}
	var (
		upstreams []config.Upstream
		sites     []source.Site
		stored    bool
	)
	for _, e := range used {
		switch e.Kind {
		case apitype.ConnectionLLM:
			upstreams = append(upstreams, e.Upstream())
			stored = stored || e.From == apitype.ConnectionFromStore
		case apitype.ConnectionLoraSource:
			sites = append(sites, site(e))
		}
	}
	if err := n.language.use(upstreams); err != nil {
		if change == 0 && !stored {
			return err // of the configuration, before anything was connected
		}
		n.log.Warn("default language model is not offered, the first one is the default", "error", err)
	}
	if sources, err := n.openSources(sites); err == nil {
		n.loras.UseSources(sources)
	} else if change == 0 {
		return err
	} else {
		n.log.Error("hosting sites of LoRAs cannot be used as they are connected, they stay as they were", "error", err)
	}
	n.attached.use(used)
	n.applied = change
	return nil
}

// connectionInterval is how often a node looks for changes of connections without a nudge, such
// as those of commands on the database. The look is one read of one row.
const connectionInterval = 2 * time.Second

// followConnections uses changed connections until ctx ends.
func (n *Node) followConnections(ctx context.Context) {
	sub := n.bus.Subscribe(connection.Topic)
	defer sub.Close()
	for clock.Wait(ctx, sub.C(), connectionInterval) {
		change, err := n.Connections.Change(ctx)
		if err == nil && n.isApplied(change) {
			continue
		}
		if err == nil {
			err = n.useConnections(ctx)
		}
		switch {
		case err == nil:
			n.log.Info("connections changed", "change", change)
		case ctx.Err() == nil:
			n.log.Warn("use changed connections failed, will retry", "error", err)
		}
	}
}

func (n *Node) isApplied(change int64) bool {
	n.applying.Lock()
	defer n.applying.Unlock()
	return n.applied == change
}

// How often the operator's own servers are asked whether they answer, and what they have. New
// ones are asked sooner.
const (
	pingInterval  = time.Minute
	probeInterval = 10 * time.Minute
)

// watchConnections checks the servers of connections until ctx ends.
func (n *Node) watchConnections(ctx context.Context) {
	sub := n.bus.Subscribe(connection.Topic)
	defer sub.Close()
	var last time.Time
	for ctx.Err() == nil {
		whole := time.Since(last) > probeInterval
		if whole {
			last = time.Now()
		}
		if err := n.Connections.Watch(ctx, whole); err != nil && ctx.Err() == nil {
			n.log.Warn("check connections failed", "error", err)
		}
		clock.Wait(ctx, sub.C(), pingInterval)
	}
}
