package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	neturl "net/url"
	"os"
	"os/signal"
	pathpkg "path"
	"syscall"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// generateCommand is atelier generate.
type generateCommand struct {
	Kind     string  `arg:"" help:"What to make: ${enum}." enum:"image,video,music,speech,3d"`
	Prompt   string  `arg:"" help:"It in words; for speech, what to say."`
	Out      path    `help:"File to write; default: the kind with its extension." short:"o" placeholder:"FILE"`
	URL      string  `help:"The service." env:"ATELIER_URL" default:"http://127.0.0.1:8080" placeholder:"URL"`
	APIKey   string  `help:"An API key." name:"api-key" env:"ATELIER_API_KEY" required:"" placeholder:"KEY"`
	Model    string  `help:"The model; default: the tool's." placeholder:"NAME"`
	Image    path    `help:"A picture to start from (image, video, 3d)." placeholder:"FILE"`
	Width    int     `help:"Width in pixels (image, video)."`
	Height   int     `help:"Height in pixels (image, video)."`
	Duration float64 `help:"Seconds (video, music)."`
	Seed     *int64  `help:"Seed: the same seed makes the same thing (image, speech)."`
}

// Run starts a workflow, shows how far it is and writes what it made.
func (g *generateCommand) Run(ctx context.Context, t terminal) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	c := client.New(g.URL, g.APIKey)
	c.Retries = 2 // somebody is waiting
	start, err := g.plan(ctx, c)
	if err != nil {
		return err
	}
	w, err := c.StartWorkflow(ctx, start)
	if err != nil {
		return err
	}
	bar := newBar(t.err)
	w, err = g.follow(ctx, c, w.WorkflowID, bar)
	bar.clear()
	if err != nil {
		return err
	}
	if len(w.Artifacts) == 0 {
		return errors.New("the workflow made nothing")
	}
	return g.save(ctx, c, w.Artifacts[len(w.Artifacts)-1], t.out)
}

// follow waits for a workflow. When the user leaves it is cancelled.
func (g *generateCommand) follow(ctx context.Context, c *client.Client, id string, bar *bar) (atelier.Workflow, error) {
	for n, err := range c.Follow(ctx, id, -1) {
		switch {
		case ctx.Err() != nil:
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_, err := c.CancelWorkflow(last, id)
			return atelier.Workflow{}, errors.Join(errors.New("cancelled"), err)
		case err != nil:
			return atelier.Workflow{}, err
		case n.Event != nil:
			if p, ok := n.Event.Payload["progress"].(float64); ok {
				bar.show(p, n.Event.Message)
			}
		case n.Status.Status == atelier.WaitingForUser:
			w, err := c.CancelWorkflow(ctx, id) // nobody is there to answer
			if err != nil {
				return w, err
			}
			return w, fmt.Errorf("it waits: %s", reason(n.Status.WaitingReason))
		}
	}
	w, err := c.Workflow(ctx, id)
	if err == nil && w.Status != atelier.Completed && w.Error != nil {
		err = errors.New(w.Error.Message)
	}
	return w, err
}

func reason(w atelier.WaitingReason) string {
	switch w {
	case atelier.WaitCredit:
		return "the balance cannot cover it"
	case atelier.WaitSafetyReview:
		return "the content filter wants a review"
	}
	return string(w)
}

// plan is the workflow that makes what was asked for.
func (g *generateCommand) plan(ctx context.Context, c *client.Client) (client.Start, error) {
	args := map[string]any{"prompt": g.Prompt}
	set := func(name string, value any, given bool) {
		if given {
			args[name] = value
		}
	}
	s := client.Start{Title: g.Prompt}
	tool := map[string]string{"image": "generate_image", "video": "generate_video", "music": "generate_music", "speech": "generate_speech", "3d": "image_to_3d"}[g.Kind]
	if g.Image != "" {
		link, err := upload(ctx, c, string(g.Image))
		if err != nil {
			return s, err
		}
		s.Media = []client.Media{{Kind: "image", URL: link}}
	}
	switch g.Kind {
	case "image":
		set("width", g.Width, g.Width > 0)
		set("height", g.Height, g.Height > 0)
		set("sourceImageIndex", -1, g.Image != "")
	case "video":
		if g.Image != "" {
			tool = "animate_photo"
			args["sourceImageIndex"] = -1
		} else {
			set("width", g.Width, g.Width > 0)
			set("height", g.Height, g.Height > 0)
		}
	case "3d":
		return g.model(s), nil
	}
	set("duration", g.Duration, g.Duration > 0)
	set("model", g.Model, g.Model != "" && g.Kind != "video")
	set("videoModel", g.Model, g.Model != "" && g.Kind == "video")
	if g.Seed != nil {
		args["seed"] = *g.Seed
	}
	s.Steps = []atelier.StepInput{{ID: g.Kind, ToolName: tool, Arguments: args}}
	s.Title = clip(g.Prompt, 200)
	return s, nil
}

// model is the plan of a 3D model: of the picture given, or of one that is
// made first.
func (g *generateCommand) model(s client.Start) client.Start {
	s.Title = clip(g.Prompt, 200)
	shape := atelier.StepInput{ID: "model", ToolName: "image_to_3d", Arguments: map[string]any{}}
	if g.Image != "" {
		shape.Arguments["sourceImageIndex"] = -1
		s.Steps = []atelier.StepInput{shape}
		return s
	}
	shape.DependsOn = []atelier.Binding{{SourceStepID: "picture", TargetArgument: "sourceImageIndex", Transform: "image_index", Required: true}}
	picture := map[string]any{"prompt": g.Prompt}
	if g.Seed != nil {
		picture["seed"] = *g.Seed
	}
	s.Steps = []atelier.StepInput{{ID: "picture", ToolName: "generate_image", Arguments: maps.Clone(picture)}, shape}
	return s
}

func clip(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}

// upload sends a picture and returns where the service can read it.
func upload(ctx context.Context, c *client.Client, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("--image: %w", err)
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	return c.UploadImage(ctx, atelier.NewUUID(), "startingImage", http.DetectContentType(head[:n]), f)
}

// save writes an artifact to the file asked for, or to one named after it.
func (g *generateCommand) save(ctx context.Context, c *client.Client, a atelier.ArtifactRef, out io.Writer) error {
	body, _, err := c.Download(ctx, a.URL)
	if err != nil {
		return err
	}
	defer body.Close()
	if g.Out == "-" {
		_, err := io.Copy(out, body)
		return err
	}
	name := string(g.Out)
	if name == "" {
		u, err := neturl.Parse(a.URL)
		if err != nil {
			return err
		}
		name = g.Kind + pathpkg.Ext(u.Path)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, body)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Fprintln(out, name)
	return nil
}
