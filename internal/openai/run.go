package openai

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/wire"
)

// RunBody is the part of the body of POST /v1/chat/runs that is a conversation. It
// holds no media inline: a run is stored, and its media is read where it is.
type RunBody struct {
	Messages     wire.Raw         `wire:"messages,required,maxbytes=8388608" doc:"The conversation, in OpenAI's shape. Images are http or https URLs."`
	Model        string           `wire:"model" doc:"An id of GET /v1/models. A default applies when omitted."`
	Tools        wire.Raw         `wire:"tools,maxbytes=1048576" doc:"Function tools of the caller. The run ends when the model calls one."`
	ToolChoice   wire.Raw         `wire:"tool_choice,maxbytes=4096" doc:"auto, none, required, or a function by name."`
	Sampling     *RunSampling     `wire:"sampling" doc:"How the model chooses its words."`
	Media        []mediaReference `wire:"media_references,maxlen=64,names=lenient" doc:"Media that tools can address: -1 is the first of its kind."`
	MediaContext *RunMedia        `wire:"media_context,names=lenient" doc:"Media of earlier runs, by URL."`
	Session      string           `wire:"session_id,maxlen=200" doc:"A session of the caller's naming, whose assets are remembered."`
}

// RunBounds bounds the body of a run.
var RunBounds = wire.Bounds{Text: 2 * maxText, Inline: 16 << 20, Single: 16 << 20}

// RunSampling are the parameters of the model of a run.
type RunSampling struct {
	MaxTokens         int          `wire:"max_tokens,default=4096,min=1" doc:"The longest answer of a round."`
	Temperature       *float64     `wire:"temperature,min=0,max=2"`
	TopP              *float64     `wire:"top_p,min=0,max=1"`
	TopK              *int         `wire:"top_k,min=-1"`
	MinP              *float64     `wire:"min_p,min=0,max=1"`
	RepetitionPenalty *float64     `wire:"repetition_penalty,min=0,max=10"`
	FrequencyPenalty  *float64     `wire:"frequency_penalty,min=-2,max=2"`
	PresencePenalty   *float64     `wire:"presence_penalty,min=-2,max=2"`
	TaskProfile       chat.Profile `wire:"task_profile,enum=general|coding|reasoning"`
	Think             bool         `wire:"think,default=false" doc:"Whether the model may think before it answers."`
}

// RunMedia is the media of earlier runs: results and uploads, by kind.
type RunMedia struct {
	Images         []string `wire:"images,maxlen=256"`
	Videos         []string `wire:"videos,maxlen=256"`
	Audio          []string `wire:"audio,maxlen=256"`
	UploadedImages []string `wire:"uploadedImages,alias=uploaded_images,maxlen=64"`
	UploadedVideos []string `wire:"uploadedVideos,alias=uploaded_videos,maxlen=64"`
	UploadedAudio  []string `wire:"uploadedAudio,alias=uploaded_audio,maxlen=64"`
}

// defaultRunTokens is the longest answer of a round whose request does not say.
const defaultRunTokens = 4096

// Request turns the body into a request of the chat engine, and returns the sampling
// parameters as they apply.
func (b *RunBody) Request(caller atelier.Caller) (*chat.Request, map[string]any, error) {
	sampling := b.Sampling
	if sampling == nil {
		sampling = &RunSampling{MaxTokens: defaultRunTokens}
	}
	r := &chat.Request{
		Caller: caller, Model: b.Model, Family: catalog.CreativeAgent, Execute: true, MaxTokens: sampling.MaxTokens, Thinking: sampling.Think,
		Profile: sampling.TaskProfile, Session: b.Session, Trim: true,
	}
	conversation, err := readRunMessages(b.Messages)
	if err != nil {
		return nil, nil, err
	}
	r.Messages = conversation.messages
	if r.Profile == "" {
		r.Profile = conversation.profile()
	}
	if r.Tools, err = readTools(b.Tools); err != nil {
		return nil, nil, err
	}
	if r.ToolChoice, err = readToolChoice(b.ToolChoice); err != nil {
		return nil, nil, err
	}
	for i := range b.Media {
		at := fmt.Sprintf("media_references[%d].", i)
		m, err := b.Media[i].read(at)
		if err == nil && m.Data != nil {
			err = atelier.Refuse(at+"url", "must be an http or https URL: inline media is not taken here.")
		}
		if err != nil {
			return nil, nil, err
		}
		r.Media = append(r.Media, m)
	}
	if err := b.MediaContext.addTo(r); err != nil {
		return nil, nil, err
	}
	var applied map[string]any
	r.Params, applied = sampling.params()
	return r, applied, nil
}

// params are the parameters as the model server gets them, and as the run shows them.
func (s *RunSampling) params() (map[string]wire.Raw, map[string]any) {
	applied := map[string]any{"max_tokens": s.MaxTokens, "think": s.Think}
	sent := map[string]wire.Raw{}
	put := func(name string, v any) {
		if raw, err := wire.Marshal(v); err == nil {
			sent[name], applied[name] = raw, v
		}
	}
	for name, v := range map[string]*float64{
		"temperature": s.Temperature, "top_p": s.TopP, "min_p": s.MinP, "repetition_penalty": s.RepetitionPenalty,
		"frequency_penalty": s.FrequencyPenalty, "presence_penalty": s.PresencePenalty,
	} {
		if v != nil {
			put(name, *v)
		}
	}
	if s.TopK != nil {
		put("top_k", *s.TopK)
	}
	if s.TaskProfile != "" {
		applied["task_profile"] = string(s.TaskProfile)
	}
	return sent, applied
}

// addTo adds the media of earlier runs to a request.
func (m *RunMedia) addTo(r *chat.Request) error {
	if m == nil {
		return nil
	}
	type list struct {
		name, kind string
		urls       []string
	}
	for _, l := range []list{{"images", "image", m.Images}, {"videos", "video", m.Videos}, {"audio", "audio", m.Audio}} {
		for i, url := range l.urls {
			ref, err := runReference(fmt.Sprintf("media_context.%s[%d]", l.name, i), l.kind, url)
			if err != nil {
				return err
			}
			r.Made = append(r.Made, ref)
		}
	}
	for _, l := range []list{{"uploadedImages", "image", m.UploadedImages}, {"uploadedVideos", "video", m.UploadedVideos}, {"uploadedAudio", "audio", m.UploadedAudio}} {
		for i, url := range l.urls {
			ref, err := runReference(fmt.Sprintf("media_context.%s[%d]", l.name, i), l.kind, url)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(r.Media, func(m chat.Media) bool { return m.URL == url }) {
				r.Media = append(r.Media, chat.Media{MediaReference: ref, Earlier: true})
			}
		}
	}
	return nil
}

func runReference(at, kind, url string) (atelier.MediaReference, error) {
	if !isWebURL(url) {
		return atelier.MediaReference{}, atelier.Refuse(at, "must be an http or https URL.")
	}
	return atelier.MediaAt(kind, url), nil
}

func isWebURL(url string) bool {
	scheme, rest, _ := strings.Cut(strings.ToLower(url), "://")
	return (scheme == "http" || scheme == "https") && rest != ""
}

// RuntimeConfig is how the service works on a run. Other fields are ignored.
type RuntimeConfig struct {
	QualityTier string `wire:"qualityTier,alias=quality_tier,enum=fast|hq|pro" doc:"Chooses the models of tools that the model does not name."`
	Filter      bool   `wire:"safeContentFilter,alias=safe_content_filter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	Confirm     bool   `wire:"requireJobConfirmation,alias=require_job_confirmation" doc:"Whether calls that cost something wait for the user."`
	// Only calls that take from the balance wait, where Confirm has all of them wait.
	ConfirmSpending bool                `wire:"requireSpendConfirmation,alias=require_spend_confirmation" doc:"Whether calls that cost something and that no plan covers wait for the user."`
	Extra           map[string]wire.Raw `wire:",extra,maxbytes=65536"`
}

// Shown is the configuration as a run shows it.
func (c *RuntimeConfig) Shown() (map[string]any, error) {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(c.Extra)) {
		var v any
		if err := wire.Unmarshal(c.Extra[name], &v); err != nil {
			return nil, atelier.Refuse("runtime_config."+name, "holds a number that is too large.")
		}
		out[name] = v
	}
	if c.QualityTier != "" {
		out["qualityTier"] = c.QualityTier
	}
	out["safeContentFilter"], out["requireJobConfirmation"] = c.Filter, c.Confirm
	if c.ConfirmSpending {
		out["requireSpendConfirmation"] = true
	}
	return out, nil
}
