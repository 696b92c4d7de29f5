package openai

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/generation"
	"github.com/atelier-project/atelier/internal/wire"
)

// ImageOptions are the fields that all requests for images have.
type ImageOptions struct {
	Model         string `wire:"model,maxlen=200" doc:"A model of GET /v1/models, or a name of OpenAI's, which means the default model."`
	N             int    `wire:"n,default=1,min=1,max=10" doc:"How many images to make."`
	Size          string `wire:"size,maxlen=32,default=auto" doc:"Such as 1024x1536, or auto: the size of the model, or of the image that is changed."`
	Quality       string `wire:"quality,enum=auto|low|medium|high|standard|hd,default=auto" doc:"Where no model is named, low selects a fast one, high and hd a better one."`
	Background    string `wire:"background,enum=auto|opaque|transparent,default=auto" doc:"transparent cuts the subject out."`
	Format        string `wire:"output_format,enum=png|jpeg|webp,default=png" doc:"The format of the file."`
	Compression   *int   `wire:"output_compression,min=0,max=100" doc:"For models that take it."`
	Answer        string `wire:"response_format,enum=url|b64_json" doc:"Whether the answer has addresses or the files. By default the files for the GPT image models, otherwise addresses."`
	Stream        bool   `wire:"stream" doc:"Whether the answer comes as server-sent events."`
	PartialImages int    `wire:"partial_images,min=0,max=3" doc:"How many previews a stream has at most."`
	User          string `wire:"user,maxlen=512" doc:"Accepted, and not kept."`
}

// ImageBody is the body of POST /v1/images/generations.
type ImageBody struct {
	Prompt string `wire:"prompt,required,minlen=1,maxlen=32000" doc:"The picture in words."`
	ImageOptions
	Style      string `wire:"style,enum=vivid|natural" doc:"Added to the prompt."`
	Moderation string `wire:"moderation,enum=auto|low" doc:"Accepted: the content filter of the service decides."`
}

// ImageEdit is the form of POST /v1/images/edits, without its files.
type ImageEdit struct {
	Prompt string `wire:"prompt,required,minlen=1,maxlen=32000" doc:"What to change."`
	ImageOptions
	Fidelity string `wire:"input_fidelity,enum=high|low" doc:"Accepted: the model decides."`
}

// A variation begins with the picture and keeps this much of it.
const (
	variationPrompt = "a variation of the picture: the same subject, style and mood, with other details"
	variationKeeps  = 0.6
)

// ImageFiles are the pictures that came with a request, where they are stored now.
type ImageFiles struct {
	Image atelier.MediaReference
	Mask  string // its address, or empty
}

// Aliases are the names of OpenAI's models that mean a model of the catalog, or, with an empty value,
// the default of the tool. Those of the operator come first.
type Aliases map[string]string

var usualAliases = Aliases{
	"dall-e-2": "", "dall-e-3": "", "gpt-image-1": "", "gpt-image-1-mini": "", "gpt-image-1.5": "",
	"sora-2": "", "sora-2-pro": "",
	"tts-1": "", "tts-1-hd": "", "gpt-4o-mini-tts": "",
}

// NewAliases are the usual aliases with those of the operator.
func NewAliases(own map[string]string) Aliases {
	all := maps.Clone(usualAliases)
	maps.Copy(all, own)
	return all
}

// Unknown lists the aliases of the operator whose models the catalog does not have now. They mean the default.
func Unknown(c *catalog.Catalog, own map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if own[name] != "" && c.ModelsNamed(own[name]) == nil {
			names = append(names, name)
		}
	}
	return names
}

// model is what a tool calls the model that a client names: empty for its default. An alias of a model that the tool
// does not have means the default too.
func (a Aliases) model(c *catalog.Catalog, tool, name string) (string, error) {
	target, isAlias := a[name]
	if name == "" || isAlias && target == "" {
		return "", nil
	}
	for _, m := range c.ModelsNamed(cmp.Or(target, name)) {
		if m.Serves(tool) {
			return m.Selector(tool), nil
		}
	}
	if isAlias {
		return "", nil
	}
	e := atelier.Errorf(atelier.CodeModelNotFound, "The model %q does not exist, or %s does not use it. GET /v1/models lists the models.", name, tool)
	e.Field = "model"
	return "", e
}

// Steps are those of the workflow that makes what a body describes.
func (b ImageBody) Steps(c *catalog.Catalog, a Aliases) ([]atelier.StepInput, error) {
	prompt := b.Prompt
	if b.Style != "" {
		prompt += ". " + map[string]string{"vivid": "Vivid, dramatic colours.", "natural": "Natural, restrained colours."}[b.Style]
	}
	return b.steps(c, a, "generate_image", map[string]any{"prompt": prompt})
}

// Steps are those of the workflow that changes pictures as a form describes.
func (b ImageEdit) Steps(c *catalog.Catalog, a Aliases, files ImageFiles) ([]atelier.StepInput, error) {
	args := map[string]any{"prompt": b.Prompt}
	if files.Mask != "" {
		args["mask_image_url"] = files.Mask
	}
	return b.steps(c, a, "edit_image", args)
}

// VariationSteps are those of the workflow that makes variations of a picture.
func (o ImageOptions) VariationSteps(c *catalog.Catalog, a Aliases) ([]atelier.StepInput, error) {
	return o.steps(c, a, "generate_image", map[string]any{"prompt": variationPrompt, "sourceImageIndex": -1.0, "starting_image_strength": variationKeeps})
}

// tiers are the tiers of quality by OpenAI's words.
var tiers = map[string]string{"low": "fast", "high": "hq", "hd": "hq"}

func (o ImageOptions) steps(c *catalog.Catalog, a Aliases, tool string, args map[string]any) ([]atelier.StepInput, error) {
	model, err := a.model(c, tool, o.Model)
	if err != nil {
		return nil, err
	}
	if model != "" {
		args["model"] = model
	}
	width, height, err := readSize(o.Size)
	if err != nil {
		return nil, err
	}
	if width > 0 {
		args["width"], args["height"] = float64(width), float64(height)
	}
	args["numberOfVariations"], args["outputFormat"] = float64(o.N), o.Format
	if q := o.Quality; q == "low" || q == "medium" || q == "high" {
		args["gptImageQuality"] = q
	}
	if o.Compression != nil {
		args["gptImageOutputCompression"] = float64(*o.Compression)
	}
	t, _ := c.Tool(tool)
	args = t.WithTier(args, tiers[o.Quality])
	if o.Background != "transparent" {
		return []atelier.StepInput{{ID: "image", ToolName: tool, Arguments: args}}, nil
	}
	if o.Format == "jpeg" {
		return nil, atelier.Refuse("background", "cannot be transparent in the format jpeg: ask for png or webp.")
	}
	if makesTransparent(c, tool, model) {
		args["gptImageBackground"] = o.Background
		return []atelier.StepInput{{ID: "image", ToolName: tool, Arguments: args}}, nil
	}
	steps := []atelier.StepInput{{ID: "image", ToolName: tool, Arguments: args}}
	for i := range o.N {
		steps = append(steps, atelier.StepInput{
			ID: fmt.Sprint(cutOut, i), ToolName: "remove_background", Arguments: map[string]any{},
			DependsOn: []atelier.Binding{{SourceStepID: "image", SourceArtifactIndex: i, TargetArgument: "sourceImageIndex", Transform: "image_index", Required: true}},
		})
	}
	return steps, nil
}

// cutOut begins the names of the steps that cut the subject out.
const cutOut = "cutout"

// makesTransparent reports whether a model itself makes transparent backgrounds: those of vendors do.
func makesTransparent(c *catalog.Catalog, tool, model string) bool {
	for _, m := range c.ModelsNamed(model) {
		if m.Serves(tool) {
			return m.Vendor != ""
		}
	}
	return false
}

// readSize reads width and height; zero for auto.
func readSize(text string) (width, height int, err error) {
	if text == "auto" {
		return 0, 0, nil
	}
	w, h, ok := strings.Cut(text, "x")
	width, werr := strconv.Atoi(w)
	height, herr := strconv.Atoi(h)
	if !ok || werr != nil || herr != nil || width < 1 || height < 1 || width > atelier.MaxPixels || height > atelier.MaxPixels {
		return 0, 0, atelier.Refuse("size", `must be auto, or width and height in pixels, such as "1024x1536".`)
	}
	return width, height, nil
}

// HasFiles reports whether the answer has the files instead of their addresses.
func (o ImageOptions) HasFiles() bool {
	if o.Answer == "" {
		return o.Stream || strings.HasPrefix(o.Model, "gpt-image") || strings.HasPrefix(o.Model, "chatgpt-image")
	}
	return o.Answer == "b64_json"
}

// Results are the artifacts of a workflow that its client gets.
func (o ImageOptions) Results(w apitype.Workflow) (out []apitype.Artifact) {
	cuts := len(w.Steps) > 1
	for _, a := range w.Artifacts {
		if strings.HasPrefix(a.StepID, cutOut) == cuts {
			out = append(out, a)
		}
	}
	return out
}

// imageFields are the fields of a request for images, by the arguments that they become.
var imageFields = map[string]string{
	"width": "size", "height": "size", "numberOfVariations": "n", "outputFormat": "output_format", "sourceImageIndex": "image", "mask_image_url": "mask",
	"gptImageQuality": "quality", "gptImageBackground": "background", "gptImageOutputCompression": "output_compression",
}

// ImageRefusal is an error of a workflow as the client of images knows it: about the field that it has sent.
func ImageRefusal(err error) error { return generation.Renamed(err, imageFields) }

// ImageReply is the answer to a request for images.
type ImageReply struct {
	Created    int64   `json:"created"`
	Data       []Image `json:"data"`
	Background string  `json:"background,omitzero"`
	Format     string  `json:"output_format,omitzero"`
	Quality    string  `json:"quality,omitzero"`
	Size       string  `json:"size,omitzero"`
}

// Image is one picture of an answer: its address, or the file.
type Image struct {
	URL  string `json:"url,omitzero"`
	File File   `json:"b64_json,omitzero"`
}

// File is the bytes of a file, which are base64 in JSON.
type File []byte

// WireSchema describes it in the reference.
func (File) WireSchema() wire.Schema {
	return wire.Schema{"type": "string", "contentEncoding": "base64"}
}

// ImageEvent is an event of a stream of images.
type ImageEvent struct {
	Type       string      `json:"type"`
	File       File        `json:"b64_json"`
	CreatedAt  int64       `json:"created_at"`
	Background string      `json:"background"`
	Format     string      `json:"output_format"`
	Quality    string      `json:"quality"`
	Size       string      `json:"size"`
	Partial    *int        `json:"partial_image_index,omitzero"`
	Usage      *ImageUsage `json:"usage,omitzero"`
}

// ImageUsage counts tokens, which images do not cost here.
type ImageUsage struct {
	Total   int               `json:"total_tokens"`
	Input   int               `json:"input_tokens"`
	Output  int               `json:"output_tokens"`
	Details ImageUsageDetails `json:"input_tokens_details"`
}

// ImageUsageDetails are the parts of the input.
type ImageUsageDetails struct {
	Text  int `json:"text_tokens"`
	Image int `json:"image_tokens"`
}

// SizeOf is the size of an artifact in OpenAI's form.
func SizeOf(a apitype.Artifact) string { return fmt.Sprintf("%dx%d", a.Width, a.Height) }

// Reply is the answer with pictures, which are those of the artifacts.
func (o ImageOptions) Reply(created int64, made []apitype.Artifact, images []Image) ImageReply {
	reply := ImageReply{Created: created, Data: images, Background: o.background(), Format: o.Format, Quality: o.quality()}
	if len(made) > 0 {
		reply.Size = SizeOf(made[0])
	}
	return reply
}

// Event is an event of a stream: a preview when it has an index, or a result.
func (o ImageOptions) Event(kind string, created int64, file []byte, size string, partial *int) ImageEvent {
	ev := ImageEvent{Type: kind + ".completed", File: file, CreatedAt: created, Background: o.background(), Format: o.Format, Quality: o.quality(), Size: size, Partial: partial}
	if partial != nil {
		ev.Type = kind + ".partial_image"
	} else {
		ev.Usage = &ImageUsage{}
	}
	return ev
}

func (o ImageOptions) background() string {
	if o.Background == "transparent" {
		return o.Background
	}
	return "opaque"
}

// quality is what OpenAI calls the quality of what was made.
func (o ImageOptions) quality() string {
	switch o.Quality {
	case "low", "high":
		return o.Quality
	case "hd":
		return "high"
	}
	return "medium"
}
