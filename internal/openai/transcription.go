package openai

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// TranscriptionBody is the form of POST /v1/audio/transcriptions and /v1/audio/translations, without the file.
type TranscriptionBody struct {
	Model       string    `wire:"model,required,minlen=1,maxlen=200" doc:"An id of a model whose server transcribes speech."`
	Language    string    `wire:"language,maxlen=20" doc:"Of the sound. Passed on."`
	Prompt      string    `wire:"prompt,maxlen=4000" doc:"Words that help. Passed on."`
	Format      string    `wire:"response_format,enum=json|text|srt|verbose_json|vtt|diarized_json,default=json" doc:"Of the answer."`
	Temperature *float64  `wire:"temperature,min=0,max=1" doc:"Passed on."`
	Granularity wire.List `wire:"timestamp_granularities,maxlen=2" doc:"word, segment or both. Passed on."`
	Stream      bool      `wire:"stream" doc:"Only false is supported."`
}

// Request turns the form into a request of the chat engine.
func (b TranscriptionBody) Request(caller atelier.Caller, terms atelier.PaymentTerms, name string, file []byte) (chat.TranscribeRequest, error) {
	q := chat.TranscribeRequest{ID: "asr-" + mint.UUID(), Caller: caller, Model: b.Model, Name: fileName(name), Audio: file, Terms: terms, IsJSON: strings.HasSuffix(b.Format, "json"), Fields: url.Values{"response_format": {b.Format}}}
	if b.Stream {
		return q, atelier.Refuse("stream", "must be false: transcripts come whole.")
	}
	if b.Language != "" {
		q.Fields.Set("language", b.Language)
	}
	if b.Prompt != "" {
		q.Fields.Set("prompt", b.Prompt)
	}
	if b.Temperature != nil {
		q.Fields.Set("temperature", strconv.FormatFloat(*b.Temperature, 'g', -1, 64))
	}
	for _, g := range b.Granularity {
		if g != "word" && g != "segment" {
			return q, atelier.Refuse("timestamp_granularities", "must be word or segment.")
		}
		q.Fields.Add("timestamp_granularities[]", g)
	}
	return q, nil
}

// fileName is the name under which a server gets a file: what it is called does not matter to it, but its ending may.
func fileName(sent string) string {
	ending := strings.ToLower(path.Ext(sent))
	if len(ending) < 2 || len(ending) > 6 || strings.ContainsFunc(ending[1:], func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return "sound.wav"
	}
	return "sound" + ending
}

// Transcript is the answer in the format json. Others come as the server sends them.
type Transcript struct {
	Text string `json:"text"`
}
