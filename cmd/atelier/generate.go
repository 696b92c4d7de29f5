package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/catalog"
)

// generateCommand is atelier generate.
type generateCommand struct {
	service
	Kind       string    `arg:"" help:"What to make: ${enum}." enum:"image,video,music,speech,3d"`
	Prompt     prompt    `arg:"" optional:"" help:"A description of what to make; for speech, the text to say. Not needed with --again."`
	Out        text      `help:"File to write, in the format of its extension; - for standard output. Default: the kind with its extension." short:"o" placeholder:"FILE"`
	Model      string    `help:"The model; default: the tool's." placeholder:"NAME"`
	Again      path      `help:"A file that says what it was made with: it is made again, with what other flags and the prompt change (image, video, music, speech)." placeholder:"FILE"`
	Image      path      `help:"A picture to start from (image, video, 3d)." placeholder:"FILE"`
	Width      *int      `help:"Width in pixels (image, video)."`
	Height     *int      `help:"Height in pixels (image, video)."`
	Duration   *float64  `help:"Seconds (video, music)."`
	Lora       []loraUse `help:"A LoRA to render with, by its id, and its strength. Repeat it for more (image, video, music)." placeholder:"ID[:STRENGTH]" sep:"none"`
	Seed       *int64    `help:"Seed: the same seed makes the same thing (image, speech, 3d)."`
	Count      *int      `help:"How many to make (image, video, music, speech)." short:"n" placeholder:"N"`
	Unfiltered bool      `help:"Turn the content filter off. The account must be allowed to."`
	showing
	JSON bool `help:"Print the workflow as JSON when its results are saved." name:"json"`

	settings map[string]any // arguments that the file of Again was made with
}

// prompt is a description of what to make.
type prompt string

// UnmarshalText reads the argument.
func (p *prompt) UnmarshalText(b []byte) error {
	if strings.TrimSpace(string(b)) == "" {
		return errors.New("must not be empty: describe what to make, such as 'a red fox in the snow'")
	}
	*p = prompt(b)
	return nil
}

// Run starts a workflow, shows its progress and writes the result. Mistakes that can be
// found without the service are found before anything is paid for.
func (g *generateCommand) Run(ctx context.Context, t terminal) error {
	c, err := g.connect()
	if err != nil {
		return err
	}
	known, err := catalog.Load("")
	if err != nil {
		return err
	}
	made := "" // the tool of the file that is made again
	if g.Again != "" {
		if made, err = g.readSettings(known, t.err); err != nil {
			return err
		}
	}
	steps, tool, err := g.plan(known, made)
	if err != nil {
		return err
	}
	to, err := newTarget(string(g.Out), g.Kind, formats(tool))
	if err != nil {
		return err
	}
	if to.extension != tool.Produces.Format {
		steps[len(steps)-1].Arguments[tool.Produces.FormatArgument] = to.extension
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	started, err := g.start(ctx, c, steps)
	if err != nil {
		return err
	}
	bar := newBar(t.err)
	bar.price(started)
	w, err := g.follow(ctx, c, started.WorkflowID, bar)
	bar.clear()
	if err != nil {
		return err
	}
	if len(w.Artifacts) == 0 {
		return fmt.Errorf("the workflow has no result: see %s", g.lookAt("/"+w.WorkflowID))
	}
	return g.keep(ctx, c, t, w, to)
}

// keep saves the results of the last step: those before it are what it was made from.
func (g *generateCommand) keep(ctx context.Context, c *client.Client, t terminal, w apitype.Workflow, to target) error {
	out := t.out
	if g.JSON {
		out = t.err
	}
	last := w.Artifacts[len(w.Artifacts)-1]
	results := slices.DeleteFunc(slices.Clone(w.Artifacts), func(a apitype.Artifact) bool { return a.StepID != last.StepID })
	said := ""
	for i, a := range results {
		if caveat := a.Caveat(); caveat != said && caveat != "" {
			fmt.Fprintln(t.err, caveat)
			said = caveat
		}
		if err := g.save(ctx, c, a, to.number(i), out); err != nil {
			return err
		}
	}
	if g.JSON {
		return printJSON(t.out, w)
	}
	return nil
}

// start uploads the picture and starts the workflow. A signal does not interrupt the
// start: it would be unknown whether there is a workflow.
func (g *generateCommand) start(ctx context.Context, c *client.Client, steps []atelier.StepInput) (w apitype.Workflow, err error) {
	s := client.Start{Title: clip(string(g.Prompt), 200), Steps: steps}
	if g.Unfiltered {
		s.SafeContentFilter = new(bool)
	}
	if g.Image != "" {
		link, err := uploadPicture(ctx, c, string(g.Image))
		if ctx.Err() != nil {
			return w, interrupted(ctx, "no workflow was started")
		}
		if err != nil {
			return w, g.URL.explainFlags(err)
		}
		s.Media = []client.Media{{Kind: "image", URL: link}}
	}
	last, cancel := lastMoment(ctx)
	defer cancel()
	w, err = c.StartWorkflow(last, s)
	if err != nil && ctx.Err() != nil {
		return w, interrupted(ctx, "the service did not confirm that the workflow started: see %s", g.lookAt("?limit=1"))
	}
	if err != nil {
		return w, g.URL.explainFlags(err)
	}
	return w, nil
}

// follow waits for a workflow. It cancels the workflow when the user interrupts.
func (g *generateCommand) follow(ctx context.Context, c *client.Client, id string, bar *bar) (apitype.Workflow, error) {
	for n, err := range c.Follow(ctx, id, -1) {
		switch {
		case ctx.Err() != nil:
			return apitype.Workflow{}, g.leave(ctx, c, id)
		case err != nil:
			return apitype.Workflow{}, fmt.Errorf("%w; the workflow was not changed: see %s", g.URL.explainFlags(err), g.lookAt("/"+id))
		case n.Event != nil:
			if p, ok := n.Event.Payload.(apitype.WorkflowProgress); ok && p.WaitingFor.Value != nil {
				bar.say(n.Event.Message + " Waiting for one.")
			} else if ok {
				bar.show(p.Progress, n.Event.Message)
			}
		case n.Status.Status == atelier.StatusWaitingForUser:
			last, cancel := lastMoment(ctx)
			defer cancel()
			w, err := c.CancelWorkflow(last, id) // no user can answer
			if err != nil {
				return w, fmt.Errorf("the workflow is waiting (%s) and could not be cancelled: %w; see %s", n.Status.WaitingReason, g.URL.explainFlags(err), g.lookAt("/"+id))
			}
			return w, errors.New(g.pause(n.Status.WaitingReason, w))
		}
	}
	w, err := c.Workflow(ctx, id)
	switch {
	case ctx.Err() != nil:
		return w, g.leave(ctx, c, id)
	case err != nil:
		return w, fmt.Errorf("%w; see %s", g.URL.explainFlags(err), g.lookAt("/"+id))
	case w.Status == atelier.StatusCompleted:
		return w, nil
	case w.Error != nil:
		return w, errors.New(w.Error.Message + madeBefore(w))
	}
	return w, fmt.Errorf("the workflow ended as %s%s; see %s", w.Status, madeBefore(w), g.lookAt("/"+id))
}

// leave cancels the workflow when the user interrupts, and reports the outcome.
func (g *generateCommand) leave(ctx context.Context, c *client.Client, id string) error {
	last, cancel := lastMoment(ctx)
	defer cancel()
	w, err := c.CancelWorkflow(last, id)
	look := g.lookAt("/" + id)
	switch {
	case err != nil:
		return interrupted(ctx, "the workflow could not be cancelled and is still running (%v): see %s", g.URL.explainFlags(err), look)
	case w.Status == atelier.StatusCancelled:
		return interrupted(ctx, "the workflow was cancelled%s: see %s", madeBefore(w), look)
	}
	return interrupted(ctx, "the workflow had already ended as %s%s: see %s", w.Status, madeBefore(w), look)
}

// pause says why a workflow waits for its user, with the service's message, and what can
// be done. The workflow has been cancelled.
func (g *generateCommand) pause(why atelier.WaitingReason, w apitype.Workflow) string {
	message := string(why)
	for _, e := range w.Events {
		if p, ok := e.Payload.(apitype.StepWaiting); ok && e.Message != "" {
			message = strings.TrimSpace(strings.TrimSuffix(e.Message, p.Details.Help)) // which is for callers of the API
		}
	}
	message = strings.TrimSuffix(message, ".")
	advice := ""
	switch why {
	case atelier.WaitCredit:
		advice = fmt.Sprintf("; add credit on the server with %s account credit WALLET --spark N, and try again", program())
		if isKeyBudget(message) {
			advice = fmt.Sprintf("; it can be raised on the server with %s key limit", program())
		}
	case atelier.WaitSafetyReview:
		advice = "; change the prompt and try again"
		if !g.Unfiltered {
			advice += ", or add --unfiltered if the account was created with it"
		}
	}
	return message + advice + ". The workflow was cancelled" + madeBefore(w) + "."
}

// isKeyBudget reports whether a message of the service is about the budget of the API key, which credit does not raise.
// The message says when it begins again.
func isKeyBudget(message string) bool {
	return strings.HasPrefix(message, "The budget of the API key ")
}

// madeBefore says where to find the results that a workflow made before it ended.
func madeBefore(w apitype.Workflow) string {
	if len(w.Artifacts) == 0 {
		return ""
	}
	text := "; its results so far:"
	for _, a := range w.Artifacts {
		text += " " + a.URL
	}
	return text
}

// lookAt is a command that reads workflows. It does not contain the key, because users
// copy terminal output into reports.
func (g *generateCommand) lookAt(which string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $ATELIER_API_KEY" %s`, quote(string(g.URL)+"/v1/creative-agent/workflows"+which))
}

// formats are the file extensions that a tool's result can have, the usual one
// first.
func formats(tool *catalog.Tool) []string {
	list := []string{tool.Produces.Format}
	if a, ok := tool.Argument(tool.Produces.FormatArgument); ok {
		for _, v := range a.Enum {
			if name, ok := v.(string); ok && name != tool.Produces.Format {
				list = append(list, name)
			}
		}
	}
	return list
}

// plan is the steps for the requested kind, and the tool of the last one. A file that is made
// again has the tool that made it.
func (g *generateCommand) plan(known *catalog.Catalog, made string) ([]atelier.StepInput, *catalog.Tool, error) {
	name := map[string]string{"image": "generate_image", "video": "generate_video", "music": "generate_music", "speech": "generate_speech", "3d": "image_to_3d"}[g.Kind]
	switch {
	case made != "":
		name = made
	case g.Kind == "video" && g.Image != "":
		name = "animate_photo"
	}
	if g.Kind != "3d" || g.Image != "" {
		step, tool, err := g.step(known, g.Kind, name)
		return []atelier.StepInput{step}, tool, err
	}
	// A 3D model is made from a picture. Without one, the picture is made first.
	first := generateCommand{Kind: g.Kind, Prompt: g.Prompt, Seed: g.Seed}
	picture, _, err := first.step(known, "picture", "generate_image")
	if err != nil {
		return nil, nil, err
	}
	second := *g
	second.Seed = nil
	model, tool, err := second.step(known, "model", name)
	model.DependsOn = []atelier.Binding{{SourceStepID: picture.ID, TargetArgument: "sourceImageIndex", Transform: "image_index", Required: true}}
	return []atelier.StepInput{picture, model}, tool, err
}

// step is one call of a tool with the arguments of the command line. An argument that the
// tool does not take is refused: it would have no effect.
func (g *generateCommand) step(known *catalog.Catalog, id, name string) (atelier.StepInput, *catalog.Tool, error) {
	s := atelier.StepInput{ID: id, ToolName: name, Arguments: map[string]any{}}
	tool, ok := known.Tool(name)
	if !ok {
		return s, nil, fmt.Errorf("there is no tool %s", name)
	}
	maps.Copy(s.Arguments, g.settings)
	if _, ok := tool.Argument("prompt"); ok {
		s.Arguments["prompt"] = string(g.Prompt)
	}
	loras, strengths, err := g.loras()
	if err != nil {
		return s, nil, err
	}
	for _, f := range []struct {
		flag, argument string
		given          bool
		value          func() any
	}{
		{"--image", "sourceImageIndex", g.Image != "", func() any { return -1 }},
		{"--model", tool.Models.Argument, g.Model != "", func() any { return g.Model }},
		{"--width", "width", g.Width != nil, func() any { return *g.Width }},
		{"--height", "height", g.Height != nil, func() any { return *g.Height }},
		{"--duration", "duration", g.Duration != nil, func() any { return *g.Duration }},
		{"--lora", "loras", loras != nil, func() any { return loras }},
		{"--lora", "loraStrengths", strengths != nil, func() any { return strengths }},
		{"--seed", "seed", g.Seed != nil, func() any { return *g.Seed }},
		{"--count", tool.Produces.Count, g.Count != nil, func() any { return *g.Count }},
	} {
		if !f.given {
			continue
		}
		if _, ok := tool.Argument(f.argument); !ok {
			with := ""
			if g.Image != "" && f.flag != "--image" {
				with = " made from --image"
			}
			return s, nil, fmt.Errorf("%s does not go with %s%s", f.flag, g.Kind, with)
		}
		s.Arguments[f.argument] = f.value()
	}
	return s, tool, nil
}

func clip(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}

// lastMoment is a context that ends a few seconds after the user's.
func lastMoment(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(5*time.Second, cancel) })
	return last, func() { stop(); cancel() }
}
