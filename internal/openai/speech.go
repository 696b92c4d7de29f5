package openai

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/codec/pcm"
	"github.com/atelier-project/atelier/internal/generation"
)

// SpeechBody is the body of POST /v1/audio/speech.
type SpeechBody struct {
	Input        string   `wire:"input,required,minlen=1,maxlen=4096" doc:"The words to speak."`
	Model        string   `wire:"model,maxlen=200" doc:"A model of GET /v1/models, or a name of OpenAI's, which means the default model."`
	Voice        string   `wire:"voice,maxlen=64,default=alloy" doc:"A speaker of the tool generate_speech, or one of OpenAI's, which means the nearest of them."`
	Instructions string   `wire:"instructions,maxlen=512" doc:"The voice in words. It selects the model that makes a voice from a description."`
	Format       string   `wire:"response_format,enum=mp3|opus|aac|flac|wav|pcm,default=wav" doc:"The format of the file: wav, flac, mp3, or pcm, which is samples of 16 bits at 24 kHz. By default wav, which every renderer writes."`
	Speed        *float64 `wire:"speed,min=0.25,max=4" doc:"Only 1 is supported."`
	StreamFormat string   `wire:"stream_format,enum=audio|sse,default=audio" doc:"Whether the file comes as it is, or as server-sent events."`
}

// voices are the speakers for OpenAI's.
var voices = map[string]string{
	"alloy": "serena", "ash": "eric", "ballad": "dylan", "cedar": "ryan", "coral": "sohee", "echo": "ryan", "fable": "aiden",
	"marin": "vivian", "nova": "vivian", "onyx": "uncle_fu", "sage": "serena", "shimmer": "ono_anna", "verse": "aiden",
}

// Steps are those of the workflow that speaks.
func (b SpeechBody) Steps(c *catalog.Catalog, a Aliases) ([]atelier.StepInput, error) {
	const tool = "generate_speech"
	model, err := a.model(c, tool, b.Model)
	if err != nil {
		return nil, err
	}
	args := map[string]any{"prompt": b.Input, "outputFormat": b.Format}
	switch b.Format {
	case "opus", "aac":
		return nil, atelier.Refuse("response_format", "must be mp3, flac, wav or pcm: the renderers of this service do not write %s.", b.Format)
	case "pcm":
		args["outputFormat"] = "wav"
	}
	if b.Speed != nil && *b.Speed != 1 {
		return nil, atelier.Refuse("speed", "must be 1: the models of this service speak at their own speed.")
	}
	if model != "" {
		args["model"] = model
	}
	if b.Instructions != "" {
		args["voiceDescription"] = b.Instructions
		return []atelier.StepInput{{ID: "speech", ToolName: tool, Arguments: args}}, nil
	}
	t, _ := c.Tool(tool)
	speaker, _ := t.Argument("voice")
	switch voice := strings.ToLower(b.Voice); {
	case voices[voice] != "":
		args["voice"] = voices[voice]
	case slices.Contains(speaker.Enum, any(voice)):
		args["voice"] = voice
	default:
		return nil, atelier.Refuse("voice", "must be one of %s.", strings.Join(slices.Sorted(maps.Keys(voices)), ", "))
	}
	return []atelier.StepInput{{ID: "speech", ToolName: tool, Arguments: args}}, nil
}

// SpeechRefusal is an error of a workflow as the client of speech knows it: about the field that it has sent.
func SpeechRefusal(err error) error {
	return generation.Renamed(err, map[string]string{"prompt": "input", "outputFormat": "response_format", "voiceDescription": "instructions"})
}

// SpeechRate is the rate of samples without a header.
const SpeechRate = 24_000

// Samples are the samples of a sound without a header: one channel of 16 bits, the low byte first.
func Samples(s *pcm.Sound) []byte {
	frames := s.Frames()
	at := func(i int) (sum int) {
		for c := range s.Channels {
			sum += int(s.PCM[min(i, frames-1)*s.Channels+c])
		}
		return sum / s.Channels
	}
	n := int(int64(frames) * SpeechRate / int64(s.Rate))
	out := make([]byte, 0, 2*n)
	for i := range n {
		place := int64(i) * int64(s.Rate)
		from, part := int(place/SpeechRate), int(place%SpeechRate)
		value := (at(from)*(SpeechRate-part) + at(from+1)*part) / SpeechRate
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(value)))
	}
	return out
}

// SpeechEvent is an event of a stream of speech: a piece of the file, or its end.
type SpeechEvent struct {
	Type  string       `json:"type"`
	Audio File         `json:"audio,omitzero"`
	Usage *SpeechUsage `json:"usage,omitzero"`
}

// SpeechUsage counts tokens, which speech does not cost here.
type SpeechUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
}
