package operator

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/graph"
	"github.com/atelier-project/atelier/internal/store"
)

// Graphs lists the graphs of ComfyUI that operators have brought.
func (o Operator) Graphs(ctx context.Context) (apitype.Graphs, error) {
	return o.opts.Graphs.List(ctx)
}

// Graph reads a graph with its files.
func (o Operator) Graph(ctx context.Context, name string) (apitype.GraphWithFiles, error) {
	return o.opts.Graphs.Read(ctx, name)
}

// InspectGraph says what a workflow would become.
func (o Operator) InspectGraph(ctx context.Context, d graph.Draft) (apitype.GraphInspection, error) {
	return o.opts.Graphs.Inspect(ctx, d)
}

// CreateGraph makes a model of a workflow.
func (o Operator) CreateGraph(ctx context.Context, d graph.Draft, reason string) (apitype.Graph, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Graph{}, err
	}
	return o.opts.Graphs.Create(ctx, d, o.recordGraph("create graph", reason))
}

// ReplaceGraph stores another workflow, or other choices, for a graph.
func (o Operator) ReplaceGraph(ctx context.Context, d graph.Draft, reason string) (apitype.Graph, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Graph{}, err
	}
	return o.opts.Graphs.Replace(ctx, d, o.recordGraph("replace graph", reason))
}

// RemoveGraph removes a graph.
func (o Operator) RemoveGraph(ctx context.Context, name, reason string) (apitype.Graph, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.Graph{}, err
	}
	return o.opts.Graphs.Delete(ctx, name, o.recordGraph("remove graph", reason))
}

// recordGraph records what was done to a graph.
func (o Operator) recordGraph(action, reason string) graph.Also {
	return func(tx *store.Tx, g apitype.Graph) error {
		return o.record(store.Action{Action: action, Target: g.Name, Detail: fmt.Sprintf("%s for %s", g.Title, g.Tool), Reason: reason})(tx)
	}
}
