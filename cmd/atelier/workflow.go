package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/wire"
)

// workflowCommand groups the commands about workflows of an account.
type workflowCommand struct {
	Start   workflowStart   `cmd:"" help:"Start a workflow that a file describes, and print its id."`
	List    workflowList    `cmd:"" help:"List workflows, the newest first."`
	Show    workflowShow    `cmd:"" help:"Show the steps, the cost and the results of a workflow."`
	Watch   workflowWatch   `cmd:"" help:"Follow a workflow until it ends. Fails when the workflow does."`
	Cancel  workflowCancel  `cmd:"" help:"Cancel a workflow."`
	Resume  workflowResume  `cmd:"" help:"Resume a workflow that waits for credit or for a review of its content."`
	Reseed  workflowReseed  `cmd:"" help:"Start a workflow that has ended again, with other seeds, and print the id of the new one."`
	Remake  workflowRemake  `cmd:"" help:"Make a step again that a fallback worker made, free of charge and once, and print the id of the workflow that does so."`
	Approve workflowApprove `cmd:"" help:"Approve the cost of a workflow that waits for it, or decline it."`
}

// terms are the flags about payment.
type terms struct {
	Token   *string `help:"The token that pays: ${enum}." enum:"auto,spark,svc" placeholder:"TOKEN"`
	Billing *string `help:"What pays: ${enum}; auto lets a plan pay what it covers." enum:"auto,subscription,tokens" placeholder:"MODE"`
}

func (f terms) read() (t client.Terms) {
	if f.Token != nil {
		t.TokenType = atelier.TokenChoice(*f.Token)
	}
	if f.Billing != nil {
		t.BillingMode = atelier.BillingMode(*f.Billing)
	}
	return t
}

type workflowStart struct {
	service
	File text `arg:"" help:"The steps as YAML or JSON: the input of a workflow, or a whole request of the API; - for standard input."`
	terms
	Unfiltered bool `help:"Turn the content filter off. The account must be allowed to."`
	Key        text `help:"An idempotency key: a second start with it finds the workflow of the first." name:"idempotency-key" placeholder:"KEY"`
	Watch      bool `help:"Follow the workflow until it ends, or waits for its user."`
	JSON       bool `help:"Print JSON: the workflow, or with --watch its events, one on each line." name:"json"`
}

// Run starts a workflow.
func (s *workflowStart) Run(ctx context.Context, t terminal) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	request, err := s.request(t.in)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	last, cancel := lastMoment(ctx) // a signal does not interrupt the start: it would be unknown whether there is a workflow
	defer cancel()
	reply, err := c.StartRequest(last, request, string(s.Key))
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(ctx, "the service did not confirm that the workflow started: see %s workflow list", program())
	case err != nil:
		return s.URL.explain(err)
	}
	return s.started(ctx, c, t, reply.Workflow, s.Watch, s.JSON)
}

// request reads the file. What flags say wins.
func (s *workflowStart) request(in io.Reader) ([]byte, error) {
	fields, err := readDocument(string(s.File), in)
	if err != nil {
		return nil, err
	}
	if _, ok := fields["steps"]; ok { // the input alone
		input, err := wire.Marshal(fields)
		if err != nil {
			return nil, err
		}
		fields = template.Fields{"input": input}
	}
	for name, value := range map[string]*string{"token_type": s.Token, "billing_mode": s.Billing} {
		if value != nil {
			fields[name] = wire.Raw(`"` + *value + `"`)
		}
	}
	if s.Unfiltered {
		fields["safe_content_filter"] = wire.Raw("false")
	}
	return wire.Marshal(fields)
}

// readDocument reads the fields of a YAML or JSON file, or of standard input.
func readDocument(name string, in io.Reader) (template.Fields, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	} else {
		name = "standard input"
	}
	const most = 16 << 20
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	case len(data) > most:
		return nil, fmt.Errorf("%s is larger than any request", name)
	}
	fields, err := template.ReadFile(name, data)
	if err == nil && len(fields) == 0 {
		err = fmt.Errorf("%s is empty", name)
	}
	return fields, err
}

// started prints a workflow that was started, and follows it if the user wants to.
func (s *service) started(ctx context.Context, c *client.Client, t terminal, w apitype.Workflow, watch, asJSON bool) error {
	switch {
	case watch && asJSON:
		_, err := s.watch(ctx, c, t, w, watchOptions{json: true, untilPause: true})
		return err
	case asJSON:
		return printJSON(t.out, w)
	}
	if _, err := fmt.Fprintln(t.out, w.WorkflowID); err != nil || !watch {
		return err
	}
	ended, err := s.watch(ctx, c, t, w, watchOptions{untilPause: true})
	return errors.Join(printResults(t.out, ended), err)
}
