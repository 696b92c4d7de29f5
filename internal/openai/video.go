package openai

import (
	"fmt"
	"math"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/generation"
)

// VideoBody is the form of POST /v1/videos, without its file.
type VideoBody struct {
	Prompt   string   `wire:"prompt,required,minlen=1,maxlen=32000" doc:"The clip in words."`
	Model    string   `wire:"model,maxlen=200" doc:"A model of GET /v1/model-catalog, or a name of OpenAI's, which means the default model."`
	Seconds  *float64 `wire:"seconds,min=1,max=60" doc:"Its length. By default that of the model."`
	Size     string   `wire:"size,maxlen=32,default=auto" doc:"Such as 1280x720. With a picture to begin with, only its shape counts."`
	ImageURL string   `wire:"input_reference[image_url],maxlen=2000" doc:"The address of the picture that the clip begins with, in place of the file."`
}

// RemixBody is the body of POST /v1/videos/{id}/remix.
type RemixBody struct {
	Prompt string `wire:"prompt,required,minlen=1,maxlen=32000" doc:"The new clip in words."`
}

// Steps are those of the workflow that makes a clip, which begins with a picture if there is one.
func (b VideoBody) Steps(c *catalog.Catalog, a Aliases, picture bool) ([]atelier.StepInput, error) {
	tool, args := "generate_video", map[string]any{"prompt": b.Prompt}
	if picture {
		tool, args["sourceImageIndex"] = "animate_photo", -1.0
	}
	model, err := a.model(c, tool, b.Model)
	if err != nil {
		return nil, err
	}
	if model != "" {
		args["videoModel"] = model
	}
	width, height, err := readSize(b.Size)
	switch {
	case err != nil:
		return nil, err
	case width > 0 && picture:
		args["aspectRatio"] = fmt.Sprintf("%d:%d", width, height)
	case width > 0:
		args["width"], args["height"] = float64(width), float64(height)
	}
	if b.Seconds != nil {
		args["duration"] = *b.Seconds
	}
	return []atelier.StepInput{{ID: "video", ToolName: tool, Arguments: args}}, nil
}

// Steps are those of the workflow that makes a clip of another one.
func (b RemixBody) Steps() []atelier.StepInput {
	return []atelier.StepInput{{ID: "video", ToolName: "video_to_video", Arguments: map[string]any{"prompt": b.Prompt, "videoSourceIndex": -1.0}}}
}

// remixedFrom names, in the reference to a clip, the video that it is the result of.
const remixedFrom = "videoId"

// RemixedMedia is the reference to a clip that a remix begins with.
func RemixedMedia(id, url string) atelier.MediaReference {
	m := atelier.MediaAt("video", url)
	m.Original[remixedFrom] = id
	return m
}

// VideoRefusal is an error of a workflow as the client of videos knows it: about the field that it has sent.
func VideoRefusal(err error) error {
	return generation.Renamed(err, map[string]string{
		"width": "size", "height": "size", "aspectRatio": "size", "duration": "seconds", "videoModel": "model", "sourceImageIndex": "input_reference", "url": "input_reference", "videoSourceIndex": "id",
	})
}

// Video is a clip that is being made, or was made.
type Video struct {
	ID          string      `json:"id"`
	Object      string      `json:"object"`
	Status      string      `json:"status"` // queued, in_progress, completed or failed
	Progress    int         `json:"progress"`
	Model       string      `json:"model"`
	Prompt      *string     `json:"prompt"`
	Seconds     string      `json:"seconds"`
	Size        string      `json:"size"`
	CreatedAt   int64       `json:"created_at"`
	CompletedAt *int64      `json:"completed_at"`
	ExpiresAt   *int64      `json:"expires_at"`
	RemixedFrom *string     `json:"remixed_from_video_id"`
	Error       *VideoError `json:"error"`
}

// VideoError says why a clip was not made.
type VideoError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ResultClip is the last clip that a workflow has made.
func ResultClip(w apitype.Workflow) (clip apitype.Artifact, found bool) {
	for _, a := range w.Artifacts {
		if a.Kind == string(catalog.Video) {
			clip, found = a, true
		}
	}
	return clip, found
}

// NewVideo is a workflow as a client of videos knows it. It reports false for one that does not end with a clip.
func NewVideo(c *catalog.Catalog, w apitype.Workflow) (v Video, ok bool) {
	last := w.Steps[len(w.Steps)-1]
	tool, known := c.Tool(last.ToolName)
	if !known || tool.Produces == nil || tool.Produces.Kind != catalog.Video {
		return v, false
	}
	v = Video{ID: w.WorkflowID, Object: "video", CreatedAt: w.CreateTime / 1000, Seconds: "0", Size: "0x0"}
	if g := last.Generation; g != nil {
		v.Model = g.SelectedModel
	}
	args := last.Input.Normalized
	if prompt, ok := args["prompt"].(string); ok {
		v.Prompt = &prompt
	}
	clip, made := ResultClip(w)
	switch {
	case made:
		v.Seconds, v.Size = seconds(clip.DurationSeconds), SizeOf(clip)
	default:
		if n, ok := args[tool.Length.Argument].(float64); ok {
			v.Seconds = seconds(n)
		}
		width, _ := args["width"].(float64)
		height, _ := args["height"].(float64)
		v.Size = fmt.Sprintf("%dx%d", int(width), int(height))
	}
	for _, m := range w.MediaReferences {
		if from, ok := m.(map[string]any)[remixedFrom].(string); ok {
			v.RemixedFrom = &from
		}
	}
	v.describe(w, made)
	return v, true
}

// describe says how far a clip is.
func (v *Video) describe(w apitype.Workflow, made bool) {
	for _, s := range w.Steps {
		v.Progress += int(100*s.Progress) / len(w.Steps)
	}
	if at := w.Timestamps.CompletedAt; at != nil {
		ended := at.Unix()
		v.CompletedAt = &ended
	}
	switch {
	case w.Status.Terminal() && made:
		v.Status, v.Progress = "completed", 100
	case w.Status == atelier.StatusCompleted:
		v.Status, v.Error = "failed", &VideoError{"deleted", "The clip was deleted."}
	case w.Status == atelier.StatusCancelled:
		v.Status, v.Error = "failed", &VideoError{"cancelled", "The workflow was cancelled."}
	case w.Status.Terminal():
		v.Status, v.Error = "failed", &VideoError{"failed", "The clip could not be made."}
		if w.Error != nil {
			v.Error = &VideoError{w.Error.Code, w.Error.Message}
		}
	case v.Progress == 0 && w.Status == atelier.StatusQueued:
		v.Status = "queued"
	default:
		v.Status = "in_progress"
	}
}

// seconds is a length in OpenAI's form: whole seconds.
func seconds(n float64) string { return strconv.Itoa(int(math.Round(n))) }
