package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

type workflowShow struct {
	service
	ID   string `arg:"" help:"The workflow's id."`
	JSON bool   `help:"Print JSON." name:"json"`
}

// Run shows a workflow.
func (s *workflowShow) Run(ctx context.Context, t terminal) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	w, err := c.Workflow(ctx, s.ID)
	switch {
	case err != nil:
		return s.URL.explain(err)
	case s.JSON:
		return printJSON(t.out, w)
	}
	return printWorkflow(t.out, w)
}

func printWorkflow(out io.Writer, w apitype.Workflow) error {
	facts := newTable(out)
	facts.row("workflow", w.WorkflowID)
	facts.row("title", plainText(w.Title))
	facts.row("status", w.Status)
	facts.row("created", w.Timestamps.CreatedAt.Format(time.RFC3339))
	if end := w.Timestamps.CompletedAt; end != nil {
		facts.row("ended", fmt.Sprintf("%s, after %s", end.Format(time.RFC3339), end.Sub(w.Timestamps.CreatedAt).Round(100*time.Millisecond)))
	}
	facts.row("cost", costOf(w).text())
	if w.RemakeOf != nil {
		facts.row("made again", plainText(w.RemakeOf.StepID+" of "+w.RemakeOf.WorkflowID))
	}
	if w.Template != nil {
		facts.row("template", plainText(w.Template.ID+" "+w.Template.Version))
	}
	if w.Status == atelier.StatusWaitingForUser {
		facts.row("waits", pauseText(w))
	}
	if w.Error != nil {
		facts.row("error", plainText(w.Error.Message))
	}
	if err := facts.flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	steps := newTable(out, "STEP", "TOOL", "MODEL", "STATUS", "PROGRESS", "COST (SPARK)", "TIME", "NOTE")
	for _, s := range w.Steps {
		model := "-"
		if s.Generation != nil {
			model = cmp.Or(s.Generation.SelectedModel, model)
		}
		steps.row(plainText(s.ID), s.ToolName, model, s.Status, fmt.Sprintf("%.0f%%", s.Progress*100), stepCost(s).Short(), stepTime(s), stepNote(s))
	}
	if err := steps.flush(); err != nil || len(w.Artifacts) == 0 {
		return err
	}
	fmt.Fprintln(out)
	results := newTable(out, "RESULT", "STEP", "KIND", "SIZE", "URL")
	for i, a := range w.Artifacts {
		results.row(i+1, plainText(a.StepID), a.Kind, extent(a), a.URL)
	}
	return results.flush()
}

// stepTime is how long a step has taken.
func stepTime(s apitype.Step) string {
	if s.Timestamps.StartedAt == nil || s.Timestamps.CompletedAt == nil {
		return "-"
	}
	return s.Timestamps.CompletedAt.Sub(*s.Timestamps.StartedAt).Round(100 * time.Millisecond).String()
}

// stepNote says what a step waits for, why it failed, or that a fallback worker has made it.
func stepNote(s apitype.Step) string {
	switch {
	case s.Error != nil:
		return plainText(s.Error.Message)
	case s.Wait != nil:
		return plainText(s.Wait.Message)
	case s.Remake != nil && s.Remake.State == apitype.RemakeAvailable:
		return "a fallback worker made it: workflow remake makes it again, free of charge"
	case s.Remake != nil:
		return "made again by " + plainText(s.Remake.WorkflowID)
	}
	return "-"
}

// extent is how large an artifact is: in pixels, in seconds or in bytes.
func extent(a apitype.Artifact) string {
	text := ""
	if a.Width > 0 {
		text = fmt.Sprintf("%dx%d", a.Width, a.Height)
	}
	if a.DurationSeconds > 0 {
		if text != "" {
			text += " "
		}
		text += fmt.Sprintf("%.1fs", a.DurationSeconds)
	}
	return cmp.Or(text, fmt.Sprintf("%d bytes", a.SizeBytes))
}
