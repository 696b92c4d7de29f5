package node

import (
	"context"
	"fmt"
	"slices"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// graphOptions are what the engine of graphs needs.
func (with parts) graphOptions(o *Admin, c *config.Config) graph.Options {
	return graph.Options{
		Connections: o.Connections, Nodes: comfyui.ObjectInfo, Check: checkGraph, Changed: with.graphsChanged, Now: o.now,
		Load: func(more ...catalog.File) (*catalog.Catalog, error) {
			plain, err := with.plain()
			if err != nil {
				return nil, err
			}
			return plain.With(more...)
		},
		IsInFiles: func(model string) (bool, error) {
			library, err := with.files()
			return err == nil && slices.Contains(library.Models(), model), err
		},
	}
}

// sources are graphs as a worker loads them.
func sources(list []graph.Files) (out []comfyui.Source) {
	for _, f := range list {
		out = append(out, comfyui.Source(f))
	}
	return out
}

// checkGraph loads a graph as a worker does, and says what a ComfyUI lacks for it.
func checkGraph(ctx context.Context, f graph.Files, address string) ([]string, error) {
	library, err := comfyui.NewLibrary(comfyui.Source(f))
	if err != nil || address == "" {
		return nil, err
	}
	has, err := comfyui.Inspect(ctx, address, library)
	if err != nil {
		return nil, err
	}
	if lacks := has.Missing[f.Name]; len(lacks) > 0 || slices.Contains(has.Models, f.Name) {
		return lacks, nil
	}
	return nil, fmt.Errorf("its mapping renders nothing as %s", f.Name)
}

// graphsChanged uses graphs that this node has changed, and tells the others.
func (n *Node) graphsChanged(ctx context.Context) {
	n.bus.Publish(graph.Topic)
	if err := n.useChangedGraphs(ctx); err != nil {
		n.log.Warn("use changed graphs failed, will retry", "error", err)
	}
}

// useChangedGraphs uses the graphs as they are stored now, without a restart: the catalog has their models, and workers
// of this process that render with a ComfyUI begin again with them, when they have ended what they had begun.
func (n *Node) useChangedGraphs(ctx context.Context) error {
	if err := n.useGraphs(ctx); err != nil {
		return err
	}
	return n.useConnections(ctx) // also of those that list a model that there was not before
}

// useGraphs lets the catalog and the library have the graphs as they are stored now.
func (n *Node) useGraphs(ctx context.Context) error {
	n.applying.Lock()
	defer n.applying.Unlock()
	used, err := n.Graphs.Used(ctx)
	if err != nil {
		return err
	}
	library, err := n.graphs.With(sources(used.Graphs)...)
	if err != nil {
		return err
	}
	n.catalog.Use(used.Catalog)
	n.attached.graphs.Store(&graphLibrary{library, used.Change})
	n.usedGraphs.Store(used.Change)
	return nil
}

// followGraphs uses changed graphs until ctx ends.
func (n *Node) followGraphs(ctx context.Context) {
	sub := n.bus.Subscribe(graph.Topic)
	defer sub.Close()
	for clock.Wait(ctx, sub.C(), connectionInterval) {
		change, err := n.Graphs.Change(ctx)
		if err == nil && n.usedGraphs.Load() == change {
			continue
		}
		if err == nil {
			err = n.useChangedGraphs(ctx)
		}
		switch {
		case err == nil:
			n.log.Info("graphs changed", "change", change)
		case ctx.Err() == nil:
			n.log.Warn("use changed graphs failed, will retry", "error", err)
		}
	}
}
