package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

type templateRun struct {
	service
	ID     string       `arg:"" help:"The template's id."`
	Input  []namedInput `help:"The value of an input; for an image, a video or a recording, a file or a URL. Repeat it for the values of a list." placeholder:"NAME=VALUE" sep:"none"`
	Inputs path         `help:"A YAML or JSON file with values of inputs by name. --input wins." placeholder:"FILE"`
	Out    text         `help:"Directory for the results. Without it their URLs are printed." short:"o" placeholder:"DIR"`
	Yes    bool         `help:"Approve the cost without asking."`
	showing
	terms
	Unfiltered bool `help:"Turn the content filter off. The account must be allowed to."`
	JSON       bool `help:"Print the workflow as JSON when it has ended." name:"json"`
}

// namedInput is a value of an input.
type namedInput struct{ name, value string }

// UnmarshalText reads the flag.
func (i *namedInput) UnmarshalText(b []byte) error {
	name, value, ok := strings.Cut(string(b), "=")
	if !ok || name == "" {
		return fmt.Errorf("%q is not a name and a value, such as mood=calm", b)
	}
	*i = namedInput{name, value}
	return nil
}

// Run starts a workflow of a template, asks about its cost, follows it and saves its results.
func (r *templateRun) Run(ctx context.Context, t terminal) error {
	c, err := r.connect()
	if err != nil {
		return err
	}
	if r.Out != "" { // before anything is paid for
		if _, err := newTarget(string(r.Out)+string(filepath.Separator), "result", []string{"bin"}); err != nil {
			return err
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	found, err := c.Template(ctx, r.ID)
	if err != nil {
		return r.URL.explain(err)
	}
	inputs, err := r.values(ctx, c, found)
	if err != nil {
		return err
	}
	w, err := r.start(ctx, c, inputs)
	if err != nil {
		return err
	}
	if w, err = r.approve(ctx, c, t, w); err != nil {
		return err
	}
	fmt.Fprintln(t.err, w.WorkflowID)
	ended, err := r.watch(ctx, c, t, w, watchOptions{untilPause: true})
	return errors.Join(err, r.keep(ctx, c, t, ended))
}

// values are the inputs of the file and the flags, each in the type that the template declares.
// Files are uploaded.
func (r *templateRun) values(ctx context.Context, c *client.Client, found client.Template) (map[string]any, error) {
	out := map[string]any{}
	if r.Inputs != "" {
		fields, err := readDocument(string(r.Inputs), nil)
		if err != nil {
			return nil, fmt.Errorf("--inputs: %w", err)
		}
		for name, value := range fields {
			out[name] = json.RawMessage(value)
		}
	}
	given := map[string][]string{}
	for _, i := range r.Input {
		given[i.name] = append(given[i.name], i.value)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := slices.IndexFunc(found.Inputs, func(i client.TemplateInput) bool { return i.Name == name })
		if at < 0 {
			var names []string
			for _, in := range found.Inputs {
				names = append(names, in.Name)
			}
			return nil, fmt.Errorf("--input: %s has no input %s, only %s", found.ID, name, strings.Join(names, ", "))
		}
		in := found.Inputs[at]
		var list []any
		for _, text := range given[name] {
			value, err := readInput(ctx, c, in, text)
			if err != nil {
				return nil, fmt.Errorf("--input %s: %w", name, err)
			}
			list = append(list, value)
		}
		switch {
		case in.TakesList():
			out[name] = list
		case len(list) > 1:
			return nil, fmt.Errorf("--input %s: takes one value, not %d", name, len(list))
		default:
			out[name] = list[0]
		}
	}
	return out, nil
}

// readInput reads a value of the command line.
func readInput(ctx context.Context, c *client.Client, in client.TemplateInput, text string) (any, error) {
	switch {
	case in.Type == atelier.InputNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		return n, nil
	case in.Type == atelier.InputBoolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not true or false", text)
		}
		return b, nil
	case in.Type.Media() && !strings.Contains(text, "://"):
		return upload(ctx, c, in.Type, kong.ExpandPath(text))
	}
	return text, nil
}

// start starts the workflow, which waits until its cost is approved.
func (r *templateRun) start(ctx context.Context, c *client.Client, inputs map[string]any) (apitype.Workflow, error) {
	request := struct {
		TemplateID string         `json:"workflow_id"`
		Inputs     map[string]any `json:"inputs"`
		client.Terms
		SafeContentFilter *bool `json:"safe_content_filter,omitzero"`
	}{TemplateID: r.ID, Inputs: inputs, Terms: r.read()}
	if r.Unfiltered {
		request.SafeContentFilter = new(bool)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return apitype.Workflow{}, err
	}
	last, cancel := lastMoment(ctx)
	defer cancel()
	reply, err := c.StartRequest(last, body, "")
	switch {
	case err != nil && ctx.Err() != nil:
		return reply.Workflow, interrupted(ctx, "the service did not confirm that the workflow started: see %s workflow list", program())
	case err != nil:
		return reply.Workflow, r.URL.explain(err)
	}
	return reply.Workflow, nil
}

// approve decides about the cost. Where no user can be asked, --yes has to say so.
func (r *templateRun) approve(ctx context.Context, c *client.Client, t terminal, w apitype.Workflow) (apitype.Workflow, error) {
	price := costOf(w).text()
	agreed := r.Yes
	if !agreed && isTerminal(t.in) {
		fmt.Fprintf(t.err, "It costs %s. Start it? [y/N] ", price)
		line, err := (&lineReader{in: t.in}).read(ctx)
		agreed = err == nil && slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
	}
	last, cancel := lastMoment(ctx)
	defer cancel()
	decided, err := decideCost(last, c, w, agreed)
	switch {
	case errors.Is(err, errNoApproval):
		return w, nil // it costs nothing that has to be approved
	case err != nil:
		return w, fmt.Errorf("%w; the workflow waits: see %s workflow show %s", r.URL.explain(err), program(), w.WorkflowID)
	case !agreed:
		return w, fmt.Errorf("it costs %s, which was not approved: the workflow was cancelled; --yes approves it", price)
	}
	return decided, nil
}

// keep saves or prints the results.
func (r *templateRun) keep(ctx context.Context, c *client.Client, t terminal, w apitype.Workflow) error {
	if r.Out != "" {
		for _, a := range w.Artifacts {
			to := t.out
			if r.JSON {
				to = t.err
			}
			if err := r.save(ctx, c, a, mediaTarget(string(r.Out), a.ToolName, a.Kind, a.URL), to); err != nil {
				return err
			}
		}
	}
	switch {
	case w.WorkflowID == "":
		return nil
	case r.JSON:
		return printJSON(t.out, w)
	case r.Out == "":
		return printResults(t.out, w)
	}
	return nil
}
