package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/connection"
	"github.com/atelier-project/atelier/internal/graphimport"
)

// Draft is a workflow that an operator brings.
type Draft struct {
	Name     string // the id of the model; empty while it is only looked at
	Workflow []byte
	apitype.GraphDraft
}

// askTimeout is how long a ComfyUI may take to answer.
const askTimeout = 20 * time.Second

// Inspect says what a workflow would become.
func (e *Engine) Inspect(ctx context.Context, d Draft) (apitype.GraphInspection, error) {
	_, out, err := e.read(ctx, d, 0)
	return out, err
}

// read makes a model of a workflow and checks it.
func (e *Engine) read(ctx context.Context, d Draft, sid int) (*graphimport.Result, apitype.GraphInspection, error) {
	var none apitype.GraphInspection
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
	case <-ctx.Done():
		return nil, none, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	server, err := e.server(ctx, d.ConnectionID)
	if err != nil {
		return nil, none, err
	}
	var nodes *graphimport.Nodes
	var silent error // why the ComfyUI was not asked
	if server != nil {
		nodes, silent = e.nodes(ctx, server.BaseURL())
	}
	r, err := graphimport.Import(d.Workflow, nodes, graphimport.Answers{Name: d.Name, Title: d.Title, Tool: d.Tool, SID: sid, Set: d.Set})
	if errors.Is(err, graphimport.ErrNeedsNodes) && silent != nil {
		return nil, none, atelier.Refuse("workflow", "is in the format of ComfyUI's editor, and the connection %s cannot be asked for its nodes: %s", server.Name, sentence(silent.Error()))
	}
	if err != nil {
		return nil, none, refusal(err)
	}
	out := inspection(r)
	if err := e.noteChoice(&out); err != nil {
		return nil, none, err
	}
	out.Check, err = e.check(ctx, r, server, silent)
	return r, out, err
}

// noteChoice says when no caller can choose the model, since the tool has no argument for that.
func (e *Engine) noteChoice(out *apitype.GraphInspection) error {
	plain, err := e.opts.Load()
	if err != nil {
		return err
	}
	if t, ok := plain.Tool(out.Tool); ok && t.Models.Argument == "" {
		text := fmt.Sprintf("%s always takes its own default model, and its calls cannot name another one. Choose another tool, or make this model its default in catalog_dir.", out.Tool)
		out.Findings = append([]apitype.GraphFinding{{Text: text}}, out.Findings...)
	}
	return nil
}

// server is the ComfyUI that a workflow is checked against; nil when none is connected.
func (e *Engine) server(ctx context.Context, id string) (*connection.Entry, error) {
	list, _, err := e.opts.Connections.Used(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		switch {
		case id != "" && c.ID != id:
		case c.Kind == apitype.ConnectionComfyUI:
			return &c, nil
		case id != "":
			return nil, atelier.Refuse("connectionId", "must be that of a ComfyUI, and %s is another server.", c.Name)
		}
	}
	if id != "" {
		return nil, atelier.Refuse("connectionId", "is not that of a connection that is used: %q.", id)
	}
	return nil, nil
}

func (e *Engine) nodes(ctx context.Context, address string) (*graphimport.Nodes, error) {
	info, err := e.opts.Nodes(ctx, address)
	if err != nil {
		return nil, err
	}
	return graphimport.ReadNodes(info)
}

// check loads a graph as a worker does, and says what the ComfyUI lacks for it.
func (e *Engine) check(ctx context.Context, r *graphimport.Result, server *connection.Entry, silent error) (apitype.GraphCheck, error) {
	c := apitype.GraphCheck{Lacks: []string{}, Message: "No ComfyUI is connected, so it is not checked: connect one first."}
	address := ""
	if server != nil {
		c.ConnectionID, c.Connection, c.Message = &server.ID, &server.Name, fmt.Sprintf("%s has all nodes and files.", server.Name)
		address = server.BaseURL()
	}
	if silent != nil {
		c.Message = fmt.Sprintf("%s was not asked: %s", server.Name, sentence(silent.Error()))
		address = ""
	}
	lacks, err := e.opts.Check(ctx, Files{r.Name, r.Graph, r.Mapping}, address)
	if err != nil {
		return c, atelier.Refuse("workflow", "cannot be used: %s", sentence(err.Error()))
	}
	if address == "" {
		return c, nil
	}
	ready := len(lacks) == 0
	c.Ready = &ready
	if !ready {
		c.Lacks, c.Message = lacks, fmt.Sprintf("%s lacks something: no picture can be made until it has it.", server.Name)
	}
	if wanted := server.Settings.ComfyUI.Models; ready && len(wanted) > 0 && !slices.Contains(wanted, r.Name) {
		c.Message += " It renders only the models that its connection lists: add the new one there."
	}
	return c, nil
}

// refusal names the field of a request that an import has found wrong.
func refusal(err error) error {
	field, message := "workflow", err.Error()
	if head, rest, found := strings.Cut(message, ": "); found && (head == "name" || head == "tool" || strings.HasPrefix(head, "set.")) {
		field, message = head, rest
	}
	if !strings.HasPrefix(message, "must ") {
		message = "cannot be used: " + message
	}
	return atelier.Refuse(field, "%s", sentence(message))
}

// sentence ends a text with a full stop.
func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// inspection is the result of an import as operators see it.
func inspection(r *graphimport.Result) apitype.GraphInspection {
	out := apitype.GraphInspection{
		Title: r.Title, GraphFacts: facts(r), Tools: graphimport.Tools(),
		Places: []apitype.GraphPlace{}, Settable: []apitype.GraphSettable{}, MissingNodes: []apitype.GraphMissingNode{}, Findings: []apitype.GraphFinding{},
	}
	for _, p := range r.Places {
		out.Places = append(out.Places, apitype.GraphPlace(p))
	}
	for _, s := range r.Settable {
		out.Settable = append(out.Settable, apitype.GraphSettable(s))
	}
	for _, m := range r.Missing {
		out.MissingNodes = append(out.MissingNodes, apitype.GraphMissingNode{Class: m.Class, Nodes: m.Nodes, Package: optional(m.Package), URL: optional(m.URL), Hint: m.Hint})
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, apitype.GraphFinding{Node: optional(f.Node), Text: f.Text})
	}
	return out
}

func facts(r *graphimport.Result) apitype.GraphFacts {
	out := apitype.GraphFacts{Tool: r.Tool, Format: r.Format, Type: r.Type, Size: optional(r.Size), Inputs: []apitype.GraphInput{}, Needs: r.Needs, Files: []apitype.GraphFile{}}
	for _, in := range r.Inputs {
		out.Inputs = append(out.Inputs, apitype.GraphInput{Argument: in.Argument, Targets: in.Targets, Node: in.Node, Value: in.Value, Why: in.Why})
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, apitype.GraphFile{Target: f.Target, Folder: optional(f.Folder), Name: f.Name, From: optional(f.From)})
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
