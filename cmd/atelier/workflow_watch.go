package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
)

// exitWaiting is the exit code of a command whose workflow waits for its user.
const exitWaiting = 3

type workflowWatch struct {
	service
	ID         string `arg:"" help:"The workflow's id."`
	UntilPause bool   `help:"End when the workflow waits for its user, with exit code 3." name:"until-pause"`
	JSON       bool   `help:"Print the events as JSON, one on each line." name:"json"`
}

// Run follows a workflow, from its beginning.
func (w *workflowWatch) Run(ctx context.Context, t terminal) error {
	c, err := w.connect()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	found, err := c.Workflow(ctx, w.ID)
	if err != nil {
		return w.URL.explain(err)
	}
	ended, err := w.watch(ctx, c, t, found, watchOptions{json: w.JSON, untilPause: w.UntilPause})
	if w.JSON {
		return err
	}
	return errors.Join(printResults(t.out, ended), err)
}

// watchOptions say how a workflow is followed.
type watchOptions struct {
	json       bool // print events, one on each line
	untilPause bool // end when it waits for its user
}

// watch follows a workflow until it ends, and returns it as it is then. The user can stop watching: it
// continues.
func (s *service) watch(ctx context.Context, c *client.Client, t terminal, w apitype.Workflow, o watchOptions) (apitype.Workflow, error) {
	bar := newBar(t.err)
	defer bar.clear()
	bar.price(w)
	again := fmt.Sprintf("%s workflow watch %s", program(), w.WorkflowID)
	for n, err := range c.Follow(ctx, w.WorkflowID, -1) {
		switch {
		case ctx.Err() != nil:
			return apitype.Workflow{}, interrupted(ctx, "the workflow continues: see %s", again)
		case err != nil:
			return apitype.Workflow{}, fmt.Errorf("%w; the workflow was not changed: see %s", s.URL.explain(err), again)
		case o.json:
			var line any = n.Event
			if n.Event == nil {
				line = n.Status
			}
			if err := printLine(t.out, line); err != nil {
				return apitype.Workflow{}, err
			}
		case n.Event != nil:
			showEvent(bar, *n.Event)
		}
		if n.Status == nil || n.Status.Status != atelier.StatusWaitingForUser {
			continue
		}
		paused, err := c.Workflow(ctx, w.WorkflowID)
		if err != nil || paused.Status != atelier.StatusWaitingForUser {
			continue // it continues already, or the stream tells why not
		}
		if o.untilPause {
			return paused, exitError{errors.New(pauseText(paused)), exitWaiting}
		}
		bar.say(pauseText(paused))
	}
	ended, err := c.Workflow(ctx, w.WorkflowID)
	switch {
	case ctx.Err() != nil:
		return ended, interrupted(ctx, "the workflow has ended: see %s", again)
	case err != nil:
		return ended, fmt.Errorf("%w; see %s", s.URL.explain(err), again)
	}
	return ended, failureOf(ended)
}

// showEvent shows what an event says: a line that stays when a step changes, else progress.
func showEvent(bar *bar, e apitype.WorkflowEvent) {
	switch p := e.Payload.(type) {
	case apitype.StepStarted:
		again := ""
		if p.Attempt > 1 {
			again = fmt.Sprintf(" (attempt %d)", p.Attempt)
		}
		bar.say(fmt.Sprintf("%s: %s started%s", plainText(p.StepID), p.ToolName, again))
	case apitype.StepCompleted:
		bar.say(fmt.Sprintf("%s: done", plainText(p.StepID)))
	case apitype.StepFailed:
		bar.say(fmt.Sprintf("%s: failed: %s", plainText(p.StepID), plainText(p.Error.Message)))
	case apitype.WorkflowProgress:
		if p.WaitingFor.Value != nil {
			bar.say(plainText(e.Message) + " Waiting for one.")
			return
		}
		bar.show(p.Progress, plainText(e.Message))
	}
}

// failureOf is the error of a workflow that has ended without all its results.
func failureOf(w apitype.Workflow) error {
	switch {
	case w.Status == atelier.StatusCompleted:
		return nil
	case w.Error != nil:
		return fmt.Errorf("the workflow ended as %s: %s", w.Status, w.Error.Message)
	}
	return fmt.Errorf("the workflow ended as %s", w.Status)
}

// pauseText says what a workflow waits for, and which command lets it go on.
func pauseText(w apitype.Workflow) string {
	text := string(w.WaitingReason)
	if w.Waiting != nil && w.Waiting.Message != "" {
		text = w.Waiting.Message
	}
	verb := "resume"
	switch w.WaitingReason {
	case atelier.WaitCostApproval:
		verb = "approve"
	case atelier.WaitSafetyReview:
		verb = "resume --unfiltered"
	}
	return fmt.Sprintf("the workflow waits: %s Continue with %s workflow %s %s", plainText(text), program(), verb, w.WorkflowID)
}

// printResults prints what a workflow made, one URL on each line.
func printResults(out io.Writer, w apitype.Workflow) error {
	for _, a := range w.Artifacts {
		if _, err := fmt.Fprintln(out, a.URL); err != nil {
			return err
		}
	}
	return nil
}
