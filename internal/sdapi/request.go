package sdapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// BodyBounds bounds a body with pictures.
var BodyBounds = wire.Bounds{Text: 64 << 20}

// maxPictures is how many pictures a request may ask for.
const maxPictures = 16

// Settings are the fields that both requests for pictures have.
type Settings struct {
	Prompt    string              `wire:"prompt,required,minlen=1,maxlen=32000" json:"prompt" doc:"The picture in words. <lora:NAME:WEIGHT> uses a LoRA."`
	Negative  string              `wire:"negative_prompt,maxlen=32000" json:"negative_prompt" doc:"What to keep out of the picture."`
	Seed      int64               `wire:"seed,default=-1,min=-1,max=4294967295" json:"seed" doc:"Of the first picture; those of the others count up. -1 picks one at random."`
	Steps     int                 `wire:"steps,default=20,min=1,max=150" json:"steps" doc:"Accepted: the model has its own."`
	Scale     float64             `wire:"cfg_scale,default=7,min=0,max=30" json:"cfg_scale" doc:"Used where it is in the range of the model."`
	Sampler   string              `wire:"sampler_name,maxlen=200" json:"sampler_name" doc:"Accepted: the model has its own."`
	Scheduler string              `wire:"scheduler,maxlen=200" json:"scheduler" doc:"Accepted: the model has its own."`
	Width     int                 `wire:"width,min=1" json:"width" doc:"In pixels: 512 when omitted, or that of the picture that is changed. The model has its own range."`
	Height    int                 `wire:"height,min=1" json:"height" doc:"In pixels, likewise."`
	BatchSize int                 `wire:"batch_size,default=1,min=1,max=16" json:"batch_size" doc:"How many pictures to make. With n_iter at most 16 in all."`
	Batches   int                 `wire:"n_iter,default=1,min=1,max=16" json:"n_iter" doc:"How often to make a batch."`
	Denoising *float64            `wire:"denoising_strength,min=0,max=1" json:"denoising_strength" doc:"How much of the picture that is changed may change: 0.75 when omitted."`
	Override  Override            `wire:"override_settings" json:"override_settings" doc:"Options for this request alone."`
	Send      *bool               `wire:"send_images" json:"send_images" doc:"False leaves the pictures out of the answer; they are in the library."`
	Rest      map[string]wire.Raw `wire:",extra,maxbytes=50331648" json:"-" doc:"All other fields of the web UI are accepted, and named in info."`
}

// Override are the options of one request.
type Override struct {
	Checkpoint string              `wire:"sd_model_checkpoint,maxlen=200" json:"sd_model_checkpoint,omitzero" doc:"The title of a checkpoint."`
	Rest       map[string]wire.Raw `wire:",extra" json:"-"`
}

// TextToImage is the body of POST /sdapi/v1/txt2img.
type TextToImage struct {
	Settings
}

// ImageToImage is the body of POST /sdapi/v1/img2img.
type ImageToImage struct {
	Settings
	Images []Picture `wire:"init_images,required,minlen=1,maxlen=1,maxbytes=33554432" doc:"The picture to change, in base64."`
	Mask   Picture   `wire:"mask,maxbytes=33554432" doc:"A picture that is white where the other is to change, in base64."`
	Invert int       `wire:"inpainting_mask_invert,min=0,max=1" doc:"1 changes what is black instead."`
}

// Order is the step that makes what a request asks for.
type Order struct {
	Step    atelier.StepInput
	Loras   []string // that are used, with their strengths
	Ignored []string // names of fields that have no meaning here
}

// Order is the order of a request with a checkpoint, by an account that can use LoRAs.
func (q *TextToImage) Order(c *catalog.Catalog, m *catalog.Model, known []Lora) (Order, error) {
	q.Width, q.Height = cmp.Or(q.Width, 512), cmp.Or(q.Height, 512)
	o := Order{Step: atelier.StepInput{ID: "txt2img", ToolName: makes, Arguments: map[string]any{}}}
	return o, q.fill(&o, c, m, known)
}

// Order is the order of a request with a checkpoint, by an account that can use LoRAs. The mask is its address, or
// empty. A checkpoint that takes no masks is replaced by the default of the tool that does.
func (q *ImageToImage) Order(c *catalog.Catalog, m *catalog.Model, known []Lora, mask string) (Order, error) {
	o := Order{Step: atelier.StepInput{ID: "img2img", ToolName: makes, Arguments: map[string]any{}}}
	if q.Denoising == nil {
		usual := 0.75
		q.Denoising = &usual
	}
	if mask != "" {
		o.Step.ToolName = changes
		o.Step.Arguments["mask_image_url"] = mask
	}
	if t, _ := c.Tool(o.Step.ToolName); takes(t, "starting_image_strength") {
		o.Step.Arguments["starting_image_strength"] = 1 - *q.Denoising
	} else {
		o.Ignored = append(o.Ignored, "denoising_strength")
	}
	o.Step.Arguments["sourceImageIndex"] = -1.0
	return o, q.fill(&o, c, m, known)
}

// isOurs are the steps of workflows that requests of this API have started.
var isOurs = map[string]bool{"txt2img": true, "img2img": true, "upscale0": true}

func takes(t *catalog.Tool, argument string) bool {
	_, ok := t.Argument(argument)
	return ok
}

// fill adds what both requests have to an order.
func (s *Settings) fill(o *Order, c *catalog.Catalog, m *catalog.Model, known []Lora) error {
	if s.count() > maxPictures {
		return atelier.Refuse("batch_size", "times n_iter must be at most %d, not %d.", maxPictures, s.count())
	}
	t, _ := c.Tool(o.Step.ToolName)
	args := o.Step.Arguments
	if m.Serves(t.Name) {
		args["model"] = m.Selector(t.Name)
	} else {
		known = nil // the tool chooses another model
	}
	use := useLoras(s.Prompt, m, known)
	if len(use.ids) > 0 {
		args["loras"], args["loraStrengths"] = use.ids, use.strengths
	}
	if use.prompt == "" {
		return atelier.Refuse("prompt", "must say more than the names of LoRAs.")
	}
	args["prompt"], args["numberOfVariations"], args["outputFormat"] = use.prompt, float64(s.count()), "png"
	if s.Width > 0 {
		args["width"] = float64(s.Width)
	}
	if s.Height > 0 {
		args["height"] = float64(s.Height)
	}
	set := func(field, argument string, value any, isSaid, fits bool) {
		switch {
		case isSaid && fits && takes(t, argument):
			args[argument] = value
		case isSaid:
			o.Ignored = append(o.Ignored, field)
		}
	}
	set("negative_prompt", "negativePrompt", s.Negative, s.Negative != "", true)
	set("seed", "seed", float64(s.Seed), s.Seed >= 0, true)
	set("cfg_scale", "guidance", s.Scale, true, hasGuidance(m, s.Scale))
	set("steps", "steps", float64(s.Steps), true, true)
	set("sampler_name", "sampler", s.Sampler, s.Sampler != "", true)
	set("scheduler", "scheduler", s.Scheduler, s.Scheduler != "", true)
	for i, id := range use.ids {
		o.Loras = append(o.Loras, id.(string)+": "+number(use.strengths[i].(float64)))
	}
	o.Ignored = bounded(append(append(o.Ignored, use.ignored...), s.unknown()...))
	return nil
}

// How much is said of what is ignored: an answer repeats it for every picture.
const (
	mostIgnored     = 100
	mostIgnoredName = 100
)

// bounded are names, sorted and as far as they are said.
func bounded(names []string) []string {
	slices.Sort(names)
	if more := len(names) - mostIgnored; more > 0 {
		names = append(names[:mostIgnored], fmt.Sprintf("and %d more", more))
	}
	for i, name := range names {
		names[i] = prose.Cut(name, mostIgnoredName)
	}
	return names
}

func (s *Settings) count() int { return s.BatchSize * s.Batches }

// hasGuidance reports whether a scale is in the range of a model. One that is not is left to the model: clients send 7
// whatever the model is.
func hasGuidance(m *catalog.Model, scale float64) bool {
	r, ok := m.Parameters["guidance"].(map[string]any)
	if !ok {
		return false
	}
	low, high := asNumber(r["min"]), asNumber(r["max"])
	return low <= scale && scale <= high
}

func asNumber(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// silent are fields that say nothing about a picture: how the web UI stores files, and sends them.
var silent = []string{"save_images", "do_not_save_samples", "do_not_save_grid", "override_settings_restore_afterwards", "force_task_id"}

// unknown are the fields that say something that has no meaning here.
func (s *Settings) unknown() (names []string) {
	isLarger := !saysNothing(s.Rest["enable_hr"])
	for name, value := range s.Rest {
		if !saysNothing(value) && !slices.Contains(silent, name) && (isLarger || !strings.HasPrefix(name, "hr_")) {
			names = append(names, name)
		}
	}
	for name, value := range s.Override.Rest {
		if !saysNothing(value) {
			names = append(names, "override_settings."+name)
		}
	}
	return names
}

// saysNothing reports whether a value is empty: nothing in it is a text, a number or true.
func saysNothing(value wire.Raw) bool {
	const large = 64 << 10 // such values say something, and need not be read
	var v any
	return len(value) == 0 || len(value) < large && wire.UnmarshalLenient(value, &v) == nil && isEmpty(v)
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if !isEmpty(member) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isEmpty(item) })
	case string:
		return v == ""
	case float64:
		return v == 0
	}
	return v == nil || v == false
}
