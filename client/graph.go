package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/atelier-project/atelier/apitype"
)

// GraphFile is a workflow of ComfyUI that becomes a model.
type GraphFile struct {
	Name     string          `json:"name,omitempty"` // the id of the model
	Workflow json.RawMessage `json:"workflow"`       // as ComfyUI saves it
	apitype.GraphDraft
	Reason string `json:"reason,omitempty"`
}

// Graphs lists the graphs of ComfyUI that operators have brought.
func (o Operator) Graphs(ctx context.Context) (list apitype.Graphs, err error) {
	err = o.get(ctx, operatorPath("graphs"), nil, &list)
	return list, err
}

// Graph reads a graph with its files.
func (o Operator) Graph(ctx context.Context, name string) (out apitype.GraphWithFiles, err error) {
	err = o.get(ctx, operatorPath("graphs", name), nil, &out)
	return out, err
}

// InspectGraph says what a workflow would become. Reason is not sent.
func (o Operator) InspectGraph(ctx context.Context, f GraphFile) (apitype.GraphInspection, error) {
	f.Reason = ""
	var out apitype.GraphInspectionReply
	err := o.send(ctx, http.MethodPost, operatorPath("graphs", "inspect"), f, &out)
	return out.Inspection, err
}

// CreateGraph makes a model of a workflow.
func (o Operator) CreateGraph(ctx context.Context, f GraphFile) (apitype.Graph, error) {
	var out apitype.GraphReply
	err := o.send(ctx, http.MethodPost, operatorPath("graphs"), f, &out)
	return out.Graph, err
}

// ReplaceGraph stores another workflow, or other choices, for a graph.
func (o Operator) ReplaceGraph(ctx context.Context, f GraphFile) (apitype.Graph, error) {
	name := f.Name
	f.Name = ""
	var out apitype.GraphReply
	err := o.send(ctx, http.MethodPut, operatorPath("graphs", name), f, &out)
	return out.Graph, err
}

// RemoveGraph removes a graph.
func (o Operator) RemoveGraph(ctx context.Context, name, reason string) (apitype.Graph, error) {
	var out apitype.GraphReply
	err := o.remove(ctx, operatorPath("graphs", name), reason, &out)
	return out.Graph, err
}
