package sdapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/wire"
)

// Reply is the answer to a request for pictures.
type Reply struct {
	Images     []string `json:"images"` // files in base64
	Parameters Settings `json:"parameters"`
	Info       string   `json:"info"` // an Info as JSON
}

// Info says what the pictures of an answer were made with.
type Info struct {
	Prompt            string            `json:"prompt"`
	AllPrompts        []string          `json:"all_prompts"`
	Negative          string            `json:"negative_prompt"`
	AllNegatives      []string          `json:"all_negative_prompts"`
	Seed              int64             `json:"seed"`
	AllSeeds          []int64           `json:"all_seeds"`
	Subseed           int64             `json:"subseed"`
	AllSubseeds       []int64           `json:"all_subseeds"`
	SubseedStrength   float64           `json:"subseed_strength"`
	Width             int               `json:"width"`
	Height            int               `json:"height"`
	Sampler           string            `json:"sampler_name"`
	Scale             float64           `json:"cfg_scale"`
	Steps             int               `json:"steps"`
	BatchSize         int               `json:"batch_size"`
	RestoreFaces      bool              `json:"restore_faces"`
	FaceModel         *string           `json:"face_restoration_model"`
	Checkpoint        string            `json:"sd_model_name"`
	CheckpointHash    *string           `json:"sd_model_hash"`
	VAE               *string           `json:"sd_vae_name"`
	VAEHash           *string           `json:"sd_vae_hash"`
	SeedResizeWidth   int               `json:"seed_resize_from_w"`
	SeedResizeHeight  int               `json:"seed_resize_from_h"`
	Denoising         *float64          `json:"denoising_strength"`
	Extra             map[string]string `json:"extra_generation_params"`
	First             int               `json:"index_of_first_image"`
	Texts             []string          `json:"infotexts"` // as the files carry them
	Styles            []string          `json:"styles"`
	Timestamp         string            `json:"job_timestamp"`
	ClipSkip          int               `json:"clip_skip"`
	IsInpaintingModel bool              `json:"is_using_inpainting_conditioning"`
	Version           string            `json:"version"`
	Ignored           []string          `json:"ignored"` // fields of the request that have no meaning here
}

// NewInfo is what the pictures of a workflow were made with.
func NewInfo(c *catalog.Catalog, s Settings, o Order, w apitype.Workflow) Info {
	made := w.Artifacts
	info := Info{
		Prompt: s.Prompt, Negative: s.Negative, Seed: s.Seed, Subseed: -1, Width: s.Width, Height: s.Height, Sampler: samplerOf(s.Sampler), Scale: s.Scale,
		Steps: s.Steps, BatchSize: s.BatchSize, SeedResizeWidth: -1, SeedResizeHeight: -1, Denoising: s.Denoising, Extra: map[string]string{},
		Styles: []string{}, Timestamp: time.UnixMilli(w.CreateTime).UTC().Format("20060102150405"), ClipSkip: 1, Version: version, Ignored: append([]string{}, o.Ignored...),
	}
	if g := w.Steps[0].Generation; g != nil {
		info.Checkpoint = titleOf(c, g.SelectedModel)
	}
	if len(o.Loras) > 0 {
		info.Extra["LoRAs"] = strings.Join(o.Loras, ", ")
	}
	if len(o.Ignored) > 0 {
		info.Extra["Ignored"] = strings.Join(o.Ignored, ", ")
	}
	for i, a := range made {
		seed := s.Seed + int64(i)
		if a.Seed != nil {
			seed = *a.Seed
		}
		if i == 0 {
			info.Seed, info.Width, info.Height = seed, a.Width, a.Height
		}
		info.AllPrompts, info.AllNegatives = append(info.AllPrompts, s.Prompt), append(info.AllNegatives, s.Negative)
		info.AllSeeds, info.AllSubseeds = append(info.AllSeeds, seed), append(info.AllSubseeds, -1)
		info.Texts = append(info.Texts, s.text(info, seed, a))
	}
	return info
}

// version is what made the pictures, where the web UI writes its version.
const version = "atelier"

// text is what a picture was made with, as the web UI writes it.
func (s Settings) text(info Info, seed int64, a apitype.Artifact) string {
	facts := []mediameta.Fact{{Name: "Steps", Value: strconv.Itoa(s.Steps)}, {Name: "Sampler", Value: info.Sampler}}
	if s.Scheduler != "" {
		facts = append(facts, mediameta.Fact{Name: "Schedule type", Value: s.Scheduler})
	}
	facts = append(facts, mediameta.Fact{Name: "CFG scale", Value: number(s.Scale)}, mediameta.Fact{Name: "Seed", Value: strconv.FormatInt(seed, 10)},
		mediameta.Fact{Name: "Size", Value: fmt.Sprintf("%dx%d", a.Width, a.Height)}, mediameta.Fact{Name: "Model", Value: info.Checkpoint})
	if s.Denoising != nil {
		facts = append(facts, mediameta.Fact{Name: "Denoising strength", Value: number(*s.Denoising)})
	}
	for _, name := range []string{"LoRAs", "Ignored"} {
		facts = append(facts, mediameta.Fact{Name: name, Value: info.Extra[name]})
	}
	return mediameta.FormatParameters(s.Prompt, s.Negative, append(facts, mediameta.Fact{Name: "Version", Value: version}))
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// NewReply is the answer without its pictures.
func NewReply(s Settings, info Info) (Reply, error) {
	text, err := wire.Marshal(info)
	return Reply{Images: []string{}, Parameters: s, Info: string(text)}, err
}

// PictureInfo is the answer to a request for what a picture was made with.
type PictureInfo struct {
	Info       string            `json:"info"`
	Items      map[string]string `json:"items"`
	Parameters map[string]string `json:"parameters"`
}

// NewPictureInfo is what the texts of a picture say.
func NewPictureInfo(texts map[string]string) PictureInfo {
	out := PictureInfo{Info: texts[mediameta.Parameters], Items: map[string]string{}, Parameters: map[string]string{}}
	for name, text := range texts {
		if name != mediameta.Parameters {
			out.Items[name] = text
		}
	}
	if out.Info == "" {
		return out
	}
	prompt, negative, facts := mediameta.ParseParameters(out.Info)
	for _, f := range facts {
		if w, h, ok := strings.Cut(f.Value, "x"); ok && f.Name == "Size" {
			out.Parameters["Size-1"], out.Parameters["Size-2"] = w, h
			continue
		}
		out.Parameters[f.Name] = f.Value
	}
	out.Parameters["Prompt"], out.Parameters["Negative prompt"] = prompt, negative
	return out
}

// Progress is how far the work of an account is.
type Progress struct {
	Progress float64 `json:"progress"` // of 1; exactly 0 when there is no work
	ETA      float64 `json:"eta_relative"`
	State    State   `json:"state"`
	Current  *string `json:"current_image"` // a file in base64
	Text     *string `json:"textinfo"`
}

// State is the work of an account.
type State struct {
	Skipped      bool   `json:"skipped"`
	Interrupted  bool   `json:"interrupted"`
	Stopping     bool   `json:"stopping_generation"`
	Job          string `json:"job"`
	JobCount     int    `json:"job_count"`
	Timestamp    string `json:"job_timestamp"`
	JobNumber    int    `json:"job_no"`
	SamplingStep int    `json:"sampling_step"`
	Sampling     int    `json:"sampling_steps"`
}

// Ours are the workflows that requests of this API have started.
func Ours(list []apitype.Workflow) (ours []apitype.Workflow) {
	for _, w := range list {
		if isOurs[w.Steps[0].ID] {
			ours = append(ours, w)
		}
	}
	return ours
}

// startedAt is the least progress of work that has begun: a client takes 0 for none.
const startedAt = 0.01

// NewProgress is how far the newest of the workflows of an account that are under way is, and the address of its
// preview.
func NewProgress(running []apitype.Workflow, now time.Time) (p Progress, preview string) {
	if len(running) == 0 {
		return p, ""
	}
	w := running[0]
	for _, s := range w.Steps {
		p.Progress += s.Progress / float64(len(w.Steps))
		if s.PreviewURL != "" {
			preview = s.PreviewURL
		}
	}
	if at := w.Steps[0].Timestamps.StartedAt; at != nil && p.Progress > 0 {
		p.ETA = max(0, now.Sub(*at).Seconds()*(1-p.Progress)/p.Progress)
	}
	p.Progress = max(p.Progress, startedAt)
	p.State = State{Job: w.WorkflowID, JobCount: len(running), Timestamp: time.UnixMilli(w.CreateTime).UTC().Format("20060102150405"), SamplingStep: int(p.Progress * 20), Sampling: 20}
	return p, preview
}
