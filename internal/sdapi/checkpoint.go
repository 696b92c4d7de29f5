package sdapi

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/catalog"
)

// The tools that make pictures from words, change them under a mask, and make them larger.
const (
	makes    = "generate_image"
	changes  = "edit_image"
	enlarges = "upscale_image"
)

// Checkpoint is a model in the list of checkpoints.
type Checkpoint struct {
	Title    string  `json:"title"` // by which clients choose it
	Name     string  `json:"model_name"`
	Hash     *string `json:"hash"`
	SHA256   *string `json:"sha256"`
	Filename string  `json:"filename"`
	Config   *string `json:"config"`
}

// Checkpoints are the models that make pictures from words.
func Checkpoints(c *catalog.Catalog) []Checkpoint {
	list := []Checkpoint{}
	for _, m := range serving(c, makes) {
		list = append(list, Checkpoint{Title: m.Name, Name: m.Name, Filename: m.ID})
	}
	return list
}

func serving(c *catalog.Catalog, tool string) (list []*catalog.Model) {
	for _, m := range c.Models() {
		if m.Serves(tool) {
			list = append(list, m)
		}
	}
	return list
}

// FindCheckpoint finds the model that a title means, or its name in the catalog. Without a name it is the default.
func FindCheckpoint(c *catalog.Catalog, name string) (*catalog.Model, bool) {
	list := serving(c, makes)
	if name == "" {
		t, _ := c.Tool(makes)
		name = t.Models.Defaults[len(t.Models.Defaults)-1].Selector
	}
	for _, is := range []func(*catalog.Model) bool{
		func(m *catalog.Model) bool { return m.Name == name },
		func(m *catalog.Model) bool { return m.ID == name || slices.Contains(m.Selectors[makes], name) },
	} {
		if i := slices.IndexFunc(list, is); i >= 0 {
			return list[i], true
		}
	}
	return nil, false
}

// titleOf is the title of a model in the catalog.
func titleOf(c *catalog.Catalog, id string) string {
	if m, ok := c.Model(id); ok {
		return m.Name
	}
	return id
}

// Upscaler is a model in the list of upscalers.
type Upscaler struct {
	Name  string  `json:"name"`
	Model *string `json:"model_name"`
	Path  *string `json:"model_path"`
	URL   *string `json:"model_url"`
	Scale float64 `json:"scale"`
}

// noUpscaler is the upscaler that leaves pictures as they are.
const noUpscaler = "None"

// Upscalers are the models that make pictures larger, and none.
func Upscalers(c *catalog.Catalog) []Upscaler {
	list := []Upscaler{{Name: noUpscaler, Scale: 4}}
	for _, m := range serving(c, enlarges) {
		list = append(list, Upscaler{Name: m.Name, Model: &m.ID, Scale: 4})
	}
	return list
}

// Sampler is an entry of the list of samplers.
type Sampler struct {
	Name    string            `json:"name"`
	Aliases []string          `json:"aliases"`
	Options map[string]string `json:"options"`
}

// Samplers are those that clients may choose: the models have their own.
var Samplers = []Sampler{
	{"Euler a", []string{"k_euler_a", "k_euler_ancestral"}, map[string]string{}},
	{"Euler", []string{"k_euler"}, map[string]string{}},
	{"DPM++ 2M", []string{"k_dpmpp_2m"}, map[string]string{}},
	{"DPM++ SDE", []string{"k_dpmpp_sde"}, map[string]string{}},
}

// Scheduler is an entry of the list of schedulers.
type Scheduler struct {
	Name           string   `json:"name"`
	Label          string   `json:"label"`
	Aliases        []string `json:"aliases"`
	Rho            float64  `json:"default_rho"`
	NeedInnerModel bool     `json:"need_inner_model"`
}

// Schedulers are those that clients may choose: the models have their own.
var Schedulers = []Scheduler{
	{Name: "automatic", Label: "Automatic", Aliases: []string{}, Rho: -1},
	{Name: "karras", Label: "Karras", Aliases: []string{}, Rho: 7},
	{Name: "sgm_uniform", Label: "SGM Uniform", Aliases: []string{"SGMUniform"}, Rho: -1, NeedInnerModel: true},
}

// Named is an entry of a list of which clients read the names.
type Named struct {
	Name string `json:"name"`
}

// Embeddings are textual inversions, which the service has none of.
type Embeddings struct {
	Loaded  struct{} `json:"loaded"`
	Skipped struct{} `json:"skipped"`
}

// Scripts are the names of scripts, which the service has none of.
type Scripts struct {
	TextToImage  []string `json:"txt2img"`
	ImageToImage []string `json:"img2img"`
}

// Flags are what the web UI was started with.
type Flags struct {
	API     bool `json:"api"`
	NoWebUI bool `json:"nowebui"`
}

// Memory is what is known of the memory of the machine, which the service does not say.
type Memory struct {
	RAM  Unknown `json:"ram"`
	CUDA Unknown `json:"cuda"`
}

// Unknown says why something is not known.
type Unknown struct {
	Error string `json:"error"`
}

// NoMemory says nothing of the memory of the machine.
var NoMemory = Memory{RAM: Unknown{"not shown"}, CUDA: Unknown{"not shown"}}

// Options are the settings of an account. Only the checkpoint can be changed.
type Options struct {
	Checkpoint     string  `json:"sd_model_checkpoint"`
	CheckpointHash *string `json:"sd_checkpoint_hash"`
	VAE            string  `json:"sd_vae"`
	ClipSkip       int     `json:"CLIP_stop_at_last_layers"`
	SamplesFormat  string  `json:"samples_format"`
	PNGInfo        bool    `json:"enable_pnginfo"`
	ReturnGrid     bool    `json:"return_grid"`
	Previews       bool    `json:"live_previews_enable"`
}

// NewOptions are the options with a checkpoint.
func NewOptions(m *catalog.Model) Options {
	return Options{Checkpoint: m.Name, VAE: "Automatic", ClipSkip: 1, SamplesFormat: "png", PNGInfo: true, Previews: true}
}

// OptionsBody is the body of POST /sdapi/v1/options: clients send all options, and what they have changed.
type OptionsBody struct {
	Checkpoint string `wire:"sd_model_checkpoint,maxlen=200" doc:"The title of a checkpoint. All other options are accepted, and not kept."`
}

// equalName compares names that people type.
func equalName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
