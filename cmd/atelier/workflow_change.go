package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// workflowChange is a change of one workflow.
type workflowChange struct {
	service
	ID   string `arg:"" help:"The workflow's id."`
	JSON bool   `help:"Print JSON." name:"json"`
}

// changed prints the workflow after a change.
func (f *workflowChange) changed(t terminal, w apitype.Workflow, err error) error {
	switch {
	case err != nil:
		return f.URL.explain(err)
	case f.JSON:
		return printJSON(t.out, w)
	}
	_, err = fmt.Fprintf(t.out, "%s: %s\n", w.WorkflowID, w.Status)
	return err
}

type workflowCancel struct{ workflowChange }

// Run cancels a workflow. One that has ended stays as it is.
func (f *workflowCancel) Run(ctx context.Context, t terminal) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	w, err := c.CancelWorkflow(ctx, f.ID)
	return f.changed(t, w, err)
}

type workflowResume struct {
	workflowChange
	terms
	Unfiltered bool `help:"Release a review of the content: turn the filter off for the steps that are left. The account must be allowed to."`
	Watch      bool `help:"Follow the workflow until it ends, or waits again."`
}

// Run resumes a workflow.
func (f *workflowResume) Run(ctx context.Context, t terminal) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	r := client.Resume{Terms: f.read()}
	if f.Unfiltered {
		r.SafeContentFilter = new(bool)
	}
	w, err := c.ResumeWorkflow(ctx, f.ID, r)
	if err != nil || !f.Watch {
		return f.changed(t, w, err)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return f.started(ctx, c, t, w, true, f.JSON)
}

// stepSeed is a seed of one step.
type stepSeed struct {
	step string
	seed int64
}

// UnmarshalText reads the flag.
func (s *stepSeed) UnmarshalText(b []byte) error {
	step, text, ok := strings.Cut(string(b), "=")
	seed, err := strconv.ParseInt(text, 10, 64)
	if !ok || step == "" || err != nil {
		return fmt.Errorf("%q is not a step and its seed, such as image=7", b)
	}
	*s = stepSeed{step, seed}
	return nil
}

type workflowReseed struct {
	workflowChange
	terms
	Seed  []stepSeed `help:"The seed of a step. Other steps get random ones." placeholder:"STEP=N" sep:"none"`
	Watch bool       `help:"Follow the new workflow until it ends, or waits for its user."`
}

// Run starts a copy of a workflow.
func (f *workflowReseed) Run(ctx context.Context, t terminal) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	r := client.Reseed{Terms: f.read()}
	for _, s := range f.Seed {
		if r.Seeds == nil {
			r.Seeds = map[string]int64{}
		}
		r.Seeds[s.step] = s.seed
	}
	reply, err := c.ReseedWorkflow(ctx, f.ID, r)
	if err != nil {
		return f.URL.explain(err)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return f.started(ctx, c, t, reply.Workflow, f.Watch, f.JSON)
}

type workflowRemake struct {
	workflowChange
	Step  string `arg:"" optional:"" help:"The step; default: the only one that can be made again."`
	Watch bool   `help:"Follow the new workflow until it ends, or waits for its user."`
}

// Run makes a step again.
func (f *workflowRemake) Run(ctx context.Context, t terminal) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	if f.Step == "" {
		w, err := c.Workflow(ctx, f.ID)
		if err != nil {
			return f.URL.explain(err)
		}
		if f.Step, err = remakableStep(w); err != nil {
			return err
		}
	}
	w, err := c.RemakeStep(ctx, f.ID, f.Step)
	if err != nil {
		return f.URL.explain(err)
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	return f.started(ctx, c, t, w, f.Watch, f.JSON)
}

// remakableStep is the only step of a workflow that can be made again now.
func remakableStep(w apitype.Workflow) (string, error) {
	var found []string
	for _, s := range w.Steps {
		if s.Remake != nil && s.Remake.State == apitype.RemakeAvailable {
			found = append(found, s.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", errors.New("no step of the workflow can be made again now: name one to learn why")
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("name one of the steps that can be made again: %s", plainText(strings.Join(found, ", ")))
}

type workflowApprove struct {
	workflowChange
	Decline bool `help:"Decline the cost, which cancels the workflow."`
}

// Run approves the cost that the workflow shows now.
func (f *workflowApprove) Run(ctx context.Context, t terminal) error {
	c, err := f.connect()
	if err != nil {
		return err
	}
	w, err := c.Workflow(ctx, f.ID)
	if err != nil {
		return f.URL.explain(err)
	}
	w, err = decideCost(ctx, c, w, !f.Decline)
	return f.changed(t, w, err)
}

// errNoApproval means that there is no cost to decide about.
var errNoApproval = errors.New("the workflow does not wait for the approval of a cost")

// decideCost approves or declines the cost of a workflow that waits for it.
func decideCost(ctx context.Context, c *client.Client, w apitype.Workflow, approve bool) (apitype.Workflow, error) {
	var accepted *atelier.CostPreview
	switch {
	case w.AwaitingCostApproval == nil || !*w.AwaitingCostApproval:
		return w, fmt.Errorf("%w: it is %s", errNoApproval, w.Status)
	case approve && w.BillingPreview == nil:
		return w, errors.New("the service does not show the cost of the workflow")
	case approve:
		accepted = w.BillingPreview
	}
	return c.ConfirmWorkflowCost(ctx, w.WorkflowID, accepted)
}
